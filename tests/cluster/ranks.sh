#!/bin/bash
# One simulation over two and four MPI ranks: the same bytes as in one process, for any number of ranks and threads: results,
# hashes, run directory, trace, hang explanations. A ring of four chips and a mesh of eight. What fails ends all ranks, with one
# message; lost.sh has more of that. Usage: ranks.sh TENSIM SOURCE GUEST SANITIZER
set -eu
tensim=$1 source=$2 guest=$3 sanitizer=${4:-}
. "$source/tests/crew/mpi.sh"
. "$source/tests/sample.sh"
. "$source/tests/cluster/pairs.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0 # the first rank has said what is wrong
export ASAN_OPTIONS=detect_leaks=0 # blocks of the region are not the sanitizer's
[ -n "$sanitizer" ] || unset ASAN_OPTIONS
system=p150x8 pairs 0/eth0-1/eth0 1/eth2-2/eth0 2/eth2-3/eth0 4/eth2-5/eth0 5/eth4-6/eth0 6/eth4-7/eth0 0/eth2-4/eth0 \
    1/eth4-5/eth2 2/eth4-6/eth2 3/eth2-7/eth2 > mesh.yaml
system=p150x4-ring expect=4 pairs 0/eth2-1/eth0 2/eth2-3/eth0 > hang.yaml
system=p150x4-ring pairs 0/eth2-1/eth0 2/eth2-3/eth0 > fault.yaml
sed -i 's/words: \[2064, 3\]/words: [2050, 3]/' fault.yaml # no multiple of 16
system=p150x4-ring pairs 0/eth2-1/eth0 2/eth2-3/eth0 | cut_link > cut.yaml
grep -v 'release: {tile: 3/eth0' hang.yaml > never.yaml
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
sample "one of four combinations of ranks and threads, four of thirteen runs"
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
cat <<END > check.yaml # chip 2 reads what comes from chip 1 before its credit
system: p150x4-ring
tiles:
  1/eth2: {erisc0: $guest/test_link.erisc0.elf, load: [{address: 0x18008, words: [0, 1]}]}
  2/eth0: {erisc0: $guest/test_link.erisc0.elf, load: [{address: 0x18008, words: [3, 0]}]}
END
compare 4:1 mesh "$work/mesh.yaml" --stats-hash
[ $code = 0 ] || fail "the mesh: exit code $code"
compare 2:2 program chips-all-gather "-p system=p150x4-ring -p kib=16 -p chunk=1 --activity"
[ $code = 0 ] || fail "chips-all-gather: exit code $code: $(cat other/errors)"
compare 2:1 hang "$work/hang.yaml"
[ $code = 2 ] || fail "the hang: exit code $code"
if every_case; then
    compare 2:1 check "$work/check.yaml" --check
    [ $code = 7 ] && grep -q '\[race-eth\]' other/errors || fail "the check: exit code $code: $(cat other/errors)"
    compare 4:2 fault "$work/fault.yaml"
    [ $code = 4 ] || fail "the fault: exit code $code"
    compare 4:1 cut "$work/cut.yaml"
    [ $code = 2 ] || fail "the link that goes down: exit code $code"
    compare 2:2 never "$work/never.yaml"
    [ $code = 2 ] || fail "the chip that never starts: exit code $code"
    compare 2:1 fabric "$guest/fabric.yaml" --check
    compare 2:1 relay "$guest/relay.yaml" --step-by-step
    compare 2:2 reduce chips-all-reduce "-p system=p150x8 -p kib=64 -p chunk=1"
    compare 2:2 matmul chips-matmul "-p m=64 -p n=64 --activity"
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
said 64 "chips of a system" -n 2 "$tensim" run --load brisc="$guest/dram_read.brisc.elf"
mkdir busy
touch busy/file
said 3 'cannot make the run directory' -n 2 "$tensim" run "$guest/all-reduce.yaml" -o busy/file/run
echo "same bytes over ranks and threads"
