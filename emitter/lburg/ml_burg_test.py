"""Generates a matcher with ml-burg from the rules.lburg of every machine.

usage: ml_burg_test.py PRINT_MACHINE_RULES_MAIN

ml-burg uses a dialect for Standard ML: one declaration for all terminals, names for rules, and numbers as costs. The
test converts each row to this dialect and drops its condition. Requires ml-burg of Debian 12
(tools/install_packages.sh --formats), and fails without it. Newer releases do not have ml-burg, so the test skips there.
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROW = re.compile(r"^(\w+: [\w(),]+) = (\d+) \((?:WHERE\(.*, )?(\d+)\)?\);$")
PRINT = sys.argv.pop(1)
TOOL = shutil.which("ml-burg")


def transliterated(text):
    """Returns the grammar in ml-burg's syntax and its number of rows. Raises ValueError for a malformed row."""
    prologue, rows, _ = re.split(r"^%%\n", text, flags=re.MULTILINE)
    terminals = re.findall(r"^%term (\w+)=\d+$", prologue, flags=re.MULTILINE)
    start = re.search(r"^%start (\w+)$", prologue, flags=re.MULTILINE).group(1)
    lines = ["%term " + " | ".join(terminals), "%termprefix T_", "%ruleprefix R_", "%start " + start, "%%"]
    for row in rows.splitlines():
        match = ROW.match(row)
        if match is None:
            raise ValueError(row)
        lines.append("%s = rule_%s (%s);" % match.groups())
    return "\n".join(lines + ["%%", ""]), len(lines) - 5


class MlBurgTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if TOOL is None and platform.freedesktop_os_release().get("VERSION_CODENAME") != "bookworm":
            raise unittest.SkipTest("only Debian 12 has ml-burg")
        if TOOL is None:
            raise RuntimeError("ml-burg is missing; run: tools/install_packages.sh --formats")
        cls.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        cls.machines = subprocess.run([PRINT, "lburg", cls.folder.name], check=True, stdout=subprocess.PIPE,
                                      text=True).stdout.split()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def grammar(self, machine):
        with open(os.path.join(self.folder.name, machine, "rules.lburg"), encoding="utf-8") as file:
            return transliterated(file.read())

    def matcher_of(self, grammar):
        """Returns the text of the generated matcher, or None, and the output of ml-burg.

        Truncates the output, because ml-burg prints errors forever after a syntax error.
        """
        path = os.path.join(self.folder.name, "grammar.burg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(grammar)
        out = os.path.join(self.folder.name, "grammar.sml")
        if os.path.exists(out):
            os.remove(out)
        command = "timeout 120 '%s' '%s' 2>&1 | head -c 2000" % (TOOL, path)
        said = subprocess.run(command, shell=True, stdout=subprocess.PIPE, check=False).stdout.decode(errors="replace")
        if "Error" in said or not os.path.exists(out):
            return None, said
        with open(out, encoding="utf-8") as file:
            return file.read(), said

    def test_reads_every_machines_rows(self):
        self.assertGreaterEqual(len(self.machines), 20)
        total = 0
        for machine in self.machines:
            grammar, rows = self.grammar(machine)
            matcher, said = self.matcher_of(grammar)
            self.assertIsNotNone(matcher, machine + ": " + said)
            names = set(re.findall(r"\bR_rule_\d+\b", matcher))
            self.assertEqual(len(names), rows, machine)
            total += rows
        print("%d rows of %d machines" % (total, len(self.machines)))

    def test_is_seen_to_refuse(self):
        grammar, _ = self.grammar("vec4")
        for old, new in (("fadd_32(r32,r32)", "fadd_32(r32)"), ("fadd_32(r32,r32)", "fadd_32(r32,nosuch)"),
                         ("fadd_32(r32,r32) =", "fadd_32(r32,r32 =")):
            self.assertIn(old, grammar)
            matcher, said = self.matcher_of(grammar.replace(old, new, 1))
            self.assertIsNone(matcher, new + ": " + said)


if __name__ == "__main__":
    unittest.main()
