# What the tests over MPI share; sourced. Skips where mpirun or MPI in the program is missing.
command -v mpirun > /dev/null || { echo "no mpirun: skipped"; exit 77; }
[ -e "$(dirname "$tensim")/tensim-mpi.so" ] || { echo "built without MPI: skipped"; exit 77; }
# More ranks than cores; the tests may run as root.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_base_warn_component_unused=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$1"; exit 1; }
# kill_rank JOB RANK: kills one rank of an mpirun, as a node that dies would.
kill_rank() {
    local pid
    for pid in $(pgrep -P "$1"); do
        if grep -qz "^OMPI_COMM_WORLD_RANK=$2\$" "/proc/$pid/environ" 2> /dev/null; then
            kill -9 "$pid" 2> /dev/null || true
        fi
    done
}
# wait_killed JOB: the exit code of an mpirun one of whose ranks was killed. A rank that dies while it connects can leave
# Open MPI's launcher in a deadlock of its own (PMIx_server_finalize waits for a mutex that nobody gives back). All ranks
# have ended by then, and the launcher is killed: 137.
wait_killed() {
    local idle=0
    while kill -0 "$1" 2> /dev/null && [ $idle -lt 100 ]; do
        sleep 0.1
        if ps --ppid "$1" -o state= | grep -qv Z; then idle=0; else idle=$((idle + 1)); fi
    done
    [ $idle -lt 100 ] || kill -9 "$1" 2> /dev/null || true
    wait "$1" 2> /dev/null
}
