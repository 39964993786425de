"""Tests `audit --record` and `audit --offline` on a small tree that resembles Mesa's, and the reports for CI systems.

usage: offline_test.py REWROUGHT
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import command_line  # noqa: E402 pylint: disable=wrong-import-position
import small_tree  # noqa: E402 pylint: disable=wrong-import-position

HEAD = "import nir_algebraic\na, b = 'a', 'b'\nnir_algebraic.AlgebraicPass('small_pass', [\n"
TAIL = "]).render()\n"
# Lines 4 to 9 of the rule file. Only a solver can prove line 6.
RULES = [
    "    (('iadd', a, 0), a),\n",                                            # proved without a solver
    "    (('isub', a, b), ('isub', b, a)),\n",                               # refuted
    "    (('umin@64', ('umax', a, b), a), a),\n",                            # proved by a solver
    "    (('~fadd', ('fadd', a, b), ('fneg', b)), a),\n",                    # inexact
    "    (('no_such_op', a), a),\n",                                         # unsupported
    "    (('imul@32', a, 2), ('ishl', a, 1), 'options->has_shift'),\n",
]
RULES_TEXT = HEAD + "".join(RULES) + TAIL
WRONG = "    (('ior', a, 1), a),\n"
ONLY_A_SOLVER = "    (('umax@64', ('umin', a, b), a), a),\n"


class OfflineTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        self.record = self.path("rule-verdicts.txt")

    def tree(self, rules=RULES_TEXT):
        return small_tree.write(self, rules)

    def online(self, *arguments):
        return self.run_it("audit", *arguments, "--jobs", 1, "--verdicts", self.path("kept/verdicts"))

    def offline(self, *arguments, file=None):
        """Runs an offline audit in which no solver can run and no file outside the test's folder can be written."""
        nowhere = "/nonexistent"
        environment = dict(os.environ, REWROUGHT_WORKER=nowhere, HOME=nowhere, XDG_DATA_HOME=nowhere)
        environment["PATH"] = self.path_without("cvc5")
        return self.run_it("audit", *arguments, "--offline", file or self.record, env=environment)

    def path_without(self, program):
        """Returns a PATH with python3 but not `program`."""
        folder = self.path("bin")
        if not os.path.exists(folder):
            os.makedirs(folder)
            python = subprocess.run(["which", "python3"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
            os.symlink(python, os.path.join(folder, "python3"))
        self.assertFalse(os.path.exists(os.path.join(folder, program)))
        return folder

    def recorded(self):
        self.online(self.tree(), "--record", self.record)
        return self.lines(self.record)

    def lines(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()

    def test_the_file_is_deterministic_and_has_a_line_per_rule(self):
        lines = self.recorded()
        self.assertEqual(lines[0], "rewrought-verdicts 1")
        self.assertEqual(lines[1:], sorted(lines[1:]))
        ids = {rule["id"]: rule["class"] for rule in self.online(self.tree(), "--json").objects()}
        self.assertEqual({line.split()[0]: line.split()[1] for line in lines[1:]}, ids)
        for line in lines[1:]:
            self.assertRegex(line, r"^[0-9a-f]{12} [a-z]+( [A-Za-z0-9_-]{16})+$")
        self.assertTrue(any(len(line.split()) > 3 for line in lines), "a proof rests on queries")
        self.online(self.tree(), "--record", self.path("again"))
        self.assertEqual(self.lines(self.path("again")), lines)
        self.run_it("audit", self.tree(), "--jobs", 1, "--verdicts", self.path("other"), "--record", self.path("fresh"))
        self.assertEqual(self.lines(self.path("fresh")), lines)

    def test_an_unchanged_tree_passes_without_a_solver(self):
        self.recorded()
        result = self.offline(self.tree(), "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual([rule["offline"] for rule in result.objects()], ["recorded"] * 6)
        self.assertEqual([rule["class"] for rule in result.objects()],
                         [rule["class"] for rule in self.online(self.tree(), "--json").objects()])
        self.assertIn("0 verified and 6 recorded", result.err)
        self.assertIn("1 refuted rules are listed in", result.err)

    def test_a_wrong_rule_fails_with_a_witness(self):
        self.recorded()
        result = self.offline(self.tree(HEAD + WRONG + "".join(RULES) + TAIL))
        self.assertEqual(result.code, 1, result.out)
        self.assertIn("nir_opt_algebraic.py:4: refuted: (('ior', 'a', 1), 'a')", result.out)
        self.assertIn("search allows", result.out)
        self.assertNotIn("nir_opt_algebraic.py:6: refuted", result.out, "this rule is known")
        waivers = self.write("waivers", "(('ior', 'a', 1), 'a')  # a test\n")
        self.assertEqual(self.offline(self.tree(HEAD + WRONG + TAIL), "--waivers", waivers).code, 0)

    def test_a_recorded_wrong_rule_fails_if_it_is_new(self):
        self.recorded()
        tree = self.tree(HEAD + WRONG + "".join(RULES) + TAIL)
        self.online(tree, "--record", self.path("new"))
        result = self.offline(tree, file=self.path("new"))
        self.assertEqual(result.code, 0, "the file lists the rule")
        result = self.offline(tree, "--since-record", self.record, file=self.path("new"))
        self.assertEqual(result.code, 1, result.out)
        self.assertIn("(('ior', 'a', 1), 'a')", result.out)
        self.assertEqual(result.out.count("search allows"), 1, "the new rule has a witness")
        self.assertNotIn("('isub', 'b', 'a')", result.out)
        self.assertIn("1 rules have a verdict in", result.out)

    def test_a_missing_verdict_is_named(self):
        self.recorded()
        tree = self.tree(HEAD + ONLY_A_SOLVER + "".join(RULES) + TAIL)
        result = self.offline(tree)
        self.assertEqual(result.code, 3, result.out)
        self.assertIn("missing: compiler/nir/nir_opt_algebraic.py:4 (('umax@64', ('umin', 'a', 'b'), 'a'), 'a'); run "
                      "`rewrought audit %s --record %s` on a machine with Z3" % (tree, self.record), result.out)
        both = self.offline(self.tree(HEAD + WRONG + ONLY_A_SOLVER + TAIL))
        self.assertEqual(both.code, 1, "a refuted rule is worse")
        # A rule that needs no solver is decided, so a change to it needs no new line.
        self.assertEqual(self.offline(self.tree(HEAD + "    (('iadd@32', 0, a), a),\n" + TAIL)).code, 0)

    def test_verdicts_survive_new_keys(self):
        lines = self.recorded()
        changed = [re.sub(r"^(\S+ \S+ )(\S)", lambda found: found.group(1) + ("B" if found.group(2) == "A" else "A"), line)
                   for line in lines[1:]]
        stale = self.write("stale", "\n".join(lines[:1] + changed) + "\n")
        result = self.offline(self.tree(), "--json", file=stale)
        rules = {rule["line"]: rule for rule in result.objects()}
        self.assertEqual({line: rule["class"] for line, rule in rules.items()},
                         {4: "proved", 5: "refuted", 6: "proved", 7: "inexact", 8: "unsupported", 9: "proved"})
        self.assertEqual({rule["offline"] for rule in rules.values()}, {"verified"})
        self.assertEqual(result.code, 0, "the file still lists the refuted rule")
        # Without its queries, line 6 has no verdict.
        without = [" ".join(line.split()[:3]) for line in changed]
        result = self.offline(self.tree(), "--json", file=self.write("without", "\n".join(lines[:1] + without) + "\n"))
        self.assertEqual(result.code, 3)
        self.assertEqual([rule["line"] for rule in result.objects() if rule["offline"] == "missing"], [6])
        self.assertIn("has no verdict for any of these 6 rules", result.err)

    def test_a_line_of_another_rule_or_mode_never_matches(self):
        lines = self.recorded()
        rules = {rule["line"]: rule for rule in self.online(self.tree(), "--json").objects()}
        keys = {line.split()[0]: line.split()[2] for line in lines[1:]}
        edited = [line for line in lines if not line.startswith(rules[5]["id"])]
        edited.append("%s proved %s" % (rules[5]["id"], keys[rules[4]["id"]]))
        result = self.offline(self.tree(), file=self.write("edited", "\n".join(edited) + "\n"))
        self.assertEqual(result.code, 1, result.out)
        self.assertIn("edited:7: warning: the lines are not sorted", result.out)
        result = self.offline(self.tree(HEAD + "    (('fadd@32', a, -0.0), a),\n" + TAIL), "--modes", "flush", "--json")
        self.assertNotEqual(result.objects()[0]["offline"], "recorded")
        # A contradiction is an error.
        both = lines + ["%s proved %s" % (rules[5]["id"], keys[rules[5]["id"]])]
        result = self.offline(self.tree(), file=self.write("both", "\n".join(both) + "\n"))
        self.assert_refused(result, "both:8:1: the key has")

    def test_bad_files_are_refused(self):
        lines = self.recorded()
        text = "\n".join(lines) + "\n"
        for name, content, part in (("empty", "", "empty:1:1: expected 'rewrought-verdicts 1'"),
                                    ("cut", text[:-5], "cut:7:1: the line is truncated"),
                                    ("conflict", text + "<<<<<<< HEAD\n", "conflict:8:1: expected the id of a rule")):
            result = self.offline(self.tree(), file=self.write(name, content))
            self.assert_refused(result, part, "rewrought audit --record")
        self.assert_refused(self.offline(self.tree(), file=self.path("nowhere")), "nowhere")
        self.assert_refused(self.offline(self.tree(), "--since-record", self.path("gone")), "gone")
        self.assert_refused(self.offline(self.tree(), "--record", self.path("new")), "--record")
        self.assert_refused(self.run_it("audit", self.tree(), "--since-record", self.record), "--offline")
        broken = self.write("broken.py", "import nir_algebraic\nx = (\n")
        self.assertEqual(self.offline(self.tree(), broken).code, 2)
        refused = self.online(self.tree(), broken, "--record", self.record)
        self.assertEqual(refused.code, 2)
        self.assertIn("is not written", refused.err)
        self.assertEqual(self.lines(self.record), lines)

    def test_git_merges_the_file_by_lines(self):
        def git(*arguments):
            command = ["git", "-C", self.folder, "-c", "user.name=T", "-c", "user.email=t@example.org"]
            subprocess.run(command + list(arguments), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        git("init", "-q", "-b", "main")
        self.write(".gitattributes", "rule-verdicts.txt merge=union\n")
        for branch, rule in (("main", ""), ("one", WRONG), ("two", ONLY_A_SOLVER)):
            if branch != "main":
                git("checkout", "-q", "-b", branch, "main")
            self.online(self.tree(HEAD + rule + "".join(RULES) + TAIL), "--record", self.record)
            git("add", ".gitattributes", "rule-verdicts.txt")
            git("commit", "-q", "-m", branch)
        git("merge", "-q", "-m", "merge", "one")
        result = self.offline(self.tree(HEAD + WRONG + ONLY_A_SOLVER + "".join(RULES) + TAIL))
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertNotIn("missing", result.out)

    def test_reports(self):
        self.recorded()
        tree = self.tree(HEAD + WRONG + ONLY_A_SOLVER + "".join(RULES) + TAIL)
        names = [self.path(name) for name in ("junit.xml", "quality.json", "audit.sarif")]
        result = self.offline(tree, "--junit", names[0], "--code-quality", names[1], "--sarif", names[2])
        self.assertEqual(result.code, 1)
        suites = xml.etree.ElementTree.parse(names[0]).getroot()
        self.assertEqual(suites.tag, "testsuites")
        suite, = suites
        self.assertEqual({key: suite.get(key) for key in ("name", "tests", "failures", "errors", "skipped")},
                         {"name": "small_pass", "tests": "8", "failures": "1", "errors": "0", "skipped": "3"})
        failures = suite.findall("testcase/failure")
        self.assertEqual(len(failures), 1)
        self.assertIn("search allows", failures[0].text)
        with open(names[1], encoding="utf-8") as file:
            quality = json.load(file)
        found = [(entry["check_name"], entry["severity"], entry["location"]["lines"]["begin"]) for entry in quality]
        self.assertEqual(found,
                         [("refuted-rule", "critical", 4), ("missing-verdict", "info", 5), ("refuted-rule", "info", 7),
                          ("undecided-rule", "info", 10)])
        for entry in quality:
            self.assertEqual(entry["location"]["path"], "src/compiler/nir/nir_opt_algebraic.py")
            self.assertRegex(entry["fingerprint"], "^[0-9a-f]{12}$")
        with open(names[2], encoding="utf-8") as file:
            sarif = json.load(file)
        self.assertEqual(sarif["version"], "2.1.0")
        run, = sarif["runs"]
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]],
                         ["refuted-rule", "undecided-rule", "missing-verdict"])
        self.assertEqual([(one["level"], "suppressions" in one) for one in run["results"]],
                         [("error", False), ("note", False), ("error", True), ("note", False)])
        # An audit with solvers writes the same kinds of reports.
        self.assertEqual(self.online(tree, "--sarif", names[2]).code, 1)
        with open(names[2], encoding="utf-8") as file:
            levels = [one["level"] for one in json.load(file)["runs"][0]["results"]]
        self.assertEqual(levels, ["error", "error", "note"])
        self.assert_refused_report(tree)

    def assert_refused_report(self, tree):
        result = self.online(tree, "--junit", "/dev/full/junit.xml")
        self.assertEqual(result.code, 2)
        self.assertIn("--junit", result.err)


if __name__ == "__main__":
    command_line.main()
