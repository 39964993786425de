"""Tests the matcher harness on rules that are known to be wrong and on rules that are right, in Mesa 25.0.7.

usage: matcher_harness_test.py WORKSPACE
Caches the source and the objects in $XDG_CACHE_HOME/rewrought if that variable is set, otherwise in the test's own
folder.
"""
import json
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.realpath(sys.argv[1]))
SCRATCH = os.environ["TEST_TMPDIR"]
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or SCRATCH, "rewrought")
MESA = os.path.join(CACHE, "mesa")
TREE = os.path.join(MESA, "mesa-trixie")

# Each row contains a rule, and the part of its report or verdict that states the fault.
WRONG = [
    # A comparison has no float result, so the matcher always grants nnan.
    ("(('fneu(nnan)', 'a@32', 'a'), 0)", "all preserved"),
    ("(('inot', ('flt(nnan)', a, b)), ('fge', a, b))", "all preserved"),
    # The flags of the root apply to the whole replacement.
    ("(('frcp', ('fneg', ('fneg', ('fadd', a, 0)))), ('frcp', ('fadd', a, 0)))", "mixed flags"),
    # Both sums can be the same instruction.
    ("(('bcsel', ('ieq', ('fadd(nsz)', 'a@32', 'b@32'), ('fadd', a, b)), 'c@32', 'd@32'), "
     "('bcsel', ('feq', a, ('fneg', b)), d, c))", "mixed flags"),
    # Predicates promise less than their names say.
    ("(('ult', 0, 'a@1(is_not_positive)'), False)", "all preserved"),
    ("(('fadd', a, '#b(is_any_comp_nan)'), b)", "all preserved"),
    ("(('ult', '#a@16(is_ult_0xfffc07fc)', 0x7fc), True)", "all preserved"),
    # Infinities become NaN.
    ("(('fmul', a, 0.0), 0.0)", "all preserved"),
    # A rule that may change rounding must keep the value over the reals.
    ("(('~fadd', ('fmul', a, b), c), ('fmul', a, ('fadd', b, c)))", "all preserved"),
]
RIGHT = [
    "(('fneg', ('fneg', a)), a)",
    "(('iadd', a, 0), a)",
    "(('ixor', a, a), 0)",
    "(('imul', a, '#b(is_pos_power_of_two)'), ('ishl', a, ('find_lsb', b)))",
    "(('ieq', ('iadd', a, b), a), ('ieq', b, 0))",
    "(('umin', ('umin', a, b), b), ('umin', a, b))",
    "(('pack_64_2x32_split', ('unpack_64_2x32_split_x', a), ('unpack_64_2x32_split_y', a)), a)",
    "(('fabs', ('fneg', a)), ('fabs', a))",
    "(('ishl', ('ushr', a, '#b'), b), ('iand', a, ('ishl', -1, b)))",
    "(('fneu', a, a), ('inot', ('feq', a, a)))",
    "(('~fadd', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))",
]


def run(rules, *arguments):
    """Runs the harness on the rules. Returns its exit status, its output, and the outcomes of the rules."""
    text, out = os.path.join(SCRATCH, "rules.txt"), os.path.join(SCRATCH, "out.json")
    with open(text, "w", encoding="utf-8") as file:
        file.write("\n".join(rules) + "\n")
    harness = os.path.join(ROOT, "tools/driver_rig/matcher_harness.py")
    done = subprocess.run([sys.executable, "-B", harness, "--tree", TREE, "--build", os.path.join(CACHE, "matcher"),
                           "--rules", text, "--json", out] + list(arguments),
                          capture_output=True, text=True, check=False)
    with open(out, encoding="utf-8") as file:
        return done.returncode, done.stdout + done.stderr, json.load(file)["rules"]


class MatcherHarnessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(os.path.join(TREE, "src/compiler/nir/nir_algebraic.py")):
            subprocess.run([os.path.join(ROOT, "tools/debian_source.sh"), "mesa", "trixie", MESA], check=True,
                           stdout=subprocess.DEVNULL)

    def test_a_device_treats_denormals_in_the_condition_of_fcsel_as_elsewhere(self):
        rule = ("(('flrp(nsz,nnan)', 'a@32', 'b@32', ('b2f32', ('flt', a, 0))), ('fcsel_ge', a, a, b), "
                "'!nir_is_denorm_flush_to_zero(info->float_controls_execution_mode, 32)')")
        _, text, outcomes = run([rule], "--shaders", "1000000")
        self.assertEqual(outcomes[0]["verdict"], "agrees", text)

    def test_other_users_of_an_inner_node_see_its_sign(self):
        rule = "(('bcsel', 'c@1', ('%s', 'a@32', 0.0), 'b@32'), ('bcsel', c, a, b))"
        rules = [rule % "fadd(nsz)", rule % "fadd(nsz,is_used_once)"]
        _, text, outcomes = run(rules, "--shaders", "400000", "--denormals", "preserve")
        self.assertEqual([outcome["verdict"] for outcome in outcomes], ["differs (mixed flags)", "agrees"], text)

    def test_reports_every_wrong_rule(self):
        status, text, outcomes = run([rule for rule, _ in WRONG], "--shaders", str(8000 * len(WRONG)))
        self.assertEqual(status, 1, text)
        for (rule, kind), outcome in zip(WRONG, outcomes):
            self.assertIn("report", outcome, rule)
            self.assertGreater(outcome[kind], 0, rule)
            self.assertLess(outcome["report"].count("\n"), 30, outcome["report"])

    def test_reports_no_right_rule(self):
        status, text, outcomes = run(RIGHT, "--shaders", str(8000 * len(RIGHT)))
        self.assertEqual([outcome["verdict"] for outcome in outcomes], ["agrees"] * len(RIGHT), text)
        self.assertEqual(status, 0, text)

    def test_same_seed_and_any_number_of_processes_give_the_same_outcome(self):
        rules = [WRONG[0][0], RIGHT[0]]
        one = run(rules, "--shaders", "2000", "--seed", "7", "--jobs", "1")[2]
        self.assertEqual(one, run(rules, "--shaders", "2000", "--seed", "7", "--jobs", "2")[2])
        self.assertNotEqual(one, run(rules, "--shaders", "2000", "--seed", "8")[2])

    def test_a_rule_that_never_matches_has_not_passed(self):
        # A constant is not the result of a float operation.
        outcomes = run(["(('fadd', '#a@float', 0.0), 0.0)"], "--shaders", "2000")[2]
        self.assertEqual(outcomes[0]["verdict"], "never applied")

    def test_rules_that_the_tree_rejects(self):
        status, _, outcomes = run(["(('iadd', 'a(is_no_such_predicate)', b), b)",
                                   "(('usub_borrow', a, b), ('b2i32', ('ult', a, b)))", RIGHT[1]], "--shaders", "2000")
        self.assertEqual([outcome["verdict"] for outcome in outcomes], ["rejected", "rejected", "agrees"])
        self.assertIn("is_no_such_predicate", outcomes[0]["rejected"])
        self.assertEqual(status, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
