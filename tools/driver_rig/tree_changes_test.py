"""Tests the rig's changes to its copy of a Mesa tree, and what the build says about trees that it cannot build."""
import importlib.machinery
import importlib.util
import os
import re
import sys
import tempfile
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import rig  # noqa: E402
import tree_changes  # noqa: E402

CHANGES = [
    {"purpose": "say hello", "insert": "hello\n",
     "form": [{"file": "src/old.c", "anchor": "first\n"}, {"file": "src/new.c", "anchor": "second\n"}]},
    {"purpose": "print numbers", "statistics": ["aco"], "insert": "numbers\n",
     "form": [{"file": "src/new.c", "anchor": "third\n"}]},
]


def load_build():
    loader = importlib.machinery.SourceFileLoader("rig_build", os.path.join(FOLDER, "build"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("rig_build", loader))
    loader.exec_module(module)
    return module


class TreeChangesTest(unittest.TestCase):
    def setUp(self):
        self.tree = tempfile.TemporaryDirectory()
        os.mkdir(os.path.join(self.tree.name, "src"))

    def tearDown(self):
        self.tree.cleanup()

    def write(self, name, text):
        with open(os.path.join(self.tree.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.tree.name, name), encoding="utf-8") as file:
            return file.read()

    def test_takes_the_form_whose_anchor_occurs_once(self):
        self.write("src/new.c", "second\nthird\n")
        tree_changes.make(self.tree.name, CHANGES)
        self.assertEqual(self.read("src/new.c"), "second\nhello\nthird\nnumbers\n")
        self.write("src/old.c", "first\n")
        tree_changes.make(self.tree.name, CHANGES[:1])
        self.assertEqual(self.read("src/old.c"), "first\nhello\n")
        self.assertEqual(self.read("src/new.c"), "second\nthird\n", "each call starts from the original files")

    def test_does_not_touch_a_file_that_has_its_changes(self):
        self.write("src/new.c", "second\nthird\n")
        tree_changes.make(self.tree.name, CHANGES)
        before = os.stat(os.path.join(self.tree.name, "src/new.c")).st_mtime_ns
        tree_changes.make(self.tree.name, CHANGES)
        self.assertEqual(os.stat(os.path.join(self.tree.name, "src/new.c")).st_mtime_ns, before)

    def test_a_form_may_have_several_insertions(self):
        change = {"purpose": "say more", "form": [{"file": "src/new.c", "insertions": [["a\n", "1\n"], ["b\n", "2\n"]]}]}
        self.write("src/new.c", "a\nb\n")
        tree_changes.make(self.tree.name, [change])
        self.assertEqual(self.read("src/new.c"), "a\n1\nb\n2\n")
        self.write("src/new.c.rig_original", "a\n")
        with self.assertRaisesRegex(rig.UserError, "src/new.c: 'a'; src/new.c: 'b'"):
            tree_changes.make(self.tree.name, [change])

    def test_substitutions_are_made_where_the_text_occurs(self):
        self.write("meson.build", "version : '>= 9.1'\n")
        one = {"file": "meson.build", "pattern": "(?<=>= )[0-9.]+", "with": "8.2"}
        tree_changes.make(self.tree.name, [], [one, {"file": "missing", "pattern": "x", "with": "y"}])
        self.assertEqual(self.read("meson.build"), "version : '>= 8.2'\n")

    def test_substitutions_of_the_table(self):
        table = {one["file"]: one for one in rig.load_table("tree_changes.toml")["substitution"]}
        def changed(file, text):
            return re.sub(table[file]["pattern"], table[file]["with"], text)
        shim = "src/panfrost/drm-shim/panfrost_noop.c"
        text = "   case DRM_PANFROST_PARAM_GPU_REVISION:\n"
        self.assertEqual(changed(shim, text), "   case DRM_PANFROST_PARAM_L2_FEATURES:\n" + text)
        self.assertEqual(changed(shim, changed(shim, text)), changed(shim, text), "the parameter is there")
        self.assertEqual(changed("src/intel/compiler/jay/jay_ir.h", "enum jay_x : uint8_t {"),
                         "enum __attribute__((packed)) jay_x {")

    def test_the_tree_says_which_drivers_need_mesa_clc(self):
        iris, ir3, anv = {"gallium": "iris"}, {"gallium": "freedreno"}, {"vulkan": "intel"}
        for text, needing in (
                ("with_clc = with_gallium_rusticl\nwith_clc = get_option('x') != 'auto' or \\\n  with_gallium_iris\n", [iris]),
                ("with_driver_using_cl = [\n  with_gallium_iris,\n  with_intel_vk,\n].contains(true)\n", [iris, anv]),
                ("with_gallium_iris = true\n", [])):
            self.write("meson.build", text)
            self.assertEqual([one for one in (iris, ir3, anv) if tree_changes.needs_clc(self.tree.name, one)], needing)

    def test_names_the_change_that_does_not_fit(self):
        self.write("src/new.c", "second\nsecond\nthird\n")
        with self.assertRaisesRegex(rig.UserError, "cannot say hello: no file contains its anchor exactly once"):
            tree_changes.make(self.tree.name, CHANGES)
        self.assertEqual(self.read("src/new.c"), "second\nsecond\nthird\n")

    def test_makes_only_the_changes_that_the_drivers_need(self):
        self.assertEqual(tree_changes.needed(CHANGES, [{"statistics": "ir3"}]), CHANGES[:1])
        self.assertEqual(tree_changes.needed(CHANGES, [{"statistics": "ir3"}, {"statistics": "aco"}]), CHANGES)
        self.assertEqual(tree_changes.needed(CHANGES, []), [])

    def test_every_change_of_the_table_is_complete(self):
        rows = set(rig.load_table("statistics.toml"))
        for change in rig.load_table("tree_changes.toml")["change"]:
            self.assertLessEqual(set(change.get("statistics", [])), rows, change["purpose"])
            for form in change["form"]:
                self.assertIn(set(form), ({"file", "anchor"}, {"file", "insertions"}), change["purpose"])
                for texts in tree_changes.insertions(change, form):
                    self.assertTrue(all(text.endswith("\n") for text in texts), change["purpose"])

    def test_says_what_is_no_tree_that_it_can_build(self):
        build = load_build()
        with self.assertRaisesRegex(build.Stop, "is not a Mesa tree: it has no file VERSION"):
            build.version_of(self.tree.name)
        for text, expected in (("22.3.6\n", "is Mesa 22.3.6, but the rig builds 25.0 and newer versions"),
                               ("next\n", "VERSION does not contain a version: 'next'")):
            self.write("VERSION", text)
            with self.assertRaisesRegex(build.Stop, expected):
                build.version_of(self.tree.name)
        for text in ("25.0.7", "26.2.0-rc1", "27.1.0-devel"):
            self.write("VERSION", text + "\n")
            self.assertEqual(build.version_of(self.tree.name), text)


if __name__ == "__main__":
    unittest.main()
