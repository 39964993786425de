"""Provides a server with a small database, the web UI, tokens, and certificates for the tests over HTTP."""
import base64
import hashlib
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

# With a sanitizer (.bazelrc), a server takes several times as long and needs several times as much memory.
SECOND = {"address": 3, "thread": 10}.get(os.environ.get("REWROUGHT_SANITIZER"), 1)
# The time limit of a read during 300 streams. With the thread sanitizer, the first read waits 69 s for these streams.
READ_SECONDS = {"thread": 150}.get(os.environ.get("REWROUGHT_SANITIZER"), 5 * SECOND)
MEGABYTE = {"address": 3, "thread": 12}.get(os.environ.get("REWROUGHT_SANITIZER"), 1) << 20
WORK = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
TRUE_RULE = "(('fadd', a, b), ('fadd', b, a))"
HARD_RULE = ("(('imul@64', a, b), ('iadd', ('imul', ('iand', a, b), ('ior', a, b)), "
             "('imul', ('iand', a, ('inot', b)), ('iand', ('inot', a), b))))")
ROLES = ("none", "read", "check", "admin")


def path_of(name):
    return os.path.join(WORK, name)


def make_database(maker):
    """Creates a small database once; each server gets a copy."""
    made = path_of("made.db")
    subprocess.run([maker, made], check=True)


def make_web_ui():
    os.makedirs(path_of("web_ui/assets"))
    for name, text in (("index.html", "<!doctype html><title>web UI</title>"), ("assets/a.js", "let a = 1;" * 1000),
                       ("secret.txt", "not of the web UI")):
        with open(path_of("web_ui/" + name), "w", encoding="utf-8") as file:
            file.write(text)
    os.symlink("/etc/passwd", path_of("web_ui/passwd.html"))


def run(*command):
    subprocess.run(command, check=True, capture_output=True, cwd=WORK)


def make_certificates():
    """Creates certificates: ca, server (for 127.0.0.1), client, and client certificates that are expired or signed
    by another CA."""
    for ca in ("ca", "other"):
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            ca + ".key", "-out", ca + ".pem", "-subj", "/CN=" + ca, "-days", "2", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    # Newer versions of Python accept only certificates with the extensions that RFC 5280 requires.
    with open(path_of("san"), "w", encoding="utf-8") as file:
        file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n"
                   "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n")
    for name, ca, date in (("server", "ca", "now"), ("client", "ca", "now"), ("stranger", "other", "now"),
                           ("expired", "ca", "4 days ago")):
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
        # Newer versions of openssl reject negative numbers of days.
        run("faketime", date, "openssl", "x509", "-req", "-in", name + ".csr", "-CA", ca + ".pem", "-CAkey",
            ca + ".key", "-CAcreateserial", "-out", name + ".pem", "-days", "2", "-extfile", "san")


def make_tokens():
    with open(path_of("tokens"), "w", encoding="utf-8") as file:
        file.write("# role name digest\n")
        for role in ROLES[1:]:
            file.write("%s the-%s %s\n" % (role, role, hashlib.sha256(("token-" + role).encode()).hexdigest()))
    os.chmod(path_of("tokens"), 0o600)


class Server:
    """Runs `rewrought serve` on free ports."""

    program = ""
    count = 0

    def __init__(self, *arguments, http="127.0.0.1:0", grpc_address="127.0.0.1:0", environment=None,
                 made="made.db"):
        Server.count += 1
        self.db = db = path_of("served%d.db" % Server.count)
        with open(path_of(made), "rb") as source, open(db, "wb") as copy:
            copy.write(source.read())
        command = [Server.program, "serve", "--db", db, "--grpc", grpc_address, "--http", http] + list(arguments)
        self.errors = open(db + ".log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.errors, text=True,
                                        env=environment)
        self.errors.close()
        self.port = self.grpc = None
        for _ in range(600):
            text = self.said()
            if " at http" in text:
                self.grpc = text.split("listening on ")[1].split(",")[0]
                self.port = int(text.split(" at http")[1].split("/")[2].rsplit(":", 1)[1])
                break
            if self.process.poll() is not None:
                break
            time.sleep(0.05)

    def said(self):
        with open(self.errors.name, encoding="utf-8") as file:
            return file.read()

    def stop(self):
        start = time.time()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30 * SECOND)
        return self.process.returncode, time.time() - start

    def ask(self, method, path, body=None, headers=None, context=None, timeout=60):
        """Sends one request on a new connection. Returns the status, headers and body."""
        if context:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def call(self, method, message, status=200, token="", **extra):
        """Makes a unary Connect call. Returns the response's JSON."""
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = "Bearer " + token
        got, _, body = self.ask("POST", "/rewrought.v1." + method, json.dumps(message), headers, **extra)
        if got != status:
            raise AssertionError("%s: %d %s" % (method, got, body))
        return json.loads(body)

    def stream(self, method, message, token="", raw=None, kind="json"):
        """Makes a streaming Connect call. Returns its messages and its last frame."""
        text = raw if raw is not None else json.dumps(message).encode()
        headers = {"Content-Type": "application/connect+" + kind}
        if token:
            headers["Authorization"] = "Bearer " + token
        status, _, body = self.ask("POST", "/rewrought.v1." + method, struct.pack(">BI", 0, len(text)) + text, headers)
        assert status == 200, (status, body)
        frames = []
        while body:
            flags, size = struct.unpack(">BI", body[:5])
            frames.append((flags, json.loads(body[5:5 + size])))
            body = body[5 + size:]
        return [frame for flags, frame in frames if flags == 0], [frame for flags, frame in frames if flags == 2]

    def raw(self, text, timeout=20):
        """Sends raw bytes. Returns everything that the server sends until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as peer:
            peer.sendall(text)
            got = b""
            while True:
                try:
                    piece = peer.recv(65536)
                except (ConnectionResetError, TimeoutError):
                    return got
                if not piece:
                    return got
                got += piece

    def metric(self, name):
        _, _, text = self.ask("GET", "/metrics")
        for line in text.decode().split("\n"):
            if line.startswith("rewrought_" + name + " "):
                return float(line.split()[1])
        raise AssertionError("no metric " + name)


def shader(factor):
    """Returns a GLSL fragment shader that differs for each factor."""
    return ("#version 450\nlayout(location = 0) in vec4 a;\nlayout(location = 0) out vec4 r;\n"
            "void main() {\n  r = vec4(max(a.x * %s, 0.0) + a.y * a.z, a.w, 0.0, 1.0);\n}\n" % factor).encode()


def upload(*files, source="sent"):
    return {"source": source,
            "files": [{"name": name, "content": base64.b64encode(text).decode()} for name, text in files]}


def main():
    """Runs the tests of the program; usage: X_test.py MAKE_DATABASE REWROUGHT [TEST…]."""
    maker, Server.program = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    make_database(maker)
    make_web_ui()
    make_certificates()
    make_tokens()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
