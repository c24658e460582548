#!/bin/sh
# Prints the changes merged between two revisions, oldest first: hash, date, subject.
set -eu
if [ $# -ne 2 ]; then
  echo "usage: changes.sh <from> <to>" >&2
  exit 2
fi
git log --first-parent --reverse --date=short --format='%h %ad %s' "$1..$2"
