"""Tests the Python parts of the matcher harness: conditions, inexact rules, known differences, and verdicts."""
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
sys.path.insert(0, os.path.join(FOLDER, "matcher"))
sys.dont_write_bytecode = True
import matcher_harness  # noqa: E402
import tree_objects  # noqa: E402
import write_rules  # noqa: E402


def counts(**changes):
    """Returns the counts of one process for rule 0."""
    line = {"rule": 0, "shaders": 10, "applied": 5, "determined": 4, "vectors": 50}
    line.update({kind: 0 for kind in matcher_harness.KINDS})
    line.update(changes)
    return line


def report(kind, shader):
    """Returns a report of one process on rule 0."""
    return {"rule": 0, "kind": kind, "shader": shader, "report": f"{kind} {shader}"}


class RulesTest(unittest.TestCase):
    def test_condition_keeps_what_speaks_of_the_shader(self):
        for condition, kept in (
                ("options->has_isub", "true"),
                ("!options->lower_ffract && info->stage == 4", "info->stage == 4"),
                ("(options->a && info->b) && info->c", "info->c"),
                ("true", "true")):
            self.assertEqual(write_rules.shader_condition(condition), kept)

    def test_inexact_search(self):
        self.assertTrue(write_rules.is_inexact(("~fadd", "a", "b"), {}))
        self.assertTrue(write_rules.is_inexact(("fadd", ("~fmul", "a", "b"), "c"), {}))
        self.assertTrue(write_rules.is_inexact(("~bcsel", ("flt", "a", "b"), "a", "b"), {}))
        self.assertFalse(write_rules.is_inexact(("fadd", ("fmul", "a", 1.0), "#b"), {}))

    def test_inexact_search_in_mesa_26(self):
        """In Mesa 26, `~` has no effect on ops that cannot be exact, and applies to the nodes below."""
        opcodes = {name: types.SimpleNamespace(valid_fp_math_ctrl=valid) for name, valid in (
            ("fadd", "preserve_nan exact"), ("flt", "preserve_inf preserve_nan"), ("bcsel", ""), ("fneg", "exact"))}
        for search, inexact in (
                (("~fadd@32(nsz)", "a", "b"), True),
                (("~bcsel", ("flt", "a", "b"), "a", "b"), False),
                (("~bcsel", ("flt", ("fneg", "a"), "b"), "a", "b"), True),
                (("bcsel", ("~flt", "a", "b"), ("fneg", "a"), "b"), False)):
            self.assertEqual(write_rules.is_inexact(search, opcodes), inexact, search)

    def test_dialect_of_a_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(tree_objects.BuildError, "not a Mesa source tree"):
                tree_objects.dialect_of(folder)
            os.makedirs(os.path.join(folder, "src/compiler/nir"))
            opcodes = os.path.join(folder, "src/compiler/nir/nir_opcodes.py")
            for text, dialect in (("class Opcode: pass", "nir25"), ("valid_fp_math_ctrl = ''", "nir26")):
                with open(opcodes, "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(tree_objects.dialect_of(folder), dialect)
                for part in (".c", ".h"):
                    self.assertTrue(os.path.exists(os.path.join(FOLDER, "matcher", dialect + part)))

    def test_misfolded_ops_of_a_version(self):
        names = write_rules.misfolded(matcher_harness.DIFFERENCES, "25.0.7")
        self.assertIn("iadd_sat@16", names)
        self.assertNotIn("fmin@32", names)
        self.assertNotIn("f2f16_rtz@64", names)
        self.assertIn("f2f16_rtz@64", write_rules.misfolded(matcher_harness.DIFFERENCES, "22.3.6"))

    def test_reads_text_and_packs(self):
        class Tree:
            ignore_exact = tuple

        with tempfile.TemporaryDirectory() as folder:
            text = os.path.join(folder, "rules.txt")
            with open(text, "w", encoding="utf-8") as file:
                file.write("# comment\n\n(('iadd', a, 0), a),\n(('fmul', a, float('inf')), a, 'true')\n")
            rules, helpers = write_rules.read_rules(text, Tree)
            self.assertEqual(rules, [(("iadd", "a", 0), "a"), (("fmul", "a", float("inf")), "a", "true")])
            self.assertEqual(helpers, {})
            with open(os.path.join(folder, "nir.py"), "w", encoding="utf-8") as file:
                file.write("rules = [(('iadd', 'a', 0), 'a')]\nhelpers = {'sharing.c': 'int x;'}\n")
            self.assertEqual(write_rules.read_rules(folder, Tree), ([(("iadd", "a", 0), "a")], {"sharing.c": "int x;"}))
            self.assertEqual(write_rules.read_ids(text, 2), [None, None])
            with open(text, "w", encoding="utf-8") as file:
                file.write("(('iadd', a, 0), a)\n(('iadd', a,\n")
            with self.assertRaisesRegex(SystemExit, "rules.txt:2: .*write one tuple"):
                write_rules.read_rules(text, Tree)


    def test_reads_the_proved_rules_of_an_audit(self):
        rows = [{"class": "proved", "id": "1", "search": "('fadd', 'a', '-inf')", "replace": "'a'", "condition": ""},
                {"class": "refuted", "id": "2", "search": "('fadd', 'a', 0.0)", "replace": "'a'", "condition": ""},
                {"class": "proved", "id": "3", "search": "('inot', 'a')", "replace": "'a'", "condition": "x"}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "audit.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            self.assertEqual(write_rules.read_rules(path, None),
                             ([(("fadd", "a", float("-inf")), "a"), (("inot", "a"), "a", "x")], {}))
            self.assertEqual(write_rules.read_ids(path, 2), ["1", "3"])

    def test_reads_the_ids_that_the_exporter_writes(self):
        path = "emitter/testdata/nir.py.golden"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "nir.py"), "w", encoding="utf-8") as file:
                file.write(text)
            count = text.count("\n   ((")
            ids = write_rules.read_ids(folder, count)
            self.assertEqual(ids[0], "57afa2190d787af08cbb3c0240e49d3a4021ce7a29ca1cd3e813dcb6bb81f037")
            self.assertNotIn(None, ids)
            with self.assertRaisesRegex(SystemExit, "export the pack again"):
                write_rules.read_ids(folder, count + 1)


class ProgramTest(unittest.TestCase):
    def test_starts_as_a_program(self):
        """Runs the file directly, as `rewrought pack verify --tree` does."""
        program = os.path.join(FOLDER, "matcher_harness.py")
        done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
        self.assertIn("--rules", done.stdout)


class VerdictTest(unittest.TestCase):
    def collect(self, *printed):
        """Returns the outcome of one rule."""
        outcomes = [{"text": "rule", "number": 0, "inexact": False}]
        return matcher_harness.collect(outcomes, printed)[0]

    def test_counts_of_all_processes(self):
        outcome = self.collect(counts(), counts(applied=6))
        self.assertEqual((outcome["shaders"], outcome["applied"], outcome["verdict"]), (20, 11, "agrees"))

    def test_a_rule_that_was_not_applied_has_not_passed(self):
        self.assertEqual(self.collect(counts(applied=0, determined=0))["verdict"], "never applied")
        self.assertEqual(self.collect(counts(determined=0))["verdict"], "never determined")
        self.assertEqual(self.collect()["verdict"], "never applied")

    def test_the_strongest_and_smallest_report_is_kept(self):
        outcome = self.collect(report("mixed flags", 1), report("all preserved", 9), counts(), report("all preserved", 7))
        self.assertEqual((outcome["verdict"], outcome["report"]), ("differs (all preserved)", "all preserved 7"))
        outcome = self.collect(report("all preserved", 0), {"rule": 0, "crash": 6, "shader": 3, "report": "signal 6"})
        self.assertEqual(outcome["verdict"], "crash")

    def test_exit_status_and_summary(self):
        agrees, differs = self.collect(counts()), self.collect(counts(), report("denormals", 1))
        rejected = matcher_harness.collect([{"text": "r", "rejected": "no"}], [])[0]
        self.assertEqual(matcher_harness.exit_status([agrees]), 0)
        self.assertEqual(matcher_harness.exit_status([agrees, rejected]), 2)
        self.assertEqual(matcher_harness.exit_status([agrees, rejected, differs]), 1)
        out = io.StringIO()
        matcher_harness.print_summary([agrees, rejected, differs], 1, out)
        self.assertIn("3 rules: 1 agrees, 1 differs (denormals), 1 rejected; 20 shaders in 1.0 s", out.getvalue())

    def test_unknown_mode_of_denormals(self):
        with unittest.mock.patch("sys.stderr", io.StringIO()) as complaints:
            with self.assertRaises(SystemExit):
                matcher_harness.parse_arguments(["--tree", "t", "--rules", "r", "--denormals", "keep"])
        self.assertIn("'keep' is not a mode", complaints.getvalue())


if __name__ == "__main__":
    unittest.main()
