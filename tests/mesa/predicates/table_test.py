"""Checks that docs/results/predicates.tsv has a row for each predicate that Rewrought knows, with its current meaning,
and that each test named there exists.

usage: table_test.py WORKSPACE LIST_PREDICATES    (LIST_PREDICATES prints the rows without their evidence)
"""
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.realpath(sys.argv[1]))
LIST = os.path.abspath(sys.argv[2])
TABLE = os.path.join(ROOT, "docs/results/predicates.tsv")
COLUMNS = ["predicate", "dialect", "kind", "types", "meaning", "on constants", "on other values", "test"]


def read_rows(text):
    """Returns the cells of each line."""
    return [line.split("\t") for line in text.splitlines()]


def target_exists(target):
    """Returns whether the BUILD file of the target's folder declares it."""
    folder, name = re.fullmatch(r"//(.+):(.+)", target).groups()
    path = os.path.join(ROOT, folder, "BUILD")
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return f'name = "{name}"' in file.read()


def faults(table, known):
    """Returns what is wrong with the rows of the table, given the rows that the program prints."""
    found = [f"malformed: {row}" for row in table if len(row) != len(COLUMNS)]
    if found:
        return found
    found += [f"no row: {' '.join(row)}" for row in known if row not in [one[:5] for one in table]]
    found += [f"unknown predicate or meaning: {' '.join(row[:5])}" for row in table if row[:5] not in known]
    found += [f"no such test: {row[7]}" for row in table if row[7] != "-" and not target_exists(row[7])]
    found += [f"no evidence and no test: {row[0]}" for row in table
              if row[7] == "-" and "not shown" not in row[6] and "promises nothing" not in row[6]]
    return found


class TableTest(unittest.TestCase):
    def setUp(self):
        with open(TABLE, encoding="utf-8") as file:
            rows = read_rows(file.read())
        self.header, self.table = rows[0], rows[1:]
        self.known = read_rows(subprocess.run([LIST], capture_output=True, text=True, check=True).stdout)

    def test_has_each_predicate_and_only_existing_tests(self):
        self.assertEqual(self.header, COLUMNS)
        self.assertGreater(len(self.known), 150)
        self.assertEqual(faults(self.table, self.known), [])

    def test_finds_missing_rows_and_targets(self):
        self.assertIn("no row", faults(self.table[1:], self.known)[0])
        wrong = [row[:7] + ["//tests/mesa:no_such_test"] for row in self.table[:1]] + self.table[1:]
        self.assertEqual(faults(wrong, self.known), ["no such test: //tests/mesa:no_such_test"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
