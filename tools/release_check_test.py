"""Tests the arguments, the records, and the table of release_check.py without root."""
import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import release_check  # noqa: E402


class ReleaseCheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def check(self):
        arguments = argparse.Namespace(release="trixie", folder=self.folder, env=[])
        os.makedirs(os.path.join(self.folder, release_check.ROOT), exist_ok=True)
        return release_check.Check(arguments)

    def run_quietly(self, check, name, command):
        output = io.TextIOWrapper(io.BytesIO())
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            return check.run(name, command)

    def records(self):
        with open(os.path.join(self.folder, release_check.STEPS), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_arguments(self):
        self.assertEqual(release_check.parse(["trixie"]).command, [])
        self.assertTrue(release_check.parse(["trixie"]).folder.endswith("/out/release_check/trixie"))
        arguments = release_check.parse(["bookworm", "--keep", "--", "./test", "--long", "//ir/..."])
        self.assertEqual((arguments.keep, arguments.command), (True, ["./test", "--long", "//ir/..."]))
        for wrong in ([], ["bullseye"], ["trixie", "--unknown"]):
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()):
                release_check.parse(wrong)
            self.assertEqual(ended.exception.code, 2)

    def test_problems(self):
        def problem(*words):
            return release_check.problem_of(release_check.parse(["trixie", "--folder", self.folder, *words]))

        with unittest.mock.patch("os.geteuid", return_value=1000):
            self.assertIn("need root", problem())
        with unittest.mock.patch("os.geteuid", return_value=0), unittest.mock.patch("shutil.which", return_value=None):
            self.assertIn("apt-get install mmdebstrap", problem())
        with unittest.mock.patch("os.geteuid", return_value=0), unittest.mock.patch("shutil.which", return_value="x"):
            self.assertIsNone(problem())
            self.assertIn("does not exist", problem("--reuse"))
            self.assertIn("does not exist", problem("--ca", os.path.join(self.folder, "missing.pem")))
            os.mkdir(os.path.join(self.folder, release_check.ROOT))
            self.assertIn("exists", problem())
            self.assertIsNone(problem("--reuse"))

    def test_steps_are_recorded(self):
        check = self.check()
        self.assertTrue(self.run_quietly(check, "./test", ["sh", "-c", "echo one; echo '3 passed, 0 failed'; echo"]))
        self.assertFalse(self.run_quietly(check, "./demo 5", ["sh", "-c", "exit 7"]))
        self.assertEqual([(step["release"], step["step"], step["status"], step["last_line"]) for step in self.records()],
                         [("trixie", "./test", 0, "3 passed, 0 failed"), ("trixie", "./demo 5", 7, "")])
        with open(os.path.join(self.folder, "test.log"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "one\n3 passed, 0 failed\n\n")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "demo_5.log")))

    def test_interrupted_steps_are_recorded(self):
        check = self.check()
        command = ["sh", "-c", "echo started; sleep 0.2; kill -INT $PPID; sleep 0.2"]
        with self.assertRaises(KeyboardInterrupt):
            self.run_quietly(check, "./test", command)
        self.assertEqual([(step["status"], step["last_line"]) for step in self.records()], [(130, "started")])

    def test_table(self):
        lines = release_check.table([
            {"step": "./test", "seconds": 1264.6, "status": 0, "bytes": 3210000000, "last_line": "352 passed, 0 failed"}])
        self.assertEqual([line.split() for line in lines], [
            ["step", "time", "size", "of", "the", "file", "system", "exit", "status", "last", "line"],
            ["./test", "21:05", "3.21", "GB", "0", "352", "passed,", "0", "failed"]])


if __name__ == "__main__":
    unittest.main()
