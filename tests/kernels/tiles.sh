#!/bin/bash
# Every kernel runs on 1 and on 4 tiles and gives the same bytes for any number of threads.
# Usage: tiles.sh TENSIM
set -eu
tensim=$1
for kernel in "matmul -F hifi2" "eltwise -O mul -F hifi4" "sfpu -O gelu" "reduce -O sum" transpose "norm -O softmax" "norm -O rmsnorm" tilize untilize; do
    "$tensim" ${kernel} -M 64 -N 128 -q
    hash=
    for threads in 1 2 4; do
        now=$("$tensim" ${kernel} -M 64 -N 128 --tiles 4 -j "$threads" --stats-hash -q)
        [ -z "$hash" ] || [ "$hash" = "$now" ] || { echo "$kernel: $threads threads give another hash"; exit 1; }
        hash=$now
    done
    echo "$kernel: $hash"
done
