"""Tests how the patches of a series become switched rules of one build."""
import enum
import os
import sys
import tempfile
import types
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import patch_series  # noqa: E402
import rig  # noqa: E402

FILE = "src/compiler/nir/nir_opt_algebraic.py"
RULES = """import nir_algebraic
a, b = 'a', 'b'
rules = [
   (('iadd', a, 0), a),
   (('imul', a, 1), a, 'options->x'),
   (('isub', a, a), 0),
]
nir_algebraic.AlgebraicPass("p", rules)
nir_algebraic.AlgebraicPass("q", [(('inot', ('inot', a)), a)])
"""
MAIL = """From 0 Mon Sep 17 00:00:00 2001
From: T <t@localhost>
Subject: [PATCH {number}/9] nir: {subject}

Text.
---
diff --git a/{file} b/{file}
--- a/{file}
+++ b/{file}
@@ -4,{old} +4,{new} @@
{body}
-- 
2.0
"""


def patch(number, body, file=FILE):
    old, new = (sum(not line.startswith(sign) for line in body.split("\n")) for sign in "+-")
    return MAIL.format(number=number, subject=f"change {number}", file=file, old=old, new=new, body=body)


KEEP = "    (('iadd', a, 0), a),\n    (('imul', a, 1), a, 'options->x'),\n    (('isub', a, a), 0),"
ADD = KEEP.replace("    (('imul'", "+   (('ixor', a, a), 0),\n    (('imul'")
REPLACE = ("-   (('imul', a, 1), a, 'options->x'),\n+   (('imul', a, 1.0), a, 'options->y'),\n"
           "    (('isub', a, a), 0),\n ]")


class PatchSeriesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("tree/src/compiler/nir/nir_algebraic.py", "class AlgebraicPass:\n    pass\n")
        self.write("tree/src/compiler/nir/nir_opcodes.py", "opcodes = {}\n")
        self.write("tree/" + FILE, RULES)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, *bodies):
        for number, body in enumerate(bodies, 1):
            self.write(f"patches/{number:04}-x.patch", patch(number, body))
        return patch_series.read(self.path("patches"))

    def changes(self, *bodies):
        patches = self.read(*bodies)
        return patches, patch_series.changes(self.path("tree"), patches)

    def test_reads_patches(self):
        first, second = self.read(ADD, REPLACE)
        self.assertEqual((first.name, first.subject, first.files), ("0001-x.patch", "nir: change 1", [FILE]))
        self.assertNotEqual(first.id, second.id)
        moved = first.diff.replace("@@ -4,3 +4,4 @@", "@@ -9,3 +9,4 @@")
        self.assertNotEqual(moved, first.diff)
        self.write("patches/0001-x.patch", patch(1, ADD).replace(first.diff, moved))
        self.assertEqual(patch_series.read(self.path("patches"))[0].id, first.id, "the numbers of lines do not matter")
        self.assertEqual(patch_series.id_of(" a\n+# comment\n+\n+x\n"), patch_series.id_of(" a\n+x\n"))
        self.assertNotEqual(patch_series.id_of(" a\n+x\n"), patch_series.id_of(" b\n+x\n"), "the place of the rule")

    # An id of audit/measured_patches_test.cc.
    def test_ids_are_those_of_propose(self):
        self.assertEqual(patch_series.id_of("--- a/f\n+++ b/f\n@@ -1 +1 @@\n a,\n-b\n+c\n"), "ef14398c46e638f1")

    def test_finds_the_changed_rules(self):
        patches, passes = self.changes(ADD, REPLACE)
        self.assertEqual([(one.added, one.removed) for one in patches], [(1, 0), (1, 1)])
        self.assertEqual(list(passes), ["p"])
        self.assertEqual([(index, number, rule[0]) for index, number, rule in passes["p"].added],
                         [(1, 1, "('ixor', 'a', 'a')"), (2, 2, "('imul', 'a', 1.0)")])
        self.assertEqual(passes["p"].removed, {1: 2})

    # Without the first patch, the rule that the second one inserts still comes before the rule that the first one replaces.
    def test_places_rules_as_in_the_unpatched_tree(self):
        before = ADD.replace("'imul', a, 1), a, 'options->x'", "'imul', a, 1.0), a, 'options->y'")
        _, passes = self.changes(REPLACE, before)
        self.assertEqual([(index, number) for index, number, _ in passes["p"].added], [(1, 2), (2, 1)])
        after = "    (('imul', a, 1.0), a, 'options->y'),\n+   (('ixor', a, a), 0),\n    (('isub', a, a), 0),\n ]"
        _, passes = self.changes(REPLACE, after)
        self.assertEqual([(index, number) for index, number, _ in passes["p"].added], [(2, 1), (2, 2)])

    def test_patches_must_be_independent(self):
        second = ADD.replace("+   (('ixor', a, a), 0),", "-   (('ixor', a, a), 0),\n+   (('ixor', a, a), 1),")
        with self.assertRaisesRegex(rig.UserError, "0002-x.patch: changes a rule that an earlier patch adds"):
            self.changes(ADD, second)

    def test_says_what_cannot_be_measured(self):
        with self.assertRaisesRegex(rig.UserError, "contains no \\*.patch files"):
            patch_series.read(self.path("none"))
        self.write("patches/0001-x.patch", patch(1, ADD, "src/compiler/nir/nir_search.c"))
        with self.assertRaisesRegex(rig.UserError, "only rule files of nir_algebraic can be measured"):
            patch_series.read(self.path("patches"))
        self.write("patches/0001-x.patch", "Subject: x\n\nno diff\n")
        with self.assertRaisesRegex(rig.UserError, "not a patch from git format-patch"):
            patch_series.read(self.path("patches"))
        with self.assertRaisesRegex(rig.UserError, "0001-x.patch does not apply"):
            self.changes(ADD.replace("'isub'", "'other'"))
        with self.assertRaisesRegex(rig.UserError, "changes no rule"):
            self.changes(KEEP.replace("    (('isub'", "+   # comment\n    (('isub'"))

    def test_switches_the_rules(self):
        _, passes = self.changes(ADD, REPLACE)
        status = enum.Enum("TestStatus", ["PASS"])

        class AlgebraicPass:
            """Stands in for the class of nir_algebraic."""

            def __init__(self, pass_name, transforms):
                self.pass_name, self.transforms = pass_name, transforms

            def render(self):
                return "code"
        module = types.ModuleType("nir_algebraic")
        vars(module).update(AlgebraicPass=AlgebraicPass, TestStatus=status, condition_list=["true", "rig_kept(2) && (x)"])
        exec(compile(patch_series.text_of(passes), "series", "exec"), vars(module))
        rules = [(("iadd", "a", 0), "a"), (("imul", "a", 1), "a", "options->x"), (("isub", "a", "a"), 0)]
        made = module.AlgebraicPass("p", rules)
        self.assertEqual(made.transforms, [
            rules[0], (("ixor", "a", "a"), 0, "rig_added(1) && (true)"), (("imul", "a", 1), "a", "rig_kept(2) && (options->x)"),
            (("imul", "a", 1.0), "a", "rig_added(2) && (options->y)"), rules[2]])
        self.assertIn("static const short patches[] = {0, -2};", made.render())
        other = module.AlgebraicPass("q", rules)
        self.assertEqual((other.transforms, other.render()), (rules, "code"))

    def test_rules_are_written_as_python(self):
        rule = ("('fadd', 'a', 'inf')", "'nan'", "", "XFAIL")
        self.assertEqual(patch_series.literal(rule), "(('fadd', 'a', float('inf')), float('nan'), True, TestStatus.XFAIL)")
        self.assertEqual(patch_series.literal(("'a'", "0", "x", "")), "('a', 0, 'x')")

    def test_switches(self):
        switches = patch_series.Switches
        self.assertEqual(switches.variables(frozenset()), {"RIG_PATCHES": ""})
        self.assertEqual(switches.variables(patch_series.MATCH), {"RIG_PATCHES": "match"})
        self.assertEqual(switches.variables(patch_series.setting_of(3)), {"RIG_PATCHES": ",3,"})
        self.assertEqual(switches.pairs(["series 3 17"]), {(3, "series"): 17})


if __name__ == "__main__":
    unittest.main()
