"""Tests tools/proposals_page.py, compares its pages in docs/results with their tables, and verifies the proposed rules
with the real program.

usage: proposals_page_test.py REWROUGHT WORKSPACE
"""
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import unittest

REWROUGHT, WORKSPACE = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.realpath(sys.argv[2]))
sys.path.insert(0, os.path.join(WORKSPACE, "tools"))
import page_tables  # noqa: E402 pylint: disable=wrong-import-position
import proposals_page  # noqa: E402 pylint: disable=wrong-import-position

RESULTS = os.path.join(WORKSPACE, "docs/results")
PAGES = ("proposals_26_2", "families_26_2")
PATCH = {"patch": "0001-x.patch", "subject": "nir: shift", "added": [{"rule": "(('x', 'a'), 'a')", "condition": "",
                                                                     "verdict": "proved"}]}


def sums(change):
    time = {"before": 200, "change": change, "better": 1, "worse": 0, "main": True}
    same = {"before": 8, "change": 0, "better": 0, "worse": 0, "main": True}
    numbers = {"time": time, "waves": same, "other": {**time, "main": False}}
    return {"shaders": 9, "helped": 1, "hurt": 0, "numbers": numbers}


def driver(name, change, held_out=None):
    return {"driver": name, "verdict": "gain", "all": sums(change), "held_out": held_out}


class ProposalsPageTest(unittest.TestCase):
    def table(self, rows, columns):
        """Returns the rows after writing and reading them."""
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write(page_tables.table_of(rows, columns))
            file.flush()
            return page_tables.read_table(file.name, columns)

    def test_shows_the_numbers_that_change(self):
        alone = [driver("v3d", -10, sums(-1)), driver("ir3", -2.5)]
        measured = {"patches": [{"subject": "nir: shift", "drivers": alone}],
                    "together": [driver("v3d", -20, sums(-2))]}
        rows = self.table(proposals_page.number_rows([PATCH], measured), proposals_page.NUMBER_COLUMNS)
        shown = ("patch", "driver", "shaders of", "number", "after")
        self.assertEqual([tuple(row[name] for name in shown) for row in rows], [
            ("nir: shift", "v3d", "all", "time", "190"), ("nir: shift", "v3d", "held out", "time", "199"),
            ("nir: shift", "ir3", "all", "time", "197.5"), ("all patches", "v3d", "all", "time", "180"),
            ("all patches", "v3d", "held out", "time", "198")])
        rules = self.table(proposals_page.rule_rows([PATCH]), proposals_page.RULE_COLUMNS)
        page = {"title": "T", "introduction": "I", "proposal": [
            {"subject": "shift", "reason": "R", "insert": [{"after": "x", "rules": "code"}],
             "explained": {"ir3": "E"}}]}
        text = proposals_page.page_of(page, rules, rows)
        self.assertIn("| v3d | -5.00% | -0.50% | 1 | 0 | 9 |  |\n| ir3 | -1.25% |  | 1 | 0 | 9 |  |\n\n**ir3:** E\n",
                      text)
        self.assertIn("rules: 1 proved bit for bit", text)
        self.assertIn("| v3d | -10.00% | -1.00% |", text.split("## ")[1])
        self.assertIn("| v3d | -10.00% | -1.00% | 1 / 0 of 9 |  |\n", proposals_page.summary_of(rows))

    def test_rejects_patches_that_were_not_measured(self):
        with self.assertRaisesRegex(page_tables.Problem, "was not measured"):
            proposals_page.number_rows([PATCH], {"patches": [], "together": []})

    @staticmethod
    def stored(name, columns):
        return page_tables.read_table(os.path.join(RESULTS, name), columns)

    def test_the_pages_are_those_of_the_tables(self):
        for name in PAGES:
            with open(os.path.join(RESULTS, name + ".toml"), "rb") as file:
                page = tomllib.load(file)
            rules = self.stored(name + "_rules.tsv", proposals_page.RULE_COLUMNS)
            numbers = self.stored(name + ".tsv", proposals_page.NUMBER_COLUMNS)
            with open(os.path.join(RESULTS, name + ".md"), encoding="utf-8") as file:
                self.assertEqual(file.read(), proposals_page.page_of(page, rules, numbers))
            with open(os.path.join(WORKSPACE, "README.md"), encoding="utf-8") as file:
                self.assertIn(proposals_page.summary_of(numbers), file.read())

    def test_each_proposal_helps_two_drivers(self):
        numbers = self.stored("proposals_26_2.tsv", proposals_page.NUMBER_COLUMNS)
        patches = {row["patch"] for row in self.stored("proposals_26_2_rules.tsv", proposals_page.RULE_COLUMNS)}
        self.assertGreaterEqual(len(patches), 10)
        for patch in patches:
            gains = {row["driver"] for row in numbers if row["patch"] == patch and row["number"] == "time" and
                     row["shaders of"] == "all" and float(row["after"]) < float(row["before"])}
            self.assertGreaterEqual(len(gains), 2, patch)

    def test_the_program_proves_the_rules(self):
        rows = [row for name in PAGES for row in self.stored(name + "_rules.tsv", proposals_page.RULE_COLUMNS)]
        done = subprocess.run([REWROUGHT, "check", "-", "--dialect", "nir-26", "--json"], text=True,
                              capture_output=True, input="\n".join(row["rule"] for row in rows), check=False)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(rows), done.stderr)
        self.assertEqual([(row["rule"], answer["verdict"]) for row, answer in zip(rows, answers)],
                         [(row["rule"], row["verdict"]) for row in rows])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
