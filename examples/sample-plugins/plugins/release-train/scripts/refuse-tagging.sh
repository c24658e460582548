#!/bin/sh
# Reads the tool call on standard input and refuses commands that publish a release.
set -eu
if grep -Eq 'git +(tag|push)( |")'; then
  echo "Tags and pushes of a release are made by a person." >&2
  exit 2
fi
