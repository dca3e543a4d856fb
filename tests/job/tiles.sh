#!/bin/bash
# Every kernel runs on 1 and on 4 tiles and gives the same bytes for any number of threads; the first of 4 tiles gives
# what one alone gives.
# Usage: tiles.sh TENSIM
set -eu
tensim=$1
TMPDIR=$(mktemp -d)
trap 'rm -rf "$TMPDIR"' EXIT
for kernel in "matmul -F hifi2" "eltwise -O mul -F hifi4" "sfpu -O gelu" "reduce -O sum" transpose "norm -O softmax" "norm -O softmax --mean 150 --spread 20" "norm -O rmsnorm" tilize untilize; do
    "$tensim" ${kernel} -M 64 -N 128 -q --json "$TMPDIR/one.json"
    "$tensim" ${kernel} -M 64 -N 128 -q --json "$TMPDIR/four.json" --tiles 4
    for name in rel_l2 pcc max_ulp differ run_cycles; do
        [ "$(grep -m1 "\"$name\"" "$TMPDIR/one.json")" = "$(grep -m1 "\"$name\"" "$TMPDIR/four.json")" ] || { echo "$kernel: 4 tiles give another $name"; exit 1; }
    done
    hash=
    for threads in 1 2 4; do
        now=$("$tensim" ${kernel} -M 64 -N 128 --tiles 4 -j "$threads" --stats-hash -q)
        [ -z "$hash" ] || [ "$hash" = "$now" ] || { echo "$kernel: $threads threads give another hash"; exit 1; }
        hash=$now
    done
    echo "$kernel: $hash"
done
# Held up at random, and with lints as faults: the same values.
"$tensim" matmul -M 64 -N 64 -K 64 --lint=strict --json "$TMPDIR/plain.json" -q
"$tensim" matmul -M 64 -N 64 -K 64 --lint=strict --perturb 7:8 --json "$TMPDIR/held.json" -q
for name in rel_l2 pcc; do
    [ "$(grep "\"$name\"" "$TMPDIR/plain.json")" = "$(grep "\"$name\"" "$TMPDIR/held.json")" ] || { echo "perturbed: another $name"; exit 1; }
done
[ "$(grep '"cycles"' "$TMPDIR/plain.json")" != "$(grep '"cycles"' "$TMPDIR/held.json")" ] || { echo "--perturb does nothing"; exit 1; }
# A matmul shared by a grid of tiles over the NoC: every tile's part is right, for any number of threads, wherever the
# matrices are, in one block or in several (gathered from the shards, or not), whatever the formats.
for grid in "--storage l1/dram/l1" "--storage dram/dram/dram" "--storage l1/dram/l1 --blocks 8" \
    "--storage l1/dram/dram -f bfp8 --out-format bfp8" "--storage dram/dram/l1 --dst 32 --blocks 2"; do
    hash=
    for threads in 1 2; do
        "$tensim" matmul -M 128 -N 256 -K 256 -F hifi2 --grid 4x2 ${grid} -j "$threads" --json - > "$TMPDIR/grid.json"
        now=$(grep -v -e seconds -e cycles_per_s -e '"threads": [0-9]' "$TMPDIR/grid.json" | md5sum)
        [ -z "$hash" ] || [ "$hash" = "$now" ] || { echo "grid: $threads threads give another result"; exit 1; }
        hash=$now
    done
    parts=$(sed -n '/"tiles": \[/,/\]/p' "$TMPDIR/grid.json" | grep '"rel_l2"' | tr -d '",' |
        awk '{ if ($2 < 0.012 && $2 > 0) good++ } END { print good + 0 }')
    [ "$parts" -eq 8 ] || { echo "grid $grid: $parts of 8 tiles are right"; exit 1; }
    echo "grid 4x2 $grid: $parts tiles right"
done
