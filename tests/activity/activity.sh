#!/bin/sh
# run --activity: series sum to the units' counters; the same bytes for any number of threads, with a trace or without; levels of throttle
# scale the mean of MVMULs where math is the bound, and not the rise of tiles in lock-step over one cycle; a program that DRAM bounds
# keeps its time at level 5 while its rise within 100 ns falls; transitions order the classes of tt-metal#11305. Usage: activity.sh TENSIM
set -eu
tensim=$1
programs=$(dirname "$0")/programs
. "$(dirname "$0")/../sample.sh"
sample "the levels of throttle and the NOPs after MVMULs"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

run() { # NAME COMMAND...
    name=$1
    shift
    "$tensim" "$@" --activity -q --json "$dir/$name.json"
}

grid="matmul -M 256 -N 256 -K 256 --cores 2x2 --timing-only"
run one $grid -j1 -o "$dir/one"
run two $grid -j2
run traced $grid -j2 --trace -o "$dir/traced"
run tilize tilize -M 128 -N 128 --cores 2x2 -o "$dir/tilize"
run sfpu sfpu -M 64 -N 64 --timing-only -o "$dir/sfpu"
toggles="matmul -M 64 -N 128 -K 64 --cores 2x1 -F hifi2 -q"
"$tensim" $toggles --activity=toggles -j2 --json "$dir/toggles.json"
"$tensim" $toggles --activity=toggles --step-by-step --json "$dir/toggles1.json"
levels="0 3 5"
! every_case || levels="0 1 2 3 4 5"
for level in $levels; do
    run level$level run "$programs/steady.yaml" --timing-only -p throttle=$level
done
run gemv0 run gemv --timing-only -p throttle=0
run gemv5 run gemv --timing-only -p throttle=5
# As in tt-metal#11305: compute bound (HiFi2), balanced (the same at LoFi), bound by data movement (few rows of a, LoFi).
grid="run matmul-2d -p cores=4x4 -p n=512 -p k=1024 --timing-only"
run compute $grid -p m=512 -p fidelity=hifi2
run balanced $grid -p m=512 -p fidelity=lofi
run movement $grid -p m=256 -p fidelity=lofi
# NOPs after each 128 MVMULs.
nops=75
! every_case || nops="0 6 23 47 75 120 180 280 500 1100"
for nops in $nops; do
    run nops-$nops run "$programs/run128.yaml" --timing-only -p nops=$nops
done
# The card's firmware acts on a run, in periods of 2 us: its word is -p flip at that cycle.
one="run matmul-reuse -p cores=0,0 -p m=128 -p n=128 -p k=1024 -p from=l1 -p fidelity=lofi --timing-only -q"
"$tensim" $one --activity=p150a:100000:2 --json "$dir/loop.json"
"$tensim" $one --activity=p150a:100000:2 -j 2 --json "$dir/loop2.json"
cycle=$(python3 -c 'import json, sys; print(next(p["cycle"] for p in json.load(open(sys.argv[1]))["firmware"]["periods"] if p["word"]))' "$dir/loop.json")
"$tensim" $one -p flip=$((cycle - 12000)) --json "$dir/flip.json"
"$tensim" $one --json "$dir/free.json"

python3 - "$dir" <<'PYTHON'
import json, os, sys

folder = sys.argv[1]
load = lambda name: json.load(open(f"{folder}/{name}.json"))
stats = lambda name: json.load(open(f"{folder}/{name}/stats.json"))

for name in ["one", "tilize", "sfpu"]:
    busy = {}
    for row in stats(name)["units"] + stats(name)["channels"]:
        part = row["name"].split(".")[-1].split("[")[0]
        busy[part] = busy.get(part, 0) + row.get("busy", 0)
    of = lambda words: sum(busy.get(word, 0) for word in words.split())
    sums = load(name)["activity"]["sums"]
    links = sum(cycles for part, cycles in busy.items() if part.startswith("link_"))
    for got, want in [(sums["matrix"] + sums["other"], of("matrix sync scalar cfg misc")),
                      (sums["vector"], of("vector")), (sums["noc"], links),
                      (sums["l1"], of("unpack0 unpack1 pack mover"))]:
        assert got == want, (name, got, want)
    assert abs(sums["dram"] - of("channel")) <= 0.02 * of("channel") + 1, name  # rounded by request
    assert sum(load(name)["activity"].get("series", {}).get("sums", {}).get("matrix", [])) == \
        load(name)["activity"]["mvmuls"] == sums["matrix"], name

for group in ("rows", "columns", "chips"):
    assert sum(load("one")["activity"][group].values()) == load("one")["activity"]["mvmuls"], group
assert len(load("one")["activity"]["rows"]) == len(load("one")["activity"]["columns"]) == 2
for group in ("rows", "columns", "chips"):
    over_time = load("one")["activity"]["series"][group]
    assert {key: sum(bins) for key, bins in over_time.items()} == load("one")["activity"][group], group
assert load("one")["activity"] == load("two")["activity"] == load("traced")["activity"]
toggles = load("toggles")["activity"]["toggles"]
assert toggles == load("toggles1")["activity"]["toggles"] and toggles["mvmuls"] == load("toggles")["activity"]["mvmuls"]
assert all(toggles[file] == sum(tile[file] for tile in toggles["tiles"]) > 0 for file in ("srca", "srcb", "dst")), toggles

shares = [100, 72.7, 66.7, 50, 40, 33.3]
for level, share in enumerate(shares):
    if not os.path.exists(f"{folder}/level{level}.json"):
        continue
    run = load(f"level{level}")
    mean = 100 * run["activity"]["mean"] / 4
    assert abs(mean - share) < (4 if level == 0 else 1), (level, mean)
    assert run["mvmuls"] / (run["mvmuls"] + run["nops"]) == [1, 16 / 22, 16 / 24, 16 / 32, 16 / 40, 16 / 48][level]
    assert run["step_ns1"] == 4, (level, run["step_ns1"])
    assert abs(100 * run["step_ns100"] / 4 - share) < (4 if level == 0 else 1), (level, run["step_ns100"])

free, level5 = load("gemv0"), load("gemv5")
assert level5["cycles"] < 1.03 * free["cycles"], (free["cycles"], level5["cycles"])
assert level5["step_ns100"] < 0.5 * free["step_ns100"], (free["step_ns100"], level5["step_ns100"])
# The closed loop: the block after the word is slower, as with -p flip but for a cycle (the kernels begin 5 later); clock and time follow.
loop, flip, free = load("loop"), load("flip"), load("free")
assert abs(loop["cycles"] - flip["cycles"]) <= 1 and loop["nops"] == flip["nops"], (loop["cycles"], flip["cycles"], loop["nops"])
assert 0 < flip["nops"] < 2 * flip["mvmuls"], flip["nops"]
assert loop["cycles"] > free["cycles"] and free["nops"] == 0 and loop["firmware"] == load("loop2")["firmware"]
clocks = [period["mhz"] for period in loop["firmware"]["periods"]]
assert min(clocks) == 800 and clocks[-1] > 800 and loop["firmware"]["changes"] == 1, clocks
walked = [b["cycle"] - a["cycle"] for a, b in zip(loop["firmware"]["periods"], loop["firmware"]["periods"][1:])]
assert walked[0] < 2700 and loop["firmware"]["us"] > loop["cycles"] / 1350, walked


def transitions(name):  # a ms, from below 10 % to above 60 % within 1 us
    activity = load(name)["activity"]
    return activity["steps"][3]["transitions"] * 1e3 * activity["clock_mhz"] / (activity["to"] - activity["from"])


# A p300c (tt-metal, tests/didt/max_util_workload, +-2 points).
card = {0: 92, 6: 90, 23: 80, 47: 70, 75: 60, 120: 50, 180: 40, 280: 30, 500: 20, 1100: 10}
for nops, measured in card.items():
    if not os.path.exists(f"{folder}/nops-{nops}.json"):
        continue
    share = 100 * load(f"nops-{nops}")["activity"]["duty"]["mean"]
    assert abs(share - measured) < 2, (nops, share)

# Who released the tiles together: the multicast of b and its semaphore, by lines.
first = load("balanced")["activity"]["released"][0]
assert "trisc0 at matmul_block.cpp:" in first["wait"] and "brisc at block_receiver.cpp:" in first["by"], first
assert "(semaphore b_sent)" in first["by"] and "(received of buffer c_1)" in first["wait"] and first["tiles"] >= 7, first

order = [transitions(name) for name in ("compute", "balanced", "movement")]
assert 1.2 * order[0] < order[1] and 1.2 * order[1] < order[2], order
print("activity: sums, threads, levels, a program that DRAM bounds and three classes of programs are right")
PYTHON
