#!/bin/bash
# The dynamic throttle gives the counts of the static one: 20 combinations of blocks, shapes, fidelities and grids. Cycles
# of --flip count from the start of the kernel; levels change back and forth; TT_MM_THROTTLE_PERF is the level below.
# Usage: throttle.sh TENSIM
set -eu
tensim=$1
unset TT_MM_THROTTLE_PERF
counts() { "$tensim" matmul "$@" --timing-only --json - -q -j 2 | grep -m2 -e '"mvmuls"' -e '"nops"' | tr -dc '0-9\n' | tr '\n' ' '; }
fail() { echo "$*"; exit 1; }
cases=0
while read -r combination; do
    static=$(counts ${combination} -T 5)
    dynamic=$(counts ${combination} --flip 1)
    [ "$static" = "$dynamic" ] || fail "$combination: -T 5 gives $static, --flip 1 $dynamic MVMULs and NOPs"
    set -- $static
    [ "$2" = $((2 * $1)) ] || fail "$combination: $2 NOPs for $1 MVMULs"
    cases=$((cases + 1))
done << END
-M 64 -N 64 -K 512 -f bfp8
-M 64 -N 64 -K 512 -f bfp8 --blocks 2
-M 64 -N 64 -K 512 -f bfp8 --blocks 4
-M 64 -N 64 -K 512 -f bfp8 --blocks 8
-M 64 -N 64 -K 512 -f bfp8 --blocks 16
-M 128 -N 64 -K 256 --blocks 4
-M 64 -N 128 -K 256 --blocks 4
-M 32 -N 256 -K 128 --blocks 2 --sub-block 1x4
-M 256 -N 32 -K 128 --blocks 2 --sub-block 4x1
-M 128 -N 128 -K 128 --blocks 4 -d 32
-M 128 -N 128 -K 128 -F hifi2
-M 128 -N 128 -K 128 -F hifi2 --blocks 2
-M 128 -N 128 -K 128 -F hifi4 --blocks 4
-M 64 -N 64 -K 128 -F hifi3 --blocks 2 -r 3
-M 64 -N 64 -K 128 -f bfp4 --out-format bfp8 --blocks 2
-M 64 -N 64 -K 128 --tiles 2 --blocks 2 --sub-block 1x1 -r 2
-M 128 -N 128 -K 128 --grid 2x2
-M 128 -N 256 -K 256 --grid 4x2 --blocks 8
-M 128 -N 128 -K 256 --grid 2x2 --storage dram/dram/dram --blocks 4 -F hifi2
-M 640 -N 832 -K 832 --grid 13x10 -f bfp8
END
[ "$cases" -eq 20 ] || fail "$cases combinations"

shape="-M 64 -N 64 -K 512 -f bfp8"
[ "$(counts ${shape} --flip 1:5,2:0)" = "1024 0 " ] || fail "back before the first block: no NOP"
[ "$(counts ${shape} --flip 1000000)" = "1024 0 " ] || fail "after the kernel: no NOP"
# From the start of the kernel: the whole kernel takes fewer cycles than the firmware needs before it.
set -- $(counts ${shape} --flip 700:5)
[ "$2" -gt 0 ] && [ "$2" -lt 2048 ] || fail "--flip 700:5: $2 NOPs"
[ "$(counts ${shape} --flip 700)" = "$1 $2 " ] || fail "--flip 700 is not --flip 700:5"
[ "$(counts ${shape} --flip 700 --flip 900)" = "$(counts ${shape} --flip 700:5,900:0)" ] || fail "lists differ"
# Between level 2 of the environment and level 5.
export TT_MM_THROTTLE_PERF=2
[ "$(counts ${shape})" = "1024 512 " ] || fail "TT_MM_THROTTLE_PERF=2 without --flip"
[ "$(counts ${shape} --flip 1)" = "1024 2048 " ] || fail "TT_MM_THROTTLE_PERF=2 with --flip 1"
[ "$(counts ${shape} --flip 1:5,2:2)" = "1024 512 " ] || fail "TT_MM_THROTTLE_PERF=2, back to level 2"
echo "$cases combinations with equal counts"
