"""Tests the reactions to bad input, full disks, closed pipes and Ctrl-C: the message is clear, the exit code is right,
nothing is lost, and nothing crashes.

usage: robustness_test.py REWROUGHT
"""
import os
import random
import signal
import subprocess
import time
import unittest

import command_line

PROVED = "(('iadd', 'a', 'b'), ('iadd', 'b', 'a'))\n"
# No solver decides this rule within its budget.
HARD = ("(('imul_high@64', {0}, 'b'), ('isub', ('isub', ('umul_high', {0}, 'b'), ('iand', ('ishr', {0}, 63), 'b')), "
        "('iand', ('ishr', 'b', 63), {0})))\n")


def hard(count):
    return "".join(HARD.format("('ixor', 'a', %d)" % p) for p in range(count))


class BadInputTest(command_line.CommandLineTest):
    def test_empty_input(self):
        for content in ("", "\n\n", "# only a comment\n", "\ufeff"):
            path = self.write("empty.rules", content)
            result = self.run_it("check", path, "--json")
            self.assertEqual(result.code, 2, repr(content))
        self.assert_refused(self.run_it("check", self.write("empty.rules", ""), "--json"), "empty.rules:1:1", "no rules", "(search, replace)")
        self.assert_refused(self.run_it("check", "-", "--json"), "no rules")

    def test_binary_garbage(self):
        random.seed(1)
        for size in (1, 100, 5000):
            content = bytes(random.randrange(256) for _ in range(size))
            result = self.run_it("check", self.write("garbage", content), "--json")
            self.assertEqual(result.code, 2)
            for line in result.objects():
                self.assertEqual(line["verdict"], "error")
        result = self.run_it("check", "-", "--json", stdin=b"\x00\x01\x02\n" + PROVED.encode() + b"\xff\xfe(('\x80', a), a)\n")
        self.assertEqual(result.code, 2)
        self.assertIn("proved", [line["verdict"] for line in result.objects()])
        self.assertEqual(self.run_it("check", "/proc/self/exe", "--json").code, 2)

    def test_paths_that_are_no_files(self):
        self.assert_refused(self.run_it("check", self.path("none")), "none", "No such file")
        self.assertEqual(self.run_it("check", "/dev/null").code, 2)

    def test_budgets_that_do_not_fit_the_machines(self):
        discover = ("discover", "--db", self.path("d.db"), "--machine", "intel_gen9,agx_g13", "--seconds")
        self.assert_refused(self.run_it(*discover, "1,2,3"), "--seconds", "3 budgets for 2 machines")
        self.assert_refused(self.run_it(*discover, "1,-2"), "--seconds must not be negative")

    def test_trees_that_are_none(self):
        config = self.write("night.textproto", 'machines: "agx_g13"')
        self.assert_refused(self.run_it("nightly", config, "--db", self.path("n.db"), "--baseline", self.path("none")), "none")

    def test_a_folder_in_place_of_a_file(self):
        self.assert_refused(self.run_it("check", self.folder), self.folder)
        self.assert_refused(self.run_it("eval", "('fadd', a, a)", "--vectors", self.folder), self.folder)

    def test_mutated_rules_never_crash(self):
        random.seed(2)
        base = "(('fsat', ('fadd(nsz)@32', 'a@32(is_finite)', ('fneg', '#b'))), ('fmax', 0.0, ('fmin', ('~fsub', a, b), 1.0)), 'x')"
        alphabet = "()',#@~!abf032.-\\\"[] \t"
        lines = []
        for _ in range(400):
            text = list(base)
            for _ in range(random.randrange(1, 4)):
                place = random.randrange(len(text))
                how = random.randrange(3)
                if how == 0:
                    del text[place]
                elif how == 1:
                    text.insert(place, random.choice(alphabet))
                else:
                    text[place] = random.choice(alphabet)
            lines.append("".join(text))
        result = self.run_it("check", "-", "--json", "--widths", "16", "--timeout-ms", "100", stdin="\n".join(lines) + "\n")
        self.assertIn("error", {line["verdict"] for line in result.objects()})

    def test_huge_and_deep_rules(self):
        deep = "a"
        for _ in range(300):
            deep = "('ineg', %s)" % deep
        legal = "a"
        for _ in range(100):
            legal = "('ineg', %s)" % legal
        rules = ["(" * 200000, "(('fadd', " + "a" * 1_000_000 + ", b), b)", "(%s, a)" % deep, "(%s, a)" % legal,
                 "(('iadd', a, 0x" + "f" * 1000 + "), a)", "(('iadd', a, " + "9" * 400 + "), a)", "(('fadd', a, 1e999999), a)",
                 "(('iadd@32', " + ", ".join("a%d" % i for i in range(5000)) + "), a0)", PROVED.strip()]
        result = self.run_it("check", "-", "--json", stdin="\n".join(rules) + "\n")
        self.assertEqual(result.code, 2)
        verdicts = {line["line"]: line["verdict"] for line in result.objects()}
        for line in (1, 2, 3, 5, 6, 8):
            self.assertEqual(verdicts[line], "error", line)
        self.assertEqual((verdicts[4], verdicts[9]), ("proved", "proved"))
        for line in result.objects():
            self.assertLess(len(line.get("error", {}).get("message", "")), 2000)

    def test_doubling_terms(self):
        """The time for a term that doubles with each shared subexpression is limited."""
        term = "a"
        for _ in range(11):
            term = "('iadd', %s, %s)" % (term, term)
        result = self.run_it("check", "-", "--json", "--widths", "8", "--timeout-ms", "1000", stdin="(%s, ('ishl', a, 11))\n" % term)
        self.assertEqual(len(result.objects()), 1)

    def test_many_rules(self):
        result = self.run_it("check", "-", "--json", "--widths", "8", stdin=PROVED * 3000)
        self.assertEqual(result.code, 0)
        self.assertEqual([line["line"] for line in result.objects()], list(range(1, 3001)))


class OutputTest(command_line.CommandLineTest):
    def test_full_disk(self):
        for arguments in (("check", "-", "--json"), ("check", "-"), ("ops", "--json"), ("machines",), ("eval", "('iadd', a, a)", "--vectors", self.write("v", '{"a":"0x01"}\n'))):
            with open("/dev/full", "wb") as full:
                result = self.run_it(*arguments, stdin=PROVED, stdout=full)
            self.assertEqual(result.code, 2, arguments)
            self.assertIn("standard output", result.err)

    def test_help_on_a_full_disk(self):
        for arguments in (("--help",), ("check", "--help")):
            with open("/dev/full", "wb") as full:
                self.assertEqual(self.run_it(*arguments, stdout=full).code, 2, arguments)

    def test_closed_pipe(self):
        """If the reader closes the pipe, the command prints a message and exits with status 2 instead of being killed
        by a signal."""
        for arguments in (("ops", "--json"), ("check", "-", "--json", "--widths", "8")):
            with subprocess.Popen(command_line.command(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdout.close()
                try:
                    process.stdin.write(PROVED.encode() * 2000)
                    process.stdin.close()
                except BrokenPipeError:
                    pass
                err = process.stderr.read().decode()
                self.assertEqual(process.wait(60), 2, (arguments, err))
            self.assertIn("standard output", err)

    def test_closed_standard_streams(self):
        for close in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            done = subprocess.run(["sh", "-c", '"$0" check - --json --widths 8 ' + close, command_line.BINARY],
                                  input=PROVED.encode(), capture_output=True, timeout=60, check=False)
            self.assertIn(done.returncode, (0, 2), close)


class InterruptTest(command_line.CommandLineTest):
    def interrupted(self, arguments, stdin, wait_for_line, how=signal.SIGINT):
        """Starts a run and interrupts it after its first line of output, or after half a second."""
        with subprocess.Popen(command_line.command(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            if stdin is not None:
                process.stdin.write(stdin.encode())
                process.stdin.close()
                process.stdin = None
            out = b""
            if wait_for_line:
                out = process.stdout.readline()
            time.sleep(0.5)
            start = time.time()
            process.send_signal(how)
            try:
                if stdin is None:
                    # Standard input stays open, so only the signal can end the wait.
                    process.wait(10)
                rest, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.fail("%s still runs 10 s after the interrupt" % (arguments,))
        return command_line.Result(process.returncode, out + rest, err), time.time() - start

    def test_check_keeps_what_it_found(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            result, seconds = self.interrupted(("check", "-", "--json", "--widths", "8,64"), PROVED + hard(20), True, how)
            self.assertEqual(result.code, 130, result.err)
            self.assertLess(seconds, 5)
            lines = result.objects()
            self.assertEqual(lines[0]["verdict"], "proved")
            self.assertLess(len(lines), 21)
            # An interrupted rule has no verdict.
            for line in lines[1:]:
                self.assertEqual(line["verdict"], "unknown")

    def test_infer_is_interrupted_too(self):
        result, seconds = self.interrupted(("check", "-", "--json", "--infer"), PROVED + "(('ffma@64', a, b, ('fmul', c, d)), ('fadd', ('fmul', a, b), ('fmul', d, c)))\n" + hard(9), True)
        self.assertEqual(result.code, 130, result.err)
        self.assertLess(seconds, 5)

    def test_no_solver_process_stays(self):
        result, _ = self.interrupted(("check", "-", "--json", "--widths", "8,64"), PROVED + hard(8), True)
        self.assertEqual(result.code, 130)
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open("/proc/%s/environ" % entry, "rb") as file:
                    ours = ("REWROUGHT_TEST_MARK=%d" % os.getpid()).encode() in file.read()
            except OSError:
                continue
            self.assertTrue(not ours or int(entry) == os.getpid(), entry)

    def test_waiting_for_standard_input(self):
        for arguments in (("check", "-"), ("eval", "('iadd', a, a)", "--vectors", "-")):
            result, seconds = self.interrupted(arguments, None, False)
            self.assertEqual(result.code, 130, arguments)
            self.assertLess(seconds, 5)

    def test_a_second_interrupt_ends_at_once(self):
        with subprocess.Popen(command_line.command("check", "-", "--json", "--widths", "8,64"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write((PROVED + hard(8)).encode())
            process.stdin.close()
            process.stdout.readline()
            for _ in range(2):
                process.send_signal(signal.SIGINT)
                time.sleep(0.05)
            self.assertEqual(process.wait(5), 130)


if __name__ == "__main__":
    # Every process of a run inherits this variable.
    os.environ["REWROUGHT_TEST_MARK"] = str(os.getpid())
    command_line.main()
