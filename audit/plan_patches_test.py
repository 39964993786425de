"""Tests audit/plan_patches.py on rule files that are unusual but plausible.

usage: plan_patches_test.py
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import plan_patches  # noqa: E402 pylint: disable=wrong-import-position

NAME = "compiler/nir/nir_opt_algebraic.py"


def fault(line, search, replace="'a'", fix=None, verdict="proved", change="", **fields):
    case = {"verdict": "refuted", "width": 32, "sizes": {"a": 32, "root": 32},
            "witness": {"search": ["0x0"], "replace": "0x1", "vars": {"a": "0x3f800000", "root_nsz": "0x1"}}}
    rule = {"file": NAME, "line": line, "search": search, "replace": replace, "class": "refuted", "test_status": "",
            "lowering": False, "id": search, "cases": [case]}
    if fix:
        rule["suggested_fix"] = {"rule": fix, "verdict": verdict, "change": change}
    return {**rule, **fields}


class PlanPatchesTest(unittest.TestCase):
    def plan(self, text, faults, causes=None):
        """Returns the commits and the skipped lines."""
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, os.path.dirname(NAME)))
            with open(os.path.join(folder, NAME), "w", encoding="utf-8", newline="") as file:
                file.write(text)
            plan = plan_patches.Plan(folder, faults)
            found = [one for cause in causes or plan_patches.default_causes(faults) for one in plan.commit(cause)]
        return [one["commit"] for one in found if "commit" in one], [one["skipped"] for one in found if "skipped" in one]

    def corrected(self, text, faults, causes=None):
        """Returns the content after the only commit."""
        (commit,), skipped = self.plan(text, faults, causes)
        self.assertEqual(skipped, [])
        return commit["content"]

    def reason(self, text, faults, causes=None):
        """Returns why the only line is skipped."""
        commits, (skipped,) = self.plan(text, faults, causes)
        self.assertEqual(commits, [])
        return skipped["reason"]

    def test_only_the_markings_of_the_source_change(self):
        text = "a = 'a'\nrules = [(('é',), a), (('fadd@16', a, # a and 'a'\n  ('fneg', a)), 0.0, 'cond')]  # a\n"
        rule = fault(2, "('fadd@16', 'a', ('fneg', 'a'))", "0.0", "(('~fadd(nnan)', 'a(is_finite)', ('fneg', 'a')), 0.0)")
        self.assertEqual(self.corrected(text, [rule]), text.replace("'fadd@16', a,", "'~fadd@16(nnan)', 'a(is_finite)',"))

    def test_a_rule_is_repeated_for_each_proved_size(self):
        text = "a = 'a'\nrules = [\n   (('ishl', '#a(is_x)', -32), a),\n]\n"
        rule = fault(3, "('ishl', '#a(is_x)', -32)", fix="(('ishl', '#a@32(is_x)', -32), 'a')", change="only a@32")
        rule["cases"] += [{"verdict": "proved", "width": size, "sizes": {"a": size}} for size in (1, 16)]
        self.assertIn("[\n   (('ishl', '#a@1(is_x)', -32), a),\n   (('ishl', '#a@16(is_x)', -32), a),\n]",
                      self.corrected(text, [rule]))
        rule["cases"] = rule["cases"][:1]
        self.assertIn("no use of a that can name a size", self.reason(text, [rule]))

    def test_rules_that_code_creates_are_skipped(self):
        rule = fault(3, "('isub', 'a', 'a')", "0", "(('isub(nnan)', 'a', 'a'), 0)")
        for text in ("a = 'a'\nfor op in ('isub', 'fsub'):\n   rules.append(((op, a, a), 0))\n",
                     "a = 'a'\nfor a in ('a', 'b'):\n   rules.append((('isub', a, a), 0))\n",
                     "a = 'a'\nf = abs\nrules.append((('isub', a, a), f(0)))\n"):
            self.assertIn("code creates the rule", self.reason(text, [rule]), text)
        text = "a = 'a'\n\nrules.append((('isub', a, a), 0)); other.append((('isub', a, a), 0))\n"
        self.assertIn("code creates the rule", self.reason(text, [rule]))
        ignored = fault(3, "('isub', ignore_exact('fadd', 'a'), 'a')", "0", "x")
        self.assertIn("ignore_exact", self.reason(text, [ignored]))

    def test_described_edits(self):
        text = "rules = [\n   (('isub', 'a', 'a'), 1), # wrong\n   (('iadd', 'a', 0), 'a'), (('x', 'a'), 'a'),\n]\n"
        rules = [fault(2, "('isub', 'a', 'a')", "1"), fault(3, "('x', 'a')")]
        cause = {"title": "t", "lines": [2], "edit": [{"line": 2, "remove": True}]}
        self.assertEqual(self.corrected(text, rules, [cause]), text.replace("   (('isub', 'a', 'a'), 1), # wrong\n", ""))
        cause = {"title": "t", "lines": [3], "edit": [{"line": 3, "remove": True}]}
        self.assertIn("more than the tuple", self.reason(text, rules, [cause]))
        edit = {"line": 2, "before": "'a'", "after": "'b'"}
        self.assertIn("occurs 2 times", self.reason(text, rules, [{"title": "t", "lines": [2], "edit": [edit]}]))
        edits = [{"line": 2, "before": "'isub', 'a'", "after": "1"}, {"line": 2, "before": "'a', 'a'", "after": "2"}]
        self.assertIn("overlap", self.reason(text, rules, [{"title": "t", "lines": [2], "edit": edits}]))

    def test_messages_show_values(self):
        text = "rules = [(('fmin', 'a', 'a'), 1.0)]\n"
        rule = fault(1, "('fmin', 'a', 'a')", "1.0", "(('fmin(nnan)', 'a', 'a'), 1.0)")
        rule["cases"][0]["witness"]["search"] = "nan"
        (commit,), _ = self.plan(text, [rule])
        self.assertIn("    (('fmin', a, a), 1.0)\n      at 32 bits with a = 0x3f800000 (1):\n      search side nan, "
                      "replacement 0x1 (1.40129846e-45)", commit["text"])
        self.assertEqual(commit["subject"], "nir/opt_algebraic: correct a rule for fmin")
        with self.assertRaises(plan_patches.Problem):
            self.plan(text, [rule], [{"title": "t", "message": "a\n\n--- b", "lines": [1]}])

    def test_files_that_git_cannot_patch_are_refused(self):
        rule = fault(1, "('x', 'a')", fix="(('~x', 'a'), 'a')")
        for text in ("rules = [(('x', 'a'), 'a')]", "rules = [(('x', 'a'), 'a')]\r\n"):
            with self.assertRaises(plan_patches.Problem):
                self.plan(text, [rule])
        self.assertIn("\f(('~x', 'a'), 'a')", self.corrected("rules = [\f(('x', 'a'), 'a')]\n", [rule]))

    def check_refused(self, read, text, part):
        """Checks that `read` refuses a TOML file that contains the text, with a message that contains the part."""
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(text)
            file.flush()
            with self.assertRaises(plan_patches.Problem) as caught:
                read(file.name)
            self.assertIn(part, str(caught.exception))

    def test_causes_are_checked(self):
        for text, part in (("", "no [[cause]]"), ("cause = 3", "no [[cause]]"), ("[[cause]]\ntitle = 't'", "no lines"),
                           ("[[cause]]\ntitle = 't'\nlines = '5'", "lines must be"),
                           ("[[cause]]\ntitle = 't'\nlines = ['5']", "lines must be"),
                           ("[[cause]]\ntitle = 't'\nlines = [5]\nsuject = 'x'", "suject is not a key"),
                           ("[[cause]]\ntitle = 't'\nlines = [5]\n[[cause.edit]]\nline = 6\nremove = true", "names line 6"),
                           ("[[cause]]\ntitle = 't'\nlines = [5]\n[[cause.edit]]\nline = 5\nbefore = 'x'", "no after")):
            self.check_refused(plan_patches.read_causes, text, part)

    def proposed(self, text, *proposals):
        """Returns the commits that add rules to the file."""
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, os.path.dirname(NAME)))
            with open(os.path.join(folder, NAME), "w", encoding="utf-8") as file:
                file.write(text)
            plan = plan_patches.Plan(folder)
            return [plan.add({"file": NAME, "reason": "why", **proposal})["commit"] for proposal in proposals]

    def test_proposals_insert_after_a_line(self):
        text = "rules = [\n   1,\n   2,\n]\n"
        first, second = self.proposed(
            text, {"subject": "add 3", "insert": [{"after": "   2,", "rules": "\n   3,\n"}]},
            {"subject": "add more", "insert": [{"after": "   1,", "rules": "   11,\n   12,"}, {"after": "]", "rules": "x = 1"}]})
        self.assertEqual(first["content"], "rules = [\n   1,\n   2,\n   3,\n]\n")
        self.assertEqual((first["subject"], first["text"], first["lines"]), ("nir/opt_algebraic: add 3", "why", [3]))
        self.assertEqual(second["content"], "rules = [\n   1,\n   11,\n   12,\n   2,\n   3,\n]\nx = 1\n")
        self.assertEqual(second["lines"], [2, 4])
        self.assertIn("\n+   11,\n+   12,\n    2,\n", second["diff"])

    def test_proposals_follow_a_list(self):
        text = "rules = [\n   1,\n]\nlate = [2]\nfor i in range(2):\n   rules.extend([\n      i])\n\nlate += [3]\nprint(rules)\n"
        first, second, third = self.proposed(
            text, {"subject": "add 4", "insert": [{"list": "rules", "rules": "\nrules += [\n   4,\n]\n"}]},
            {"subject": "add 5", "insert": [{"list": "late", "rules": "late += [5]"}]},
            {"subject": "add 3", "insert": [{"list": "rules", "rules": "rules += [3]"}]})
        before, after = text.split("\nlate += [3]\n")
        self.assertEqual(first["content"], before + "\nrules += [\n   4,\n]\n" + "\nlate += [3]\n" + after)
        self.assertEqual((first["lines"], second["lines"]), ([7], [9]))
        self.assertTrue(third["content"].startswith(before + "\nrules += [\n   4,\n]\n\nrules += [3]\n\nlate += [3]\n\nlate += [5]\n"))
        with self.assertRaisesRegex(plan_patches.Problem, "no list other"):
            self.proposed(text, {"subject": "s", "insert": [{"list": "other", "rules": "x"}]})

    def test_proposals_replace_a_line(self):
        (commit,) = self.proposed("[\n   1,\n   2,\n]\n", {
            "subject": "s", "component": "pan/bi", "insert": [{"replaces": "   1,", "rules": "   3,"}],
            "explained": {"x": "y"}})
        self.assertEqual(commit["subject"], "pan/bi: s")
        self.assertEqual((commit["content"], commit["lines"]), ("[\n   3,\n   2,\n]\n", [2]))
        self.assertEqual((commit["replaces"], commit["explained"]), (True, {"x": "y"}))

    def test_the_line_of_a_proposal_occurs_once(self):
        for after, count in (("   1", 0), ("   2,", 2)):
            with self.assertRaisesRegex(plan_patches.Problem, f"occurs {count} times"):
                self.proposed("[\n   1,\n   2,\n   2,\n]\n", {"subject": "s", "insert": [{"after": after, "rules": "3"}]})

    def test_proposals_are_checked(self):
        for text, part in (("", "no [[proposal]]"), ("[[proposal]]\nsubject = 's'", "no reason"),
                           ("[[proposal]]\nsubject = 's'\nreason = 'r'\n[[proposal.insert]]\nafter = 'x'", "no rules"),
                           ("[[proposal]]\nsubject = 's'\nreason = 'r'\ninsert = 'x'", "insert must be")):
            self.check_refused(plan_patches.read_proposals, text, part)

    def test_a_fault_is_expected_to_pass(self):
        self.assertTrue(plan_patches.is_fault(fault(1, "'a'")))
        for fields in ({"class": "proved"}, {"test_status": "XFAIL"}, {"lowering": True}, {"note": "refuted at 1 bit only"}):
            self.assertFalse(plan_patches.is_fault(fault(1, "'a'", **fields)), json.dumps(fields))


if __name__ == "__main__":
    unittest.main()
