#!/bin/bash
# Two and four MPI ranks give the bytes of one process: sweep, program files, silicon, silicon gemm, run --search; a rank that
# is killed costs its runs, which others get. Usage: ranks.sh TENSIM SOURCE SANITIZER
set -eu
tensim=$1 source=$2 sanitizer=${3:-}
. "$source/tests/crew/mpi.sh"
. "$source/tests/sample.sh"
export ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS="suppressions=$source/tests/crew/mpi.supp"
[ -n "$sanitizer" ] || unset ASAN_OPTIONS LSAN_OPTIONS
same() { # DIR: tables and page of the sweep in $1 are those in $2
    for file in table.csv table.json table.sqlite sweep.html; do
        cmp "$1/$file" "$2/$file" || fail "$2/$file is not as of one process"
    done
}
if [ -n "$sanitizer" ]; then # slow: a few runs on two ranks, with a look for leaks at the end of each rank
    few="m=32 n=32 k=32,64 fidelity=lofi,hifi4"
    "$tensim" sweep $few -q -o one > /dev/null
    mpirun -n 2 "$tensim" sweep $few -q -o two > /dev/null
    same one two
    mpirun -n 2 "$tensim" silicon -q every=400
    mpirun -n 2 "$tensim" run -q --search 3,most:4 "$source/config/gallery/g01-repaired.yaml"
    exit 0
fi
# The default sweep of 144 runs, and 2,000 short runs.
default= runs=144 every=40 ranks="2 4"
short="m=32,64 n=32,64 k=32,64,96,128,160 fidelity=lofi,hifi2,hifi3,hifi4 throttle=0,1,2,3,4
    format=bf16,bfp8,bfp4,fp16,bfp8a"
if ! every_case; then
    sample "16 of 144 runs, 160 of 2000 short ones, every 400th row of silicon, no anchors, two ranks or four"
    default="m=64,128 n=64,128 k=64,128 fidelity=lofi,hifi4" runs=16 every=400 ranks=4
    short="m=32,64 n=32 k=32,64 fidelity=lofi,hifi4 throttle=0,1,2,3 format=bf16,bfp8,bfp4,fp16,bfp8a"
fi
"$tensim" sweep $default -q -o one > /dev/null
for n in $ranks; do
    mpirun -n $n "$tensim" sweep $default -q -o ranks$n > said
    [ "$(cat said)" = "$runs of $runs runs, 0 resumed, 0 failed; ranks$n/sweep.html" ] || fail "$(cat said)"
    same one ranks$n
done
# The short ones also in five shards, and with processes inside of a rank.
"$tensim" sweep $short -q -o many > /dev/null
mpirun -n 2 "$tensim" sweep $short -q -o many2 > /dev/null
same many many2
if every_case; then
    mpirun -n 4 "$tensim" sweep -j 2 $short -q -o many4 > /dev/null
    same many many4
fi
for i in 1 2 3 4 5; do
    "$tensim" sweep $short -q --shard $i/5 -o part$i
done
"$tensim" merge -q part? -o merged > /dev/null
same many merged
# A job can be a shard, too.
mpirun -n 2 "$tensim" sweep -q --shard 2/5 $short -o again2
"$tensim" merge -q part1 again2 part3 part4 part5 -o merged2 > /dev/null
same many merged2
# A program over cores and chips, with runs that fail.
program="binary rows=32 columns=64 cores=1x1,2x1 chip=p100,p150,p7"
"$tensim" sweep $program -q -o program > /dev/null && fail "there is no chip p7"
mpirun -n 2 "$tensim" sweep $program -q -o program2 > /dev/null && fail "there is no chip p7"
same program program2
# Other commands: text and JSON.
compare() { # WORDS of a command: one process, two ranks
    "$tensim" "$@" --json one.json > one.txt 2> /dev/null || true
    mpirun -n 2 "$tensim" "$@" --json two.json > two.txt 2> errors || true
    cmp one.json two.json && cmp one.txt two.txt || fail "$*: $(cat errors)"
}
compare silicon every=$every
compare hang --search 50,most:64 "$source/config/gallery/g01-racy.yaml"
compare hang --search 3,most:8 "$source/config/gallery/g01-repaired.yaml"
if every_case; then compare silicon G0001; fi
# One message, not one of each rank.
mpirun -n 3 "$tensim" sweep nokernel 2> said && fail "a kernel that is not there"
[ "$(grep -c 'no kernel' said)" = 1 ] || fail "said more than once: $(cat said)"
# Where the launcher lets a job go on, so do we: other ranks get the runs of one that is killed. On one host this takes no
# time, and does not wait until the rank has been silent for 30 s.
lost="repeat=4 throttle=0,1,2,3,4,5 format=bf16,bfp8,bfp4 fidelity=lofi,hifi2,hifi3,hifi4"
mpirun --enable-recovery -n 3 "$tensim" sweep $lost -q -o lost > said 2> errors &
job=$!
until [ -s lost/results.jsonl ] || ! kill -0 $job; do sleep 0.05; done
kill_rank $job 1
until grep -q 'rank 1 is lost' errors || ! kill -0 $job 2> /dev/null; do sleep 0.05; done
grep -q 'rank 1 is lost; other ranks get its runs' errors || fail "the end of a rank is not noticed: $(cat errors)"
wait_killed $job || [ $? = 137 ] || fail "the job did not go on: $(cat errors)"
"$tensim" sweep $lost -q -o all > /dev/null
same all lost
