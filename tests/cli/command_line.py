"""Runs the rewrought binary as an external script would, and checks the guarantees that hold for every command."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
# The output must never contain these traces of a crash.
CRASH_MARKS = ("terminate called", "Traceback", "Assertion", "Sanitizer", "core dumped", "what():")


class Result:
    """The result of a run: exit code and the bytes of both outputs."""

    def __init__(self, code, out, err):
        self.code, self.out_bytes, self.err_bytes = code, out, err
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")

    def objects(self):
        """Parses standard output as JSON lines; fails on anything else."""
        return [json.loads(line) for line in self.out.splitlines()]


def command(*arguments):
    return [BINARY] + [str(argument) for argument in arguments]


class CommandLineTest(unittest.TestCase):
    """A base class whose tests each have their own folder, self.folder."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def run_it(self, *arguments, stdin=b"", timeout=120, **options):
        """Runs the binary until it exits. A crash always fails the test."""
        stdin = stdin if isinstance(stdin, bytes) else stdin.encode()
        options.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run(command(*arguments), input=stdin, stderr=subprocess.PIPE, timeout=timeout, check=False, **options)
        result = Result(done.returncode, done.stdout or b"", done.stderr)
        what = "%s: exit %d, %s" % (arguments, result.code, result.err[-400:])
        self.assertIn(result.code, (0, 1, 2, 3, 130), what)
        for mark in CRASH_MARKS:
            self.assertNotIn(mark, result.err, what)
        return result

    def assert_refused(self, result, *parts):
        """Expects exit code 2, an error message that contains `parts`, and an empty standard output."""
        self.assertEqual(result.code, 2, result.err)
        self.assertEqual(result.out, "")
        for part in parts:
            self.assertIn(part, result.err)


def main():
    """The entry point of a test file. Its first argument is the binary."""
    global BINARY  # pylint: disable=global-statement
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__")
