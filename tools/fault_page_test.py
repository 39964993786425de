"""Tests tools/fault_page.py, compares docs/results/faults_26_2.md with its table, and verifies the rules of the table
with the real program.

usage: fault_page_test.py REWROUGHT WORKSPACE
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
import fault_page  # noqa: E402 pylint: disable=wrong-import-position
import page_tables  # noqa: E402 pylint: disable=wrong-import-position

RESULTS = os.path.join(WORKSPACE, "docs/results")


def confirmed(line, **fields):
    rule = {"line": line, "confirmed": "folding", "lowering": False, "width": 32, "test_status": "PASS",
            "condition": "", "search": "('ishl', 'a', -32)", "replace": "'a'", "why": "search 0x0; replacement 0x1",
            "witness": {"vars": {"a": "0x01", "root_nsz": "0x0"}}}
    return {**rule, **fields}


def text_of(row):
    return f"({row['search']}, {row['replacement']})"


def read(name, mode="r"):
    with open(os.path.join(RESULTS, name), mode) as file:
        return file.read()


def table(name, columns):
    return page_tables.read_table(os.path.join(RESULTS, name), columns)


class FaultPageTest(unittest.TestCase):
    def rules(self, *rules):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("".join(json.dumps(rule) + "\n" for rule in rules))
            file.flush()
            return fault_page.read_confirmed(file.name)

    def test_lists_only_confirmed_faults(self):
        rules = self.rules(confirmed(1), confirmed(1, confirmed="poison"), confirmed(2, confirmed="open"),
                           confirmed(3, lowering=True), confirmed(4, width=1), confirmed(5, confirmed="flags"))
        self.assertEqual({line: len(found) for line, found in rules.items()}, {1: 2})
        cause = {"title": "t", "text": "x", "lines": [1]}
        rows = fault_page.rows_of([cause], rules)
        self.assertEqual([row["inputs"] for row in rows], ["a = 0x01"] * 2)
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write(page_tables.table_of(rows, fault_page.COLUMNS))
            file.flush()
            self.assertEqual(page_tables.read_table(file.name, fault_page.COLUMNS), rows)
        self.assertIn("| 1 | 2 | PASS | `(('ishl', 'a', -32), 'a')` |", fault_page.section_of(cause, rows))

    def test_shows_only_fixes_that_are_proved(self):
        fixes = [{"rule": "good", "verdict": "proved"}, {"rule": "bad", "verdict": "inexact"}, None]
        rules = self.rules(*(confirmed(1, suggested_fix=fix) for fix in fixes))
        cause = {"title": "t", "text": "x", "lines": [1]}
        self.assertEqual([row["fix"] for row in fault_page.rows_of([cause], rules)], ["good", "", ""])
        self.assertEqual([row["fix"] for row in fault_page.rows_of([{**cause, "suggest": False}], rules)], ["", "", ""])

    def test_rejects_causes_that_do_not_fit(self):
        rules = self.rules(confirmed(1))
        for lines in ([[2]], [[1], [1]]):
            causes = [{"title": "t%d" % i, "text": "x", "lines": of_cause} for i, of_cause in enumerate(lines)]
            with self.assertRaises(page_tables.Problem):
                fault_page.rows_of(causes, rules)

    def test_the_page_is_that_of_the_table(self):
        page = tomllib.loads(read("faults_26_2.toml"))
        rows = table("faults_26_2.tsv", fault_page.COLUMNS)
        patches = table("fixes_26_2.tsv", fault_page.PATCH_COLUMNS)
        self.assertEqual(read("faults_26_2.md"), fault_page.page_of(page, rows, patches))

    def test_the_program_proves_the_corrected_rules(self):
        rows = table("fixes_26_2.tsv", fault_page.PATCH_COLUMNS)
        self.assertGreater(len({row["patch"] for row in rows}), 9)
        for verdict in ("proved", "inexact"):
            rules = sorted({row["rule"] for row in rows if row["verdict"] == verdict})
            self.assertGreater(len(rules), 4)
            self.assertEqual(self.check(rules, {verdict}), [])

    def test_the_program_refutes_the_rules_and_proves_the_fixes(self):
        rows = table("faults_26_2.tsv", fault_page.COLUMNS)
        self.assertGreater(len(rows), 40)
        fixes = [row["fix"] for row in rows if row["fix"]]
        self.assertGreater(len(fixes), 10)
        self.assertEqual(self.check(fixes, {"proved"}), [])
        # `check` also considers byte indices that are out of range, so it may not decide a rule whose byte index is a
        # variable.
        by_variable = [row for row in rows if row["line"] == "2801"]
        self.assertEqual(self.check([text_of(row) for row in rows if row not in by_variable], {"refuted"}), [])
        self.assertEqual(self.check([text_of(row) for row in by_variable], {"refuted", "unknown"}), [])

    def check(self, rules, verdicts):
        """Returns the rules that have other verdicts."""
        done = subprocess.run([REWROUGHT, "check", "-", "--dialect", "nir-26", "--json"], input="\n".join(rules),
                              capture_output=True, text=True, check=False)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(rules), done.stderr)
        return [answer["rule"] for answer in answers if answer["verdict"] not in verdicts]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
