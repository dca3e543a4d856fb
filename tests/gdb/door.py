#!/usr/bin/python3
"""Who may be the gdb of a run (platform/gdb/door.c).

Usage: door.py TENSIM."""
import os
import re
import socket
import stat
import subprocess
import sys
import tempfile

tensim = os.path.abspath(sys.argv[1])
PACKET = b"+$qSupported:multiprocess+#c6"


def start(option):
    run = subprocess.Popen([tensim, "matmul", "-q", "-M32", "-N32", "-K32", option], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    place = re.search(r"target remote (\S+)", run.stderr.readline().decode())
    assert place, run.stderr.read()
    return run, place[1]


def connect(place):
    if "/" in place:
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(60)
        link.connect(place)
        return link
    host, port = place.split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def ended(link):
    try:
        return link.recv(100) == b""
    except ConnectionError:
        return True


os.chdir(tempfile.mkdtemp())
for option in ("--gdb", "--gdb=./file", "--gdb=tcp", "--gdb=tcp,one"):
    run, place = start(option)
    assert ("/" in place) == ("tcp" not in option), place
    if "/" in place:
        mode = os.stat(place)
        assert stat.S_ISSOCK(mode.st_mode) and mode.st_mode & 0o177 == 0 and mode.st_uid == os.geteuid(), oct(mode.st_mode)
        if option == "--gdb":
            assert os.stat(os.path.dirname(place)).st_mode & 0o077 == 0
    silent = [connect(place) for _ in range(10)]         # they keep nobody waiting
    for first in (b"GET / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n$k#6b", b"\x03", b"\x00", b"OPTIONS * HTTP/1.1\r\n\r\n"):
        stranger = connect(place)
        stranger.sendall(first)
        assert ended(stranger), first                    # without an answer
        stranger.close()
    gone = connect(place)
    gone.close()
    gdb = connect(place)
    gdb.sendall(PACKET)
    said = b""
    while b"PacketSize" not in said:
        part = gdb.recv(1000)
        assert part, said
        said += part
    assert ended(silent[-1])
    gdb.sendall(b"+$k#6b")
    assert run.wait(120) >= 0
    assert "/" not in place or not os.path.exists(place)
    assert option != "--gdb" or not os.path.exists(os.path.dirname(place))
    print(option, "good")
