#!/bin/sh
# The vectors of one tile on x86-64: builds the model without its libraries by a cross compiler, runs it under qemu, and
# compares bits with the vectors and cycles with this machine's tensim. Needs gcc-x86-64-linux-gnu and qemu-user-static.
#   tests/portable/x86.sh [build/release/tensim]
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
tensim=${1:-$root/build/release/tensim}
cc=x86_64-linux-gnu-gcc
command -v $cc qemu-x86_64-static > /dev/null || { echo "no cross compiler or no qemu: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
for file in $(find units cores/frontend cores/riscv platform/kernel platform/mem platform/tile -name '*.c') \
    platform/load/conform.c tests/portable/conform_runner.c; do
    echo "$file"
done | xargs -P 2 -I FILE sh -c "$cc -O2 -std=c11 -D_GNU_SOURCE -I. -fno-math-errno -ffp-contract=off \
    -ffunction-sections -fdata-sections -c FILE -o $work/\$(echo FILE | tr / _).o"
# What needs parameters, YAML or ELF is never called by the runner.
$cc -static -Wl,--gc-sections -Wl,--unresolved-symbols=ignore-all -o "$work/runner" "$work"/*.o -lpthread \
    /usr/x86_64-linux-gnu/lib/libm-2.36.a
vectors=$(ls tests/conform/*.ttv | grep -v /noc)
qemu-x86_64-static "$work/runner" $vectors > "$work/x86" || { grep " 0 " "$work/x86" | head; tail -1 "$work/x86"; exit 1; }
"$tensim" conform --json - $vectors | python3 -c '
import json, sys
here = {c["name"]: c["cycles"] for c in json.load(sys.stdin)["cases"]}
there = dict((l.split()[0], int(l.split()[2])) for l in open(sys.argv[1]) if len(l.split()) == 3)
wrong = [n for n in there if here.get(n) != there[n]]
print(len(there), "vectors:", len(there) - len(wrong), "with the same cycles on both machines", wrong[:5])
sys.exit(bool(wrong))' "$work/x86"
