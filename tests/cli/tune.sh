#!/bin/bash
# tensim tune: what is tried is counted, a budget of tries has the same result twice, the file stays as it is, and the written one has the cycles
# that were promised. Usage: tune.sh TENSIM SOURCE_DIR
set -eu
fail() { echo "$1"; exit 1; }
tensim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$2/tests/job/sequence.yaml" "$work/layer.yaml"
cd "$work"
cp layer.yaml before.yaml
tune() { "$tensim" tune layer.yaml rows=64 columns=64 --budget 4 -o store "$@"; }
tune --timing-only --write yaml:after.yaml --write diff:d --json one.json -q || fail "tune"
tune --timing-only --json two.json -q -j1
cmp one.json two.json || fail "the same budget, another result"
cmp layer.yaml before.yaml || fail "the file was changed"
python3 - << 'END' || fail "$(cat one.json)"
import json
one = json.load(open("one.json"))
assert one["tried"] == 4 < one["candidates"] and one["together"] < one["cycles"] and one["helped"][0]["together"]
assert all(row["line"] in (10, 11, 13) and row["gain"] >= 0.1 for row in one["helped"]) and open("d").read() == one["diff"]
assert [row["gain"] for row in one["helped"]] == sorted((row["gain"] for row in one["helped"]), reverse=True)
END
patch -s layer.yaml d && cmp layer.yaml after.yaml || fail "the diff does not make the written file"
"$tensim" run after.yaml -p rows=64 -p columns=64 --timing-only --json run.json -q
python3 -c 'import json; assert json.load(open("run.json"))["layer_cycles"] == json.load(open("one.json"))["together"]' || fail "the written file has other cycles"
cp before.yaml layer.yaml
# Errors next to gains; of a program, too.
"$tensim" tune binary rows=32 columns=64 op=mul --budget 2 -o store > said
grep -q 'fidelity=[a-z0-9]*, rel_l2 ' said && grep -q '^+    fidelity: ' said || fail "a program: $(cat said)"
code=0
"$tensim" tune layer.yaml --budget 0 > said 2>&1 || code=$?
[ $code = 64 ] || fail "a budget of nothing: $code"
code=0
"$tensim" tune nothing > said 2>&1 || code=$?
[ $code = 3 ] && grep -q 'nothing: no such file' said || fail "no file: $code $(cat said)"
