#!/bin/sh
# All trace files of a grid: the same bytes for one thread and for three.
# Usage: threads.sh TENSIM
set -eu
tensim=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for j in 1 3; do
    "$tensim" matmul -M 64 -N 64 -K 128 --grid 2x2 -q -j $j -o run$j --trace=all > /dev/null
done
for file in trace.json.gz trace.vcd noc_trace.json; do
    [ -s run1/$file ] || { echo "$file is missing or empty"; exit 1; }
    cmp run1/$file run3/$file
done
