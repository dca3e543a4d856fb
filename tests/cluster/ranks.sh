#!/bin/bash
# One simulation over two and four MPI ranks: the same bytes as in one process, for any number of ranks and threads: results,
# hashes, run directory, trace, hang explanations. A ring of four chips and a mesh of eight. What fails ends all ranks, with one
# message. Usage: ranks.sh TENSIM SOURCE GUEST SANITIZER
set -eu
tensim=$1 source=$2 guest=$3 sanitizer=${4:-}
. "$source/tests/crew/mpi.sh"
. "$source/tests/sample.sh"
export ASAN_OPTIONS=detect_leaks=0 # blocks of the region are not the sanitizer's
[ -n "$sanitizer" ] || unset ASAN_OPTIONS
# pairs PAIR...: an echo over each of these links, such as 0/eth0-1/eth2.
pairs() {
    local pair
    echo "system: $system"
    echo "tiles:"
    for pair; do
        echo "  ${pair%-*}: {erisc0: $guest/echo_sender.erisc0.elf, load: [{address: 0x18008, words: [2064, 3]}]}"
        echo "  ${pair#*-}: {erisc0: $guest/echo_receiver.erisc0.elf, load: [{address: 0x18008, words: [2064, ${expect:-3}]}]}"
    done
    echo "script:"
    for pair; do
        echo "  - release: {tile: ${pair%-*}, cores: [erisc0]}"
        echo "  - release: {tile: ${pair#*-}, cores: [erisc0]}"
    done
    for pair; do
        echo "  - until: {tile: ${pair#*-}, l1: 0x18000, is: 0x600dd04e, limit: 1000000}"
    done
}
system=p150x8 pairs 0/eth0-1/eth0 1/eth2-2/eth0 2/eth2-3/eth0 4/eth2-5/eth0 5/eth4-6/eth0 6/eth4-7/eth0 0/eth2-4/eth0 \
    1/eth4-5/eth2 2/eth4-6/eth2 3/eth2-7/eth2 > mesh.yaml
system=p150x4-ring expect=4 pairs 0/eth2-1/eth0 2/eth2-3/eth0 > hang.yaml
system=p150x4-ring pairs 0/eth2-1/eth0 2/eth2-3/eth0 > fault.yaml
sed -i 's/words: \[2064, 3\]/words: [2050, 3]/' fault.yaml # no multiple of 16
system=p150x4-ring pairs 0/eth2-1/eth0 2/eth2-3/eth0 > cut.yaml
sed -i '0,/- until/s//- run: 5000\n  - link: {end: 1\/eth0, state: down}\n  - until/' cut.yaml
grep -v 'release: {tile: 3/eth0' hang.yaml > never.yaml
sed 's/words: \[2064, [0-9]\]/words: [2064, 1000000]/' fault.yaml | grep -v until | sed 's/2050, 3/2064, 1000000/' > long.yaml
# What differs between runs: times of the host, progress on a slow one, the number of threads, the command.
plain() { sed -E '/"(seconds|threads|cycles_per_s|command)"/d; /^cycle .* cycles\/s(, .*)?$/d; s/, [0-9.]+ s$//' "$1"; }
one() { # NAME SCENARIO OPTIONS: in one process
    mkdir -p one
    (cd one && "$tensim" run "$2" ${3:-} -o run --json out.json > out 2> errors) && code=0 || code=$?
}
same() { # RANKS THREADS NAME SCENARIO OPTIONS: as `one`
    local ranks=$1 threads=$2 name=$3 scenario=$4 found=0
    shift 4
    rm -rf other
    mkdir other
    (cd other && mpirun -n "$ranks" "$tensim" run "$scenario" $* -j "$threads" -o run --json out.json > out 2> errors) ||
        found=$?
    [ $found = $code ] || fail "$name, $ranks ranks: exit code $found, not $code: $(cat other/errors)"
    sed -i '/^----/,$d' other/errors # the launcher's
    for file in out errors out.json run/stats.json run/stats.csv run/result.json run/drawing.json run/hang.json run/config.yaml; do
        [ -e one/$file ] || continue
        cmp <(plain one/$file) <(plain other/$file) || fail "$name: $file of $ranks ranks with $threads threads differs"
    done
    if [ -e one/run/trace.json.gz ]; then
        cmp one/run/trace.json.gz other/run/trace.json.gz || fail "$name: the trace of $ranks ranks differs"
    fi
}
all="2:1 2:2 4:1 4:2"
sample "one of four combinations of ranks and threads"
compare() { # WAY NAME SCENARIO OPTIONS: all ways, or RANKS:THREADS
    local ways=$1 way
    shift
    ! every_case || ways=$all
    [ -z "$sanitizer" ] || ways=2:2
    one "$@"
    for way in $ways; do same "${way%:*}" "${way#*:}" "$@"; done
    rm -rf one
}
compare 2:2 ring "$guest/all-reduce.yaml" --trace
[ $code = 0 ] || fail "the ring: exit code $code"
compare 4:1 mesh "$work/mesh.yaml" --stats-hash
[ $code = 0 ] || fail "the mesh: exit code $code"
compare 2:2 program chips-all-gather "-p system=p150x4-ring -p kib=16 -p chunk=1024"
[ $code = 0 ] || fail "chips-all-gather: exit code $code: $(cat other/errors)"
compare 2:1 hang "$work/hang.yaml"
[ $code = 2 ] || fail "the hang: exit code $code"
if every_case; then
    compare 4:2 fault "$work/fault.yaml"
    [ $code = 4 ] || fail "the fault: exit code $code"
    compare 4:1 cut "$work/cut.yaml"
    [ $code = 2 ] || fail "the link that goes down: exit code $code"
    compare 2:2 never "$work/never.yaml"
    [ $code = 2 ] || fail "the chip that never starts: exit code $code"
    compare 2:1 fabric "$guest/fabric.yaml" --check
    compare 2:1 relay "$guest/relay.yaml" --step-by-step
    compare 2:2 reduce chips-all-reduce "-p system=p150x8 -p kib=64 -p chunk=1024"
    compare 2:2 matmul chips-matmul "-p m=64 -p n=64"
    compare 2:1 limit "$guest/fabric.yaml" --max-cycles=9000
    [ $code = 6 ] || fail "the limit: exit code $code"
fi
# One message, and an exit code.
said() { # CODE WORDS COMMAND...
    local code=$1 words=$2 found=0
    shift 2
    mpirun "$@" > said 2>&1 || found=$?
    [ $found = "$code" ] && [ "$(grep -c "$words" said)" = 1 ] || fail "$*: exit code $found: $(cat said)"
}
said 64 'the system has 4 chips' -n 6 "$tensim" run "$guest/all-reduce.yaml"
said 64 "chips of a system" -n 2 "$tensim" run --brisc "$guest/dram_read.brisc.elf"
mkdir busy
touch busy/file
said 3 'cannot make the run directory' -n 2 "$tensim" run "$guest/all-reduce.yaml" -o busy/file/run
# A rank that is killed, as a node that dies would: the others end, and one of them says so. 137 is the launcher's.
mpirun -n 2 "$tensim" run long.yaml -o lost > said 2>&1 &
job=$!
until [ -e lost/.tensim-lock ] || ! kill -0 $job; do sleep 0.1; done
sleep 1
kill_rank $job 1
found=0
wait_killed $job || found=$?
{ [ $found = 137 ] || [ $found = 3 ]; } && [ "$(grep -c 'tensim: rank 0 of 2: another rank .* is lost' said)" = 1 ] ||
    fail "a rank that is killed: exit code $found: $(cat said)"
echo "same bytes over ranks and threads"
