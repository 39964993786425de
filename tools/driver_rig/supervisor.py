"""Runs the runner on many programs and survives what drivers do: hangs, crashes, endless memory.

A runner works on one program at a time. If it says nothing for the time limit it is killed, the program is named, and a
new runner goes on with the next one.
"""
import json
import os
import select
import signal
import subprocess
import tempfile

MEMORY_BYTES = 8 << 30  # address space of one runner: a driver that wants more is one that never ends
PROGRAMS_PER_RUNNER = 400  # then a fresh one: drivers keep some of what they compiled


class RunnerFailed(Exception):
    """The runner does not start with this driver; the text is what it said."""


class Runner:
    """One runner process. command: its arguments; environment: as rig.environment gives it."""

    def __init__(self, command, environment, time_limit):
        self.time_limit = time_limit
        self.errors = tempfile.TemporaryFile()
        read_end, write_end = os.pipe()
        self.results = read_end
        self.buffer = b""
        self.served = 0
        self.process = subprocess.Popen(
            ["/usr/bin/prlimit", f"--as={MEMORY_BYTES}", "--core=0"] + command, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=self.errors, pass_fds=[write_end], start_new_session=True,
            env=dict(environment, RIG_RESULTS=str(write_end)))
        os.close(write_end)
        first = self.read_line()
        if not isinstance(first, dict):
            raise RunnerFailed(self.close() or f"says nothing ({first})")
        self.description = first.get("driver", "")

    def read_line(self):
        """The next object, or "hang" or "crash"."""
        while b"\n" not in self.buffer:
            if not select.select([self.results], [], [], self.time_limit)[0]:
                return "hang"
            part = os.read(self.results, 1 << 16)
            if not part:
                return "crash"
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def compile(self, number, files, settings=None):
        """(answers, problem): the runner's objects for the program; problem is None, "hang" or "crash".

        settings: variables of the environment that the driver is to see from here on.
        """
        self.served += 1
        answers = []
        lines = [["set", name, value] for name, value in (settings or {}).items()] + [[str(number)] + files]
        try:
            self.process.stdin.write("".join("\t".join(line) + "\n" for line in lines).encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return answers, "crash"
        while True:
            answer = self.read_line()
            if answer in ("hang", "crash"):
                return answers, answer
            if answer.get("done") == number:
                return answers, None
            if "program" in answer:
                answers.append(answer)

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def last_words(self):
        """How the process ended and the last lines of what it said."""
        code = self.process.poll()
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - 2000))
        text = self.errors.read().decode(errors="replace").strip().split("\n")
        how = "" if code is None or code >= 0 else f"signal {-code} ({signal.Signals(-code).name}): "
        return how + " | ".join(line for line in text[-3:] if line)

    def close(self, patience=0):
        """Ends the process and what it started, by force if it has not ended after patience seconds. Its last words."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            pass
        words = self.last_words()
        self.kill()
        self.process.wait()
        os.close(self.results)
        self.errors.close()
        return words


class Crew:
    """A runner that is replaced when it is gone or has served long enough."""

    def __init__(self, start):
        self.start = start  # () -> Runner
        self.runner = None

    def compile(self, number, files, settings=None):
        """As Runner.compile, with the last words after a crash as a third value. Raises RunnerFailed."""
        if self.runner is None:
            self.runner = self.start()
        answers, problem = self.runner.compile(number, files, settings)
        words = ""
        if problem is not None or self.runner.served >= PROGRAMS_PER_RUNNER:
            # One that has crashed or is done ends by itself; its exit status is its own.
            last = self.runner.close(patience=0 if problem == "hang" else 5)
            words = last if problem == "crash" else ""
            self.runner = None
        return answers, problem, words

    def close(self):
        if self.runner is not None:
            self.runner.close()
            self.runner = None

    def kill(self):
        """From another thread: what is being compiled ends as a crash."""
        runner = self.runner
        if runner is not None:
            runner.kill()
