#!/usr/bin/python3
"""The bound that a run names is among the first two gains of --why, for 33 varied runs. Usage: bounds.py TENSIM

Of a bound of two names ("vector and trisc1") the first one is among them, or the second one is the first gain. Two gains
are one if the first is that of a core and the second that of all cores (riscv), or the other way round, and they are as large.
A sample has the first runs (tests/run --all: every one)."""
import json
import os
import re
import subprocess
import sys

CORES = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"}
# Of each bound: the resource of --why. A core is also one of all cores.
SAME = {
    "matrix": {"matrix"}, "vector": {"vector"}, "unpack": {"unpack"}, "unpack0": {"unpack"}, "pack": {"pack"},
    "DRAM": {"dram"}, "DRAM transfers": {"dram"}, "NoC": {"noc"}, "NoC transfers": {"noc"}, "Ethernet": {"eth"}, "NoC latency": {"noc"},
    "RISC-V code": {"riscv"}, **{core: {core, "riscv"} for core in CORES},
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
run chips-all-reduce -p kib=1024
""".split("\n")[1:-1]


def first_two(gains):
    """The names of the first gain, and of the first two."""
    pair = {gains[0][1], gains[1][1]}
    alike = "riscv" in pair and pair & CORES and gains[1][0] > 0.99 * gains[0][0]
    names = [name for _, name in gains]
    return (set(names[:2]), set(names[:3])) if alike else (set(names[:1]), set(names[:2]))


def judge(tensim, words):
    """Does the run agree? And what it says."""
    made = subprocess.run([tensim, *words.split(), "--why=free", "-q", "--json", "-"], capture_output=True, text=True, check=False)
    if made.returncode:
        return False, f"exit code {made.returncode}: {made.stderr[:300]}"
    run = json.loads(made.stdout)
    gains = sorted(((row["gain_percent"], re.search(r"free\.(\w+)", row["option"])[1]) for row in run["why"] if "latency" not in row["option"]), reverse=True)
    said = f"bound by {run['bound_object']} ({run['evidence'][:160]}); --why: " + ", ".join(f"{name} {gain:.1f} %" for gain, name in gains[:4])
    first, two = first_two(gains)
    bounds = [SAME[name] for name in run["bound_object"].split(" and ")]
    return bool(bounds[0] & two or bounds[-1] & first), said


def main():
    every = bool(os.environ.get("TENSIM_TEST_ALL"))
    if not every:
        print(f"sample of {SAMPLE} of the runs; all: tests/run --all")
    wrong = 0
    for words in RUNS if every else RUNS[:SAMPLE]:
        agrees, said = judge(sys.argv[1], words)
        print(f"{words}: {'agrees' if agrees else 'WRONG'}: {said}", flush=True)
        wrong += not agrees
    print(f"{wrong} of {len(RUNS) if every else SAMPLE} runs do not agree")
    return wrong > 0


sys.exit(main())
