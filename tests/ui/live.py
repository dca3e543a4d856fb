#!/usr/bin/python3
"""Live runs (--live) over their socket: a hang is explained as without, cycles that are reached forwards and back are the same to
the last bit, results are those of a run that nobody watches; who attaches cannot harm the run.

Usage: live.py TENSIM SOURCE [SEED (1)]."""
import json
import os
import random
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from watch import Run  # noqa: E402

tensim, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
wrong = []


def check(good, text):
    if not good:
        wrong.append(text)
        print(text)


def files(folder):
    """Of a run: all but the command."""
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder)) if name != "command.txt"}


def same(name, folder, other):
    one, two = files(folder), files(other)
    for file in sorted(set(one) | set(two)):
        if file.endswith(".html"):  # made of the others, and of the command
            check((file in one) == (file in two), f"{name}: {file} is in one of them")
        elif one.get(file) != two.get(file):
            a, b = (json.loads(x[file]) if file.endswith(".json") and file in x else x.get(file) for x in (one, two))
            for document in (a, b):
                if isinstance(document, dict):
                    document.pop("command", None)
            check(a == b, f"{name}: {file} differs")


def looks(state):
    """What a state shows of the machine."""
    return {key: state[key] for key in ("cycle", "tile", "code", "memory")}


def wait_for_end(run):
    run.say(do="run")
    while (message := run.hear()) is not None and "end" not in message:
        if message.get("state", {}).get("mode") in ("over", "hang"):
            run.say(do="run")
    return run.process.wait(timeout=600)


with tempfile.TemporaryDirectory() as folder:
    def at(name):
        return os.path.join(folder, name)

    # A hang: the same explanation, how it came about, and the same files.
    hang = ["hang", os.path.join(source, "config/gallery/g13-unpack-sync-wedged.yaml"), "-q"]
    subprocess.run([tensim, *hang, "-o", at("plain")], stderr=subprocess.DEVNULL, check=False)
    run = Run(tensim, hang, at("hang"), stderr=subprocess.DEVNULL)
    mode = os.stat(at("hang/.tensim-live")).st_mode
    check(stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600, f"the socket has mode {mode:o}")
    hello = run.hear()["hello"]
    with open(at("hello.json"), "w", encoding="utf-8") as file:
        json.dump(hello, file)
    check(subprocess.run([sys.executable, "-B", os.path.join(source, "tests/out/schema.py"), at("hello.json")], check=False).returncode == 0, "the first line's schema")
    check(hello["schema"] == "tensim.live" and hello["back"] and hello["tiles"] == ["1-2"], f"{hello}")
    check(run.hear()["state"]["cycle"] == 0, "the run does not wait before its first cycle")
    end = run.ask(do="run")
    with open(at("plain/hang.json"), encoding="utf-8") as file:
        known = json.load(file)
    check(end["mode"] == "hang" and end["since"] == known["since"], f"{end['mode']} since {end['since']}, not {known['since']}")
    check(end["waits"]["cause"] == known["cause"] and end["waits"]["tiles"] == known["tiles"], "another explanation than hang.json")
    posted = run.ask(do="back", what="post", semaphore=5)
    check(posted["why"].startswith("the next cycle has a post of semaphore 5"), posted["why"])
    posts = posted["tile"]["semaphores"][5][2]
    after = run.ask(do="step", what="cycle")
    check(after["tile"]["semaphores"][5][2] == posts + 1, "the post is not in the next cycle")
    check(run.ask(do="goto", cycle=10)["why"] == "", "a reason of the stop before")
    check(run.ask(do="goto", cycle=end["cycle"])["waits"] == end["waits"], "another explanation when it comes again")
    for command in ({"do": "step", "what": "cycle"}, {"do": "goto", "cycle": 10 ** 12}, {"do": "step", "what": "unit"}, {"do": "fly"},
                    {"do": "back", "what": "post", "semaphore": 8}, {"do": "back", "what": "write", "address": 0xffb70000}, {"do": "goto"},
                    {"do": "back", "what": "register", "register": 32}, {"do": "step", "what": "unit", "unit": "X"}, {"do": "goto", "cycle": -1},
                    {"view": {"tile": "9-9"}}, {"view": {"core": "x"}}, {"view": {"memory": -4}}, {"view": 3}, {}):
        check("wrong" in run.ask(**command), f"{command}: not refused")
    check(wait_for_end(run) == 2 and not os.path.exists(at("hang/.tensim-live")), "the end of a hang")
    same("hang", at("plain"), at("hang"))

    # A kernel: to random cycles in both directions; its results are those of --step-by-step.
    kernel = ["matmul", "-M", "64", "-N", "64", "-K", "64", "-q"]
    subprocess.run([tensim, *kernel, "--step-by-step", "-o", at("steps")], check=True)
    run = Run(tensim, kernel, at("back"))
    run.say(view={"core": "trisc1", "memory": 0x1f000})
    last = run.ask(do="run")
    check(last["mode"] == "over", last["mode"])
    goals = [draw.randrange(last["cycle"]) for _ in range(12)]
    seen = {goal: looks(run.ask(do="goto", cycle=goal)) for goal in sorted(goals, reverse=True)}
    for goal in goals:
        check(looks(run.ask(do="goto", cycle=goal)) == seen[goal], f"cycle {goal}: another state the second time")
        one = run.ask(do="step", what="instruction", core="trisc1")
        if one["mode"] == "paused":
            two = run.ask(do="back", what="instruction", core="trisc1")
            done, before = (state["tile"]["cores"][2]["instructions"] for state in (one, two))
            check(two["cycle"] < one["cycle"] and before in (done - 1, seen[goal]["tile"]["cores"][2]["instructions"]),
                  f"cycle {goal}: a step back from {done} instructions to {before}")
    check(wait_for_end(run) == 0, "the end of a kernel")
    same("kernel", at("steps"), at("back"))

    # From a checkpoint on: the same states and results, back to its cycle.
    subprocess.run([tensim, *kernel, "-o", at("saved"), "--checkpoint=at:5000"], check=True)
    run = Run(tensim, ["run", "--resume", at("saved/5000.ckpt")], at("saved"))
    run.say(view={"core": "trisc1", "memory": 0x1f000})
    first = run.ask(do="goto", cycle=0)["cycle"]
    for goal in (goal for goal in goals if goal > first + 300):  # who was ahead has been reached
        state = looks(run.ask(do="goto", cycle=goal))
        for unit, known in zip(state["tile"]["units"], seen[goal]["tile"]["units"]):
            if known.get("at", first) < first:  # a word before the checkpoint
                unit.update(known)
        check(state == seen[goal], f"cycle {goal}: another state from a checkpoint on")
    check(5000 <= first < 5300 and wait_for_end(run) == 0, f"a checkpoint's first cycle is {first}")
    os.remove(at("saved/5000.ckpt"))
    same("checkpoint", at("steps"), at("saved"))

    # A grid on two threads: pause and look; the way back says what it needs. Its results are those of a run without.
    grid = ["run", "matmul-2d", "-p", "m=256", "-p", "n=256", "-p", "k=256", "--timing-only", "-q"]
    subprocess.run([tensim, *grid, "-o", at("grid")], check=True)
    run = Run(tensim, [*grid, "-j", "2"], at("watched"), live="pause")
    run.say(view={"chip": True})
    state = run.ask(do="goto", cycle=9000)
    check(state["mode"] == "paused" and 9000 <= state["cycle"] < 9500 and len(state["chip"]) > 500, f"a pause at {state['cycle']}")
    for command in ({"do": "back", "what": "cycle"}, {"do": "goto", "cycle": 10}, {"do": "step", "what": "instruction"}):
        check("--live=back" in run.ask(**command).get("wrong", ""), f"{command} on two threads")
    # Who talks nonsense, goes away or does not read does no harm.
    for noise in (b"\n" * 100, b"{" * 5000, b'{"do":' + b"[" * 3000 + b"\n", bytes(draw.randrange(256) for _ in range(3000)) + b"\n", b""):
        other = run.connect()
        other.sendall(noise)
        other.close()
    deaf = [run.connect() for _ in range(20)]  # more than it takes in
    check(wait_for_end(run) == 0, "the end of a grid")
    for link in filter(None, deaf):
        link.close()
    same("grid", at("grid"), at("watched"))

    # Nobody attaches; a client that has gone; a killed process leaves no other behind.
    subprocess.run([tensim, *kernel, "-o", at("quick")], check=True)
    subprocess.run([tensim, *kernel, "--live", "-o", at("alone")], check=True)
    same("alone", at("quick"), at("alone"))
    run = Run(tensim, ["matmul", "-M", "256", "-N", "256", "-K", "256", "-q"], at("left"), live="back")
    run.ask(do="pause")
    run.link.close()
    check(run.process.wait(timeout=600) == 0, "a run whose client has gone")
    run = Run(tensim, kernel, at("killed"))
    run.ask(do="goto", cycle=7000)
    run.ask(do="goto", cycle=5000)  # in another process
    run.process.kill()
    run.process.wait()
    began = time.time()
    while run.hear() is not None:
        check(time.time() - began < 60, "a process is left of a killed run")
sys.exit(1 if wrong else 0)
