#!/usr/bin/python3
"""Mutated HTTP requests, websocket frames and commands to a live run: `tensim ui` does not fall, gives nothing away without the token,
and no file that is not a run's; the run does not fall, and ends with its results.

Usage: fuzz.py TENSIM [COUNT (400) [SEED (1)]]. Exit code 77: this tensim has no ui."""
import json
import os
import random
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.dirname(here)]
from mutate import mutate as mutate_bytes  # noqa: E402
from server import need_ui, Server  # noqa: E402
from watch import Run  # noqa: E402

tensim = os.path.abspath(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 20000 if os.environ.get("TENSIM_TEST_ALL") else 400
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
need_ui(tensim)


PIECES = [b"\r\n", b"/../", b"%2e%2e/", b"%00", b"\xff" * 9, b"\r\n\r\n"]


def mutate(data):
    return mutate_bytes(draw, data, PIECES)


with tempfile.TemporaryDirectory() as outer:
    folder = os.path.join(outer, "runs")
    os.mkdir(folder)
    subprocess.run([tensim, "eltwise", "-M", "32", "-N", "32", "-q", "-o", os.path.join(folder, "one")], check=True)
    with open(os.path.join(outer, "result.json"), "w") as secret:
        secret.write("top-secret")
    server = Server(tensim, folder)
    t, port = server.token, server.port
    head = f"Host: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    seeds = [f"GET /{t}/ HTTP/1.1\r\n{head}".encode(), f"GET /{t}/file/0/one/result.json HTTP/1.1\r\n{head}".encode(),
             f"GET /{t}/file/0/../result.json HTTP/1.1\r\n{head}".encode(), f"POST /{t}/ HTTP/1.1\r\nContent-Length: 5\r\n{head}abcde".encode(),
             (f"GET /{t}/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
              f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: tensim\r\nOrigin: http://127.0.0.1:{port}\r\n\r\n").encode()]
    commands = [{"do": "run"}, {"do": "pause"}, {"do": "goto", "cycle": 3000}, {"do": "goto", "cycle": 10 ** 15}, {"do": "step", "what": "cycle"},
                {"do": "step", "what": "cycle", "count": 50}, {"do": "back", "what": "cycle"}, {"do": "step", "what": "unit", "unit": "MATRIX"},
                {"do": "back", "what": "instruction", "core": "trisc1"}, {"do": "back", "what": "write", "address": 4096},
                {"do": "back", "what": "post", "semaphore": 1}, {"do": "back", "what": "register", "register": 5}, {"view": {"chip": True}},
                {"view": {"tile": "1-2", "core": "brisc", "memory": 0xffb00000}}, {"view": {"memory": 2 ** 32 - 1500}}]
    wishes = [json.dumps(wish).encode() for wish in
              ({"stop": 1}, {"compare": ["0/one", "0/../one"]}, {"start": "config"}, {"start": "run x -o y"}, {"compare": [[[[]]]]},
               {"start": "config", "live": "back"}, {"again": "0/../one"}, {"again": "9/one"}, {"watch": None}, {"watch": "0/one"},
               {"watch": "0/../live"}, *[{"watch": "0/live"}] * 3, *[{"live": command} for command in commands])]

    def live():
        return Run(tensim, ["eltwise", "-M", "32", "-N", "32", "-q"], os.path.join(folder, "live"))

    run, ends = live(), 0
    requests = frames = lines = 0
    for i in range(count):
        if run.process.poll() is not None:  # a command has let it end
            if run.process.returncode != 0:
                sys.exit(f"case {i}: the live run ends with {run.process.returncode}")
            run, ends = live(), ends + 1
        if i % 4 == 3:
            some = [mutate(json.dumps(draw.choice(commands)).encode()) for _ in range(draw.randrange(1, 20))]
            lines += len(some)
            if link := run.connect():
                with link:
                    try:
                        link.sendall(b"\n".join(some) + b"\n")
                        link.settimeout(0.01)
                        link.recv(65536)
                    except OSError:
                        pass
        elif i % 2:
            request, known = draw.choice(seeds), draw.random() < .5
            if not known:
                request = request.replace(t.encode(), b"%032x" % draw.getrandbits(128))
            request = mutate(request)
            requests += 1
            answer = server.ask(request)
            if b"top-secret" in answer:
                sys.exit(f"case {i}: a file outside: {request!r}")
            if not known and (b"<title>tensim" in answer or b'"cycles"' in answer):
                sys.exit(f"case {i}: an answer without the token: {request!r}")
        else:
            link = server.open_socket()
            if link is None:
                sys.exit(f"case {i}: no websocket any more")
            # Wishes in frames that are right, then frames that are not: behind them the connection ends.
            good = [Server.frame(mutate(draw.choice(wishes)).decode("utf-8", "replace").encode()) for _ in range(draw.randrange(20))]
            bad = b"".join(Server.frame(draw.choice(wishes), opcode=draw.choice([0, 1, 1, 1, 2, 8, 9, 10]), final=draw.random() < .8)
                           for _ in range(draw.randrange(1, 4)))
            frames += len(good) + 1
            with link:
                try:
                    link.sendall(b"".join(good) + mutate(bad))
                    link.settimeout(0.01)
                    link.recv(65536)
                except OSError:
                    pass
        if i % 100 == 0 and not server.alive():
            sys.exit(f"case {i}: the server is gone")
    run.process.terminate()
    run.process.wait()
    if not server.alive():
        sys.exit("the server is gone")
    if (code := server.end()) != 0:
        sys.exit(f"the server ends with {code}")
    if set(os.listdir(outer)) != {"runs", "result.json"}:
        sys.exit(f"files outside: {os.listdir(outer)}")
print(f"{count} cases: {requests} requests, {frames} frames, {lines} commands; {ends} live runs to their end")
