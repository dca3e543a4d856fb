#!/bin/sh
# Removes one call at a time from kernels of config/programs: barriers, flushes, waits for pages, room, semaphores and Dst; and
# one STALLWAIT at a time from the SDK's headers. The checks, or the explanation of a hang, must report at least
# 90 % of the mutants. What nobody reports is listed in mutation.txt with the reason why it is harmless.
# Usage: mutation.sh TENSIM SOURCE_DIR: every 12th mutant; with TENSIM_TEST_ALL all
set -eu
tensim=$1 source=$2 every=12
. "$(dirname "$0")/../sample.sh"
! every_case || every=1
calls='noc_async_read_barrier|noc_async_write_barrier|noc_async_writes_flushed|noc_async_atomic_barrier|noc_semaphore_wait|cb_wait_front|cb_reserve_back|tile_regs_acquire|tile_regs_commit|tile_regs_wait|tile_regs_release|cb_push_back|cb_pop_front'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/config/programs/common" "$work/common"

# program, and sizes that make it go round its buffers
programs="
reader-writer -p rows=128 -p columns=256
eltwise -p rows=128 -p columns=256
binary -p rows=128 -p columns=256
norm -p rows=64 -p columns=256
reduce -p rows=128 -p columns=256
tilize -p rows=128 -p columns=256
transpose -p rows=128 -p columns=256
sfpu -p rows=128 -p columns=256
multicast
all-gather
matmul
gemv -p cores=4x2 -p n=1024 -p k=512
"
# header of the SDK, which of its STALLWAITs, and a program that needs it
stalls="
metal/internal/binary.h 1 eltwise
metal/internal/cb.h 1 eltwise
metal/internal/compute.h 2 norm
include/cmath_common.h 3 eltwise
include/cpack_common.h 5 norm
include/cpack_common.h 6 norm
include/cpack_common.h 8 norm
include/cunpack_common.h 2 norm
include/llk_matmul.h 1 matmul
"
total=0 reported=0 hangs=0 number=0

size_of()
{
    echo "$programs" | sed -n "s/^$1 //p"
}

# mutant NAME 'line of the file': runs $work/copy, which has the mistake
mutant()
{
    total=$((total + 1)) code=0
    # shellcheck disable=SC2046
    timeout 600 "$tensim" run "$work/copy/program.yaml" $(size_of "$program") --check=race,memory,sync -n 3000000 >"$work/out" 2>"$work/err" || code=$?
    if grep -q 'warning: .*\[[a-z-]*\]$' "$work/err"; then
        reported=$((reported + 1))
    elif [ "$code" = 2 ]; then
        hangs=$((hangs + 1)) # explained
    elif grep -qF "$1: $2" "$source/tests/sanitize/mutation.txt"; then
        total=$((total - 1))
    else
        echo "not reported: $1:$line: $2 (exit code $code)"
    fi
}

# fresh PROGRAM: is it the turn of the next mutant? Then $work/copy is the program.
fresh()
{
    number=$((number + 1))
    [ $((number % every)) = 0 ] || return 1
    rm -rf "$work/copy"
    cp -r "$source/config/programs/$1" "$work/copy"
}

# lines_of PATTERN FILE: the numbers of lines that are such a call
lines_of()
{
    grep -nE "^ *($1)[(<].*;" "$2" | cut -d: -f1
}

for program in $(echo "$programs" | cut -d' ' -f1); do
    for file in "$source/config/programs/$program"/*.cpp; do
        name=$(basename "$file")
        for line in $(lines_of "$calls" "$file"); do
            fresh "$program" || continue
            sed -i "${line}s/.*//" "$work/copy/$name"
            mutant "$program/$name" "$(sed -n "${line}s/^ *//p" "$file")"
        done
    done
done
# An installation whose SDK can be changed.
mkdir -p "$work/bin" "$work/share"
cp "$tensim" "$work/bin/tensim"
cp -r "$source/config" "$work/share/tensim"
cp -rL "$(dirname "$tensim")/guest/sdk" "$work/share/tensim/guest"
tensim=$work/bin/tensim
while read -r header which program; do
    [ -n "$header" ] && fresh "$program" || continue
    file=$source/cores/guest/$header
    line=$(lines_of 'TTI?_STALLWAIT' "$file" | sed -n "${which}p")
    sed "${line}s/.*//" "$file" >"$work/share/tensim/guest/$header"
    mutant "$program with $header" "$(sed -n "${line}s/^ *//p" "$file")"
    cp "$file" "$work/share/tensim/guest/$header"
done <<LIST
$stalls
LIST
echo "of $total mutants checks report $reported, $hangs hang with an explanation"
[ $((10 * (reported + hangs))) -ge $((9 * total)) ]
