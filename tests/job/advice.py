#!/usr/bin/python3
"""The advice of --why, applied: the gain lies within what was said. Usage: advice.py TENSIM SOURCE

A case: the run, words of the advice on it, the run with the advice applied (options that are added, or a program file that is changed). Advice
that names an option ("change") must gain exactly what was said; advice on a resource at least half a point, and no more than was
said and two points. A sample has three cases (tests/run --all: every one)."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MORE, FEWER = "have more requests under way", "move fewer bytes to and from DRAM"


def batch(name, kernel, count):
    """Reads or writes `count` pages before each barrier."""
    text = re.sub(r"tile < first \+ count; tile\+\+", f"tile < first + count; tile += {count}", kernel)
    text = re.sub(r"cb_(reserve_back|push_back|wait_front|pop_front)\(0, 1\)", rf"cb_\1(0, {count})", text)
    return re.sub(rf"noc_async_{name}_tile\(tile, (\w), (get_\w+\(0\))\);",
                  rf"for (uint32_t i = 0; i < {count}; i++)\n            noc_async_{name}_tile(tile + i, \1, \2 + i * 2048);", text)


def batched(source, folder):
    """reader-writer with four pages before each barrier."""
    shutil.copytree(os.path.join(source, "config/programs/reader-writer"), folder)
    for name, kernel in (("read", "reader.cpp"), ("write", "writer.cpp")):
        path = os.path.join(folder, kernel)
        with open(path, encoding="ascii") as file:
            text = file.read()
        with open(path, "w", encoding="ascii") as file:
            file.write(batch(name, text, 4))
    path = os.path.join(folder, "program.yaml")
    with open(path, encoding="ascii") as file:
        text = file.read()
    with open(path, "w", encoding="ascii") as file:
        file.write(text.replace("pages: 4", "pages: 16"))


# The run; words of the advice; the options of the run that follows it. None: the changed program file.
CASES = [
    ("run reader-writer -p rows=256", MORE, None),
    ("matmul -M 64 -N 64 -K 128 -F hifi4", "fewer phases", "-F lofi"),
    ("run binary -p op=add -p rows=128 -p cores=4x2 -D dram.bandwidth=2000", FEWER, "-p format=bfp8"),
    ("run binary -p rows=128 -p block=1", MORE, "-p block=4"),
    ("run reduce -p rows=128 -p block=1", MORE, "-p block=4"),
    ("run sfpu -p op=relu -p rows=128 -p block=1", MORE, "-p block=4"),
    ("run transpose -p rows=128 -p block=1", MORE, "-p block=4"),
    ("run binary -p rows=128 -p block=1", "another size of what is moved", "-p block=2"),
    ("matmul -M 64 -N 64 -K 256 -F hifi2 -T 5", "run without the throttle", "-T 0"),
    ("eltwise -O mul -M 128 -N 128 -F hifi4", "fewer phases", "-F lofi"),
    ("matmul -M 128 -N 128 -K 128 --sub-block 1x1", "another sub-block", "--sub-block 2x2"),
    ("sfpu -O relu -M 64 -N 64", "more work a launch", "-r 4"),
    ("run matmul-2d -p m=128 -p n=128 -p k=128 -p cores=2x2", "fewer phases", "-p fidelity=lofi"),
]
SAMPLE = 3


def run(tensim, words):
    done = subprocess.run([tensim, *words, "--timing-only", "-q", "--json", "-"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"FAILED: tensim {' '.join(words)}: exit code {done.returncode}: {done.stderr[:300]}")
    return json.loads(done.stdout)


def judge(tensim, case, changed):
    """What is wrong, or None; and what was said and gained."""
    words, key, options = case
    before = run(tensim, words.split() + ["--why"])
    after = run(tensim, (re.sub(r"run \S+", f"run {changed}", words) if options is None else f"{words} {options}").split())
    passes = 4 if options == "-r 4" else 1
    gain = 100 * (before["cycles"] - after["cycles"] / passes) / before["cycles"]
    rows = [row for row in before["advice"] if key in row["text"]]
    exact = [row for row in rows if row["change"] and options and options.replace("-F", "--fidelity") in row["option"].replace("-F", "--fidelity")]
    if not rows:
        return "there is no such advice", f"gained {gain:.1f} %"
    said = max(row["gain_percent"] for row in rows)
    text = f"said {said:.1f} %, gained {gain:.1f} %"
    if exact:
        return None if abs(exact[0]["gain_percent"] - gain) < 0.05 else "another gain than that of its run", text
    return (None if 0.5 <= gain <= said + 2 else "not within what was said"), text


def main():
    tensim, source = sys.argv[1:]
    every = bool(os.environ.get("TENSIM_TEST_ALL"))
    cases, wrong = (CASES if every else CASES[:SAMPLE]), 0
    if not every:
        print(f"sample of {SAMPLE} of {len(CASES)} cases; all: tests/run --all")
    with tempfile.TemporaryDirectory() as folder:
        changed = os.path.join(folder, "batched")
        batched(source, changed)
        for case in cases:
            fault, text = judge(tensim, case, changed)
            print(f"{'FAILED: ' if fault else ''}{case[0]}: {case[1]}: {text}{'; ' + fault if fault else ''}", flush=True)
            wrong += fault is not None
    return wrong > 0


sys.exit(main())
