#!/bin/sh
# The run of the truth table that its tests share: DIR/rows.csv, families.md, text, exit. Sanitised builds are slow: they
# run every 20th row. Usage: run.sh TENSIM DIR SANITIZER
set -eu
tensim=$1 dir=$2 every=1
[ -z "${3:-}" ] || every=20
mkdir -p "$dir"
code=0
"$tensim" silicon -q -j2 --every $every --csv "$dir/rows.csv" --markdown "$dir/families.md" > "$dir/text" 2>&1 || code=$?
echo $code > "$dir/exit"
