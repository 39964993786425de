"""A client of `rewrought lsp` for tests and measurements."""
import collections
import json
import subprocess
import threading
import time


def uri_of(path):
    return "file://" + path


class Client:
    """Starts the server and exchanges messages with it. All waits fail after `seconds`."""

    def __init__(self, command, seconds=60, position_encodings=("utf-16",)):
        self.seconds = seconds
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.changed = threading.Condition()
        self.replies = {}
        self.diagnostics = {}  # by URI: (arrival time, parameters)
        self.requests = collections.deque()  # the server's own requests and messages
        self.ended = False
        self.next_id = 0
        self.versions = collections.Counter()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        capabilities = {"general": {"positionEncodings": list(position_encodings)}}
        self.server = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
        self.notify("initialized", {})

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while True:
                line = stream.readline()
                if not line:
                    with self.changed:
                        self.ended = True
                        self.changed.notify_all()
                    return
                if line == b"\r\n":
                    break
                name, value = line.decode().split(":", 1)
                if name.lower() == "content-length":
                    length = int(value)
            message = json.loads(stream.read(length))
            with self.changed:
                if "id" in message and "method" not in message:
                    self.replies[message["id"]] = message
                elif message.get("method") == "textDocument/publishDiagnostics":
                    self.diagnostics[message["params"]["uri"]] = (time.monotonic(), message["params"])
                else:
                    self.requests.append(message)
                self.changed.notify_all()

    def send(self, message):
        text = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def start(self, method, params):
        """Sends a request and returns its id."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        return self.next_id

    def wait(self, test):
        """Returns the first true value of test()."""
        end = time.monotonic() + self.seconds
        with self.changed:
            while True:
                value = test()
                if value:
                    return value
                if self.ended:
                    raise EOFError("the server ended")
                if not self.changed.wait(max(0, end - time.monotonic())) and time.monotonic() >= end:
                    raise TimeoutError("no answer from the server")

    def reply(self, number):
        return self.wait(lambda: self.replies.pop(number, None))

    def request(self, method, params):
        """Returns the result of a request, or raises its error."""
        reply = self.reply(self.start(method, params))
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["result"]

    def open(self, path, text):
        self.versions[path] = 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri_of(path), "languageId": "python", "version": 1, "text": text}})

    def change(self, path, text):
        """Replaces the text, and returns the time at which the server received it."""
        self.versions[path] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri_of(path), "version": self.versions[path]}, "contentChanges": [{"text": text}]})
        return time.monotonic()

    def wait_for(self, path, test):
        """Waits until test(diagnostics of the current version) is true. Returns the time and the diagnostics."""
        def ready():
            arrived, params = self.diagnostics.get(uri_of(path), (0, None))
            if params is None or params.get("version") != self.versions[path]:
                return None
            return (arrived, params["diagnostics"]) if test(params["diagnostics"]) else None
        return self.wait(ready)

    def wait_for_line(self, path, line, code):
        """Waits for a diagnostic with this code on a line, from 0. Returns the time and the diagnostic."""
        def on_line(diagnostics):
            return [one for one in diagnostics if one["range"]["start"]["line"] == line and one["code"] == code]
        arrived, diagnostics = self.wait_for(path, on_line)
        return arrived, on_line(diagnostics)[0]

    def at(self, path, line, character):
        return {"textDocument": {"uri": uri_of(path)}, "position": {"line": line, "character": character}}

    def actions(self, path, line, character=4):
        place = {"line": line, "character": character}
        return self.request("textDocument/codeAction", {
            "textDocument": {"uri": uri_of(path)}, "range": {"start": place, "end": place},
            "context": {"diagnostics": []}})

    def close(self):
        """Ends the session. Returns the server's exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.stdin.close()
        return self.process.wait(self.seconds)

    def stop(self):
        """Ends the server, if it still runs, and closes its streams."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        if not self.process.stdin.closed:
            self.process.stdin.close()
