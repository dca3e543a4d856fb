"""A client of a live run: starts one, and speaks the protocol of platform/ui/README.md over its socket."""
import json
import os
import socket
import subprocess
import time


class Run:
    def __init__(self, tensim, words, folder, live="back,pause", **how):
        self.folder = folder
        where = [] if "--resume" in words else ["-o", folder]  # a checkpoint knows it
        self.process = subprocess.Popen([tensim, *words, f"--live={live}" if live else "--live", *where], **how)
        self.link, self.rest, self.said = None, b"", 0
        end = time.time() + 300
        while self.link is None and self.process.poll() is None and time.time() < end:
            self.link = self.connect()
            if self.link is None:
                time.sleep(0.02)

    def connect(self):
        """Another connection; None: there is no socket."""
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(300)
        here = os.getcwd()
        try:
            os.chdir(self.folder)  # paths of sockets are short
            link.connect(".tensim-live")
            return link
        except OSError:
            link.close()
            return None
        finally:
            os.chdir(here)

    def hear(self):
        """The next line; None: the run has closed the connection."""
        while b"\n" not in self.rest:
            try:
                part = self.link.recv(1 << 20)
            except ConnectionError:
                return None
            if not part:
                return None
            self.rest += part
        line, _, self.rest = self.rest.partition(b"\n")
        return json.loads(line)

    def say(self, **what):
        self.said += 1
        self.link.sendall(json.dumps(what).encode() + b"\n")

    def ask(self, mode=("paused", "hang", "over"), **what):
        """The state that the machine stops in after a command, or what is wrong with it."""
        self.say(**what)
        while (message := self.hear()) is not None:
            if "end" in message or ("wrong" in message and message["heard"] == self.said):
                return message
            if "state" in message and message["state"]["mode"] in mode and message["state"]["heard"] == self.said:
                return message["state"]
        return None
