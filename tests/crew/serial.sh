#!/bin/bash
# tensim has nothing of MPI but a module that it loads, and says so where a launcher starts it and the module is not
# there. Usage: serial.sh TENSIM
set -eu
fail() { echo "$1"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/tensim" # away from the module
cp "$(dirname "$0")/../../config/gallery/fifo-full-repaired.yaml" "$work/x.yaml"
cd "$work"
tensim=$work/tensim
if ldd "$tensim" | grep -qE 'libmpi|libopen-|libpmix'; then fail "linked to MPI"; fi
if nm "$tensim" | grep -q ' MPI_'; then fail "refers to MPI"; fi
for command in "sweep -o x" "silicon" "silicon gemm" "run --search 2 x.yaml"; do
    code=0
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$tensim" $command > said 2>&1 || code=$?
    [ $code = 3 ] && grep -q '^tensim: started as one of 2 ranks, and MPI is not there' said ||
        fail "$command: exit code $code, $(cat said)"
    code=0
    PMI_SIZE=2 PMI_RANK=1 "$tensim" $command > said 2>&1 || code=$?
    [ $code = 3 ] && [ ! -s said ] || fail "$command: both ranks say it: $(cat said)"
done
[ ! -e x ] || fail "it made a directory"
OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 "$tensim" sweep matmul m=32 n=32 k=32 -q -o x > /dev/null || fail "one rank alone"
