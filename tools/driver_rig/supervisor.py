"""Runs the runner on many programs, and survives drivers that hang, crash or use too much memory.

A runner compiles one program at a time. If it prints nothing for the time limit, the supervisor kills it, names the
program, and starts a new runner for the next program.
"""
import json
import os
import select
import signal
import subprocess
import tempfile

MEMORY_BYTES = 8 << 30  # address space of one runner; a driver that needs more would not terminate
PROGRAMS_PER_RUNNER = 400  # after this many programs, a new runner starts, because drivers leak memory


class RunnerFailed(Exception):
    """The runner does not start with this driver; the text is its error output."""


class Runner:
    """One runner process. command: its arguments; environment: from rig.environment."""

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
            raise RunnerFailed(self.close() or f"no output ({first})")
        self.description = first.get("driver", "")

    def read_line(self):
        """Returns the next object, or "hang" or "crash"."""
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
        """Returns (answers, problem): the runner's objects for the program; problem is None, "hang" or "crash".

        settings: environment variables for the driver, from this program on.
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
        """Returns the exit signal of the process and the last lines of its error output."""
        code = self.process.poll()
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - 2000))
        text = self.errors.read().decode(errors="replace").strip().split("\n")
        how = "" if code is None or code >= 0 else f"signal {-code} ({signal.Signals(-code).name}): "
        return how + " | ".join(line for line in text[-3:] if line)

    def close(self, patience=0):
        """Waits up to `patience` seconds for the process to exit, then kills it and its children. Returns
        last_words()."""
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
    """A runner that is replaced after it ends, or after PROGRAMS_PER_RUNNER programs."""

    def __init__(self, start):
        self.start = start  # () -> Runner
        self.runner = None

    def compile(self, number, files, settings=None):
        """Like Runner.compile, with the last words after a crash as a third value. Raises RunnerFailed."""
        if self.runner is None:
            self.runner = self.start()
        answers, problem = self.runner.compile(number, files, settings)
        words = ""
        if problem is not None or self.runner.served >= PROGRAMS_PER_RUNNER:
            # A runner that crashed or finished exits by itself, so close() can read its exit status.
            last = self.runner.close(patience=0 if problem == "hang" else 5)
            words = last if problem == "crash" else ""
            self.runner = None
        return answers, problem, words

    def close(self):
        if self.runner is not None:
            self.runner.close()
            self.runner = None

    def kill(self):
        """Kills the runner, from another thread. The current program then counts as a crash."""
        runner = self.runner
        if runner is not None:
            runner.kill()
