#!/bin/bash
# The listings of the documents compile as kernels, for all three threads; SFPI is refused with one clear message.
# Usage: listings.sh TENSIM
set -eu
tensim=$1
. "$(dirname "$0")/../sample.sh"
sample "every third listing"
here=$(cd "$(dirname "$0")" && pwd)
TMPDIR=$(mktemp -d)
trap 'rm -rf "$TMPDIR"' EXIT
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$TMPDIR}"
compile() {
    sed "s|LISTING|$1|" "$here/program.yaml" > "$TMPDIR/$2.yaml"
    "$tensim" build "$TMPDIR/$2.yaml" > "$TMPDIR/$2.log" 2>&1
}
count=0
for file in "$here"/listings/[0-9]*.cpp; do
    one_in 3 || continue
    name=$(basename "$file" .cpp)
    compile "$file" "$name" || { echo "$name does not compile:"; cat "$TMPDIR/$name.log"; exit 1; }
    count=$((count + 1))
done
code=0
compile "$here/listings/sfpi-dst-reg.cpp" sfpi || code=$?
[ $code -eq 3 ] && grep -q "only the vendor's compiler has" "$TMPDIR/sfpi.log" || { echo "SFPI: exit code $code"; cat "$TMPDIR/sfpi.log"; exit 1; }
# The complete kernel runs, with right numbers; with two throttle levels it hangs, and says so.
"$tensim" matmul --kernel seed -M 64 -N 64 -K 64 -F hifi4 | grep -q "expected for HiFi4"
code=0
"$tensim" matmul --kernel seed -F hifi2 -T 5 -q > "$TMPDIR/hang" 2>&1 || code=$?
[ $code -eq 2 ] && grep -q "while its push from pc" "$TMPDIR/hang" || { echo "throttle 5 with HiFi2: exit code $code"; exit 1; }
echo "$count listings"
