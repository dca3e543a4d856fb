#!/usr/bin/env python3
"""The source view (--lines): its sums, and who is at the top.  Usage: lines.py TENSIM; TENSIM_TEST_ALL=1: all runs

- For kernels and program files: what the lines have adds up to the thread's account, reason by reason; nothing is below 0; what
  the window's edges change is a few cycles; the run has the same cycles as without --lines.
- A kernel with one slow line (a loop of NOPs) on one thread: that line is the first, on each of the five threads.
- FILE, FILE:LINE, and what is not there.
"""
import json
import os
import subprocess
import sys
import tempfile

TENSIM = os.path.abspath(sys.argv[1])
QUICK = ["matmul", "eltwise", "sfpu -O exp", "reduce", "norm", "run eltwise", "run reduce", "matmul --cores 2x2 -M 128 -N 128 -K 128"]
ALL = ["transpose", "tilize", "untilize", "run sfpu", "run norm", "run gemv -p n=256 -p k=256", "run matmul-1d", "run matmul-reuse", "run matmul-2d -p m=128 -p n=128 -p k=128",
       "run flash-attention -p seq=512 -p heads=2 -p cores=2x2", "matmul --tiles 2", "matmul --grid 2x2"]


def run(arguments, folder, code=0, more=()):
    done = subprocess.run([TENSIM, *arguments.split(), *more], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}\n{done.stderr}"
    return done


def document(arguments, folder, *more):
    run(arguments, folder, more=("-q", "--json", "out.json", *more))
    with open(os.path.join(folder, "out.json")) as file:
        return json.load(file)


def by_reason(rows, key, busy):
    sums = {}
    for row in rows:
        sums[busy] = sums.get(busy, 0) + row.get(busy, 0)
        for wait in row.get(key, []):
            assert wait["cycles"] >= 0, wait
            sums[wait["reason"]] = sums.get(wait["reason"], 0) + wait["cycles"]
    return {reason: cycles for reason, cycles in sums.items() if cycles}


def check_sums(arguments, folder):
    with_lines, steps, fast = [document(arguments, folder, *more) for more in (["--lines"], ["--step-by-step"], [])]
    lines = with_lines.pop("lines")
    assert {**with_lines, "host": 0} == {**steps, "host": 0}, f"{arguments}: --lines changes the result"
    assert with_lines["cycles"] == fast["cycles"] == lines["cycles"] or lines["tiles"] > 1, f"{arguments}: other cycles"
    span = lines["cycles"] * lines["tiles"]
    for thread in lines["threads"]:
        name = thread["name"]
        rows = [line["threads"][name] for line in lines["lines"] if name in line["threads"]]
        what = f"{arguments}: {name}"
        for key, busy, cycles in (("waits", "busy", "cycles"), ("held", "issued", "gate_cycles")):
            sums, account = by_reason(rows, key, busy), by_reason([thread], key, busy)
            assert sums == account, f"{what}: lines have {sums}, the account has {account}"
            assert cycles not in thread or sum(account.values()) == span == thread[cycles], f"{what}: {account}, {span}"
        for key in ("instructions", "words"):
            assert sum(row.get(key, 0) for row in rows) == thread.get(key, 0), f"{what}: {key}"
        assert min(row.get("busy", 0) for row in rows) >= 0 <= min(row.get("issued", 0) for row in rows), what
        print(f"{what}: {thread.get('instructions', 0)} instructions, {thread.get('words', 0)} words, edges {thread['edges']} of {span}")
    for line in lines["lines"]:
        assert line["library"] or os.path.isabs(line["file"]), line["file"]


THREADS = {"unpack": ("compute.cpp", "UNPACK(({}));"), "math": ("compute.cpp", "MATH(({}));"), "pack": ("compute.cpp", "PACK(({}));"),
           "brisc": ("writer.cpp", "{}"), "ncrisc": ("reader.cpp", "{}")}


def check_slow(thread, folder):
    name, form = THREADS[thread]
    run("new slow --like eltwise", folder)
    path = os.path.join(folder, "slow", name)
    with open(path) as file:
        text = file.read().split("\n")
    at = next(i for i, line in enumerate(text) if "for (" in line)
    loop = '[] { for (int i = 0; i < 20000; i++) asm volatile("nop"); }()'
    text.insert(at, form.format(loop) + ("" if "(" in form else ";"))
    with open(path, "w") as file:
        file.write("\n".join(text))
    top = document("run slow/program.yaml", folder, "--lines")["lines"]["lines"][0]
    assert (os.path.basename(top["file"]), top["line"]) == (name, at + 1), f"{thread}: {top['file']}:{top['line']} is first"
    assert top["threads"][thread]["own"] == top["own"] > 20000, top["threads"]
    print(f"{thread}: {name}:{top['line']} is first, {top['own']} cycles")


def check_texts(folder):
    text = run("run eltwise --lines", folder).stdout
    assert "hottest lines" in text and "reader.cpp:20: noc_async_read_barrier();" in text, text
    text = run("run eltwise --lines=compute.cpp", folder).stdout
    assert "relu_tile(0);" in text and "reader.cpp" not in text.split("where ")[-1], text
    text = run("run eltwise --lines=compute.cpp:20", folder).stdout
    assert "inlined into it" in text and "relu_tile" in text and "ttsfpstore" in text, text
    assert "no line of it was executed" in run("run eltwise --lines=absent.cpp", folder, 64).stderr
    assert "no line of it was executed" in run("run eltwise --lines=absent.cpp -q", folder, 64).stderr


with tempfile.TemporaryDirectory() as folder:
    for arguments in QUICK + (ALL if os.environ.get("TENSIM_TEST_ALL") else []):
        check_sums(arguments, folder)
    for thread in THREADS:
        with tempfile.TemporaryDirectory() as inner:
            check_slow(thread, inner)
    check_texts(folder)
