#!/bin/bash
# What goes wrong in a simulation over MPI ranks ends it, with an exit code and a line that says why: a link that is cut in the
# middle, a chip that never starts, a rank that is killed, a rank that cannot begin, commands that ranks cannot divide.
# Usage: lost.sh TENSIM SOURCE GUEST
set -eu
tensim=$(readlink -f "$1") source=$2 guest=$3
. "$source/tests/crew/mpi.sh"
. "$source/tests/sample.sh"
. "$source/tests/cluster/pairs.sh"
sample "numbers of ranks"
mkdir temporary
export TMPDIR=$work/temporary
system=p150x4-ring
pairs 0/eth2-1/eth0 2/eth2-3/eth0 > good.yaml
cut_link < good.yaml > cut.yaml
grep -v 'release: {tile: 3/eth0' good.yaml > never.yaml
sed '/until/d; s/2064, 3/2064, 100000000/' good.yaml > long.yaml
# ends CODE WORDS LAUNCH...: so does the job, and says WORDS once. The launcher does not wait for the other ranks.
ends() {
    local code=$1 words=$2 found=0
    shift 2
    OMPI_MCA_odls_base_sigkill_timeout=0 timeout 60 "$@" > said 2>&1 || found=$?
    [ $found = "$code" ] && [ "$(grep -c "$words" said)" = 1 ] ||
        fail "$*: exit code $found, not $code, or not once '$words': $(cat said)"
}
over() { # DEFAULT...: numbers of ranks
    if every_case; then echo 1 2 4; else echo "$@"; fi
}
for ranks in $(over 1 2); do
    ends 2 '^can never succeed: .* link to chip . eth ., which is down' mpirun -n "$ranks" "$tensim" run cut.yaml
    [ "$(grep -c '^tensim: hang since cycle' said)" = 1 ] || fail "a link is cut: $(cat said)"
done
for ranks in $(over 2); do
    ends 2 'erisc0 of 3/eth0 never started (chip 2 eth 2 waits' mpirun -n "$ranks" "$tensim" run never.yaml -q
    [ "$(grep -c '^tensim: hang since cycle' said)" = 1 ] || fail "a chip that never starts: $(cat said)"
done
# Neither processes, nor files, nor memory of MPI that no process has. Other jobs of this host have theirs.
begun=$work/begun
touch "$begun"
left_over() {
    local process file
    for process in /proc/[0-9]*; do
        [ "${process#/proc/}" = $$ ] || [ "$(readlink "$process/exe")" != "$tensim" ] ||
            ! grep -qz "^TMPDIR=$TMPDIR\$" "$process/environ" || echo "process ${process#/proc/}"
    done 2> /dev/null
    find "$TMPDIR" -mindepth 1
    for file in $(find /dev/shm -type f -newer "$begun" -not -path '*/tensim-parse-*'); do
        grep -qsF "$file" /proc/[0-9]*/maps || ! [ -e "$file" ] || echo "$file"
    done
}
nothing_left() { # soon
    local i left=
    for i in $(seq 50); do
        left=$(left_over)
        [ -n "$left" ] || return 0
        sleep 0.2
    done
    fail "is left behind: $left"
}
# The exit code is that of the launcher: 137 is its word for SIGKILL, 3 that of the ranks that are left. Open MPI's launcher ends the
# others at once, says which rank was killed, and drops what ranks say while it ends them, at times; with "recovery" it lets them end,
# and has no exit code for it.
lose() { # RANKS RANK RECOVERY: kills it, as a machine that fails would
    local found=0 job said_it
    rm -rf lost
    OMPI_MCA_orte_enable_recovery=$3 mpirun -n "$1" "$tensim" run long.yaml -o lost > said 2>&1 &
    job=$!
    until [ -e lost/.tensim-lock ] || ! kill -0 $job; do sleep 0.05; done
    sleep 0.3
    kill_rank $job "$2"
    wait_killed $job || found=$?
    said_it=$(grep -c "^tensim: rank $2 of $1 of this simulation is lost: process [0-9]* on .* has ended" said) || true
    { [ $found = 137 ] || [ $found = 3 ] || [ "$3" = 1 ]; } && [ "$(grep -c '^tensim: ' said)" = "$said_it" ] &&
        { [ "$said_it" = 1 ] || { [ "$3" = 0 ] && grep -q "rank $2 .* signal 9" said; }; } ||
        fail "rank $2 of $1 is killed: exit code $found: $(cat said)"
    nothing_left
}
lose 4 2 1
lose 2 1 0
if every_case; then
    lose 2 0 1
    lose 2 1 1
    lose 4 0 1
    lose 4 3 0
fi
# Commands that are one process, not several.
refused='in one process, not in 2 ranks: start it without mpirun'
ends 64 "^tensim: matmul runs $refused" mpirun -n 2 "$tensim" matmul
if every_case; then
    # A rank that has no file, or another one.
    OMPI_MCA_odls_base_sigkill_timeout=1 ends 3 '^rank 1: tensim: missing.yaml: No such file' \
        mpirun -n 1 "$tensim" run good.yaml : -n 1 "$tensim" run missing.yaml
    ends 64 "^tensim: run of one tile or file runs $refused" mpirun -n 2 "$tensim" run good.ttv
    ends 64 "^tensim: run of one tile or file runs $refused" mpirun -n 2 "$tensim" run --explore good.yaml
    ends 64 "^tensim: a checkpoint .* runs $refused" mpirun -n 2 "$tensim" run good.yaml --checkpoint=hang -o lost
    ends 64 '^tensim: --live: not with several ranks' mpirun -n 2 "$tensim" run good.yaml --live -o live
    ends 64 'this is one chip: start it without mpirun' mpirun -n 2 "$tensim" run matmul-1d
fi
nothing_left
echo "all ranks end"
