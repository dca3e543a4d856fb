#!/usr/bin/env python3
"""Every shipped program gives right numbers over the range of every parameter of networks, links and DRAM.

A sample (not TENSIM_TEST_ALL) gives every fourth parameter one value, each with another program. All: 20 values of each parameter with
every program that uses it: both ends, and values between them, evenly spaced by their logarithm.
Usage: ranges.py TENSIM SOURCE [JOBS]
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

tensim, source = sys.argv[1:3]
jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 1
every = bool(os.environ.get("TENSIM_TEST_ALL"))

# Small shapes: some cores, more than one block of each loop.
programs = {
    "all-gather": "tiles=4 chunk=2 cores=4x1",
    "binary": "rows=64 columns=128 cores=2x1",
    "chips-all-gather": "kib=64 chunk=2",
    "chips-all-reduce": "kib=64 chunk=2",
    "chips-all-reduce-tree": "kib=64 chunk=2",
    "chips-matmul": "m=64 n=64 k=128",
    "chips-reduce-scatter": "kib=64 chunk=2",
    "decoder-layer": "seq=64 dim=64 heads=2 kv_heads=1 hidden=64 across=2 down=1 attention=1 q_chunk=1 k_chunk=2",
    "eltwise": "rows=64 cores=2x1",
    "flash-attention": "heads=2 seq=128 dim=64 q_chunk=1 k_chunk=2 cores=2x2",
    "gated": "rows=64 columns=64 cores=2x1",
    "gemv": "k=256 n=256 block=2 cores=4x1",
    "heads": "rows=64 heads=2 rotary=1 cores=2x1",
    "matmul": "m=64 n=64 k=64",
    "matmul-1d": "m=64 k=128 n=128",
    "matmul-2d": "m=64 k=128 n=128 cores=2x2",
    "matmul-reuse": "m=64 k=64 n=128",
    "multicast": "tiles=4",
    "norm": "rows=64 columns=64 cores=2x1",
    "reader-writer": "rows=64 columns=64",
    "reduce": "rows=64 columns=64 cores=2x1",
    "sfpu": "rows=64 columns=64 cores=2x1",
    "tilize": "rows=64 columns=64 cores=2x1",
    "transpose": "rows=64 columns=64 cores=2x1",
    "untilize": "rows=64 columns=64 cores=2x1",
    "user-rows": "heads=4 groups=2 cores=2x1",
}
if not every:  # shapes of tests/golden/cases.sh: their kernels are compiled once for both tests
    programs.update({
        "all-gather": "tiles=8 chunk=2",
        "binary": "op=add broadcast=row cores=4x2",
        "eltwise": "",
        "matmul": "m=128 n=128 k=64",
        "matmul-1d": "",
        "matmul-2d": "cores=4x3 m=320 k=256 n=480 from=dram",
        "matmul-reuse": "cores=3x2",
        "multicast": "",
        "norm": "op=rmsnorm cores=2x2",
        "reader-writer": "",
        "reduce": "cores=2x2",
        "tilize": "cores=2x1",
        "transpose": "cores=4x1",
        "untilize": "cores=2x1 from=l1",
    })
shipped = {name for name in os.listdir(f"{source}/config/programs") if name not in ("common", "llk")}
if shipped != set(programs):
    sys.exit(f"programs without a row here, or rows without a program: {shipped ^ set(programs)}")


def parameters():
    """(key, values): the ends and what lies between them."""
    for group in ("noc", "eth", "dram"):
        text = open(f"{source}/config/{group}.def").read()
        for key, low, high in re.findall(r'^TS_PARAM\((\w+), "[^"]*", (\d+), (\d+),', text, re.M):
            low, high = int(low), int(high)
            steps = 19
            grow = ((high + 1) / (low + 1)) ** (1 / steps)
            values = {round((low + 1) * grow**i) - 1 for i in range(steps + 1)}
            yield f"{group}.{key}", sorted(values | {low, high})


def run(case):
    name, setting = case
    command = [tensim, "run", name, "-q", "-j", "1", "-n", "500000000", "-D", setting]
    for parameter in programs[name].split():
        command += ["-p", parameter]
    done = subprocess.run(command, capture_output=True, text=True)
    # A channel can be too small for a program's tensors: that is said, and nothing runs.
    small = setting.startswith("dram.size=") and done.returncode == 3 and "(a bank has " in done.stderr
    if done.returncode == 0 or small:
        return None
    return f"{' '.join(command[1:])}: exit code {done.returncode}: {done.stderr.strip()[:300]}"


cases, turn = [], 0
for key, values in parameters():
    users = [name for name in programs if not key.startswith("eth.") or name.startswith("chips-")]
    if every:
        cases += [(name, f"{key}={value}") for name in users for value in values]
        continue
    if turn % 4 == 0:
        cases.append((users[turn // 4 % len(users)], f"{key}={values[-1 - turn * 7 % len(values)]}"))
    turn += 1
# What was once wrong: the increment behind a chunk overtook the chunk.
cases.append(("chips-all-reduce", "noc.memory_write=150"))

with ThreadPoolExecutor(jobs) as pool:
    wrong = [text for text in pool.map(run, cases) if text]
print("\n".join(wrong))
print(f"{len(cases) - len(wrong)} of {len(cases)} runs are right" + ("" if every else " (a sample; all: tests/run --all)"))
sys.exit(1 if wrong else 0)
