#!/bin/sh
# The programs of config/programs that are one operation: every one gives checked numbers.
# Usage: operations.sh TENSIM
set -eu
tensim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_CACHE_HOME="$folder/cache"

fail()
{
    echo "$1"
    cat out err
    exit 1
}

# expect CODE COMMAND...: runs it with the output in out and err.
expect()
{
    code=$1
    shift
    got=0
    timeout 300 "$@" >out 2>err || got=$?
    [ "$got" = "$code" ] || fail "exit $got, expected $code: $*"
}

# Every operation on one core, on a range and on the complete grid, from DRAM and from L1.
operation()
{
    expect 0 "$tensim" run "$@"
    grep -q ' right, ' out || fail "$*: no checked result"
    grep -q 'bound by' out || fail "$*: no bound"
}
for op in add sub mul; do operation binary -p op=$op -p rows=64 -p columns=64; done
for how in row col scalar; do operation binary -p broadcast=$how -p rows=96 -p columns=64 -p cores=3x2 -p from=l1; done
for op in identity gelu tanh rsqrt log negative; do
    operation sfpu -p op=$op -p rows=32 -p columns=32
done
operation sfpu -p op=relu -p cores=all -p rows=512 -p columns=320 -p from=l1
for op in rowsum rowmax rowmean colsum colmax colmean; do
    operation reduce -p op=$op -p rows=64 -p columns=96 -p cores=2x1
done
operation reduce -p op=colmax -p from=l1 -p columns=64 -p rows=64
for op in softmax rmsnorm layernorm; do operation norm -p op=$op -p rows=64 -p columns=64 -p cores=2x1; done
operation norm -p op=rmsnorm -p from=l1 -p rows=32 -p columns=96 -p dst=32
operation transpose -p rows=64 -p columns=160 -p cores=2x2
operation transpose -p from=l1 -p rows=64 -p columns=64
operation tilize -p rows=96 -p columns=64 -p cores=3x1
operation tilize -p out=bfp8 -p rows=32 -p columns=320 -p from=l1
operation untilize -p rows=96 -p columns=64 -p cores=3x1
operation untilize -p rows=32 -p columns=320 -p from=l1
operation matmul -p m=64 -p n=64 -p k=64 -p cores=1x1 -p from=l1
operation matmul-reuse -p m=160 -p n=224 -p k=128 -p cores=3x2 # blocks that the grid does not divide
operation matmul-reuse -p m=64 -p n=64 -p k=64 -p cores=1x1 -p from=l1 -p dst=32
operation matmul-1d -p m=64 -p n=320 -p k=128 -p cores=3x2
operation matmul-1d -p m=64 -p n=64 -p k=64 -p cores=1x1 -p from=l1
operation matmul-2d -p m=160 -p n=480 -p k=128 -p cores=4x3 # uneven shards
operation matmul-2d -p m=160 -p n=480 -p k=160 -p cores=4x3 -p from=dram -p blocks=5
operation matmul-2d -p m=64 -p n=64 -p k=64 -p cores=1x1 -p from=dram
echo "operations: all as expected"
