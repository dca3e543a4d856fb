"""A `tensim ui` for a test: starts it in a folder of its own, ends it, and speaks HTTP and websockets by hand."""
import base64
import json
import os
import re
import socket
import struct
import subprocess
import sys


def need_ui(tensim):
    """Ends the test with 77 where tensim was built without its ui."""
    if not os.path.exists(os.path.join(os.path.dirname(tensim), "tensim-ui")):
        print("this tensim was built without libwebsockets: skipped")
        sys.exit(77)


class Server:
    def __init__(self, tensim, *words):
        self.process = subprocess.Popen([tensim, "ui", *words], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address)
        assert match, f"not an address: {self.address}"
        self.port, self.token = int(match[1]), match[2]

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=120)

    def ask(self, request):
        """The bytes that come back until the server closes or is silent; a request is bytes."""
        with self.connect() as link:
            answer = b""
            try:
                link.sendall(request)
                link.shutdown(socket.SHUT_WR)
                while part := link.recv(65536):
                    answer += part
            except OSError:
                pass
            return answer

    def get(self, path, host=None, method="GET", **more):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in more.items()]
        answer = self.ask(("\r\n".join(lines) + "\r\n\r\n").encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        return (int(head.split()[1]) if head else 0), body

    def open_socket(self, origin=None, token=None, name="live"):
        """A websocket, or None if the server refuses it."""
        link = self.connect()
        key = base64.b64encode(os.urandom(16)).decode()
        link.sendall((f"GET /{token or self.token}/{name} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\n"
                      f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                      f"Sec-WebSocket-Protocol: tensim\r\nOrigin: {origin or f'http://127.0.0.1:{self.port}'}\r\n\r\n").encode())
        answer = b""
        try:
            while b"\r\n\r\n" not in answer and (part := link.recv(1)):
                answer += part
        except ConnectionError:
            pass
        if b" 101 " in answer:
            return link
        link.close()
        return None

    @staticmethod
    def frame(payload, opcode=1, final=True, masked=True):
        mask = os.urandom(4) if masked else b""
        length = len(payload)
        head = bytes([(0x80 if final else 0) | opcode])
        bit = 0x80 if masked else 0
        head += bytes([bit | length]) if length < 126 else bytes([bit | 126]) + struct.pack(">H", length)
        return head + mask + (bytes(b ^ mask[i % 4] for i, b in enumerate(payload)) if masked else payload)

    @staticmethod
    def hear(link):
        """The next text message as JSON."""
        def exactly(count):
            data = b""
            while len(data) < count:
                part = link.recv(count - len(data))
                assert part, "the server closed the websocket"
                data += part
            return data
        text = b""
        while True:
            first, second = exactly(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", exactly(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", exactly(8))[0]
            part = exactly(length)
            if first & 15 in (0, 1):
                text += part
                if first & 0x80:
                    return json.loads(text)

    def alive(self):
        return self.process.poll() is None and self.get(f"/{self.token}/")[0] == 200

    def end(self):
        self.process.terminate()
        return self.process.wait(timeout=600)
