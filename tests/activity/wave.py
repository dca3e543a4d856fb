#!/usr/bin/env python3
"""Square waves by a guest program (programs/wave.yaml): every figure of --activity as the definitions of steps.h give it for the
wave that was asked for, exactly. Usage: wave.py TENSIM"""
import json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# on, off, columns x rows of tiles, stagger, periods, MHz
WAVES = [(1, 1, "1x1", 0, 50, 1000), (1, 2, "4x2", 0, 40, 1000), (16, 16, "4x1", 0, 20, 1350), (16, 4, "5x2", 0, 20, 1350),
         (3, 1, "4x4", 0, 64, 100), (2, 1, "4x4", 0, 64, 100), (128, 11, "2x1", 0, 12, 100), (100, 300, "5x1", 0, 5, 100),
         (100, 300, "5x1", 7, 5, 100), (100, 300, "5x1", 100, 5, 100), (64, 64, "2x1", 64, 10, 100), (64, 64, "2x1", 32, 10, 100),
         (16, 32, "3x1", 16, 30, 1350), (500, 500, "5x4", 1, 3, 100), (500, 500, "5x4", 25, 3, 100), (1, 63, "8x8", 1, 8, 100),
         (40, 1000, "7x1", 3, 4, 800), (33, 31, "3x3", 5, 11, 1200), (5000, 0, "3x1", 0, 1, 1350), (1, 256, "4x1", 0, 6, 1350)]


def expected(on, off, tiles, stagger, periods, mhz):
    starts = [i * stagger for i in range(tiles)]
    length = starts[-1] + periods * (on + off) - off
    a = [0] * length
    for start in starts:
        for p in range(periods):
            for t in range(start + p * (on + off), start + p * (on + off) + on):
                a[t] += 1
    up = [0]
    for now in a:
        up.append(up[-1] + now)
    total = lambda x, y: up[min(max(y, 0), length)] - up[min(max(x, 0), length)]
    steps = []
    for ns in (1, 10, 100, 1000, 10000):
        w = max(1, (ns * mhz + 500) // 1000)
        rise = fall = (0, 0)
        transitions, open_ = 0, False
        for t in range(-w, length + w + 1):
            before, behind = total(t - w, t), total(t, t + w)
            rise = max(rise, (behind - before, -t))
            fall = max(fall, (before - behind, -t))
            steep = 10 * before < tiles * w and 10 * behind > 6 * tiles * w
            transitions += steep and not open_
            open_ = steep
        steps.append((ns, w, rise[0] / w, -rise[1], fall[0] / w, -fall[1], transitions))
    spans, since = [], 0
    for t, now in enumerate(a + [tiles]):
        if 10 * now >= tiles:
            if t > since:
                spans.append((t - since, since))
            since = t + 1
    histogram = [0] * 24
    for span, _ in spans:
        histogram[span.bit_length() - 1] += 1
    longest = max(spans, key=lambda span: (span[0], -span[1])) if spans else (0, None)
    mean = sum(starts) / tiles
    return {"tiles": tiles, "mvmuls": tiles * on * periods, "length": length, "most": max(a), "steps": steps,
            "idle": longest, "spans": histogram, "blocks": periods if off >= 256 else 1, "spread": starts[-1],
            "deviation": (sum((s - mean) ** 2 for s in starts) / tiles) ** 0.5, "duty": on * periods / length,
            "run": on if off else on * periods, "gap": off if periods > 1 else 0, "bins": total}


def check(tensim, wave, number, folder):
    on, off, cores, stagger, periods, mhz = wave
    path = f"{folder}/{number}.json"
    subprocess.run([tensim, "run", f"{HERE}/programs/wave.yaml", "-p", f"cores={cores}", "-p", f"on={on}", "-p", f"off={off}",
                    "-p", f"stagger={stagger}", "-p", f"periods={periods}", "-D", f"chip.clock_mhz={mhz}", "--timing-only",
                    "--activity", "-q", "--json", path], check=True)
    document = json.load(open(path))
    got, columns, rows = document["activity"], *map(int, cores.split("x"))
    want = expected(on, off, columns * rows, stagger, periods, mhz)
    start = got["from"]
    same = [("tiles_used", got["tiles_used"], want["tiles"]), ("mvmuls", got["mvmuls"], want["mvmuls"]),
            ("window", got["to"] - start, want["length"]), ("most", got["most"], want["most"]),
            ("idle", got["idle"]["longest"], want["idle"][0]), ("spans", got["idle"]["spans"], want["spans"]),
            ("blocks", got["starts"]["blocks"], want["blocks"]), ("spread", got["starts"]["spread"], want["spread"]),
            ("run", got["duty"]["longest_run"], want["run"]), ("gap", got["duty"]["longest_gap"], want["gap"])]
    if want["idle"][0]:
        same.append(("idle at", got["idle"]["at"] - start, want["idle"][1]))
    for step, (ns, w, rise, rise_at, fall, fall_at, transitions) in zip(got["steps"], want["steps"]):
        same += [(f"cycles of {ns} ns", step["cycles"], w), (f"rise {ns}", step["rise"]["tiles"], rise),
                 (f"fall {ns}", step["fall"]["tiles"], fall), (f"rise {ns} at", step["rise"]["at"] - start, rise_at),
                 (f"fall {ns} at", step["fall"]["at"] - start, fall_at), (f"transitions {ns}", step["transitions"], transitions)]
    for name, step in zip(("step_ns1", "step_ns10", "step_ns100", "step_us1"), want["steps"]):
        same.append((name, document[name], step[2]))
    series, at = got["series"], got["series"]["from"] - start
    for i, total in enumerate(series["sums"]["matrix"]):
        same.append((f"bin {i}", total, want["bins"](at + i * series["bin"], at + (i + 1) * series["bin"])))
    for name, a, b in [("duty", got["duty"]["mean"], want["duty"]), ("least", got["duty"]["least"], want["duty"]),
                       ("mean", got["mean"], want["mvmuls"] / want["length"]),
                       ("deviation", got["starts"]["deviation"], want["deviation"])]:
        same.append((name, abs(a - b) < 1e-9 * (1 + b), True))
    wrong = [row for row in same if row[1] != row[2]]
    if wrong:
        sys.exit(f"{wave}: figure, got, by hand: {wrong}")


with tempfile.TemporaryDirectory() as folder:
    for number, wave in enumerate(WAVES):
        check(sys.argv[1], wave, number, folder)
print(f"{len(WAVES)} square waves: every figure as computed by hand")
