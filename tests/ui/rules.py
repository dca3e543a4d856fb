#!/usr/bin/python3
"""Who may ask `tensim ui` for what: a table of requests with their answers, wishes that are refused, and runs that are started.

Usage: rules.py TENSIM. Exit code 77: this tensim has no ui."""
import json
import os
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import need_ui, Server  # noqa: E402

tensim = os.path.abspath(sys.argv[1])
need_ui(tensim)

wrong = []


def check(good, text):
    if not good:
        wrong.append(text)


with tempfile.TemporaryDirectory() as outer:
    folder = os.path.join(outer, "runs")
    os.makedirs(os.path.join(folder, "deep/er"))
    for name in ("one", "deep/er/two"):
        subprocess.run([tensim, "eltwise", "-M", "32", "-N", "32", "-q", "-o", os.path.join(folder, name)], check=True)
    with open(os.path.join(outer, "result.json"), "w") as secret:
        secret.write("secret")
    os.symlink(os.path.join(outer, "result.json"), os.path.join(folder, "one", "hang.json"))
    os.symlink(outer, os.path.join(folder, "out"))
    with open(os.path.join(folder, "one", "mine.txt"), "w") as own:
        own.write("secret")
    # A socket outside, and a link to it; a run whose command has an option that the page does not give.
    outside = socket.socket(socket.AF_UNIX)
    outside.bind(os.path.join(outer, "s"))
    outside.listen()
    outside.settimeout(0.2)
    os.symlink(os.path.join(outer, "s"), os.path.join(folder, "one", ".tensim-live"))
    os.makedirs(os.path.join(folder, "odd"))
    with open(os.path.join(folder, "odd", "command.txt"), "w") as odd:
        odd.write(f"tensim eltwise --dprint {outer}/y -o z\n")
    # A stranger's folder: a program that names its compiler, one with the name of ours, a run whose command names a program.
    for name in ("evil", "gemv"):
        os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, name, "program.yaml"), "w") as program:
            program.write("cores: 1x1\nkernels:\n  - {source: k.cpp, on: brisc, compiler: ./evil.sh}\n")
        with open(os.path.join(folder, name, "k.cpp"), "w") as kernel:
            kernel.write("void kernel_main() {}\n")
    with open(os.path.join(folder, "evil.sh"), "w") as evil:
        evil.write(f"#!/bin/sh\ntouch {outer}/evil-ran\n")
    os.chmod(os.path.join(folder, "evil.sh"), 0o755)
    for name, command in (("foreign", "run evil/program.yaml"), ("away", f"run {outer}/x.yaml"), ("card", "matmul --chip=/etc/passwd")):
        os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, name, "command.txt"), "w") as file:
            file.write(f"tensim {command}\n")
    server = Server(tensim, folder)
    t = server.token
    # path, what else the request has, the answer's code
    table = [
        (f"/{t}/", {}, 200),
        (f"/{t}/", {"host": f"localhost:{server.port}"}, 200),
        (f"/{t}/file/0/one/report.html", {}, 200),
        (f"/{t}/file/0/deep/er/two/result.json", {}, 200),
        (f"/{t}/file/0/one/mine.txt", {}, 404),             # not a file that runs write
        (f"/{t}/file/0/one/hang.json", {}, 404),            # a link out of the folder
        (f"/{t}/file/0/out/result.json", {}, 404),
        (f"/{t}/file/0/../result.json", {}, 404),
        (f"/{t}/file/0/%2e%2e/result.json", {}, 404),
        (f"/{t}/file/0//etc/passwd", {}, 404),
        (f"/{t}/file/1/one/report.html", {}, 404),
        (f"/{t}/file/99999999999999999999/one/report.html", {}, 404),
        (f"/{t}/file/-1/one/report.html", {}, 404),
        (f"/{t}/file/0", {}, 404),
        (f"/{t}", {}, 404),
        (f"/{t}/other", {}, 404),
        ("/", {}, 403),
        (f"/{t[:-1]}/", {}, 403),
        (f"/{'0' * 32}/", {}, 403),
        (f"/{t.upper() if t.upper() != t else 'x' * 32}/", {}, 403),
        (f"/{t}/", {"host": "evil.example"}, 403),          # a name that somebody points at 127.0.0.1
        (f"/{t}/", {"host": f"127.0.0.1:{server.port + 1}"}, 403),
        (f"/{t}/", {"Origin": "http://evil.example"}, 403),
        (f"/{t}/", {"Origin": "null"}, 403),
        (f"/{t}/", {"method": "POST"}, 405),
        (f"/{t}/", {"method": "DELETE"}, 405),
    ]
    for path, more, code in table:
        got, body = server.get(path, **more)
        # What is no plain request may also be cut off without an answer.
        check(got == code or (code != 200 and got in (0, 400, 403, 404, 405)), f"{path} {more}: {got}, not {code}")
        check(b"secret" not in body, f"{path} {more}: what nobody may read")
    # Websockets: whose page, which token.
    check(server.open_socket(origin="http://evil.example") is None, "a websocket for another page")
    check(server.open_socket(origin="null") is None, "a websocket for a report")
    check(server.open_socket(token="0" * 32) is None, "a websocket without the token")
    check(server.open_socket(name="other") is None, "a websocket of another name")
    link = server.open_socket()
    check(link is not None, "no websocket for the page")
    told = {}
    while "runs" not in told or "jobs" not in told:
        told.update(server.hear(link))
    places = {run["place"]: run for run in told["runs"]}
    check(set(places) == {"0/one", "0/deep/er/two", "0/odd", "0/foreign", "0/away", "0/card"}, f"runs: {sorted(places)}")
    check(not any(run["live"] for run in told["runs"]), "a run that is not live")
    check(places["0/one"]["pages"] == ["report.html"] and places["0/one"]["cycles"] > 0, f"{places['0/one']}")

    def wish(what):
        """What the server says of a wish: the reason if it is refused, or the jobs."""
        link.sendall(server.frame(json.dumps(what).encode()))
        while True:
            heard = server.hear(link)
            told.update(heard)
            if "wrong" in heard or "jobs" in heard:
                return heard

    for line in ("capture -- sh -c true", "config", "", "run x -o y", "matmul --out=y", "matmul --ou y", "matmul -qoy",
                 "matmul --json y", "run /etc/passwd", "run ../x.yaml", "run x --record f", "run x --trace=commits:d", "run x -tcommits:d", "run x --dprint f", "matmul\u0001",
                 "run " + "a " * 80, "run evil/program.yaml", "run evil.yaml", "hang x.yaml", "matmul --chip=/etc/passwd", "run gemv -p a=/x.npy",
                 "run x --allow=compiler", "run --resume x --allow=checkpoint", "matmul --gdb", "run gallery/none", "run gallery/../../x",
                 "run llk/../evil", "hang gallery/mutex-cycle", "run step/mvmul.yaml", "run --explore=schedule:f gallery/mutex-cycle"):
        check("wrong" in wish({"start": line}), f"{line}: accepted")
    for other in ({"start": 5}, {"compare": ["0/one"]}, {"compare": ["0/one", "0/none"]}, {"compare": ["0/out", "0/one"]}, [], "x", None, {"x": 1},
                  {"watch": "0/one"}, {"watch": "0/deep"}, {"watch": "0/../s"}, {"watch": "x"}, {"again": "0/none"}, {"again": "0/odd"}, {"again": "0/out"},
                  {"again": "0/foreign"}, {"again": "0/away"}, {"again": "0/card"}):
        check("wrong" in wish(other), f"{other}: accepted")
    # A run of its own, then a comparison; both become run directories.
    answer = wish({"start": "tensim eltwise -M 32 -N 64"})
    check("jobs" in answer, f"a run is refused: {answer}")
    while any(job["runs"] for job in told["jobs"]):
        told.update(server.hear(link))
    job = told["jobs"][0]
    check(job["exit"] == 0 and "cycles" in job["text"], f"{job}")
    while job["place"] not in [run["place"] for run in told["runs"]]:
        told.update(server.hear(link))
    wish({"start": "run gemv -p n=64 -p k=64 --timing-only"})  # ours, not the folder's
    while any(job["runs"] for job in told["jobs"]):
        told.update(server.hear(link))
    check("compiler" not in told["jobs"][0]["text"], f"{told['jobs'][0]}")
    # What comes with tensim: names of the catalogue, and nothing else with a slash.
    catalogue = told["catalogue"]
    names = {row["name"] for kind in ("programs", "gallery", "steps", "pipes") for row in catalogue[kind]}
    check({"gemv", "llk/matmul", "gallery/mutex-cycle", "gallery/tiles/both-wait-first", "step/mvmul", "pipes/flash-attention"} <= names,
          f"the catalogue: {sorted(names)}")
    llk = {row["name"]: row for row in next(row for row in catalogue["programs"] if row["name"] == "llk/matmul")["params"]}
    check(llk["fidelity"]["words"] == ["lofi", "hifi2", "hifi3", "hifi4"] and llk["m"]["value"] == "128" and llk["m"]["to"], f"{llk}")
    check(len(catalogue["seeds"]) > 100, "the seeds' index")
    for line, code in (("run llk/eltwise m=32 n=32", 0), ("run gallery/mutex-cycle", 2), ("run --show=values step/mvmul", 0)):
        answer = wish({"start": line})
        check("jobs" in answer, f"{line}: {answer}")
        while any(job["runs"] for job in told["jobs"]):
            told.update(server.hear(link))
        check(told["jobs"][0]["exit"] == code, f"{line}: {told['jobs'][0]}")
    answer = wish({"compare": ["0/one", job["place"]]})
    check("jobs" in answer, f"a comparison is refused: {answer}")
    while any(job["runs"] for job in told["jobs"]):
        told.update(server.hear(link))
    check(told["jobs"][0]["exit"] in (0, 1), f"{told['jobs'][0]}")
    # A run that is watched: it is in the list, says who it is, takes commands, and comes again.
    wish({"start": "eltwise -M 32 -N 32", "live": "back"})
    place = told["jobs"][0]["place"]
    while not any(run["place"] == place and run["live"] for run in told["runs"]):
        told.update(server.hear(link))

    def live(what, *wishes):
        for one in wishes:
            link.sendall(server.frame(json.dumps(one).encode()))
        while True:
            heard = server.hear(link)
            told.update({key: heard[key] for key in heard if key != "live"})
            if what in heard.get("live", {}):
                return heard["live"][what]

    check(live("hello", {"watch": place})["schema"] == "tensim.live", "no hello of a live run")
    while (state := live("state", {"live": {"do": "goto", "cycle": 4000}}))["cycle"] != 4000:
        pass
    check("do:" in live("wrong", {"live": {"do": "fly"}}), "a command that there is not")
    while live("state", {"live": {"do": "run"}})["mode"] != "over":
        pass
    check(live("end", {"live": {"do": "run"}})["code"] == 0, "the end of a live run")
    check(live("gone"), "a connection that has ended")
    wish({"again": "0/one"})
    check("live" not in told["jobs"][0]["line"] and "eltwise" in told["jobs"][0]["line"], f"{told['jobs'][0]}")
    wish({"stop": told["jobs"][0]["number"]})
    while told["jobs"][0]["runs"]:
        told.update(server.hear(link))
    try:
        outside.accept()
        check(False, "a link to a socket outside")
    except OSError:
        pass
    # A long run is stopped, from the page and by the end of the server.
    wish({"start": "matmul -M 256 -N 256 -K 1024 --repeat 10000"})
    number = told["jobs"][0]["number"]
    link.sendall(server.frame(json.dumps({"stop": number}).encode()))
    while told["jobs"][0]["runs"]:
        told.update(server.hear(link))
    check(told["jobs"][0]["signal"] == 15 or told["jobs"][0]["exit"] == 128 + 15, f"{told['jobs'][0]}")
    wish({"start": "matmul -M 256 -N 256 -K 1024 --repeat 10000"})
    # Too much, or no text: the connection ends, the server does not.
    for bad in (server.frame(b"x" * 5000), server.frame(b"\xff\xfe"), server.frame(b"x", opcode=2), server.frame(b"{}", masked=False)):
        other = server.open_socket()
        other.settimeout(0.5)  # what was no text is told so first, what was not masked is taken for a wish
        other.sendall(bad)
        try:
            while other.recv(4096):
                pass
        except OSError:
            pass
        other.close()
    check(server.alive(), "the server is gone")
    code = server.end()
    check(code == 0, f"the server ends with {code}")
    # A person allows the files of the folder: they start, and may still execute nothing.
    server = Server(tensim, "--allow=programs", folder)
    link = server.open_socket()
    told.clear()
    while "runs" not in told or "jobs" not in told:
        told.update(server.hear(link))
    for what in ({"start": "run evil/program.yaml"}, {"again": "0/foreign"}):
        check("jobs" in wish(what), f"{what}: refused")
        while any(job["runs"] for job in told["jobs"]):
            told.update(server.hear(link))
        check(told["jobs"][0]["exit"] == 3 and "--allow=compiler" in told["jobs"][0]["text"], f"{told['jobs'][0]}")
    for what in ({"start": "run /etc/x.yaml"}, {"start": "matmul --chip=/etc/passwd"}, {"start": "run evil/program.yaml --allow=compiler"},
                 {"again": "0/away"}, {"again": "0/card"}):
        check("wrong" in wish(what), f"{what}: accepted")
    server.end()
    check(not os.path.exists(os.path.join(outer, "evil-ran")), "a program of the folder was executed")
    check(not os.path.exists(os.path.join(folder, "y")), "a file outside")
for text in wrong:
    print(text)
sys.exit(1 if wrong else 0)
