#!/bin/sh
# Reads the tool call on standard input and refuses commands that publish a release.
set -eu
if grep -Eq 'git +(tag|push)( |")'; then
  echo "A person must tag and push releases. Show the command instead of running it." >&2
  exit 2
fi
