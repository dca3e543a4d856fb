#!/usr/bin/python3
"""The bound that a run names is among the first two gains of --why, for 32 varied runs. Usage: bounds.py TENSIM

A run agrees by one of these rules; the output names it and counts the runs of each:
  gain   the bound is among the first two gains; of two that take turns, one is the first gain
  share  a unit that is at work in a share w of the cycles (two that take turns: the sum) leaves 1 - w to everything else: no gain
         is larger than that, because a free unit still executes its instructions, one a cycle
  none   "no single resource" claims nothing
A sample has the first runs (tests/run --all: every one)."""
import collections
import json
import os
import re
import subprocess
import sys

# Of each bound: the resources of --why that are the same thing.
SAME = {
    "matrix": {"matrix", "front"}, "vector": {"vector"}, "unpack": {"unpack", "trisc0", "l1"},
    "unpack0": {"unpack", "trisc0", "l1"}, "pack": {"pack", "trisc2", "semaphore"}, "DRAM": {"dram", "noc"}, "NoC": {"noc", "dram"},
    "DRAM transfers": {"dram", "noc"}, "NoC transfers": {"noc", "dram"}, "NoC ports": {"noc", "dram"}, "brisc": {"brisc", "riscv"},
    "ncrisc": {"ncrisc", "riscv"}, "trisc0": {"trisc0", "riscv"}, "trisc1": {"trisc1", "riscv"}, "trisc2": {"trisc2", "riscv"},
}
SAMPLE = 2
RUNS = """
sfpu -O gelu -M 64 -N 64
run eltwise -p rows=128 -p columns=128
matmul -M 64 -N 128 -K 256 -F hifi4
matmul -M 64 -N 128 -K 256 -F lofi
matmul -M 64 -N 128 -K 256 -F hifi2 -f bfp8
matmul -M 32 -N 32 -K 64 -F lofi
matmul -M 64 -N 64 -K 64 -F hifi4 --grid 2x2 --timing-only
sfpu -O exp -M 64 -N 64
sfpu -O relu -M 64 -N 64
sfpu -O sigmoid -M 64 -N 64
eltwise -O add -M 128 -N 128
eltwise -O mul -M 128 -N 128 -F hifi4
reduce -M 128 -N 128
transpose -M 128 -N 128
tilize -M 128 -N 128
untilize -M 128 -N 128
norm -M 64 -N 128
run eltwise -p rows=128 -p columns=128 -p from=l1
run eltwise -p rows=256 -p columns=128 -p cores=2x2
run eltwise -p rows=256 -p columns=256 -p cores=4x4
run matmul -p m=64 -p n=64
run matmul-2d -p m=128 -p n=128 -p k=128 -p cores=2x2
run matmul-2d -p m=256 -p n=256 -p k=128 -p cores=4x4
run reduce
run sfpu
run tilize
run untilize
run transpose
run norm
run multicast
run all-gather
run flash-attention -p seq=512 -p heads=2 -p cores=2x2
""".split("\n")[1:-1]


def judge(tensim, words):
    """The rule by which the run agrees, and what is wrong if there is none."""
    made = subprocess.run([tensim, *words.split(), "--why", "--no-advice", "-q", "--json", "-"], capture_output=True, text=True, check=False)
    if made.returncode:
        return None, f"exit code {made.returncode}: {made.stderr[:300]}"
    run = json.loads(made.stdout)
    bound = run["bound_object"]
    gains = sorted(((row["gain_percent"], re.search(r"free\.(\w+)", row["option"])[1]) for row in run["why"]), reverse=True)
    said = f"bound by {bound} ({run['evidence'][:160]}); --why: " + ", ".join(f"{name} {gain:.1f} %" for gain, name in gains[:3])
    if bound in ("no single resource", "the throttle"):
        return "none", said
    turns = bound.split(" and ")
    if set.union(*(SAME[name] for name in turns)) & {name for _, name in gains[:2 if len(turns) == 1 else 1]}:
        return "gain", said
    shares = [float(share) for share in re.findall(r" in ([0-9.]+) %", run["evidence"])][:len(turns)]
    rest = 100 - sum(shares) if run["bound_by"] in ("unit", "unpack", "pack") and shares else 0
    if gains[0][0] <= rest + 1:
        return "share", said
    return None, said


def main():
    every = bool(os.environ.get("TENSIM_TEST_ALL"))
    if not every:
        print(f"sample of {SAMPLE} of the runs; all: tests/run --all")
    rules = collections.Counter()
    for words in RUNS if every else RUNS[:SAMPLE]:
        rule, said = judge(sys.argv[1], words)
        print(f"{words}: {'agrees by ' + rule if rule else 'WRONG'}: {said}", flush=True)
        rules[rule] += 1
    print("runs that agree by each rule: " + ", ".join(f"{rule} {rules[rule]}" for rule in ("gain", "share", "none")) + f"; wrong {rules[None]}")
    return rules[None] > 0


sys.exit(main())
