#!/bin/bash
# tensim cost: answers of runs and of the store are the same bytes; wrong queries are named by their line and cost nobody else's answer; what
# an answer depends on is in its key; several processes and ranks use one store. Usage: cost.sh TENSIM SOURCE_DIR
set -eu
fail() { echo "$1"; exit 1; }
tensim=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
runs() { sed -n 's/.* from the store, \([0-9]*\) runs$/\1/p' said; }

# One query: by a run, then from the store. A shape and values need no names.
"$tensim" cost llk/matmul 64x64x128 lofi -o s -v > first 2> said
[ "$(runs)" = 1 ] || fail "the first query: $(cat said)"
grep -q 'llk/matmul fidelity=lofi k=128 m=64 n=64' first || fail "shape and value: $(cat first)"
"$tensim" cost llk/matmul k=128 n=64 m=64 fidelity=lofi -o s -v > second 2> said
[ "$(runs)" = 0 ] && cmp first second || fail "the stored answer: $(cat said second)"
# Its cycles are those of tensim run.
"$tensim" run llk/matmul -p m=64 -p n=64 -p k=128 -p fidelity=lofi --timing-only --json run.json -q
"$tensim" cost llk/matmul 64x64x128 lofi -o s --json cost.json
python3 - << 'END' || fail "cost differs from run"
import json
run, cost = json.load(open("run.json")), json.load(open("cost.json"))
assert cost["cycles"] == run["cycles"] and cost["bound"] == run["bound_object"] and abs(cost["us"] - 1e6 * run["seconds"]) < 1e-6
assert cost["margin"]["p90"] >= cost["margin"]["median"] > 0 and set(cost["bytes"]) == {"dram_read", "dram_written", "noc"}
END
# A value is of the first parameter that takes it, whatever the others ask of the chip.
"$tensim" cost matmul-2d 64x64x64 bfp8 lofi cores=2x2 chip=n150 > card
grep -q 'matmul-2d chip=n150 cores=2x2 fidelity=lofi format=bfp8 k=64 m=64 n=64' card || fail "a value: $(cat card)"
# Another parameter of the machine, another program file: other rows.
"$tensim" cost llk/matmul 64x64x128 lofi -o s -v -D noc.hop=4 > third 2> said
[ "$(runs)" = 1 ] || fail "another machine has the same row: $(cat said)"
cp -r "$source/config/programs/binary" "$source/config/programs/common" .
"$tensim" cost binary/program.yaml 32x32 -o s -v > /dev/null 2> said
"$tensim" cost binary/program.yaml 32x32 -o s -v > /dev/null 2> said
[ "$(runs)" = 0 ] || fail "a program file is not stored: $(cat said)"
echo "// changed" >> common/writer.cpp
"$tensim" cost binary/program.yaml 32x32 -o s -v > /dev/null 2> said
[ "$(runs)" = 1 ] || fail "a changed kernel has the row of the old one: $(cat said)"

# A batch: answers in order, wrong queries by their lines, the same query twice is one run.
cat > batch.jsonl << 'END'
{"operation": "llk/matmul", "m": 64, "n": 64, "k": 64}
{"operation": "nothing"}

{"operation": "llk/matmul", "q": 1}
{"operation": "llk/matmul", "m": [1]}
{oops
{"m": 1}
{"operation": "llk/matmul", "m": 64, "n": 64, "k": 64}
{"operation": "llk/eltwise", "m": 64, "n": 32}
END
code=0
"$tensim" cost - -o s -v < batch.jsonl > out 2> said || code=$?
[ $code = 3 ] && [ "$(runs)" = 3 ] || fail "a batch with wrong queries: exit code $code, $(cat said)"
python3 - << 'END' || fail "answers of a batch: $(cat out)"
import json
rows = [json.loads(line) for line in open("out")]
assert [row["line"] for row in rows] == [1, 2, 4, 5, 6, 7, 8, 9]
assert [row["line"] for row in rows if "error" in row] == [2, 4, 5, 6, 7] and all(row.get("code", 3) == 3 for row in rows)
assert rows[0]["cycles"] == rows[6]["cycles"] > 0 and rows[7]["operation"] == "llk/eltwise"
END
for line in 2 4 5 6 7; do grep -q "^tensim: -:$line: " said || fail "line $line is not named: $(cat said)"; done
# Operations of a sequence alone, with the same placement (the last two write where they read, alone they do not): within 2 %. Dispatch is left out: with it cores begin one after the other, as each has ended before.
sed 's/^params:/dispatch: none\nparams:/' "$source/tests/job/sequence.yaml" > layer.yaml
"$tensim" cost layer.yaml -o s --json layer.json
python3 -c 'import json
for one in json.load(open("layer.json"))["operations"]: print(json.dumps({"operation": one["operation"], **one["settings"]}))' > alone.jsonl
"$tensim" cost alone.jsonl -o s -q > alone.out
python3 - << 'END' || fail "operations alone: $(cat alone.out)"
import json
whole = json.load(open("layer.json"))["operations"]
alone = [json.loads(line)["cycles"] for line in open("alone.out")]
assert len(whole) == len(alone) == 4 and all(abs(one["cycles"] / cycles - 1) < 0.02 for one, cycles in zip(whole[:2], alone))
END
# A store that is none.
echo "not a database, and long enough to be taken for one by nobody" > costs.sqlite
code=0
"$tensim" cost llk/matmul -o . > /dev/null 2> said || code=$?
[ $code = 3 ] && grep -q 'costs.sqlite: the store of costs cannot be used: file is not a database' said || fail "not a store: $code $(cat said)"

# Two processes and two ranks at once: the same bytes, each row once.
for m in 32 64 96 128 160; do for f in lofi hifi4; do echo "{\"operation\": \"llk/matmul\", \"m\": $m, \"n\": 32, \"k\": 32, \"fidelity\": \"$f\"}"; done; done > many.jsonl
"$tensim" cost many.jsonl -o alone -q -j1 > alone.out
"$tensim" cost many.jsonl -o both -q > one.out &
"$tensim" cost many.jsonl -o both -q > other.out
wait $!
cmp alone.out one.out && cmp alone.out other.out || fail "two processes: other answers"
python3 -c 'import sqlite3; assert sqlite3.connect("both/costs.sqlite").execute("select count(*), count(distinct query) from costs").fetchone() == (10, 10)' ||
    fail "two processes: rows"
if [ -e "$(dirname "$tensim")/tensim-mpi.so" ] && command -v mpirun > /dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 "$tensim" cost many.jsonl -o ranks -q > ranks.out 2> said ||
        fail "two ranks: $(cat said)"
    cmp alone.out ranks.out || fail "two ranks: other answers"
fi
