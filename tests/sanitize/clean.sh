#!/bin/sh
# No false alarm: kernels, program files on one tile and on grids, in L1 and DRAM, conformance files and the repaired cases of the gallery have no
# findings of any check but those of known.txt. Usage: clean.sh TENSIM SOURCE_DIR: a sample; with TENSIM_TEST_ALL all
set -eu
tensim=$1 source=$2
. "$(dirname "$0")/../job/shell.sh"
bad=0 count=0 every=40
! every_case || every=1
checks="--check --suppress $source/tests/sanitize/known.txt"

# clean COMMAND...: every so many-th ends with exit code 0
clean()
{
    count=$((count + 1))
    [ $((count % every)) = 0 ] || return 0
    got=0
    # shellcheck disable=SC2086
    timeout 600 "$tensim" "$@" $checks >out 2>err || got=$?
    [ "$got" = 0 ] && return
    echo "exit code $got: tensim $*"
    grep -m3 'warning:' err || head -3 err
    bad=1
}

for size in '-M 64 -N 64 -K 64' '-M 64 -N 128 -K 64 --cores 2x2'; do
    for format in bf16 bfp8; do
        # shellcheck disable=SC2086
        clean matmul $size --format $format
    done
done
for grid in 1x2 2x1 2x3; do
    clean matmul -M 192 -N 128 -K 256 --grid $grid
done
for kernel in eltwise reduce sfpu transpose tilize untilize norm; do
    clean $kernel
    clean $kernel --cores 2x2
done
for program in reader-writer eltwise binary norm reduce transpose sfpu tilize untilize; do
    clean run $program -p rows=128 -p columns=256
    clean run $program -p rows=128 -p columns=256 -p from=l1
    clean run $program -p rows=64 -p columns=64 -p cores=1x1
done
clean run gemv -p cores=4x2 -p n=512 -p k=512
for program in multicast all-gather matmul matmul-1d matmul-2d matmul-reuse flash-attention; do
    clean run $program
done
for program in "$source"/config/programs/chips-*; do
    clean run "${program##*/}"
    clean run "${program##*/}" -p system=p150x4-ring
done
# Without numbers the packer only counts; a check still hears where its bytes would go.
sample=$every every=1
clean run matmul-reuse --timing-only
clean matmul -M 128 -N 128 -K 128 --grid 2x2 # a flag that is linked to its payload
clean eltwise
grep -qx -e "--check=race,memory,sync: nothing found" out || { echo "it does not say that it found nothing"; bad=1; }
every=$sample
for file in "$source"/config/gallery/*repaired*.yaml; do
    clean hang "$file"
done
for file in "$source"/config/gallery/tiles/*.yaml; do
    clean run "$file" -p repaired=1
done
# All conformance files in one command, or some. Those of MOVB2A have no STALLWAIT for SrcA, which the instruction itself does not wait for
# (MOVB2A.md, "Instruction scheduling"): each is found.
every=1
# shellcheck disable=SC2046
clean conform $(ls "$source"/tests/conform/*.ttv | grep -v /movb2a_ | awk -v every="$(every_case && echo 1 || echo 100)" 'NR % every == 0')
for file in "$source"/tests/conform/movb2a_*.ttv; do
    "$tensim" run "$file" $checks >out 2>err && got=0 || got=$?
    [ "$got" = 7 ] && grep -q 'bank of SrcA without a wait.*race-bank' err && continue
    echo "exit code $got: $file: its move into SrcA is not found"
    bad=1
done
exit $bad
