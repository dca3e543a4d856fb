#!/bin/bash
# A tensim without MPI has nothing of it, and says so when a launcher starts it as one of several. Usage: serial.sh TENSIM
set -eu
tensim=$1
fail() { echo "$1"; exit 1; }
if ldd "$tensim" | grep -qE 'libmpi|libopen-|libpmix'; then fail "linked to MPI"; fi
if nm "$tensim" | grep -q ' MPI_'; then fail "refers to MPI"; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for command in "sweep -o x" "silicon" "anchors 1" "hang --search 2 x.yaml"; do
    code=0
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$tensim" $command > said 2>&1 || code=$?
    [ $code = 3 ] && grep -q '^tensim: started as one of 2 ranks, and this tensim was built without MPI' said ||
        fail "$command: exit code $code, $(cat said)"
    code=0
    PMI_SIZE=2 PMI_RANK=1 "$tensim" $command > said 2>&1 || code=$?
    [ $code = 3 ] && [ ! -s said ] || fail "$command: both ranks say it: $(cat said)"
done
[ ! -e x ] || fail "it made a directory"
OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 "$tensim" sweep matmul m=32 n=32 k=32 -q -o x > /dev/null || fail "one rank alone"
