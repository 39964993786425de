"""Tests `rewrought propose` on a small tree: edits, verification, measurements, and patches that git applies.

usage: propose_test.py REWROUGHT
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import command_line  # noqa: E402 pylint: disable=wrong-import-position
import small_tree  # noqa: E402 pylint: disable=wrong-import-position

RULES = '''import nir_algebraic

a, b, c = 'a', 'b', 'c'
rules = [
    (('fadd', a, 0.0), a),                              # line 5: refuted, -0 + 0 is +0
    (('ishr', ('iand',  a,   0x00ff0000), 16),
     ('extract_u8', a, 2)),                             # line 6: refuted below 32 bits
    (('iadd', a, 0), a),                                # line 8: proved
    (('isub', a, b), ('isub', b, a)),                   # line 9: refuted
    (('fmul', a, 1.0), a, 'options->lower_something'),  # line 10: a lowering
    (('fadd', ('fadd', a, b), ('fneg', b)), a),  # line 11: refuted
]
for s in (16, 32):
    rules.append((('fadd@%d' % s, a, -a if False else 0.0), a))  # line 14: refuted, twice
nir_algebraic.AlgebraicPass("p", rules)
'''
FILE = "compiler/nir/nir_opt_algebraic.py"

CAUSES = '''
[[cause]]
title = "Differences"
subject = "keep the order of differences"
text = "The operands of a difference cannot be swapped."
lines = [9]
[[cause.edit]]
line = 9
before = "('isub', b, a)"
after = "{}"

[[cause]]
title = "Zeros"
text = "The sum of -0 and +0 is +0."
lines = [5, 14]
[[cause.edit]]
line = 14
before = "'fadd@%d'"
after = "'fadd@%d(nsz)'"
[[cause.edit]]
line = 5
remove = true
'''


LINE_9 = "    (('isub', a, b), ('isub', b, a)),                   # line 9: refuted"
PROPOSALS = '''
[[proposal]]
subject = "drop a negation"
reason = "Compilers write -(-a)."
[[proposal.insert]]
after = "LINE_9"
rules = """
    (('ineg', ('ineg', a)), a),
"""
[[proposal]]
subject = "second"
reason = "r"
[[proposal.insert]]
after = "LINE_9"
rules = """
    {}
"""
'''


class ProposeTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        small_tree.write(self, RULES)
        audit = self.run_it("audit", self.path("src/compiler/nir"), "--suggest-fixes", "--json", "--verdicts",
                            self.path("verdicts"))
        self.assertEqual(audit.code, 1, audit.err)
        self.rules = audit.objects()
        self.audit = self.write("audit.jsonl", audit.out)

    def propose(self, *arguments):
        return self.run_it("propose", "--fix", self.audit, "--tree", self.path("."), "-o", self.path("series"), "--verdicts",
                           self.path("verdicts"), *arguments)

    def git(self, *arguments):
        return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *arguments], cwd=self.path("."),
                              capture_output=True, text=True, check=True).stdout

    def commit_tree(self, message):
        self.git("add", "src")
        self.git("commit", "--quiet", "-m", message)

    def patched(self):
        """Returns the rule file after all patches were applied with git."""
        for patch in sorted(os.listdir(self.path("series"))):
            self.git("am", "--quiet", self.path("series/" + patch))
        return self.git("show", "HEAD:src/" + FILE)

    def test_suggestions_become_patches(self):
        self.assertEqual({rule["line"] for rule in self.rules if rule["class"] == "refuted"}, {5, 6, 9, 11, 14})
        result = self.propose()
        self.assertEqual(result.code, 0, result.err)
        self.assertIn(f"{FILE}:6: 1 to 2 rules (2 proved)", result.out)
        self.assertIn(f"{FILE}:14: the line has 2 refuted rules", result.out)
        self.git("init", "--quiet")
        self.commit_tree("Import")
        text = self.patched()
        self.assertIn("    (('ishr', ('iand',  'a@32',   0x00ff0000), 16),\n     ('extract_u8', a, 2)),\n"
                      "    (('ishr', ('iand',  'a@64',   0x00ff0000), 16),\n     ('extract_u8', a, 2)),", text)
        self.assertIn("(('fadd(nsz)', a, 0.0), a),", text)
        self.assertIn("(('~fadd', ('fadd', a, b), ('fneg', b)), a),", text)
        self.assertIn("(('isub', 'a@1', b), ('isub', b, a)),", text)  # differences of Booleans are symmetric
        self.assertIn("(('fmul', a, 1.0), a, 'options->lower_something'),", text)
        message = self.git("log", "-1", "--format=%B", "--", "src")
        self.assertIn("with ~, the sides of 1 rule are equal over the\nreal numbers", message)
        self.assertNotIn("Fixes:", message)
        changed = self.run_it("audit", self.path("src/compiler/nir"), "--json", "--verdicts", self.path("verdicts"))
        self.assertEqual({rule["line"] for rule in changed.objects() if rule["class"] == "refuted"}, {16})

    def test_causes_group_and_describe_edits(self):
        result = self.propose("--causes", self.write("causes.toml", CAUSES.format("('iadd', a, ('ineg', b))")), "--json")
        self.assertEqual(result.code, 0, result.err)
        first, second = result.objects()
        self.assertEqual([rule["verdict"] for rule in first["added"]], ["proved"])
        self.assertEqual(first["subject"], "nir/opt_algebraic: keep the order of differences")
        self.assertIn("The operands of a difference cannot be swapped.", first["message"])
        self.assertIn("(('isub', a, b), ('isub', b, a))\n      at 32 bits with a = ", first["message"])
        self.assertEqual(second["lines"], [5, 14])
        self.assertEqual(second["removed"], 3)
        self.assertEqual([rule["rule"] for rule in second["added"]],
                         ["(('fadd@16(nsz)', 'a', 0.0), 'a')", "(('fadd@32(nsz)', 'a', 0.0), 'a')"])
        self.assertEqual(sorted(os.listdir(self.path("series"))), [first["patch"], second["patch"]])
        self.git("init", "--quiet")
        self.commit_tree("Import")
        self.assertNotIn("line 5", self.patched())

    # The correction is itself wrong, cannot be read, or leaves the refuted rule.
    def test_wrong_corrections_are_rejected(self):
        for after, reason in (("('iadd', a, b)", "the changed rule is refuted"), ("('isub', b, a", "cannot be read"),
                              ("('isub', b,  a)", "leaves the refuted rule")):
            result = self.propose("--causes", self.write("causes.toml", CAUSES.format(after)), "--lines", "9")
            self.assertEqual(result.code, 1, after)
            self.assertIn(f"not corrected: {FILE}:9: ", result.out)
            self.assertIn(reason, result.out)
            self.assertEqual(os.listdir(self.path("series")) if os.path.exists(self.path("series")) else [], [])
        # The second cause is kept although the first one is rejected.
        result = self.propose("--causes", self.write("causes.toml", CAUSES.format("('iadd', a, b)")))
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(len(os.listdir(self.path("series"))), 1)

    def test_history_identifies_the_commit(self):
        self.git("init", "--quiet")
        self.write("src/" + FILE, RULES.replace("    (('isub', a, b), ('isub', b, a)),                   # line 9: refuted\n", ""))
        self.commit_tree("Import")
        self.write("src/" + FILE, RULES)
        self.commit_tree("nir: swap differences")
        result = self.propose("--causes", self.write("causes.toml", CAUSES.format("('iadd', a, ('ineg', b))")), "--lines", "9",
                              "--json")
        commit = self.git("log", "-1", "--abbrev=12", "--format=%h").strip()
        self.assertIn(f'Fixes: {commit} ("nir: swap differences")', result.objects()[0]["message"])

    # The history begins with another form of the line, or with a second copy of it.
    def test_a_commit_that_only_changes_the_line_is_not_blamed(self):
        line = "    (('isub', a, b), ('isub', b, a)),                   # line 9: refuted\n"
        for before in (RULES.replace(line, line.replace("refuted", "wrong")), RULES + "# " + line.strip() + "\n"):
            shutil.rmtree(self.path(".git"), ignore_errors=True)
            shutil.rmtree(self.path("series"), ignore_errors=True)
            self.git("init", "--quiet")
            self.write("src/" + FILE, before)
            self.commit_tree("Import")
            self.write("src/" + FILE, RULES)
            self.commit_tree("nir: clean up")
            result = self.propose("--causes", self.write("causes.toml", CAUSES.format("('iadd', a, ('ineg', b))")), "--lines",
                                  "9", "--json")
            self.assertNotIn("Fixes:", result.objects()[0]["message"])

    def test_an_audit_of_another_tree_is_rejected(self):
        self.write("src/" + FILE, RULES.replace("('isub', a, b), ('isub', b, a)", "('iadd', a, b), ('iadd', b, a)"))
        causes = CAUSES.format("('iadd', a, b)").replace("('isub', b, a)", "('iadd', b, a)")
        result = self.propose("--causes", self.write("causes.toml", causes), "--lines", "9,77")
        self.assertEqual(result.code, 1)
        self.assertIn(f"not corrected: {FILE}:9: the tree does not have the rule that the audit refutes", result.out)
        self.assertIn("77: no cause and no suggestion names this line", result.out)

    def test_the_message_counts_rules_that_were_not_refuted(self):
        both = "(('isub', a, b), ('isub', b, a)), (('ior', a, 0), a),"
        self.write("src/" + FILE, RULES.replace("(('isub', a, b), ('isub', b, a)),", both))
        causes = CAUSES.format("").replace("('isub', b, a)", both)
        result = self.propose("--causes", self.write("causes.toml", causes), "--lines", "9", "--json")
        self.assertEqual(result.code, 0, result.out)
        self.assertIn("This change removes 2 rules.\nNot refuted among these: 1 rule.", result.objects()[0]["message"])

    def add(self, rule, *arguments):
        """Proposes the rule as the second of two patches."""
        return self.run_it("propose", "--add", self.write("proposals.toml", PROPOSALS.replace("LINE_9", LINE_9).format(rule)), "--tree", self.path("."),
                           "-o", self.path("series"), "--verdicts", self.path("verdicts"), *arguments)

    def test_proposals_become_patches(self):
        result = self.add("(('~fadd', ('fneg', a), a), 0.0),", "--json")
        self.assertEqual(result.code, 0, result.err)
        first, second = result.objects()
        self.assertEqual([rule["verdict"] for rule in first["added"] + second["added"]], ["proved", "inexact"])
        self.assertEqual((first["lines"], first["removed"]), ([9], 0))
        self.assertIn("Compilers write -(-a).\n\nRewrought proves 1 rule at all sizes that it allows.", first["message"])
        self.git("init", "--quiet")
        self.commit_tree("Import")
        self.assertIn("    (('ineg', ('ineg', a)), a),\n    (('fmul', a, 1.0)", self.patched().replace(
            "    (('~fadd', ('fneg', a), a), 0.0),\n", ""))

    # The rule is wrong, adds nothing new, or is shadowed by an earlier rule.
    def test_wrong_proposals_are_rejected(self):
        for rule, reason in (("(('fadd', ('fneg', a), a), 0.0),", "the added rule is refuted"),
                             ("(('ineg', ('ineg', a), a),", "cannot be read"), ("", "already has all of its rules"),
                             ("(('iadd', a, 0), a),", "the tree already has the rule (('iadd', 'a', 0), 'a')"),
                             ("(('iadd', b, 0), b),", "never applies because of the earlier rule at line 8"),
                             ("(('iadd', ('isub', a, '#b'), 0), a),", "never applies because of the earlier rule at line 8")):
            shutil.rmtree(self.path("series"), ignore_errors=True)
            result = self.add(rule)
            self.assertEqual(result.code, 0, result.err)
            self.assertIn("not proposed: nir/opt_algebraic: second: ", result.out)
            self.assertIn(reason, result.out)
            self.assertEqual(len(os.listdir(self.path("series"))), 1)

    def measured(self, patches, *verdicts):
        """Writes the results of tools/driver_rig/series for the patches, and returns their folder."""
        entries = []
        for patch, verdict in zip(patches, verdicts):
            *header, rule = [line for line in patch["diff"].split("\n") if line.startswith(("+", "-"))]
            before = patch["diff"].split("\n" + rule)[0].rpartition("\n")[2]
            lines = [line + "\n" for line in (*header, before, rule)]
            driver = {"driver": "ir3-a630", "verdict": verdict, "reason": "time +1.00%", "text": ["total x", "HURT: 0"]}
            entries.append({"id": hashlib.sha256("".join(lines).encode()).hexdigest()[:16], "drivers": [driver]})
        os.makedirs(self.path("measured"), exist_ok=True)
        self.write("measured/series.json", json.dumps({"patches": entries}))
        return self.path("measured")

    def test_measurements_decide(self):
        rule = "(('ixor', a, a), 0),"
        patches = self.add(rule, "--json").objects()
        for verdict, reason in (("loss", "it is a loss for ir3-a630: time +1.00%"),
                                ("none", "it helps no measured driver")):
            shutil.rmtree(self.path("series"))
            result = self.add(rule, "--json", "--measured", self.measured(patches, "gain", verdict))
            self.assertEqual(result.code, 0, result.err)
            kept, rejected = result.objects()
            self.assertTrue(kept["message"].endswith("\n\ntotal x\nHURT: 0"), kept["message"])
            self.assertEqual((rejected["subject"], rejected["rejected"]), ("nir/opt_algebraic: second", reason))
        shutil.rmtree(self.path("series"))
        # The second patch has changed since it was measured.
        self.assert_refused(self.add("(('ixor', b, b), 0),", "--measured", self.path("measured")),
                            'no results for "nir/opt_algebraic: second"', "tools/driver_rig/series")
        self.write("measured/series.json", "[]")
        self.assert_refused(self.add(rule, "--measured", self.path("measured")), "series.json: not the output of")

    def test_bad_input_is_refused(self):
        self.assert_refused(self.run_it("propose", "--fix", self.audit, "--tree", self.path("src"), "-o", self.path("s")),
                            "root of a Mesa tree with --tree")
        self.assert_refused(self.run_it("propose", "--fix", self.write("x.jsonl", json.dumps({"a": 1})), "--tree", self.path("."),
                                        "-o", self.path("s")), "x.jsonl", "not the output of `rewrought audit --json`")
        self.assert_refused(self.propose("--causes", self.write("bad.toml", "[[cause]\n")), "bad.toml")
        self.assert_refused(self.run_it("propose", "--tree", self.path("."), "-o", self.path("s")), "--fix", "--add")
        self.assert_refused(self.propose("--causes", self.write("bad.toml", "[[cause]]\ntitle = 'x'\n")), "bad.toml", "lines")
        os.makedirs(self.path("series"), exist_ok=True)
        self.write("series/0001-old.patch", "")
        self.assert_refused(self.propose(), "0001-old.patch exists", "-o")


if __name__ == "__main__":
    command_line.main()
