"""Runs the program as a user would, with testing/fake_cuda.cc as libcuda: exit codes, recording, interruption,
replay."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:3])


def run(*arguments, **environment):
    """Returns (exit code, standard output, standard error)."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def compare(*arguments, **environment):
    return run("--library", LIBRARY, "--inputs", "8192", "--threads", "2", *arguments, **environment)


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class SiliconTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.record = os.path.join(self.folder.name, "host.txt")

    def test_help_and_wrong_use(self):
        code, out, _ = run("--help")
        self.assertEqual(code, 0)
        for word in ("--record", "--replay", "--instructions", "--inputs", "Exit codes:", "Examples:"):
            self.assertIn(word, out)
        self.assertEqual(run("--inputs", "none")[0], 2)
        self.assertEqual(run("--list", "--replay", "x")[0], 2)
        code, _, err = run("--instructions", "FADD,FNOP", "--list")
        self.assertEqual(code, 2)
        self.assertIn("sm70 has no 'FNOP'", err)

    def test_no_library_no_device(self):
        code, _, err = run("--library", "libnosuchcuda.so.1")
        self.assertEqual(code, 2)
        self.assertIn("install the driver, or name the file with --library", err)
        code, _, err = compare(FAKE_CUDA="no_device")
        self.assertEqual(code, 2)
        self.assertIn("no device 0", err)

    def test_list_says_what_ptx_cannot(self):
        code, out, err = run("--list", "--instructions", "MUFU")
        self.assertEqual(code, 0)
        self.assertIn("[MUFU(r(F), a(F)).function(SIN)] flush\n    none  // SIN takes turns", out)
        self.assertIn("    sin.approx.ftz.f32 %r, %a;", out)
        self.assertIn("16 of which PTX cannot express", err)

    def test_ptx_of_all_rows(self):
        path = os.path.join(self.folder.name, "all.ptx")
        self.assertEqual(run("--ptx", path)[0], 0)
        text = content(path)
        cases, without = re.match(r"(\d+) cases, (\d+) of which", run("--list")[2]).groups()
        self.assertEqual(text.count(".visible .entry "), int(cases) - int(without))
        self.assertTrue(text.startswith(".version 7.6\n.target sm_70\n"))

    def test_agreement_and_deviation(self):
        code, out, _ = compare("--instructions", "FADD,ISETP,PLOP3")
        self.assertEqual((code, out.count("\n")), (0, 1), out)
        self.assertIn("0 deviate from the description", out)
        code, out, _ = compare("--instructions", "FMUL", "--mode", "flush", FAKE_CUDA_QUIRK="product_one_off")
        self.assertEqual(code, 1)
        self.assertIn("[FMUL(r(F), -abs(a(F)), b(F))] flush: off by 1 ULP, ", out)
        code, out, _ = compare("--instructions", "FADD", FAKE_CUDA="jit_error")
        self.assertEqual(code, 3)
        self.assertIn("64 rejected by the driver", out)

    def test_a_failed_launch_ends_the_run(self):
        code, _, err = compare("--instructions", "FADD", FAKE_CUDA="launch_failure")
        self.assertEqual(code, 2)
        self.assertIn("CUDA_ERROR_LAUNCH_FAILED", err)

    def test_record_replay_and_going_on(self):
        code, out, _ = compare("--instructions", "FMUL", "--record", self.record, FAKE_CUDA_QUIRK="product_one_off")
        self.assertEqual(code, 1)
        text = content(self.record)
        self.assertIn("device host float unit (test library, no device)\n", text)
        self.assertEqual(text.count("\ndone "), 64)
        # The second run reports the same results without running anything.
        again = compare("--instructions", "FMUL", "--record", self.record, FAKE_CUDA="launch_failure")
        self.assertEqual(again[0], 1)
        self.assertEqual(again[1].splitlines()[-1], out.splitlines()[-1])
        self.assertEqual(content(self.record), text)
        # Results of more instructions are added to the same file.
        self.assertEqual(compare("--instructions", "FMUL,MOV", "--record", self.record)[0], 1)
        self.assertTrue(content(self.record).startswith(text))
        code, out, _ = run("--replay", self.record)
        self.assertEqual(code, 1)
        self.assertIn("host float unit (test library, no device), driver 12.8", out)
        self.assertIn("off by 1 ULP", out)
        self.assertIn(self.record + ":", out)
        code, out, _ = run("--replay", self.record, "--instructions", "MOV")
        self.assertEqual(code, 0)
        self.assertIn("64 recorded cases were not selected", out)
        code, _, err = compare("--seed", "2", "--record", self.record)
        self.assertEqual(code, 2)
        self.assertIn("seed was '1', is '2'; name another file", err)

    def test_a_broken_recording_is_named(self):
        with open(self.record, "w", encoding="utf-8") as file:
            file.write("nonsense\n")
        code, _, err = run("--replay", self.record)
        self.assertEqual(code, 2)
        self.assertIn(self.record + ":1: not a recording", err)
        self.assertEqual(run("--replay", os.path.join(self.folder.name, "absent"))[0], 2)

    def test_interrupted_and_killed_runs_go_on(self):
        whole = os.path.join(self.folder.name, "whole.txt")
        choice = ("--instructions", "IADD3,IMAD,FRND", "--keep", "4")
        self.assertEqual(compare(*choice, "--record", whole)[0], 0)
        for number in (signal.SIGINT, signal.SIGKILL):
            record = os.path.join(self.folder.name, "%d.txt" % number)
            command = [PROGRAM, "--library", LIBRARY, "--inputs", "8192", "--threads", "2", *choice, "--record", record]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                while not (os.path.exists(record) and content(record).count("\ndone ") >= 3):
                    self.assertIsNone(process.poll(), "ended before it was interrupted")
                    time.sleep(0.005)
                process.send_signal(number)
                self.assertEqual(process.wait(), 130 if number == signal.SIGINT else -number)
            self.assertLess(content(record).count("\ndone "), content(whole).count("\ndone "))
            self.assertEqual(compare(*choice, "--record", record)[0], 0)
            self.assertEqual(content(record), content(whole))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
