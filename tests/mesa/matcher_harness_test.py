"""Tests the matcher harness on rules that are known to be wrong and on rules that are right, in Mesa 25.0.7.

usage: matcher_harness_test.py WORKSPACE
Caches the source and the objects in $XDG_CACHE_HOME/rewrought if that variable is set, otherwise in the test's own
folder. If $MESA_26 names a source tree of Mesa 26, also tests rules in that version (bazel test --test_env=MESA_26).
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

# The same for Mesa 26 (docs/nir26.md).
WRONG_26 = [
    # Signs of zeros; 0.0 and -0.0 are different literals.
    ("(('fadd', a, 0.0), ('fcanonicalize', a))", "all preserved"),
    ("(('bcsel', ('feq', a, -0.0), -0.0, a), a)", "all preserved"),
    ("(('fsat', a), ('fmin', ('fmax', a, -0.0), 1.0))", "all preserved"),
    ("(('frcp', ('fabs', 'a(is_not_negative)')), ('frcp', a))", "all preserved"),
    # NaN.
    ("(('feq', a, a), True)", "all preserved"),
    ("(('fge(nnan)', a, ('fmax', b, a)), ('fge', a, b))", "mixed flags"),
    # No matched instruction preserves the sign of zero, so the replacement need not either.
    ("(('iand', ('ineg', ('b2i32', 'a@1')), 0x3f800000), ('b2f32', a))", "all preserved"),
    # A selection carries no flags, and ~ has no effect on it.
    ("(('bcsel(nsz)', ('feq', a, 0.0), 0.0, a), a)", "all preserved"),
    ("(('~bcsel', ('flt', a, b), b, a), ('fmax', a, b))", "all preserved"),
    # contract permits nothing.
    ("(('fadd(contract)', ('fmul(is_used_once)', a, b), c), ('ffma', a, b, c))", "all preserved"),
    ("(('fmad', a, b, c), ('ffma', a, b, c))", "all preserved"),
    # fneg flushes, and so does fcsel.
    ("(('fneg', ('fneg', a)), a)", "denormals"),
    ("(('fcsel', a, b, b), b)", "denormals"),
    # A negative operand makes the result poison, and INT_MIN by -1 is 0.
    ("(('f2u32', ('fabs', a)), ('f2u32', a))", "all preserved"),
    ("(('idiv', a, -1), ('ineg', a))", "all preserved"),
    # The predicate holds for a NaN if flt need not preserve NaN.
    ("(('ior', ('flt', 'a(is_a_number)', b), ('fneu', a, a)), ('flt', a, b))", "mixed flags"),
    # The matcher builds True for -2.
    ("(('ixor', 'a@1', 0), ('ixor', a, -2))", "all preserved"),
]
RIGHT_26 = [
    "(('fadd', a, -0.0), ('fcanonicalize', a))",
    "(('fmin', ('fmax', a, 0.0), 1.0), ('fsat', a))",
    "(('frcp(nsz)', ('fabs', 'a(is_not_negative)')), ('frcp', a))",
    "(('fadd(nnan)', ('fneg', a), a), 0.0)",
    "(('iand', ('ineg', ('b2i32', 'a@1')), 0x3f800000), ('b2f32(preserve_sz)', a))",
    "(('fmad', a, b, c), ('fadd', ('fmul', a, b), c))",
    "(('ffma_weak', a, b, c), ('fadd', ('fmul', a, b), c))",
    "(('fneg', ('fneg', a)), ('fcanonicalize', a))",
    "(('fcsel', a, b, b), ('fcanonicalize', b))",
    "(('f2u32', a), ('f2u32', ('fabs', a)))",
    "(('ige', ('iand', a, b), '#b(is_pos_power_of_two)'), ('ine', ('iand', a, b), 0))",
    "(('pack_64_2x32_split', ('unpack_64_2x32.x', a), ('unpack_64_2x32.y', a)), a)",
    "(('ixor', 'a@1', -2), a)",
    "(('~fadd', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))",
]


def run(rules, *arguments, tree=TREE, build="matcher"):
    """Runs the harness on the rules. Returns its exit status, its output, and the outcomes of the rules."""
    text, out = os.path.join(SCRATCH, "rules.txt"), os.path.join(SCRATCH, "out.json")
    with open(text, "w", encoding="utf-8") as file:
        file.write("\n".join(rules) + "\n")
    harness = os.path.join(ROOT, "tools/driver_rig/matcher_harness.py")
    done = subprocess.run([sys.executable, "-B", harness, "--tree", tree, "--build", os.path.join(CACHE, build),
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


@unittest.skipUnless("MESA_26" in os.environ, "$MESA_26 names no source tree of Mesa 26")
class Mesa26Test(unittest.TestCase):
    def run_26(self, rules):
        """Runs the harness with the tree of Mesa 26."""
        return run(rules, "--shaders", str(20000 * len(rules)), tree=os.environ["MESA_26"], build="matcher_26")

    def test_reports_every_wrong_rule(self):
        status, text, outcomes = self.run_26([rule for rule, _ in WRONG_26])
        self.assertEqual(status, 1, text)
        for (rule, kind), outcome in zip(WRONG_26, outcomes):
            self.assertIn("report", outcome, rule)
            self.assertGreater(outcome[kind], 0, rule)

    def test_reports_no_right_rule(self):
        status, text, outcomes = self.run_26(RIGHT_26)
        self.assertEqual([outcome["verdict"] for outcome in outcomes], ["agrees"] * len(RIGHT_26), text)
        self.assertEqual(status, 0, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
