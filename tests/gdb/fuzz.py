#!/usr/bin/python3
"""Mutated packets of gdb's remote protocol: tensim does not fall, and ends when its client has gone.

Usage: fuzz.py TENSIM SOURCE [COUNT (2000) [SEED (1)]]."""
import os
import random
import re
import select
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from mutate import mutate as mutate_bytes  # noqa: E402

tensim, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 20000 if os.environ.get("TENSIM_TEST_ALL") else 2000
draw = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)

looks = ["qSupported:multiprocess+;swbreak+", "vMustReplyEmpty", "Hgp0.0", "Hgp1.3", "Hcp1.-1", "qXfer:features:read:target.xml:0,ffb", "qTStatus", "?", "!",
         "qXfer:memory-map:read::0,ffb", "qXfer:osdata:read:processes:0,ffb", "qXfer:osdata:read::0,ffb", "qfThreadInfo", "qsThreadInfo",
         "qAttached:1", "qC", "qThreadExtraInfo,p1.2", "Tp1.5", "g", "p20", "p21", "p7a", "Px5=01020304", "P5=01020304", "m0,40", "m8000,800",
         "mffb00000,10", "mffe80020,20", "M8000,4:01020304", "X8000,4:abcd", "Z0,8000,4", "z0,8000,4", "Z1,8004,4", "Z2,1f00c,4", "z2,1f00c,4", "Z3,8000,8",
         "Z4,ffb00000,40", "z3,8000,8", "z4,ffb00000,40", "vCont?", "vAttach;1", "QStartNoAckMode", "vStopped", "vCtrlC", "qXfer:threads:read::0,10"]
moves = ["vCont;s:p1.2", "vCont;c", "vCont;s:p1.2;c", "vCont;t:p1.-1", "vCont;c:p1.2;c:p1.3", "s", "bs", "bc", "c"]
words = ["cycle", "why", "goto 20", "goto 1", "until SEMPOST", "until semaphore 1", "break MVMUL on t1", "break semaphore 2", "break cb 0", "break", "delete 1",
         "delete", "checkpoint", "semaphores", "cb", "dst 0 16", "src a 3", "config ALU", "tensix", "help"]
PIECES = [b";", b":", b",", b"-1", b"ffffffff", b"p", b"p-1.-1", b"%s%n", b"0" * 40]
ends = ["k", "vKill;1", "D;1", "\x03"]


def packet():
    chance = draw.random()
    if chance < .80:
        text = draw.choice(looks)
    elif chance < .95:
        word = draw.choice(words)
        if draw.random() < .4:
            word = mutate(word)
        text = "qRcmd," + word.encode("latin-1").hex()
    elif chance < .998:
        text = draw.choice(moves)
    else:
        text = draw.choice(ends)
    return mutate(text) if draw.random() < .6 else text


def mutate(text):
    return mutate_bytes(draw, text.encode("latin-1"), PIECES).decode("latin-1")


def wire(text):
    """As gdb sends it; now and then with a wrong sum, or cut off."""
    data = text.encode("latin-1").replace(b"}", b"}]").replace(b"$", b"}\x04").replace(b"#", b"}\x03")
    data = b"$" + data + b"#%02x" % (sum(data) % 256)
    return data if draw.random() < .98 else data[:draw.randrange(len(data))]


def start():
    run = subprocess.Popen([tensim, "run", source + "/config/gallery/fifo-full-while-polling.yaml", "-q", "--gdb"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE)
    line = run.stderr.readline().decode()
    place = re.search(r"target remote (/.*)", line)
    if not place:
        sys.exit("no server: " + line + run.stderr.read().decode())
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(place[1])
    sock.sendall(b"+")
    return run, sock


def end(run, sock):
    """The client goes: tensim ends by itself, not by a signal."""
    sock.close()
    try:
        said = run.communicate(timeout=120)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        run.kill()
        sys.exit("FAILED: tensim goes on for two minutes without its client")
    if run.returncode < 0 or run.returncode > 128 or "Sanitizer" in said or "runtime error" in said:
        sys.exit(f"FAILED: exit code {run.returncode}\n{said}")


sent = runs = answers = 0
while sent < count:
    run, sock = start()
    runs += 1
    try:
        for _ in range(60 if count < 10000 else 400):
            batch = [wire(packet()) for _ in range(20)]
            sent += len(batch)
            sock.sendall(b"".join(batch))
            heard = 0
            while heard < len(batch) * 3 // 4 and select.select([sock], [], [], .02)[0]:
                data = sock.recv(65536)
                heard += data.count(b"#")
                if not data:
                    raise ConnectionError
            answers += heard
    except (ConnectionError, BrokenPipeError):
        pass
    end(run, sock)
print(f"{sent} packets to {runs} runs, {answers} answers read")
