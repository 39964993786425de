"""Tests outcomes.py: on small tables with a program that returns fixed verdicts, and on a few rows of
docs/results/outcomes.tsv with the real program.

usage: outcomes_test.py REWROUGHT TABLE
"""
import contextlib
import io
import os
import sys
import tempfile
import unittest

REWROUGHT, TABLE = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import outcomes  # noqa: E402

PROVED = "report\tx/1\t(('iadd', a, 0), a)\tproved\tyes\t"
REFUTED = "report\tx/2\t(('iadd', a, 1), a)\trefuted: a = 0x1\tyes\tneeds 0"
SKIPPED = "file\tx/a.hlsl\t\tskipped: no reader\tfixed\tread since"


def run(rows, *arguments):
    """Runs outcomes.py on a table with these rows. Returns its exit status and its output."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.tsv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(["\t".join(outcomes.COLUMNS)] + rows) + "\n")
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = outcomes.main(list(arguments) + [path])
        return status, out.getvalue()


class OutcomesTest(unittest.TestCase):
    def test_counts_the_rows_and_lists_the_bad_ones_first(self):
        status, text = run([PROVED, REFUTED, SKIPPED, SKIPPED.replace("fixed", "no").replace("a.hlsl", "b.hlsl")])
        self.assertEqual(status, 0)
        lines = text.splitlines()
        self.assertEqual(lines[0], "wrong: x/b.hlsl: skipped: no reader")
        self.assertEqual(lines[1], "wrong at first: x/a.hlsl: read since")
        self.assertEqual(lines[2], "file: 2 (2 skipped); right: 0, right after a fix: 1, wrong: 1")
        self.assertEqual(lines[3], "report: 2 (1 proved, 1 refuted); right: 2, right after a fix: 0, wrong: 0")

    def test_malformed_rows_are_errors_with_their_line(self):
        for row in [PROVED + "\tmore", PROVED.replace("report", "rumor"), SKIPPED.replace("fixed", "maybe"),
                    PROVED.replace("(('iadd', a, 0), a)", "")]:
            status, text = run([REFUTED, row])
            self.assertEqual(status, 2, row)
            self.assertIn("table.tsv:3: ", text)

    def test_a_changed_verdict_fails_and_another_counterexample_does_not(self):
        status, text = run([PROVED, REFUTED], "--rewrought", REWROUGHT)
        self.assertEqual(status, 0, text)
        self.assertIn("checked 2 rules: 0 verdicts changed", text)
        status, text = run([PROVED, REFUTED.replace("0x1\t", "0x2\t")], "--rewrought", REWROUGHT)
        self.assertEqual(status, 0, text)
        self.assertIn("table.tsv:3: another counterexample: a = ", text)
        status, text = run([PROVED, REFUTED.replace("refuted: a = 0x1", "proved")], "--rewrought", REWROUGHT)
        self.assertEqual(status, 1, text)
        self.assertIn("table.tsv:3: the outcome was proved, and is now refuted: a = ", text)

    def test_rows_of_the_real_table_have_not_changed(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = outcomes.main(["--rewrought", REWROUGHT, "--sample", "10", TABLE])
        self.assertEqual(status, 0, out.getvalue())
        self.assertIn("checked 10 rules: 0 verdicts changed", out.getvalue())

    def test_the_page_states_the_counts_of_the_table(self):
        with open(os.path.splitext(os.path.realpath(TABLE))[0] + ".md", encoding="utf-8") as file:
            page = file.read()
        rows = outcomes.read_table(TABLE)
        counts = {verdict: sum(outcomes.verdict_of(row) == verdict for row in rows)
                  for verdict in ["read", "skipped", "proved", "refuted"]}
        self.assertIn(f"lists {len(rows)} public inputs", page)
        for verdict in ["read", "proved", "refuted"]:
            self.assertRegex(page, rf"\| {verdict} \| {counts[verdict]} \|")
        self.assertEqual(counts["skipped"], 11 + 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
