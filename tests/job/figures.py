#!/usr/bin/python3
"""Every figure of a run's first screen, by arithmetic of its own: from the shape, the format, the fidelity and the cycles, without a
table of tensim's. Usage: figures.py TENSIM

A case says what the run is to do: FLOP, MVMULs, cycles of the matrix unit, bytes that units, L1, NoCs and DRAM move. The text and the JSON
result must have the figures that follow. Cycles themselves are not judged: tests/golden has them."""
import json
import os
import re
import subprocess
import sys
import tempfile

MHZ = 1350
BYTES = {"fp32": 4096, "bf16": 2048, "fp16": 2048, "fp8": 1024, "int8": 1024, "bfp8": 1088, "bfp4": 576}  # of a tile in L1
DATA = dict(BYTES, bfp8=1024, bfp4=512)  # without shared exponents: what unpackers and packer count
PHASES = {"lofi": 1, "hifi2": 2, "hifi3": 3, "hifi4": 4}
LINK = 64 * MHZ / 1e3  # GB/s of a NoC link
CHANNEL = 63.99  # GB/s of a DRAM channel, of which there are eight
L1 = 32 * 16 * MHZ / 1e3  # GB/s: 32 banks of 16 bytes


def tiles(rows, columns):
    return rows // 32 * (columns // 32)


def kernel_matmul(m=128, n=128, k=128, fmt="bf16", fidelity="lofi", extra="", throttle=None):
    mvmuls = m // 8 * (n // 16) * (k // 16) * PHASES[fidelity]
    return {"command": f"matmul -M {m} -N {n} -K {k} -f {fmt} -F {fidelity} {extra}", "unit": "product", "work": m * n * k // 32**3,
            "flop": 2 * m * n * k, "mvmuls": mvmuls, "busy": mvmuls, "throttle": throttle}


def grid_matmul(columns, rows, m, n, k, fidelity):
    """The figures are those of a tile, the first line is the chip's."""
    case = kernel_matmul(m // rows, n // columns, k, "bf16", fidelity)
    case.update(command=f"matmul --grid {columns}x{rows} -M {m} -N {n} -K {k} -F {fidelity}", tiles=columns * rows)
    return case


def kernel_eltwise(op, m, n, fmt, fidelity="lofi", tile=(32, 32), count=1):
    size = BYTES[fmt] * tile[0] * tile[1] // 1024
    work = m // tile[0] * (n // tile[1])
    options = f" -F {fidelity}" if op == "mul" else ""
    if tile != (32, 32):
        options += f" --tile {tile[0]}x{tile[1]}"
    if count > 1:
        options += f" --tiles {count}"
    busy = m * n // 128 * (PHASES[fidelity] if op == "mul" else 1)
    return {"command": f"eltwise -O {op} -M {m} -N {n} -f {fmt}{options}", "unit": "tile", "work": work, "flop": m * n, "busy": busy,
            "elements": m * n, "unpacked": 2 * work * size, "packed": work * (size if fmt != "int8" else 4 * size), "tiles": count}


def kernel_reduce(m, n, fidelity):
    """A GAPOOL for each face of 16x16 and phase: 4x16 by 16x16."""
    busy = m * n // 256 * PHASES[fidelity]
    return {"command": f"reduce -M {m} -N {n} -F {fidelity}", "unit": "tile", "work": tiles(m, n), "elements": m * n, "busy": busy,
            "flop": m * n // 256 * 2 * 4 * 16 * 16}


def kernel_vector(op, m, n, flop):
    """`flop` an element, in the vector unit."""
    return {"command": f"sfpu -O {op} -M {m} -N {n}", "unit": "tile", "work": tiles(m, n), "elements": m * n, "vector": flop * m * n,
            "unpacked": tiles(m, n) * 2048, "packed": tiles(m, n) * 2048}


def kernel_moves(command, m, n):
    return {"command": f"{command} -M {m} -N {n}", "unit": "tile", "work": tiles(m, n), "elements": m * n,
            "unpacked": tiles(m, n) * 2048, "packed": tiles(m, n) * 2048}


def program_binary(op, rows, columns, fmt, fidelity, cores=1, where="dram"):
    count, size = tiles(rows, columns), BYTES[fmt]
    busy = rows * columns // 128 * (PHASES[fidelity] if op == "mul" else 1)
    case = {"command": f"run binary -p op={op} -p rows={rows} -p columns={columns} -p format={fmt} -p fidelity={fidelity} -p from={where} "
                       f"-p cores={cores}x1", "unit": "tile", "work": count, "flop": rows * columns, "busy": busy, "tiles": cores,
            "unpacked": 2 * count * DATA[fmt], "packed": count * DATA[fmt]}
    if where == "dram":
        case.update(dram=3 * count * size, noc=(2 * count * size, count * size), l1=3 * count * (size + DATA[fmt]))
    return case


def program_moves(command, rows, columns, size=2048):
    count = tiles(rows, columns)
    return {"command": f"run {command} -p rows={rows} -p columns={columns}", "unit": "tile", "work": count, "dram": 2 * count * size,
            "noc": (count * size, count * size)}


def program_eltwise(rows, columns):
    """relu(a * b + c) at HiFi4: a product of four phases and a sum of one for each element."""
    count = tiles(rows, columns)
    return {"command": f"run eltwise -p rows={rows} -p columns={columns}", "unit": "tile", "work": count, "flop": 2 * rows * columns,
            "busy": rows * columns // 128 * (1 + 4), "dram": 4 * count * 2048}


def program_matmul(m, n, k):
    """8 cores, HiFi4: a row of tiles of a and a column of b for every tile of c."""
    products = tiles(m, n) * (k // 32)
    return {"command": f"run matmul -p m={m} -p n={n} -p k={k}", "unit": "tile", "work": tiles(m, n), "flop": 2 * m * n * k,
            "mvmuls": 16 * products * 4, "busy": 16 * products * 4, "dram": (2 * products + tiles(m, n)) * 2048, "tiles": 8}


def program_2d(columns, rows, m, n, k, fidelity):
    """a and c in L1; b is read from DRAM once."""
    mvmuls = m // 8 * (n // 16) * (k // 16) * PHASES[fidelity]
    return {"command": f"run matmul-2d -p cores={columns}x{rows} -p m={m} -p n={n} -p k={k} -p fidelity={fidelity}", "unit": "tile",
            "work": tiles(m, n), "flop": 2 * m * n * k, "mvmuls": mvmuls, "busy": mvmuls, "tiles": columns * rows,
            "dram": tiles(k, n) * 2048}


CASES = [
    kernel_matmul(), kernel_matmul(64, 96, 128, "bf16", "hifi4"), kernel_matmul(64, 64, 96, "bfp8", "hifi2"),
    kernel_matmul(64, 64, 64, "bfp4", "lofi"), kernel_matmul(64, 64, 64, "fp16", "hifi3"), kernel_matmul(64, 64, 64, "int8", "hifi4"),
    kernel_matmul(64, 64, 256, "bf16", "hifi2", "-T 5", throttle=1 / 3),
    kernel_matmul(64, 64, 128, "bf16", "lofi", "-r 3"), kernel_matmul(64, 64, 64, "bf16", "hifi4", "--kernel seed"),
    grid_matmul(2, 2, 128, 128, 128, "lofi"), grid_matmul(3, 2, 64, 192, 128, "hifi4"),
    kernel_eltwise("add", 128, 128, "bf16"), kernel_eltwise("sub", 64, 96, "fp16"), kernel_eltwise("mul", 64, 64, "bf16", "hifi4"),
    kernel_eltwise("mul", 64, 64, "bf16", "hifi2"), kernel_eltwise("add", 64, 64, "bf16", tile=(16, 16)),
    kernel_eltwise("add", 64, 64, "bf16", count=3),
    kernel_reduce(128, 128, "lofi"), kernel_reduce(64, 64, "hifi4"),
    kernel_vector("exp", 64, 64, 10), kernel_moves("transpose", 64, 96), kernel_moves("sfpu -O copy", 64, 64),
    program_binary("add", 256, 256, "bf16", "hifi4"), program_binary("mul", 128, 128, "bf16", "hifi4"),
    program_binary("mul", 64, 128, "bfp8", "hifi2"), program_binary("sub", 128, 128, "bf16", "hifi3", cores=4),
    program_binary("add", 64, 64, "bf16", "lofi", where="l1"), program_eltwise(256, 256), program_moves("transpose", 128, 128),
    program_matmul(64, 128, 64), program_matmul(128, 128, 128), program_2d(2, 2, 128, 128, 128, "hifi4"),
]


class Screen:
    """The first screen of one run, and its JSON."""

    def __init__(self, tensim, case, file):
        command = [tensim] + case["command"].split() + ["--timing-only", "-v", "-j1", "--json", file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"FAILED: tensim {case['command']}: {done.stderr}")
        self.case, self.text, self.wrong = case, done.stdout, []
        with open(file, encoding="ascii") as opened:
            self.json = json.load(opened)

    def number(self, pattern, wanted, what):
        """A number of the text: as exact as it is printed."""
        found = re.search(pattern, self.text, re.M)
        if found is None:
            self.wrong.append(f"{what}: no {pattern}")
            return
        digits = len(found[1].partition(".")[2])
        if abs(float(found[1]) - wanted) > 0.5001 * 10**-digits:
            self.wrong.append(f"{what}: {found[1]}, by arithmetic {wanted:.6g}")

    def member(self, name, wanted):
        if not isinstance(wanted, str) and abs(self.json.get(name, -1) - wanted) <= 1e-9 * abs(wanted):
            return
        if self.json.get(name) != wanted:
            self.wrong.append(f"{name} in JSON: {self.json.get(name)}, by arithmetic {wanted}")

    def roof(self, name, wanted, peak=None):
        """GB/s that pass a resource, and what can."""
        rows = [row for row in self.json["roofs"] if row["name"] == name]
        if not rows:
            self.wrong.append(f"no roof of {name}")
        elif abs(rows[0]["rate"] - wanted) > 1e-6 * wanted:
            self.wrong.append(f"roof of {name}: {rows[0]['rate']:.6g} GB/s, by arithmetic {wanted:.6g}")
        if rows and peak and abs(rows[0]["peak"] - peak) > 1e-3 * peak:
            self.wrong.append(f"peak of {name}: {rows[0]['peak']:.6g} GB/s, by arithmetic {peak:.6g}")

    def check(self):
        case, cycles = self.case, self.json["cycles"]
        program = case["command"].startswith("run ")
        passes = int((re.search(r"-r (\d+)", case["command"]) or " 1")[1])
        count = case.get("tiles", 1)
        seconds = cycles / (MHZ * 1e6)
        work = case["work"] * passes
        self.number(r"^  (\d+) cycles", cycles, "cycles")
        self.number(r", ([\d.]+) us at 1350 MHz", 1e6 * seconds, "us")
        self.number(r"us at 1350 MHz; ([\d.]+) cycles a " + case["unit"], cycles / work, "cycles a " + case["unit"])
        self.number(r"cycles a \w+ \((\d+) of them", work, "work")
        self.member("seconds", seconds)
        self.member("cycles_per_" + case["unit"], cycles / work)
        self.member("scope", "one tile" if count == 1 else f"all {count} tiles" if program else f"one of {count} tiles")
        flop, busy = case.get("flop", 0) * passes, case.get("busy", 0) * passes
        if flop:
            self.tflops(flop, busy / (count if program else 1), cycles, count, program)
        elif "vector" in case:
            self.member("tflops", case["vector"] / seconds / 1e12)
            self.number(r"^  ([\d.]+) TFLOP/s, [\d.]+ % of the vector unit's", case["vector"] / seconds / 1e12, "TFLOP/s")
            self.number(r"TFLOP/s, ([\d.]+) % of the vector unit's", 100 * case["vector"] / 64 / cycles, "% of the vector unit")
            self.number(r"of the vector unit's ([\d.]+)", 64 * MHZ / 1e6, "the vector unit's peak")
        elif re.search("TFLOP/s, ", self.text):
            self.wrong.append("it has no FLOP, and prints TFLOP/s")
        if "elements" in case:
            self.number(r"^  ([\d.]+) elements a cycle", case["elements"] / cycles, "elements a cycle")
        if case.get("mvmuls"):
            words = case["mvmuls"] * passes
            self.member("mvmuls", words)
            self.number(r"\((\d+) MVMULs", words, "MVMULs")
            share = case.get("throttle") or 1
            self.number(r"MVMUL intensity ([\d.]+) %", 100 * share, "MVMUL intensity")
            self.number(r"MVMULs, (\d+) NOPs", round(words / share - words), "NOPs")
        self.bytes(seconds, count, program)
        return self.wrong

    def tflops(self, flop, busy, cycles, count, program):
        rate, share = flop / cycles * MHZ / 1e6, busy / cycles
        self.member("tflops", rate)
        self.member("utilisation", share)
        self.member("peak_tflops", rate / share)
        prefix = "of a tile: " if count > 1 and not program else ""
        self.number(rf"^  {prefix}([\d.]+) TFLOP/s, ", rate, "TFLOP/s")
        self.number(rf"^  {prefix}[\d.]+ TFLOP/s, ([\d.]+) % of", 100 * share, "% of the peak")
        self.number(rf"^  {prefix}[\d.]+ TFLOP/s, [\d.]+ % of ([\d.]+) at this fidelity", rate / share, "the peak")
        self.number(r"^ +([\d.]+) %  matrix unit", 100 * share, "roof of the matrix unit")
        if "--grid" in self.case["command"]:
            self.number(r"^  ([\d.]+) TFLOP/s of \d+ tiles", count * rate, "TFLOP/s of all tiles")
            self.member("grid_tflops", count * rate)

    def bytes(self, seconds, count, program):
        case, per = self.case, 1 / seconds / 1e9
        for name, key in (("unpackers", "unpacked"), ("packer", "packed")):
            if key in case:
                self.roof(name, case[key] * per)
        if "l1" in case:
            self.roof("L1", case["l1"] * per, (count if program else 1) * L1)
        if "dram" in case:
            self.roof("DRAM", case["dram"] * per, 8 * CHANNEL)
        for i, moved in enumerate(case.get("noc", ())):
            self.number(rf"NoC {i}: .*; ([\d.]+) GB/s in all", moved * per, f"GB/s of NoC {i}")
            self.number(rf"NoC {i}: [\d.]+ of ([\d.]+) GB/s", LINK, f"peak of NoC {i}")


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            found = Screen(sys.argv[1], case, os.path.join(folder, "result.json")).check()
            for text in found:
                print(f"FAILED: tensim {case['command']}: {text}")
            wrong += len(found)
    print(f"{len(CASES)} runs, {wrong} figures are not as arithmetic has them")
    return 1 if wrong else 0


sys.exit(main())
