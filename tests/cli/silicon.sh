#!/bin/sh
# tensim silicon: one row, a family, files, the same bytes for any number of threads, exit codes. Usage: silicon.sh TENSIM
set -eu
tensim=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; exit 1; }
"$tensim" silicon S0220 > "$dir/one" || fail "one row fails"
grep -q '^S0220 .*CHASE_L1' "$dir/one" || fail "the row is not there"
for j in 1 3; do
    "$tensim" silicon control frontend -j $j --write=csv:"$dir/$j.csv" --json "$dir/$j.json" --write=html:"$dir/$j.html" > "$dir/$j.txt" || fail "families fail"
    sed -i 's/"command":"[^"]*",//' "$dir/$j.html" # it names the threads
done
for kind in csv json html txt; do
    cmp "$dir/1.$kind" "$dir/3.$kind" || fail "$kind depends on the number of threads"
done
grep -q '"median_abs_error"' "$dir/1.json" || fail "no summary"
if grep -qE '(src|href)="(https?:)?//' "$dir/1.html"; then fail "the page needs the network"; fi
"$tensim" silicon control every=3 --write=html:"$dir/part.html" > /dev/null || fail "a part fails"
grep -q '"view":"silicon","document":{"schema":"tensim.silicon","whole":false,' "$dir/part.html" || fail "the page of a part does not say so"
"$tensim" silicon nothing 2> "$dir/e" && fail "no such family, and no error"
test $? = 64 || fail "exit code of a family that is not there"
grep -q frontend "$dir/e" || fail "does not name the families"
code=0
"$tensim" silicon S9999 2> /dev/null || code=$?
test $code = 64 || fail "exit code of a row that is not there"
# Rows of Wormhole's cards: all keep their bars; they run on Wormhole only.
"$tensim" silicon --chip n150 > "$dir/n150" || fail "Wormhole: $(tail -3 "$dir/n150")"
grep -q '^198 of 278 measurements re-created' "$dir/n150" || fail "not 198 rows of Wormhole"
# Rows of Ascend's A5 are TPUSH/TPOP programs.
"$tensim" silicon --chip a5 > "$dir/a5" || fail "A5: $(tail -3 "$dir/a5")"
grep -q '^81 of 83 measurements re-created' "$dir/a5" || fail "not 81 rows of A5"
"$tensim" silicon --chip a5 O0639 | grep -q '^O0639 .*TRECIP in high precision' || fail "one row of A5"
code=0
"$tensim" silicon a5 2> "$dir/e" || code=$?
test $code = 64 && grep -q -- '--chip a5' "$dir/e" || fail "rows of A5 run on Blackhole: $code"
code=0
"$tensim" silicon S0288 2> "$dir/e" || code=$?
test $code = 64 || fail "a row of Wormhole runs on Blackhole: $code"
# A wrong parameter makes a family miss its bar.
code=0
"$tensim" silicon riscv summary -D riscv.load_l1=12 > "$dir/off" 2> /dev/null || code=$?
test $code = 1 || fail "a wrong parameter is not noticed: $code"
# Rows that are left out say why.
code=0
"$tensim" silicon B0751 2> "$dir/e" || code=$?
test $code = 64 && grep -q RSTDMA "$dir/e" || fail "a row left out does not say why"
