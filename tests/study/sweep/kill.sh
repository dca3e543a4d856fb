#!/bin/bash
# A sweep that is killed at ten random moments ends with the same table as one that is left alone.
# Usage: sweep_kill.sh TENSIM
set -eu
tensim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sweep() { # in a process of its own: killing it kills the program
    exec "$tensim" sweep matmul m=64 n=128 k=256 format=bf16,bfp8,bfp4 fidelity=lofi,hifi2,hifi3,hifi4 \
        throttle=0,1,2,3,4,5 -q -o "$1"
}
start=$(date +%s%N)
(sweep "$work/whole" > /dev/null)
span=$((($(date +%s%N) - start) / 1000000))
for i in 1 2 3 4 5 6 7 8 9 10; do
    sweep "$work/killed" > /dev/null 2>&1 &
    pid=$!
    moment=$((RANDOM * (span / 6 + 20) / 32768))
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    kill -9 "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
done
said=$(sweep "$work/killed")
echo "$said"
for table in table.csv table.json sweep.html; do
    cmp "$work/whole/$table" "$work/killed/$table"
done
# The results file holds every run once.
lines=$(grep -c '"key"' "$work/killed/results.jsonl")
[ "$lines" -eq 72 ] || { echo "$lines lines of results, not 72"; exit 1; }
# And the page has them (its plots: tests/pages).
[ "$(grep -o '"key":"matmul' "$work/killed/sweep.html" | wc -l)" -ge 72 ]
