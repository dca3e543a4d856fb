#!/bin/sh
# The model on x86-64: builds it without its libraries by a cross compiler and runs it under qemu, with AVX2 and without (qemu
# has no AVX-512: that form is compiled only). On arm64 also the form for SVE, which few machines have.
# Compares random MVMULs with the plain integer path, and the vectors of one tile: bits with the vectors, cycles with this
# machine's tensim. Needs gcc-x86-64-linux-gnu and qemu-user or qemu-user-static.
#   tests/portable/x86.sh [build/release/tensim]
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
tensim=${1:-$root/build/release/tensim}
generated=$(cd "$(dirname "$tensim")" && pwd)/generated
cc=x86_64-linux-gnu-gcc
qemu=$(command -v qemu-x86_64-static || command -v qemu-x86_64 || true)
command -v $cc "$qemu" > /dev/null || { echo "no cross compiler or no qemu: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
for file in $(find units cores/frontend cores/riscv platform/kernel platform/mem platform/tile -name '*.c') \
    platform/load/conform.c tests/portable/conform_runner.c tests/portable/matrix_runner.c; do
    echo "$file"
done | xargs -P 2 -I FILE sh -c "$cc -O2 -std=c11 -D_GNU_SOURCE -I. -I$generated -fno-math-errno -ffp-contract=off \
    -ffunction-sections -fdata-sections -c FILE -o $work/\$(echo FILE | tr / _).o"

# Bits of the matrix unit.
$cc -static -o "$work/matrix" "$work"/units_matrix_[!osu]*.o "$work"/units_matrix_split.c.o "$work/units_files_src.c.o" \
    "$work/tests_portable_matrix_runner.c.o" -Wl,--gc-sections -Wl,--unresolved-symbols=ignore-all
for cpu in max qemu64; do # the latter has SSE2 only
    printf '%s: ' $cpu
    $qemu -cpu $cpu "$work/matrix" 200
done

# The forms of an arm64 machine with wide vectors.
arm=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if [ "$(uname -m)" = aarch64 ] && [ -n "$arm" ]; then
    for file in units/matrix/[!osu]*.c units/matrix/s[!t]*.c units/files/src.c tests/portable/matrix_runner.c; do
        echo "$file"
    done | xargs -P 2 -I FILE sh -c "cc -O2 -std=c11 -D_GNU_SOURCE -I. -I$generated -fno-math-errno -ffp-contract=off \
        -ffunction-sections -fdata-sections -c FILE -o $work/\$(echo FILE | tr / _).arm"
    cc -static -o "$work/arm" "$work"/*.arm -Wl,--gc-sections -Wl,--unresolved-symbols=ignore-all
    for bits in 256 512; do
        printf 'SVE, %s bits: ' $bits
        "$arm" -cpu max,sve$bits=on "$work/arm" 200
    done
fi

# What needs parameters, YAML or ELF is never called by the runner.
rm "$work/tests_portable_matrix_runner.c.o"
$cc -static -Wl,--gc-sections -Wl,--unresolved-symbols=ignore-all -o "$work/runner" "$work"/*.o -lpthread \
    /usr/x86_64-linux-gnu/lib/libm-2.36.a
vectors=$(ls tests/conform/*.ttv | grep -v /noc)
$qemu "$work/runner" $vectors > "$work/x86" || { grep " 0 " "$work/x86" | head; tail -1 "$work/x86"; exit 1; }
"$tensim" run --json - $vectors | python3 -c '
import json, sys
here = {c["name"]: c["cycles"] for c in json.load(sys.stdin)["cases"]}
there = dict((l.split()[0], int(l.split()[2])) for l in open(sys.argv[1]) if len(l.split()) == 3)
wrong = [n for n in there if here.get(n) != there[n]]
print(len(there), "vectors:", len(there) - len(wrong), "with the same cycles on both machines", wrong[:5])
sys.exit(bool(wrong))' "$work/x86"
