#!/bin/sh
# clang-format finds nothing to change; scripts of the pages have 100 columns. Usage: format.sh SOURCE_DIR
set -eu
cd "$1"
awk 'length > 100 { print FILENAME ":" FNR ": " length " columns"; wide = 1 } END { exit wide }' \
    platform/report/*.js platform/report/views/*.js
if ! command -v clang-format >/dev/null; then
    echo "skipped: clang-format is not installed"
    exit 77
fi
find platform cores units noc config tests -name '*.[ch]' -print0 2>/dev/null |
    xargs -0 clang-format --dry-run -Werror
