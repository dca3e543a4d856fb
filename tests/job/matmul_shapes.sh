#!/bin/bash
# Matmuls over cores of random shapes, cores, formats and places: the numbers are right, all of K is multiplied, --timing-only
# takes the same cycles and executes the same products; or the shape is refused, and the shape that the refusal names is accepted.
# Usage: matmul_shapes.sh TENSIM [COUNT (3) [FIRST (1)]]; all: matmul_shapes.sh TENSIM 200
set -eu
tensim=$1 count=${2:-${TENSIM_TEST_ALL:+200}} first=${3:-1}
count=${count:-3}
programs=$(cd "$(dirname "$0")/../../config/programs" && pwd)
. "$(dirname "$0")/shell.sh"
sample "$count of 200 shapes"

figure() { grep -m1 "\"$1\":" "$2" | tr -dc '0-9.e+'; }

# Case i, the same on every host: program, cores, from, format, m, n, k.
draw()
{
    awk -v i="$1" 'function next_one(n) { state = (state * 69069 + 12345) % 4294967296; return int(state / 65536) % n }
    BEGIN {
        state = i * 7919
        for (j = 0; j < 3; j++) next_one(2)
        split("0,0 2x1 1x3 5x2 2x2 3x2 4x3 8x4 1,1..3,2 2,0..6,3", cores, " ")
        split("bf16 bf16 bfp8 fp32 bfp4", format, " ")
        c = 1 + next_one(10)
        program = c == 1 ? "matmul-reuse" : c <= 3 ? "matmul-1d" : "matmul-2d"
        if (c > 3 && next_one(8) == 0) program = "matmul-reuse"
        kind = next_one(10) # 0: no multiples of 32; 1: too large for L1
        for (j = 0; j < 3; j++) size[j] = 32 * (1 + next_one(12))
        if (kind == 0) size[next_one(3)] += 1 + next_one(31)
        if (kind == 1) { size[0] = 4096 + 32 * next_one(512); size[1] = 4096 + 32 * next_one(512) }
        print program, cores[c], next_one(2) ? "dram" : "l1", format[1 + next_one(5)], size[0], size[1], size[2]
    }'
}

for ((i = first; i < first + count; i++)); do
    read -r program cores from format m n k < <(draw "$i")
    given=(-p cores="$cores" -p from="$from" -p format="$format")
    what="case $i: $program ${given[*]} -p m=$m -p n=$n -p k=$k"
    large=$((m * n > 1000000))
    run=(run "$program" "${given[@]}" -p "m=$m" -p "n=$n" -p "k=$k" -q --json -)
    code=0
    if ((large)); then # without numbers: it is to be refused
        "$tensim" build "$programs/$program/program.yaml" "${given[@]}" -p "m=$m" -p "n=$n" -p "k=$k" > out 2> err || code=$?
    else
        "$tensim" "${run[@]}" > out 2> err || code=$?
    fi
    if [ $code = 3 ]; then
        nearest=$(sed -n 's/.*the nearest that can: \(m=[0-9]* n=[0-9]* k=[0-9]*\).*/\1/p' err)
        [ -n "$nearest" ] || fail "$what: refused without a nearest shape: $(head -1 err)"
        params=()
        for word in $nearest; do params+=(-p "$word"); done
        "$tensim" build "$programs/$program/program.yaml" "${given[@]}" "${params[@]}" > out 2> err ||
            fail "$what: $nearest is refused too: $(head -1 err)"
        continue
    fi
    [ $code = 0 ] || fail "$what: exit code $code: $(head -1 err)"
    ((large)) && continue
    awk -v a="$(figure flops out)" -v b=$((2 * m * n * k)) 'BEGIN { exit !(a == b) }' || fail "$what: not 2MNK"
    awk -v a="$(figure padded_flops out)" -v b=$((2 * m * n * k)) 'BEGIN { exit !(a > b * 0.999999) }' ||
        fail "$what: fewer products than 2MNK"
    "$tensim" "${run[@]}" --timing-only > timing 2> err || fail "$what: --timing-only: $(head -1 err)"
    for name in cycles padded_flops mvmuls; do
        [ "$(figure $name out)" = "$(figure $name timing)" ] || fail "$what: --timing-only has other $name"
    done
done
