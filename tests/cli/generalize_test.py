"""Tests the contract of `rewrought generalize`: its objects and exit codes, and the rules that it adds to a database.

usage: generalize_test.py REWROUGHT
"""
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
        run = self.run_it("generalize", "--machine", "ir3_a6xx", "--json", *db)
        self.assertEqual(run.code, 0, run.err)
        added = run.objects()
        self.assertIn({"special": "(('iadd', ('iadd', '#c@32', 'a'), 'b'), ('iadd3', 'c', 'a', 'b'))",
                       "general": "(('iadd', ('iadd', 'a@32', 'b'), 'c'), ('iadd3', 'a', 'b', 'c'))"}, added)
        self.assertIn(f"{len(added)} general rules", run.err)
        again = self.run_it("generalize", "--machine", "ir3_a6xx", "--json", *db)
        self.assertEqual((again.code, again.out), (0, ""), "the general rules are already known")


if __name__ == "__main__":
    command_line.main()
