#!/bin/sh
# Removes one call at a time from kernels of config/programs: barriers, flushes, waits for pages, room, semaphores and Dst. The
# checks, or the explanation of a hang, must report at least 90 % of the mutants. What nobody reports is listed in mutation.txt with
# the reason why it is harmless.
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
transpose -p rows=128 -p columns=256
sfpu -p rows=128 -p columns=256
multicast
all-gather
matmul
gemv -p cores=4x2 -p n=512 -p k=512
"
total=0 reported=0 hangs=0 number=0
while read -r program size; do
    [ -n "$program" ] || continue
    for file in "$source/config/programs/$program"/*.cpp; do
        name=$(basename "$file")
        for line in $(grep -nE "^ *($calls)[(<].*;" "$file" | cut -d: -f1); do
            number=$((number + 1))
            [ $((number % every)) = 0 ] || continue
            rm -rf "$work/copy"
            cp -r "$source/config/programs/$program" "$work/copy"
            sed -i "${line}s/.*//" "$work/copy/$name"
            total=$((total + 1)) code=0
            # shellcheck disable=SC2086
            timeout 120 "$tensim" run "$work/copy/program.yaml" $size --check=race,memory,sync -n 3000000 >"$work/out" 2>"$work/err" || code=$?
            what=$(sed -n "${line}s/^ *//p" "$file")
            if grep -q 'warning: .*\[[a-z-]*\]$' "$work/err"; then
                reported=$((reported + 1))
            elif [ "$code" = 2 ]; then
                hangs=$((hangs + 1)) # explained
            elif grep -qF "$program/$name: $what" "$source/tests/sanitize/mutation.txt"; then
                total=$((total - 1))
            else
                echo "not reported: $program/$name:$line: $what (exit code $code)"
            fi
        done
    done
done <<LIST
$programs
LIST
echo "of $total mutants checks report $reported, $hangs hang with an explanation"
[ $((10 * (reported + hangs))) -ge $((9 * total)) ]
