#!/bin/sh
# The run of the truth table that its tests share: DIR/rows.csv, families.md, text, exit, every (which of the rows are
# in it). Sanitised builds are slow: they run every 20th row instead of all. Usage: run.sh TENSIM DIR SANITIZER
set -eu
. "$(dirname "$0")/../../sample.sh"
tensim=$1 dir=$2
if every_case; then every=1; else every=16; fi
[ -z "${3:-}" ] || every=$((20 * every))
mkdir -p "$dir"
echo $every > "$dir/every"
sample "every ${every}th row of the truth table"
code=0
"$tensim" silicon -q -j2 every=$every --write=csv:"$dir/rows.csv" --write=markdown:"$dir/families.md" > "$dir/text" 2>&1 || code=$?
echo $code > "$dir/exit"
