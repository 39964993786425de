"""Starts the program `rewrought`, as a server for one client or for one audit.

Each started process ends when its standard input ends (--until-eof). The kernel closes this pipe even if the Python
program is killed, so no process is left behind.
"""
from __future__ import annotations

import fcntl
import glob
import hashlib
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator

from ._connect import Endpoint
from .errors import Canceled, InvalidArgument, ProgramError

START_SECONDS = 60.0  # A server that has not started after this time is ended.
STOP_SECONDS = 20.0  # A process that has not stopped after this time is killed.
_LISTENS = re.compile(r" at http://127\.0\.0\.1:(\d+)/")
_AUDIT_PROGRESS = re.compile(r"^rewrought audit: (\d+) of (\d+) rules")
_FOLDER = "rewrought-client-"
_LOCK = "lock"


def find_program(binary: str | None) -> str:
    """Returns the path of the program: `binary`, $REWROUGHT, or `rewrought` on the PATH. Raises ProgramError if there
    is none."""
    name = binary or os.environ.get("REWROUGHT") or "rewrought"
    path = shutil.which(name)
    if path is None:
        raise ProgramError(
            "the program %r was not found; pass binary=PATH, set REWROUGHT to its path, or put it on the PATH (after a "
            "build, it is bazel-bin/cli/rewrought)" % name)
    return os.path.abspath(path)


class ScratchFolder:
    """Creates a temporary folder, and removes those of programs that were killed.

    A folder in use contains a locked file, so that folders of ended programs can be recognized by their free lock.
    """

    def __init__(self) -> None:
        base = tempfile.gettempdir()
        self._remove_leftovers(base)
        self.path = tempfile.mkdtemp(prefix=_FOLDER, dir=base)
        # The file gets its name only after it is locked, so no other process sees it unlocked.
        fresh = os.path.join(self.path, "lock.new")
        self._lock = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        os.rename(fresh, os.path.join(self.path, _LOCK))

    @staticmethod
    def _remove_leftovers(base: str) -> None:
        for folder in glob.glob(os.path.join(glob.escape(base), _FOLDER + "*")):
            try:
                if os.lstat(folder).st_uid != os.getuid():
                    continue
                lock = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            except OSError:
                continue  # the folder has no lock, or was removed in the meantime
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            except OSError:
                pass  # the folder is in use
            finally:
                os.close(lock)

    def close(self) -> None:
        """Removes the folder."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


class Process:
    """Runs the program with --until-eof. Provides the lines of its standard error output as they arrive."""

    def __init__(self, arguments: list[str], stdout: int) -> None:
        self.command = "rewrought " + arguments[1]
        self._changed = threading.Condition()  # guards the following members
        self._lines: deque[str] = deque()
        self._tail: deque[str] = deque(maxlen=100)
        self._ended = False
        try:
            # In a session of its own, the process does not receive the terminal's Ctrl-C, so that the Python program
            # decides when it stops.
            self._process = subprocess.Popen(arguments + ["--until-eof"], stdin=subprocess.PIPE, stdout=stdout,
                                             stderr=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            raise ProgramError("%s cannot be started: %s" % (arguments[0], error), self.command) from error
        self.pid = self._process.pid
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in stream:
                with self._changed:
                    self._lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                    self._tail.append(self._lines[-1])
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def lines(self, seconds: float | None = None) -> Iterator[str]:
        """Yields the lines until the output ends or `seconds` have passed."""
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            with self._changed:
                while not self._lines and not self._ended:
                    left = None if end is None else end - time.monotonic()
                    if left is not None and left <= 0:
                        return
                    self._changed.wait(left)
                if not self._lines:
                    return
                line = self._lines.popleft()
            yield line

    def said(self) -> str:
        """Returns the last lines of the standard error output."""
        with self._changed:
            return "\n".join(self._tail)

    def wait(self) -> int:
        """Waits for the end of the process and returns its exit code."""
        return self._process.wait()

    def stop(self) -> None:
        """Asks the process to stop, waits for its end, and kills it if it takes too long."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class LocalServer:
    """Runs a server on a free port of the loopback interface, for the owner of a random token.

    Without `database`, the server has an empty temporary one. A given database is opened read-only, because another
    server may be serving it. `packs` and `audits` are folders; without `audits`, the server has a temporary one.
    """

    def __init__(self, program: str, database: str | None, packs: str | None, audits: str | None) -> None:
        self.folder = ScratchFolder()
        try:
            self.audits = audits or self._subfolder("audits")
            token = secrets.token_hex(32)
            arguments = [program, "serve", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--anonymous", "none",
                         "--tokens", self._write_token(token), "--audits", self.audits,
                         "--packs", packs or self._subfolder("packs"), "--calls-per-second", "0"]
            if database is None:
                arguments += ["--db", os.path.join(self.folder.path, "rewrought.db")]
            else:
                arguments += ["--db", database, "--read-only"]
            self.process = Process(arguments, subprocess.DEVNULL)
        except BaseException:
            self.folder.close()
            raise
        self.endpoint = Endpoint("127.0.0.1", self._wait_for_port(), token)

    def _subfolder(self, name: str) -> str:
        path = os.path.join(self.folder.path, name)
        os.mkdir(path)
        return path

    def _write_token(self, token: str) -> str:
        path = os.path.join(self.folder.path, "tokens")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write("admin client %s\n" % hashlib.sha256(token.encode()).hexdigest())
        return path

    def _wait_for_port(self) -> int:
        try:
            for line in self.process.lines(START_SECONDS):
                found = _LISTENS.search(line)
                if found:
                    return int(found.group(1))
        except BaseException:
            self.close()
            raise
        self.close()
        raise ProgramError("the server did not start: %s" % (self.process.said() or "no output"), self.process.command)

    def close(self) -> None:
        """Stops the server and removes its temporary files."""
        self.process.stop()
        self.folder.close()


class AuditProcess:
    """Runs `rewrought audit` and writes the findings to the file `path` when it has ended."""

    def __init__(self, program: str, arguments: list[str], path: str) -> None:
        self._path = path
        # The server lists only files that end with .json or .jsonl, so it does not see an incomplete file.
        self._partial = path + ".partial"
        self._stopped = False
        with open(self._partial, "wb") as output:
            self.process = Process([program, "audit", *arguments, "--json"], output.fileno())

    def progress(self) -> Iterator[tuple[int, int]]:
        """Yields the numbers of verified rules and of all rules, about every ten seconds, until the audit ends."""
        for line in self.process.lines():
            found = _AUDIT_PROGRESS.match(line)
            if found:
                yield int(found.group(1)), int(found.group(2))

    def finish(self) -> int:
        """Waits for the end, and returns the size of the findings in bytes. Raises Canceled after stop(), and
        InvalidArgument if a file or an option is wrong."""
        for _ in self.process.lines():
            pass
        code = self.process.wait()
        if self._stopped or code == 130:
            raise Canceled("the audit was stopped; its verdicts are stored, and the same audit resumes",
                           self.process.command)
        if code == 2:
            said = self.process.said().split("\n")
            problems = [line for line in said if ": cannot be read: " in line or line.startswith("rewrought: ")]
            raise InvalidArgument("\n".join(problems or said), self.process.command)
        if code not in (0, 1, 3):
            raise ProgramError("exit status %d: %s" % (code, self.process.said()), self.process.command)
        size = os.path.getsize(self._partial)
        os.rename(self._partial, self._path)
        return size

    def stop(self) -> None:
        """Ends the audit if it is running."""
        self._stopped = self._stopped or not os.path.exists(self._path)
        self.process.stop()
