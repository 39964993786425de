"""Tests the rediscover command: compares a small tree's rules with the rules that discovery finds in one shader,
before, during and after the search.

usage: rediscover_test.py REWROUGHT
"""
import contextlib
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import command_line  # noqa: E402 pylint: disable=wrong-import-position
import small_tree  # noqa: E402 pylint: disable=wrong-import-position

RULES = '''import argparse
import nir_algebraic

a, b = 'a', 'b'
rules = [
    (('iand', ('ior', a, b), a), a),                               # line 6: in the shader, saves
    (('ixor', ('ixor', a, b), b), a),                              # line 7: in the shader, saves
    (('iadd', ('isub', a, b), b), b),                              # line 8: in the shader, wrong
    (('iand', ('ior', a, b), b), b, 'options->lower_something'),   # line 9: excluded by its option
    (('ieq', ('ineg', a), 0), ('ieq', a, 0)),                      # line 10: not in the shader
    (('imax', a, b), ('imax', b, a)),                              # line 11: in the shader, saves nothing
    (('~fmul', ('fsqrt', a), ('fsqrt', a)), ('fabs', a)),          # line 12: in the shader, inexact
    (('iadd', a, b), ('iadd', b, a)),                              # line 13: in the shader, saves nothing
]

parser = argparse.ArgumentParser()
parser.add_argument('--out', required=True)
args = parser.parse_args()
with open(args.out, 'w') as f:
    f.write(nir_algebraic.AlgebraicPass("small_pass", rules).render())
'''

LOST = 3  # RULE_STATE_LOST

# Each value except the inputs is read exactly once.
SHADER = """shader: MESA_SHADER_FRAGMENT
name: small
impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_ubo (%0, %0) (access=none)
    32     %2 = @load_ubo (%0, %1) (access=none)
    32     %3 = ior %1, %2
    32     %4 = iand %3, %1
    32     %5 = ixor %1, %2
    32     %6 = ixor %5, %2
    32     %7 = isub %1, %2
    32     %8 = iadd %7, %2
    32     %9 = imax %1, %2
    32    %10 = fsqrt %1
    32    %11 = fmul %10, %10
                @store_output (%4, %0) (base=0)
                @store_output (%6, %0) (base=4)
                @store_output (%8, %0) (base=8)
                @store_output (%9, %0) (base=12)
                @store_output (%11, %0) (base=16)
                // succs: b1
    block b1:
}
"""


class RediscoverTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        self.nir = small_tree.write(self, RULES)
        shader = self.write("shader.nir", SHADER)
        self.db = self.path("t.db")
        result = self.run_it("harvest", shader, "--db", self.db)
        self.assertEqual(result.code, 0, result.err)

    def rediscover(self, *arguments):
        result = self.run_it("rediscover", self.nir, "--db", self.db, "--machine", "ir3_a6xx", "--json", *arguments)
        self.assertEqual(result.code, 0, result.err)
        *rules, counts = result.objects()
        return {rule["line"]: rule for rule in rules}, counts

    def discover(self, *arguments):
        result = self.run_it("discover", "--db", self.db, "--machine", "ir3_a6xx", "--threads", 1, *arguments)
        self.assertEqual(result.code, 0, result.err)

    def test_before_midway_and_after(self):
        rules, counts = self.rediscover()
        self.assertEqual(sorted(rules), [6, 7, 12])
        self.assertEqual({rule["outcome"] for rule in rules.values()}, {"missed"})
        self.assertEqual({rule["missed_at"]["because"] for rule in rules.values()}, {"not looked at"})
        self.assertEqual({rule["verdict"] for rule in rules.values()}, {"proved", "inexact"})
        self.assertEqual([counts[name] for name in ("tree_rules", "asked", "occur", "save", "right")], [8, 7, 6, 4, 3])
        self.assertEqual([counts[name] for name in ("given", "partly", "missed", "sites")], [0, 0, 3, 3])

        self.discover("--max-fragments", 1)
        _, midway = self.rediscover()
        self.assertLess(midway["given"], 3)

        self.discover()
        rules, counts = self.rediscover()
        self.assertEqual({line: rule["outcome"] for line, rule in rules.items()}, {6: "given", 7: "given", 12: "given"})
        self.assertEqual([counts[name] for name in ("given", "partly", "missed")], [3, 0, 0])
        self.assertEqual([counts[name] for name in ("sites_given", "sites_given_by_one")], [3, 3])
        self.assertEqual(rules[6]["given_at"]["found"], {"instructions": 0, "cycles": 0.0})
        self.assertIsNone(rules[6]["missed_at"])

        # Lost rules do not count.
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            database.execute("update rules set state = ? where search like '%ior%'", (LOST,))
        rules, counts = self.rediscover()
        self.assertEqual({line: rule["outcome"] for line, rule in rules.items()}, {6: "missed", 7: "given", 12: "given"})
        self.assertEqual(rules[6]["missed_at"]["because"], "not proved")

    def test_text(self):
        result = self.run_it("rediscover", self.nir, "--db", self.db, "--machine", "ir3_a6xx")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("nir_opt_algebraic.py:6: missed at 0 of 1 sites: (('iand', ('ior', 'a', 'b'), 'a'), 'a')\n"
                      "  not looked at: ", result.out)
        self.assertIn("ir3_a6xx: 8 rules in the tree, 7 examined, 6 occur, 4 save at their sites, 3 of these are correct",
                      result.out)

    def test_sizes(self):
        rules, counts = self.rediscover("--max-ops", 1)
        self.assertEqual((rules, counts["asked"]), ({}, 2))

    def test_refused(self):
        refuse = lambda *arguments: self.run_it("rediscover", *arguments)
        self.assert_refused(refuse(self.path("nowhere"), "--db", self.db, "--machine", "ir3_a6xx"), "nowhere")
        self.assert_refused(refuse(self.nir, "--db", self.path("no.db"), "--machine", "ir3_a6xx"), "no.db")
        self.assert_refused(refuse(self.nir, "--db", self.db, "--machine", "voodoo"), "voodoo")


if __name__ == "__main__":
    command_line.main()
