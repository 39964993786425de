"""Runs the rules of the given files through `rewrought check` and compares the verdicts with the expected ones.

usage: regressions_test.py REWROUGHT FILE.rules...   (grammar: tests/rules/README.md)
"""
import json
import re
import subprocess
import sys
import unittest

MARK = "# expect: "
VERDICTS = ("proved", "refuted", "unknown", "vacuous", "unsupported", "error", "inexact", "not_refuted", "?")
MODES = "any,preserve,flush"
# A generous timeout, so that proofs do not fail on a busy machine.
TIMEOUT_MS = "30000"


class Expectation:
    """The expectation that follows a rule: the rule's verdict, and the verdicts of the cases that keys select."""

    def __init__(self, text):
        words = text.split(" -- ")[0].split()
        self.verdict = words[0]
        self.overrides = [word.split("=", 1) for word in words[1:]]
        for verdict in [self.verdict] + [verdict for _, verdict in self.overrides]:
            if verdict not in VERDICTS:
                raise ValueError("'%s' is not a verdict" % verdict)

    def of_case(self, width, mode, exact):
        """Returns the verdict of the most specific matching key; among equally specific keys, the last one wins."""
        best, verdict = -1, self.verdict
        for key, value in self.overrides:
            parts = key.split("/")
            fits = [part == "exact" and exact or part == str(width) or part == mode for part in parts]
            if all(fits) and len(parts) >= best:
                best, verdict = len(parts), value
        return verdict


def read_expectations(path):
    """Maps lines to Expectations. A rule without an expectation, or an expectation without a rule, is an error."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            if MARK not in line:
                raise ValueError("%s:%d: no '%s'" % (path, number, MARK))
            found[number] = Expectation(line.split(MARK, 1)[1])
    return found


def disagreement(expected, verdict, line_verdict):
    """Returns the reason if `verdict` does not match the expectation, otherwise None."""
    if expected == "?" or expected == verdict or (expected == "not_refuted" and verdict in ("proved", "unknown")):
        return None
    if expected == "inexact" and verdict == "refuted" and line_verdict == "inexact":
        return None
    return "expected %s, got %s" % (expected, verdict)


class RegressionsTest(unittest.TestCase):
    binary = ""
    paths = []

    def check(self, path, exact):
        arguments = [self.binary, "check", path, "--dialect", "nir-25", "--json", "--modes", MODES, "--timeout-ms", TIMEOUT_MS]
        done = subprocess.run(arguments + (["--literals", "exact"] if exact else []), capture_output=True, text=True, timeout=900, check=False)
        self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
        return {line["line"]: line for line in map(json.loads, done.stdout.splitlines())}

    def verify(self, path, exact):
        expectations = read_expectations(path)
        self.assertTrue(expectations, path + " contains no rule")
        lines = self.check(path, exact)
        self.assertEqual(sorted(lines), sorted(expectations), path)
        wrong = []
        for number, expectation in expectations.items():
            line = lines[number]
            if line["verdict"] == "error" or expectation.verdict == "error":
                found = [(line["verdict"], disagreement(expectation.verdict, line["verdict"], line["verdict"]))]
            else:
                found = [("%d/%s (%s)" % (case["width"], case["mode"], case.get("reason") or "no reason given"),
                          disagreement(expectation.of_case(case["width"], case["mode"], exact), case["verdict"], line["verdict"]))
                         for case in line["cases"]]
            self.assertTrue(found, "%s:%d has no case" % (path, number))
            wrong += ["%s:%d %s: %s" % (path, number, where, why) for where, why in found if why]
        self.assertEqual(wrong, [])

    def test_every_file(self):
        for path in self.paths:
            with self.subTest(path):
                self.assertRegex(path.rsplit("/", 1)[-1], r"^\d{4}-\d\d-\d\d_[a-z0-9_]+\.rules$")
                self.verify(path, exact=False)
                with open(path, encoding="utf-8") as file:
                    if re.search(MARK + r".*\bexact", file.read()):
                        self.verify(path, exact=True)

    def test_there_are_files(self):
        self.assertGreaterEqual(len(self.paths), 2)

    def test_keys(self):
        expectation = Expectation("proved 16=refuted flush=unknown 16/flush=vacuous exact=error exact/16=? -- 32=refuted")
        for case, verdict in (((32, "any", False), "proved"), ((16, "any", False), "refuted"), ((32, "flush", False), "unknown"),
                              ((16, "flush", False), "vacuous"), ((32, "flush", True), "error"), ((16, "flush", True), "?")):
            self.assertEqual(expectation.of_case(*case), verdict, case)
        self.assertIsNotNone(disagreement("proved", "unknown", "unknown"))
        self.assertIsNotNone(disagreement("not_refuted", "refuted", "refuted"))
        self.assertIsNotNone(disagreement("inexact", "refuted", "refuted"))
        self.assertIsNone(disagreement("not_refuted", "unknown", "unknown"))
        with self.assertRaises(ValueError):
            Expectation("prooved")


if __name__ == "__main__":
    RegressionsTest.binary = sys.argv[1]
    RegressionsTest.paths = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
