#!/bin/sh
# clang-format finds nothing to change. Usage: format.sh SOURCE_DIR
set -eu
cd "$1"
if ! command -v clang-format >/dev/null; then
    echo "skipped: clang-format is not installed"
    exit 77
fi
find platform cores units noc config tests -name '*.[ch]' -print0 2>/dev/null |
    xargs -0 clang-format --dry-run -Werror
