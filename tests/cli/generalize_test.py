"""Tests the contract of `rewrought generalize`: its objects and exit codes, and the rules that it adds to a database.

usage: generalize_test.py REWROUGHT
"""
import os
import unittest

import command_line

SPECIAL = "(('iadd', ('iadd', 'a@32', 3), 5), ('iadd', a, 8))"
WRONG = "(('iadd', 'a@32', 1), a)"
MALFORMED = "(('iadd', a), a)"

# Discovery replaces the two adds with one iadd3 that reads a constant, but the rule holds for any three operands.
SHADER = """#version 450
layout(location = 0) flat in ivec4 v;
layout(location = 0) out int result;
void main() { result = (v.x + 3) + v.y; }
"""


class GeneralizeTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        # The installation's secret authenticates the records of rules that were tried before.
        self.environment = dict(os.environ, XDG_STATE_HOME=self.path("state"), XDG_DATA_HOME=self.path("data"))

    def test_prints_one_object_per_rule(self):
        run = self.run_it("generalize", "--json", SPECIAL)
        self.assertEqual(run.code, 0, run.err)
        found, = run.objects()
        self.assertEqual(found["search"], "('iadd', ('iadd', 'a', '#b'), '#c')")
        self.assertEqual(found["replace"], "('iadd', 'a', ('iadd', 'b', 'c'))")
        self.assertEqual(found["rule"], SPECIAL)
        self.assertEqual(len(found["sizes"]), 1)
        self.assertIn({"search": "('ixor', ('ixor', 'a', '#b'), '#c')", "replace": "('ixor', 'a', ('ixor', 'b', 'c'))"},
                      found["family"])
        self.assertTrue(found["steps"])
        for kept in found["kept"]:
            self.assertEqual(set(kept), {"part", "reason"})

    def test_prints_text(self):
        run = self.run_it("generalize", "--no-family", SPECIAL)
        self.assertEqual(run.out.splitlines()[0],
                         "(('iadd', ('iadd', 'a', '#b'), '#c'), ('iadd', 'a', ('iadd', 'b', 'c')))")
        self.assertIn("changed: the sizes are open", run.out)

    def test_refuses_wrong_and_malformed_rules(self):
        run = self.run_it("generalize", WRONG)
        self.assertEqual(run.code, 1)
        self.assertIn("the rule is not proved: refuted at 32 bits by a = ", run.err)
        self.assertEqual(self.run_it("generalize", MALFORMED).code, 2)
        self.assertEqual(self.run_it("generalize").code, 2)
        where = "(('where', ('ushr', 'a@32', '#b'), ('ult', 'b', 4)), ('ushr', 'a', 'b'))"
        self.assertEqual(self.run_it("generalize", where).code, 2)

    def test_adds_general_rules_to_a_database(self):
        shader = self.path("sum.frag")
        with open(shader, "w") as file:
            file.write(SHADER)
        db = ("--db", self.path("rules.db"))
        self.assertEqual(self.run_it("harvest", shader, "--source", "made", *db).code, 0)
        self.assertEqual(self.run_it("discover", "--machine", "ir3_a6xx", "--deterministic", *db).code, 0)
        run = self.run_it("generalize", "--machine", "ir3_a6xx", "--json", *db, env=self.environment)
        self.assertEqual(run.code, 0, run.err)
        added = run.objects()
        self.assertIn({"special": "(('iadd', ('iadd', '#c@32', 'a'), 'b'), ('iadd3', 'c', 'a', 'b'))",
                       "general": "(('iadd', ('iadd', 'a@32', 'b'), 'c'), ('iadd3', 'a', 'b', 'c'))"}, added)
        self.assertIn(f"{len(added)} general rules", run.err)
        again = self.run_it("generalize", "--machine", "ir3_a6xx", "--json", *db, env=self.environment)
        self.assertEqual((again.code, again.out), (0, ""), "the general rules are already known")
        third = self.run_it("generalize", "--machine", "ir3_a6xx", "--json", *db, env=self.environment)
        self.assertIn("0 general rules added from 0 rules", third.err, "every rule was tried before")

    def test_discover_generalizes_unless_it_must_be_reproducible(self):
        shader = self.path("sum.frag")
        with open(shader, "w") as file:
            file.write(SHADER)
        for options, said in ((), True), (("--no-generalize",), False), (("--deterministic",), False):
            db = ("--db", self.path("_".join(("rules", *options)) + ".db"))
            self.assertEqual(self.run_it("harvest", shader, "--source", "made", *db).code, 0)
            run = self.run_it("discover", "--machine", "ir3_a6xx", *options, *db)
            self.assertEqual(run.code, 0, run.err)
            self.assertEqual(" general rules added" in run.err, said, options)
        pack = self.path("packs/ir3_a6xx/nir.py")
        db = ("--db", self.path("rules.db"))
        self.assertEqual(self.run_it("export", "--machine", "ir3_a6xx", "-o", self.path("packs"), *db).code, 0)
        with open(pack, encoding="utf-8") as file:
            self.assertEqual(file.read().count("('iadd3', "), 1, "one general rule, and no special or repeated rule")


if __name__ == "__main__":
    command_line.main()
