#!/usr/bin/python3
"""What a page has of any part of the time adds up to what it has of the kernel: waits, losses, instructions. Usage: window.py TENSIM"""
import json
import subprocess
import sys
import tempfile

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
RUNS = ("matmul -M 64 -N 128 -K 128 -F hifi4", "run multicast", "sfpu -O gelu -M 64 -N 64", "run eltwise -p rows=128 -p columns=128 -p cores=2x2")


def cycles(text, bin_cycles):
    return sum(64 * DIGITS.index(text[i]) + DIGITS.index(text[i + 1]) for i in range(0, len(text or ""), 2)) / 4095 * bin_cycles


def check(tensim, words, folder):
    subprocess.run([tensim, *words.split(), "-q", "-o", folder], check=True)
    with open(folder + "/drawing.json", encoding="utf-8") as file:
        drawing = json.load(file)
    with open(folder + "/result.json", encoding="utf-8") as file:
        run = json.load(file)
    long, wrong = drawing["time"]["bin"], []
    near = lambda a, b, most: abs(a - b) <= most + 0.01 * max(a, b)  # noqa: E731
    for tile in drawing["each"]:
        for who, why, on, count, _, series in tile["waits"]:
            if not near(cycles(series, long), count, 2):
                wrong.append(f"{who} {why} on {on}: {count} cycles, {cycles(series, long):.0f} over time")
        time, kernel = tile["loss_time"], run["loss_cycles"]
        lost = sum(cycles(row[2], long) for row in time["rows"]) + cycles(time.get("reached"), long)
        if not 0.7 * tile["cycles"] < lost + (kernel if "reached" not in time else 0) or lost > 1.02 * kernel:
            wrong.append(f"{lost:.0f} of {kernel} cycles over time")
        for row, series in zip(tile["instructions"], tile["instructions_time"]):
            for thread in range(3): # before the kernel there are others
                if cycles(series[thread], long) > row[1 + thread] + 2:
                    wrong.append(f"{row[0]} of T{thread}: {row[1 + thread]}, {cycles(series[thread], long):.0f} over time")
        if "reached" in time and not near(cycles(time["reached"], long), tile["reached"] / 100 * kernel, 0.02 * kernel):
            wrong.append(f"reached {tile['reached']:.1f} %, {100 * cycles(time['reached'], long) / kernel:.1f} % over time")
    return wrong


def main():
    bad = 0
    for words in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            wrong = check(sys.argv[1], words, folder)
        print(f"{words}: {'; '.join(wrong) or 'adds up'}")
        bad += bool(wrong)
    return bad > 0


sys.exit(main())
