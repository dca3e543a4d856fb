#!/bin/sh
# The programs of config/programs that are one operation: every one gives checked numbers.
# Usage: operations.sh TENSIM
set -eu
tensim=$1
. "$(dirname "$0")/shell.sh"

# Every operation on one core, on a range and on the complete grid, from DRAM and from L1.
sample "every fifth operation"
operation()
{
    one_in 5 || return 0
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
for columns in 96 160 320; do operation tilize -p fast=1 -p rows=64 -p columns=$columns; done # three, two and three, fours
operation untilize -p rows=96 -p columns=64 -p cores=3x1
operation untilize -p rows=32 -p columns=320 -p from=l1
operation untilize -p by=unpacker -p rows=64 -p columns=96
operation matmul -p m=64 -p n=64 -p k=64 -p cores=1x1 -p from=l1
operation matmul-reuse -p m=160 -p n=224 -p k=128 -p cores=3x2 # blocks that the grid does not divide
operation matmul-reuse -p m=64 -p n=64 -p k=64 -p cores=1x1 -p from=l1 -p dst=32
operation matmul-1d -p m=64 -p n=320 -p k=128 -p cores=3x2
operation matmul-1d -p m=64 -p n=64 -p k=64 -p cores=1x1 -p from=l1
operation matmul-2d -p m=160 -p n=480 -p k=128 -p cores=4x3 # uneven shards
operation matmul-2d -p m=160 -p n=480 -p k=160 -p cores=4x3 -p from=dram -p blocks=5
operation matmul-2d -p m=64 -p n=64 -p k=64 -p cores=1x1 -p from=dram
# The commands of the built-in kernels are fronts for them: the same run with --cores or --from.
same()
{
    one_in 5 || return 0
    run=$1
    shift
    expect 0 "$tensim" "$@" --stats-hash
    tail -1 out >front
    expect 0 "$tensim" run $run --stats-hash
    tail -1 out | cmp - front || fail "$*: not the same run as $run"
}
same "sfpu -p op=recip -p rows=64 -p columns=32 -p from=l1" sfpu -O reciprocal -M 64 -N 32 --from l1
same "reduce -p op=colmax -p rows=64 -p columns=64 -p cores=2x1 -p fidelity=lofi" reduce -O max -M 64 -N 64 --cores 2x1
same "binary -p op=add -p rows=64 -p columns=64 -p broadcast=row -p format=bfp8 -p fidelity=hifi2" \
    eltwise -M 64 -N 64 -b row -f bfp8 -F hifi2 --cores 1x1
same "matmul-2d -p m=64 -p n=64 -p k=64 -p cores=2x2 -p fidelity=lofi -p throttle=5 -p sub_rows=1 -p sub_columns=1 -p from=l1" \
    matmul -M 64 -N 64 -K 64 --cores 2x2 --from l1 --sub-block 1x1 -T 5
TT_MM_THROTTLE_PERF=5 same "matmul-1d -p m=64 -p n=64 -p k=64 -p cores=1x2 -p fidelity=lofi -p throttle=5" \
    matmul -M 64 -N 64 -K 64 --cores 1x2
expect 0 "$tensim" norm -O layernorm -M 32 -N 64 --from dram --timing-only -o report
grep -q 'layernorm(x) of every row' out && [ -s report/report.html ] || fail "no report of a front"
expect 64 "$tensim" matmul --cores 2x2 --run-type math_isolate
grep -q 'has no parameter run_type' err || fail "no reason"
expect 64 "$tensim" transpose --cores 2x2 --out-format bfp8
grep -q 'has no parameter out' err || fail "no reason"
expect 64 "$tensim" tilize --cores 2x2 -F hifi2
expect 3 "$tensim" sfpu --cores 99x1
echo "operations: all as expected"
