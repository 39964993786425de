"""Calls the methods of `rewrought serve` with the Connect protocol, which is JSON over HTTP/1.1.

Uses only the standard library. Thread-safe: each call has a connection of its own while it is in progress.
"""
from __future__ import annotations

import base64
import dataclasses
import http.client
import json
import socket
import ssl
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from .errors import Canceled, DeadlineExceeded, Error, Internal, ResourceExhausted, Unavailable, error_of

T = TypeVar("T")

GRACE = 5.0  # Seconds for which the client waits for the server's own report of an expired deadline.
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0  # Seconds between two attempts of a call that exceeds a quota.
_END_OF_STREAM = 2
# Codes for responses whose body is not an error of the Connect protocol.
_CODES = {400: "internal", 401: "unauthenticated", 403: "permission_denied", 404: "unimplemented",
          429: "resource_exhausted", 502: "unavailable", 503: "unavailable", 504: "unavailable"}


@dataclasses.dataclass(frozen=True)
class Endpoint:
    """Contains the address of a server and the credentials for it. `context` is None without TLS."""

    host: str
    port: int
    token: str = ""
    context: ssl.SSLContext | None = None

    def __str__(self) -> str:
        return "%s:%d" % (self.host, self.port)


class _Connection:
    """Wraps a connection so that another thread can break it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.broken = False
        self.used = False  # The server has answered a request on this connection.
        if endpoint.context is None:
            self.http = http.client.HTTPConnection(endpoint.host, endpoint.port)
        else:
            self.http = http.client.HTTPSConnection(endpoint.host, endpoint.port, context=endpoint.context)

    def send(self, path: str, body: bytes, headers: dict[str, str], seconds: float) -> http.client.HTTPResponse:
        """Sends a request and waits for the head of its response. Each wait for the network takes at most `seconds`."""
        self.http.timeout = seconds
        if self.http.sock is None:
            self.http.connect()
        assert self.http.sock is not None
        self.http.sock.settimeout(seconds)
        if self.broken:
            raise OSError("the connection was closed")
        self.http.request("POST", path, body, headers)
        return self.http.getresponse()

    def interrupt(self) -> None:
        """Makes reads and writes of other threads fail. The server then cancels the call."""
        self.broken = True
        sock = self.http.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the connection is already closed


class Stream(Generic[T]):
    """Iterates over the messages of a call as they arrive.

    `close()` cancels the call. It may be called from any thread, and leaving a `with` block calls it. After a close,
    the iterator raises Canceled, so that an incomplete result cannot be mistaken for a complete one. Errors of the
    call are raised by the iterator.
    """

    def __init__(self, method: str, messages: Iterator[T], cancel: Callable[[], None]) -> None:
        self._method = method
        self._messages = messages
        self._cancel = cancel
        self._closed = self._done = False

    def __iter__(self) -> Stream[T]:
        return self

    def __next__(self) -> T:
        if self._closed and not self._done:
            raise Canceled("the stream was closed", self._method)
        try:
            return next(self._messages)
        except StopIteration:
            self._done = True
            raise
        except Error:
            if self._closed:
                raise Canceled("the stream was closed", self._method) from None
            raise

    def result(self) -> T:
        """Waits for the end of the stream and returns the last message. Raises DeadlineExceeded if there is none."""
        last: T | None = None
        for last in self:
            pass
        if last is None:
            raise DeadlineExceeded("the time limit expired before the first result; allow more time", self._method)
        return last

    def close(self) -> None:
        """Cancels the call if it is in progress."""
        self._closed = True
        self._cancel()

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Transport:
    """Calls methods of one server. `timeout` is the default limit of a call, in seconds."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self.endpoint = endpoint
        self.timeout = timeout
        self._lock = threading.Lock()  # guards the following members
        self._idle: list[_Connection] = []
        self._active: set[_Connection] = set()
        self._branches: weakref.WeakSet[Transport] = weakref.WeakSet()
        self._closed = threading.Event()

    def branch(self) -> Transport:
        """Returns a transport to the same server that can be closed separately, and is closed with this one."""
        branch = Transport(self.endpoint, self.timeout)
        with self._lock:
            self._branches.add(branch)
            if self._closed.is_set():
                branch.close()
        return branch

    def close(self) -> None:
        """Ends all calls with Canceled, and closes all connections."""
        with self._lock:
            self._closed.set()
            idle, self._idle = self._idle, []
            active, branches = list(self._active), list(self._branches)
        for branch in branches:
            branch.close()
        for connection in active:
            connection.interrupt()
        for connection in idle:
            connection.http.close()

    def call(self, method: str, message: Mapping[str, Any], timeout: float | None = None) -> dict[str, Any]:
        """Calls a method such as "CheckService/CheckRule". Returns the JSON of the response.

        Repeats the call while it exceeds a quota, and reconnects once if the server closed an idle connection.
        """
        seconds = self.timeout if timeout is None else timeout
        end = time.monotonic() + seconds
        pause = FIRST_PAUSE
        while True:
            try:
                return self._call_once(method, message, end, seconds)
            except ResourceExhausted:
                if time.monotonic() + pause > end:
                    raise
                self._closed.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _call_once(self, method: str, message: Mapping[str, Any], end: float, seconds: float) -> dict[str, Any]:
        while True:
            connection = self._acquire(method)
            reusable = False
            try:
                response = self._send(connection, method, "application/json", json.dumps(message).encode(), end)
                body = response.read()
                reusable = not response.will_close
                connection.used = True
                break
            except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected) as error:
                if not connection.used or self._closed.is_set():
                    raise self._broken(error, connection, method, seconds) from error
            except (OSError, http.client.HTTPException) as error:
                raise self._broken(error, connection, method, seconds) from error
            finally:
                self._release(connection, reusable)
        if response.status != 200:
            raise _error_in(response.status, body, method)
        return _object_in(body, method)

    def stream(self, method: str, message: Mapping[str, Any], decode: Callable[[dict[str, Any]], T],
               timeout: float | None = None) -> Stream[T]:
        """Calls a method that streams its responses. The call begins when the first message is requested. `timeout`
        limits the whole call."""
        branch = self.branch()
        seconds = self.timeout if timeout is None else timeout
        return Stream(method, branch._messages(method, message, decode, seconds), branch.close)

    def _messages(self, method: str, message: Mapping[str, Any], decode: Callable[[dict[str, Any]], T],
                  seconds: float) -> Iterator[T]:
        end = time.monotonic() + seconds
        pause = FIRST_PAUSE
        connection = self._acquire(method)
        try:
            while True:
                try:
                    for got in self._frames(connection, method, message, end):
                        pause = LONGEST_PAUSE + seconds  # a call that has sent a message is not repeated
                        yield decode(got)
                    return
                except ResourceExhausted:
                    if time.monotonic() + pause > end:
                        raise
                    self._closed.wait(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
                except (OSError, http.client.HTTPException) as error:
                    raise self._broken(error, connection, method, seconds) from error
        finally:
            self._release(connection, False)

    def _frames(self, connection: _Connection, method: str, message: Mapping[str, Any],
                end: float) -> Iterator[dict[str, Any]]:
        text = json.dumps(message).encode()
        body = struct.pack(">BI", 0, len(text)) + text
        response = self._send(connection, method, "application/connect+json", body, end)
        if response.status != 200:
            raise _error_in(response.status, response.read(), method)
        while True:
            flags, size = struct.unpack(">BI", _exactly(response, 5))
            frame = _exactly(response, size)
            if flags & _END_OF_STREAM:
                response.read()
                error = _object_in(frame, method).get("error")
                if error is not None:
                    raise _error_from(error, method)
                return
            yield _object_in(frame, method)

    def _send(self, connection: _Connection, method: str, kind: str, body: bytes,
              end: float) -> http.client.HTTPResponse:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        headers = {"Content-Type": kind, "Connect-Protocol-Version": "1", "User-Agent": "rewrought-python",
                   "Connect-Timeout-Ms": "%d" % max(1, min(left * 1000, 9999999999))}
        if self.endpoint.token:
            headers["Authorization"] = "Bearer " + self.endpoint.token
        return connection.send("/rewrought.v1." + method, body, headers, left + GRACE)

    def _acquire(self, method: str) -> _Connection:
        with self._lock:
            if self._closed.is_set():
                raise Canceled("the client is closed", method)
            connection = self._idle.pop() if self._idle else _Connection(self.endpoint)
            self._active.add(connection)
            return connection

    def _release(self, connection: _Connection, reusable: bool) -> None:
        with self._lock:
            self._active.discard(connection)
            if reusable and not connection.broken and not self._closed.is_set():
                self._idle.append(connection)
                return
        connection.http.close()

    def _broken(self, error: Exception, connection: _Connection, method: str, seconds: float) -> Error:
        if self._closed.is_set() or connection.broken:
            return Canceled("the client was closed during the call", method)
        if isinstance(error, TimeoutError):
            return DeadlineExceeded("the call took longer than its timeout of %g s" % seconds, method)
        return Unavailable(
            "%s does not answer (%s); check that `rewrought serve --http %s` runs there, that this is not its --grpc "
            "address, and that both sides use TLS or neither does" %
            (self.endpoint, str(error) or type(error).__name__, self.endpoint), method)


def _exactly(response: http.client.HTTPResponse, size: int) -> bytes:
    data = response.read(size) if size else b""
    if len(data) != size:
        raise http.client.IncompleteRead(data, size - len(data))
    return data


def _object_in(text: bytes, method: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Internal("the response is not a JSON object", method)
    return value


def _error_in(status: int, body: bytes, method: str) -> Error:
    try:
        error = json.loads(body)
    except ValueError:
        error = None
    if isinstance(error, dict) and "code" in error:
        return _error_from(error, method)
    text = body.decode("utf-8", "replace").strip()[:200]
    return error_of(_CODES.get(status, "unknown"), "HTTP status %d: %s" % (status, text or "no explanation"), method)


def _error_from(error: Mapping[str, Any], method: str) -> Error:
    return error_of(str(error.get("code", "unknown")), str(error.get("message", "")), method)


def bytes_of(text: str) -> bytes:
    """Decodes a bytes field. Raises Internal if the text is malformed."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Internal("the response contains malformed base64: %s" % error) from error
