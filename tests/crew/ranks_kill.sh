#!/bin/bash
# A sweep over three MPI ranks: rank 0, then a worker, killed at ten (in a sample: two) random moments each. After the same command again it
# is complete and has the bytes of one process. Usage: ranks_kill.sh TENSIM SOURCE
set -eu
tensim=$1 source=$2
. "$source/tests/crew/mpi.sh"
. "$source/tests/sample.sh"
if every_case; then kills=10; else kills=2; fi
sample "4 of 20 kills"
axes="m=64 n=128 k=256 format=bf16,bfp8,bfp4 fidelity=lofi,hifi2,hifi3,hifi4 throttle=0,1,2,3,4,5"
"$tensim" sweep $axes -q -o whole > /dev/null
start=$(date +%s%N)
mpirun -n 3 "$tensim" sweep $axes -q -o trial > /dev/null
span=$((($(date +%s%N) - start) / 1000000))
early=0
for rank in 0 1; do
    for i in $(seq $kills); do
        dir=killed-$rank-$i
        mpirun -n 3 "$tensim" sweep $axes -q -o $dir > /dev/null 2>&1 &
        job=$!
        moment=$((RANDOM * span / 32768))
        sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
        kill_rank $job $rank
        wait_killed $job || early=$((early + 1))
        mpirun -n 3 "$tensim" sweep $axes -q -o $dir > said
        grep -q '^72 of 72 runs, .* 0 failed' said || fail "rank $rank, moment $moment ms: $(cat said)"
        for file in table.csv table.json table.sqlite sweep.html; do
            cmp whole/$file $dir/$file || fail "rank $rank, moment $moment ms: $file differs"
        done
        [ "$(grep -c '"key"' $dir/results.jsonl)" = 72 ] || fail "rank $rank, moment $moment ms: a run is there twice"
    done
done
echo "$((2 * kills)) kills, $early of them before the end of a sweep of $span ms"
[ $early -gt 0 ] || ! every_case || fail "no kill was in time"
