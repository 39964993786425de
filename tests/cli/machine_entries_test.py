"""Tests that a driver could load machine.py: python3 reads it, and `check` proves each of its patterns.

usage: machine_entries_test.py REWROUGHT MACHINE_PY
"""
import runpy
import sys
import unittest

import command_line

MACHINE_PY = sys.argv.pop(2)


class MachineEntriesTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        self.module = runpy.run_path(MACHINE_PY)

    def without_marks(self, search):
        """Returns the search side with each `constant` replaced by the expression that it must equal."""
        if isinstance(search, self.module["constant"]):
            return self.without_marks(search.value)
        return tuple(self.without_marks(part) for part in search) if isinstance(search, tuple) else search

    def rule(self, pattern):
        search, instructions, *condition = pattern
        return "(%r, %s%s)" % (self.without_marks(search), instructions, "".join(", %r" % text for text in condition))

    def verdicts(self, rules, *options):
        result = self.run_it("check", "-", "--json", "--machine", "intel_gen9", "--timeout-ms", "60000", *options,
                             stdin="\n".join(rules) + "\n", timeout=300)
        lines = result.objects()
        self.assertEqual(len(lines), len(rules), result.err)
        return [line["verdict"] for line in lines]

    def test_every_pattern_is_proved_in_every_mode(self):
        rules = [self.rule(pattern) for pattern in self.module["patterns"]]
        self.assertEqual(len(rules), 25)
        for rule, verdict in zip(rules, self.verdicts(rules, "--modes", "any,preserve,flush")):
            self.assertEqual(verdict, "proved", rule)

    def test_the_table_names_every_entry_once(self):
        numbers = [number for row in self.module["rules"] for number in row[0]]
        self.assertEqual(sorted(numbers), list(range(len(self.module["entries"]))))
        ids = [row[1] for row in self.module["rules"]]
        self.assertEqual(len(set(ids)), len(ids))

    def test_a_relation_is_needed(self):
        """Without the relation, the two constants are independent and the rule is refuted."""
        related = [pattern for pattern in self.module["patterns"] if "constant(" in repr(pattern[0])]
        self.assertEqual(len(related), 2)
        rules = [self.rule(pattern).replace("-1, 'b'))", "-1, '#c@32'))") for pattern in related]
        self.assertEqual(self.verdicts(rules), ["refuted", "refuted"])

    def test_a_relation_that_is_no_equation_is_needed(self):
        """The rule is refuted without the relation, with the relation reversed, and with its constants swapped."""
        related = [self.rule(pattern) for pattern in self.module["patterns"] if pattern[0][0] == "where"]
        self.assertEqual(len(related), 2)
        off = ["(%r, %s)" % (self.without_marks(search[1]), program)
               for search, program, *_ in self.module["patterns"] if search[0] == "where"]
        turned = [rule.replace("('ult', 'b', 'c')", "('uge', 'b', 'c')").replace("'uge', ('iadd'", "'ult', ('iadd'")
                  for rule in related]
        exchanged = [rule.replace("('ult', 'b', 'c')", "('ult', 'c', 'b')").replace("('iadd', 'b', 'c')", "('iadd', 'b', 'b')")
                     for rule in related]
        for doctored in (off, turned, exchanged):
            self.assertEqual(self.verdicts(doctored), ["refuted", "refuted"], doctored)

    def test_wrong_members_are_refuted(self):
        """If one column of a family's member is replaced by another member's column, the rule is refuted."""
        faults = (("ADD(r(F)", "MUL(r(F)"), ("SHR(", "SHL("), (".cmod(GE)]", ".cmod(L)]"), ("OR(r(UD), ~a", "AND(r(UD), ~a"),
                  (".subscript(3)", ".subscript(1)"))
        rules = [self.rule(pattern) for pattern in self.module["patterns"]]
        doctored = [rule.replace(*fault) for fault in faults for rule in rules if fault[0] in rule]
        self.assertGreaterEqual(len(doctored), len(faults))
        self.assertEqual(set(self.verdicts(doctored)), {"refuted"})


if __name__ == "__main__":
    command_line.main()
