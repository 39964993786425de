"""Tests the packs of seven Intel generations: each file runs standalone in Python, and the differences between two
packs are printed readably.

usage: generations_test.py REWROUGHT PRINT_MACHINE_RULES
"""
import os
import subprocess
import sys
import unittest

import command_line

PRINT_MACHINE_RULES = os.path.abspath(sys.argv.pop(2))
GENERATIONS = ["intel_gen" + number for number in ("4", "6", "7", "8", "9", "11", "125")]


class GenerationsTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        subprocess.run([PRINT_MACHINE_RULES, "machine", self.folder] + GENERATIONS, check=True, stdout=subprocess.DEVNULL)

    def patterns(self, machine):
        """Runs the machine's file alone in a folder, isolated from the caller's Python environment, and returns its
        output."""
        alone = self.path("alone_" + machine)
        os.mkdir(alone)
        os.rename(os.path.join(self.path(machine), "machine.py"), os.path.join(alone, "machine.py"))
        done = subprocess.run([sys.executable, "-I", "-B", "machine.py"], cwd=alone, check=True, stdout=subprocess.PIPE)
        return {tuple(line.split("\t")) for line in done.stdout.decode().splitlines()}

    def diff(self, old, new):
        *differences, counts = self.run_it("pack", "diff", self.path(old), self.path(new), "--json").objects()
        return differences, counts

    def test_what_the_diff_tells_is_what_the_files_differ_in(self):
        pairs = list(zip(GENERATIONS, GENERATIONS[1:]))
        told = {pair: self.diff(*pair) for pair in pairs}
        patterns = {machine: self.patterns(machine) for machine in GENERATIONS}
        for machine, lines in patterns.items():
            self.assertGreater(len(lines), 100, machine)
        for old, new in pairs:
            differences, counts = told[old, new]
            self.assertEqual(counts["moved"], 0)
            programs = [one for one in differences if one["kind"] == "changed" and "replacement" in one["what"]]
            self.assertEqual(len(patterns[old] - patterns[new]), counts["lost"] + len(programs), (old, new))
            self.assertEqual(len(patterns[new] - patterns[old]), counts["added"] + len(programs), (old, new))
            for one in programs:
                marks = {line[:2] for line in one["detail"]}
                self.assertIn("+ ", marks, one)
                self.assertIn("- ", marks, one)

    def test_a_person_reads_it(self):
        said = self.run_it("pack", "diff", self.path("intel_gen8"), self.path("intel_gen9")).out
        self.assertIn("    (('ffloor@16', 'a'), ...\n"
                      "      - MOV(w(F), a(HF))\n"
                      "      - RNDD(x(F), w(F))\n"
                      "      - MOV(r(HF), x(F))\n"
                      "      + RNDD(r(HF), a(HF))\n"
                      "      cost: 3 instructions, 6 cycles,", said)
        self.assertLess(len(said.splitlines()), 150)
        # Generations with different latencies differ in one line per rule.
        said = self.run_it("pack", "diff", self.path("intel_gen9"), self.path("intel_gen11")).out
        differences, _ = self.diff("intel_gen9", "intel_gen11")
        alone = [one for one in differences if one["what"] == ["cost"]]
        self.assertGreater(len(alone), 200)
        self.assertLess(len(said.splitlines()), len(alone) + 3 * (len(differences) - len(alone)) + 60)
        self.assertRegex(said, r"changed cost: 1 instructions, 2 cycles, latency 8 .* of [0-9]+ rules\n    \(\('")


if __name__ == "__main__":
    command_line.main()
