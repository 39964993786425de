"""Tests reading, resuming and comparing results files. Every compared number is checked against a hand-computed
value."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import compare  # noqa: E402
import compare_text  # noqa: E402
import results  # noqa: E402
import rig  # noqa: E402
import student_t  # noqa: E402

DRIVERS = rig.load_drivers()


def shader(program, numbers, variant="", driver="ir3-a630", mode="alone", text="0"):
    return {"driver": driver, "program": program, "hash": text, "mode": mode, "api": "core", "file": program,
            "stage": "fragment", "variant": variant, "numbers": numbers}


def problem(program, kind, driver="ir3-a630", mode="none", **more):
    return {"driver": driver, "program": program, "hash": "0", "mode": mode, "file": program, "problem": kind, "text": "",
            **more}


def row(values, name="inst", **more):
    """Returns the lines of shaders 0, 1, 2, ... with these values of one number."""
    return [shader(str(index), {name: value}, **more) for index, value in enumerate(values)]


class Folder(unittest.TestCase):
    """A test with a folder for results files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, lines, build="1"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(line) + "\n" for line in [{"build": build}] + lines))
        return path

    def document(self, *files, **options):
        """Returns the comparison document of lists of lines, stored as the files a, b, c."""
        paths = [self.write(name, lines) for name, lines in zip("abcd", files)]
        document = compare.document(paths, DRIVERS, **options)
        json.dumps(document, allow_nan=False)
        return document

    def text(self, *files, **options):
        return "\n".join(compare_text.lines(self.document(*files, **options))).replace(self.folder + os.sep, "")

    def number(self, before, after, name="inst", **more):
        """Returns the document's entry of one number for shaders that have only this number."""
        document = self.document(row(before, name, **more), row(after, name, **more))
        return document["comparisons"][0]["drivers"][0]["numbers"][0]


class TextTest(Folder):
    def test_the_form_of_report_py(self):
        before = [shader("a", {"inst": 100, "waves": 4}), shader("b", {"inst": 50, "waves": 8}),
                  shader("c", {"inst": 50, "waves": 8}), shader("d", {"inst": 10, "waves": 8})]
        after = [shader("a", {"inst": 90, "waves": 8}), shader("b", {"inst": 51, "waves": 4}),
                 shader("c", {"inst": 49, "waves": 8}), shader("d", {"inst": 10, "waves": 8})]
        # inst improves by 10 of 100 and 1 of 50, which is 10 % and 2 %. More waves are better. Only three shaders
        # change, so there is no confidence interval.
        self.assertEqual(self.text(before, after), """a -> b

ir3-a630 alone: 4 shared programs

total instructions in shared programs: 210 -> 200 (-4.76%)
instructions in affected programs: 200 -> 190 (-5.00%)
helped: 2
HURT: 1
helped stats (abs) min: 1 max: 10 x\u0304: 5.50 x\u0303: 5.5
helped stats (rel) min: 2.00% max: 10.00% x\u0304: 6.00% x\u0303: 6.00%
HURT stats (abs)   min: 1 max: 1 x\u0304: 1.00 x\u0303: 1
HURT stats (rel)   min: 2.00% max: 2.00% x\u0304: 2.00% x\u0303: 2.00%

total waves in shared programs: 28 -> 28 (0.00%)
waves in affected programs: 12 -> 12 (0.00%)
helped: 1
HURT: 1
helped stats (abs) min: 4 max: 4 x\u0304: 4.00 x\u0303: 4
helped stats (rel) min: 100.00% max: 100.00% x\u0304: 100.00% x\u0303: 100.00%
HURT stats (abs)   min: 4 max: 4 x\u0304: 4.00 x\u0303: 4
HURT stats (rel)   min: 50.00% max: 50.00% x\u0304: 50.00% x\u0303: 50.00%

LOST:   0
GAINED: 0
""")

    def test_time_comes_first(self):
        before = [shader("a", {"inst": 100, "sstall": 4, "systall": 6})]
        after = [shader("a", {"inst": 90, "sstall": 20, "systall": 11})]
        text = self.text(before, after)
        self.assertIn("ir3-a630 alone: 1 shared programs\ntime = inst + sstall + systall\n\n"
                      "total time in shared programs: 110 -> 121 (10.00%)\n", text)
        self.assertLess(text.index("total time"), text.index("total instructions in shared programs: 100 -> 90"))
        number = self.document(before, after)["comparisons"][0]["drivers"][0]["numbers"][0]
        self.assertEqual((number["name"], number["main"], number["hurt"]["count"]), ("time", True, 1))

    def test_same(self):
        lines = row([1, 2])
        self.assertEqual(self.text(lines, lines),
                         "a -> b\n\nir3-a630 alone: 2 shared programs\n\nNo changes.\n\nLOST:   0\nGAINED: 0\n")

    def test_small_shares_keep_from_looking_like_none(self):
        self.assertIn("total instructions in shared programs: 100001 -> 100000 (<.01%)", self.text(row([100001]), row([100000])))

    def test_few_changes_have_no_spread(self):
        self.assertIn("helped: 2\nHURT: 0\n\nLOST", self.text(row([10, 10]), row([9, 8])))
        self.assertIn("HURT: 0\nhelped stats", self.text(row([10] * 3), row([9] * 3)))

    def test_nothing_and_from_nothing(self):
        text = self.text(row([0, 4], "constlen"), row([3, 0], "constlen"))
        self.assertIn("total constlen in shared programs: 4 -> 3 (-25.00%)", text)
        self.assertIn("helped: 1\nHURT: 1\nhelped stats (abs) min: 4", text)
        self.assertIn("HURT stats (rel)   min: 0.00% max: 0.00%", text)
        self.assertIn("programs: 4 -> 0\n", self.text(row([4]), row([0])))

    def test_spills_have_no_spread(self):
        text = self.text(row([1, 2, 3, 4, 5], "spills"), row([0] * 5, "spills"))
        self.assertIn("helped: 5\nHURT: 0\n\nLOST", text)

    def test_names_cannot_move_the_cursor(self):
        wild = "a\x1b[2J\u202e\ud800b"
        text = self.text([shader(wild, {"in\x1bst": 1})], [problem(wild, "hang")])
        self.assertIn("LOST:   a\\x1b[2J\\u202e\\ud800b fragment (hang)", text)
        text.encode()
        self.assertNotIn("\x1b", text)
        self.assertIn("total in\\x1bst in", self.text([shader("a", {"in\x1bst": 1})], [shader("a", {"in\x1bst": 2})]))

    def test_many_lost(self):
        text = self.text(row(range(1, 32)), row([1]))
        self.assertEqual(text.count("LOST:   "), 20 + 1 + 1)
        self.assertIn("LOST:   ... and 10 more\n\nLOST:   30 (after: 30 not run)\n", text)


class NumbersTest(Folder):
    def test_quantiles(self):
        # Abramowitz and Stegun, table 26.10, for 1 - A = 0.05.
        for freedom, quantile in ((1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (19, 2.093),
                                  (30, 2.042), (60, 2.000), (120, 1.980)):
            self.assertAlmostEqual(student_t.half_width(freedom), quantile, delta=0.0005)
        self.assertAlmostEqual(student_t.half_width(2, 0.99), 9.925, delta=0.0005)
        self.assertAlmostEqual(student_t.half_width(10**6), 1.959966, delta=1e-6)
        # The expansion continues the sums smoothly.
        steps = [student_t.half_width(freedom) for freedom in (198, 199, 200, 201)]
        self.assertAlmostEqual(steps[2] - steps[1], steps[1] - steps[0], delta=2e-6)
        self.assertAlmostEqual(student_t.within(student_t.half_width(200), 200), 0.95, delta=1e-9)

    def test_confidence(self):
        # Ten changes of -1 and ten of -3, all from 100: mean -2, deviation 1.0260, t 2.0930, half width 2.0930 *
        # 1.0260 / sqrt(20).
        number = self.number([100] * 20, [99, 97] * 10)
        self.assertEqual([round(value, 4) for value in number["confidence"]["value"]], [-2.4802, -1.5198])
        self.assertEqual([round(value, 4) for value in number["confidence"]["percent"]], [-2.4802, -1.5198])
        self.assertEqual(number["verdict"], "helped")
        # Four changes: deviation 1.1547, t 3.1824, half width 1.8374.
        number = self.number([100] * 4, [99, 97] * 2)
        self.assertEqual([round(value, 4) for value in number["confidence"]["value"]], [-3.8374, -0.1626])
        # Equal changes have no deviation.
        self.assertEqual(self.number([10] * 4, [11] * 4)["confidence"], {"value": [1, 1], "percent": [10, 10]})
        for count, there in ((3, False), (4, True)):
            number = self.number([10] * count + [7], [11] * count + [7])
            self.assertEqual((number["confidence"] is not None, number["verdict"] is not None), (there, there))

    def test_verdicts(self):
        for before, after, name, verdict, why in (
                ([10] * 5, [11] * 5, "inst", "hurt", ""),
                ([10] * 5, [11] * 5, "waves", "helped", ""),
                ([10] * 5, [9] * 5, "waves", "hurt", ""),
                ([10] * 4, [9, 11] * 2, "inst", "inconclusive", "value mean confidence interval includes 0"),
                # A large share of a small shader offsets small shares of large shaders, so value and %-change
                # disagree.
                ([1000] * 7 + [2], [990] * 7 + [3], "inst", "inconclusive", "%-change mean confidence interval includes 0"),
                ([1] * 40 + [1000] * 20, [2] * 40 + [900] * 20, "inst", "inconclusive",
                 "value mean confidence interval and %-change mean confidence interval disagree")):
            number = self.number(before, after, name)
            self.assertEqual((number["verdict"], number["why"] or ""), (verdict, why), (before, after))
        text = self.text(row([10] * 5), row([11] * 5))
        self.assertIn("95% mean confidence interval for instructions value: 1.00 1.00\n"
                      "95% mean confidence interval for instructions %-change: 10.00% 10.00%\nInstructions are HURT.\n", text)
        self.assertIn("Waves are helped.\n", self.text(row([10] * 5, "waves"), row([11] * 5, "waves")))
        self.assertIn("\nInconclusive result (value mean confidence interval includes 0).\n",
                      self.text(row([10] * 4), row([9, 11] * 2)))

    def test_spread(self):
        # Changes of 1, 2 and 6 from 10, 10 and 20: 10, 20 and 30 %.
        number = self.number([10, 10, 20, 5], [9, 8, 14, 5])
        self.assertEqual(number["helped"], {"count": 3, "abs": {"min": 1, "max": 6, "mean": 3, "median": 2},
                                            "rel": {"min": 10, "max": 30, "mean": 20, "median": 20}})
        self.assertEqual(number["hurt"], {"count": 0, "abs": None, "rel": None})
        self.assertEqual((number["total"], number["affected"]), ([45, 36, -20], [40, 31, -22.5]))

    def test_fractions_add_up(self):
        number = self.number([0.1] * 10, [0.2] * 10, "cycles", driver="valhall-g57")
        self.assertEqual(number["total"][:2], [1, 2])
        self.assertEqual(self.number([0.25, 1], [0.5, 1], "cycles")["total"], [1.25, 1.5, 20])

    def test_other_loops(self):
        before = [shader("a", {"inst": 10, "loops": 1}), shader("b", {"inst": 10, "loops": 1})]
        after = [shader("a", {"inst": 90, "loops": 0}), shader("b", {"inst": 9, "loops": 1})]
        text = self.text(before, after)
        self.assertIn("1 programs have a different number of loops", text)
        self.assertIn("total instructions in shared programs: 10 -> 9 (-10.00%)", text)
        self.assertIn("total loops in shared programs: 2 -> 1 (-50.00%)", text)
        text = self.text(before, after, ignore_loops=True)
        self.assertNotIn("different number", text)
        self.assertIn("total instructions in shared programs: 20 -> 99 (395.00%)", text)

    def test_sources(self):
        names = ["corpus/godot/sky/a.frag", "corpus/godot/b.frag", "corpus/kodi/c.frag"]
        self.assertEqual(compare.sources(names), dict(zip(names, ["godot", "godot", "kodi"])))
        self.assertEqual(compare.sources(["kodi/a", "kodi/b"]), {"kodi/a": "kodi", "kodi/b": "kodi"})
        self.assertEqual(compare.sources(["a", "kodi/b"]), {"a": ".", "kodi/b": "kodi"})
        number = self.document([shader(name, {"inst": 10}) for name in names], [shader(name, {"inst": inst}) for name, inst in
                               zip(names, (9, 12, 10))])["comparisons"][0]["drivers"][0]["numbers"][0]
        self.assertEqual(number["sources"], [
            {"source": "godot", "shaders": 2, "total": [20, 21, 5], "helped": 1, "hurt": 1},
            {"source": "kodi", "shaders": 1, "total": [10, 10, 0], "helped": 0, "hurt": 0}])

    def test_main_numbers(self):
        known = {"main": ["inst", "full", "none"]}
        self.assertEqual(compare.main_numbers(known, ["nops", "full", "inst", "time"]), ["time", "inst", "full"])
        self.assertEqual(compare.main_numbers(known, ["nops", "full", "inst"]), ["inst", "full"])
        self.assertEqual(compare.main_numbers({}, ["v", "w"]), ["v"])
        self.assertEqual(compare.main_numbers({}, []), [])

    def test_measurements(self):
        before = [shader("a", {"inst": 9, "full": 2}), shader("a", {"Instructions": 9}, driver="aco-navi31")]
        after = [shader("a", {"inst": 8, "full": 1}), shader("a", {"Instructions": 8}, driver="aco-navi31")]
        text = self.text(before, after, measurements=["instructions"])
        self.assertIn("total instructions", text)
        self.assertIn("total Instructions", text)
        self.assertNotIn("full", text)
        with self.assertRaisesRegex(rig.UserError, "no measurement speed; the files have Instructions, full, inst"):
            self.document(before, after, measurements=["inst", "speed"])


class ShadersTest(Folder):
    def test_lost_and_gained_with_reasons(self):
        before = [shader("a", {"inst": 1}), shader("a", {"inst": 1}, "SIMD16"), shader("hangs", {"inst": 1}),
                  shader("stops", {"inst": 1}), shader("refused", {"inst": 1}), shader("linked", {"inst": 1}, mode="linked"),
                  problem("new", "crash"), problem("other", "compile", mode="linked", stage="fragment")]
        after = [shader("a", {"inst": 1}), problem("hangs", "hang"), problem("linked", "compile", mode="linked",
                 stage="vertex+fragment"), problem("refused", "compile", mode="alone", stage="vertex"), shader("new", {"inst": 7}),
                 shader("other", {"inst": 1})]
        text = self.text(before, after)
        for line in ("LOST:   a fragment SIMD16 (no such variant)", "LOST:   hangs fragment (hang)",
                     "LOST:   stops fragment (not run)", "LOST:   refused fragment (no such variant)",
                     "LOST:   linked fragment (compile)", "LOST:   4 (after: 1 hang, 2 no such variant, 1 not run)",
                     "GAINED: new fragment (crash)", "GAINED: 2 (before: 1 crash, 1 no such variant)"):
            self.assertIn(line + "\n", text)

    def test_shaders_of_another_text_are_not_compared(self):
        before = row([1, 10])
        after = [shader("0", {"inst": 9}, text="1"), shader("1", {"inst": 8})]
        text = self.text(before, after)
        self.assertIn("1 shared programs\n\ntotal instructions in shared programs: 10 -> 8", text)
        self.assertIn("LOST:   0\nGAINED: 0\nChanged text, not compared: 1 (0 fragment)", text)
        # A run resumed after a shader was edited contains both versions; the shaders with equal sources are compared.
        text = self.text(before, after + [shader("0", {"inst": 2})])
        self.assertIn("2 shared programs\n\ntotal instructions in shared programs: 11 -> 10", text)

    def test_drivers_of_one_file(self):
        before, after = row([1]) + row([1], driver="v3d-42"), row([1]) + [problem("0", "hang", driver="elk-hsw")]
        text = self.text(before, after)
        self.assertIn("note: only in a: v3d-42\nnote: only in b: elk-hsw\n", text)
        self.assertNotIn("LOST:   1", text)
        self.assertIn("no driver in common", self.text(row([1]), row([1], driver="v3d-42")))
        # A driver that hangs on all programs was still run.
        self.assertIn("LOST:   1 (after: 1 hang)", self.text(row([1]), [problem("0", "hang")]))

    def test_changed_shaders_have_all_numbers(self):
        before = [shader("s/a", {"inst": 3, "full": 1}), shader("t/b", {"inst": 3})]
        after = [shader("s/a", {"inst": 2, "full": 1}), shader("t/b", {"inst": 3})]
        self.assertEqual(self.document(before, after)["comparisons"][0]["drivers"][0]["changed"], [
            {"program": "s/a", "file": "s/a", "stage": "fragment", "variant": "", "source": "s", "loops_changed": False,
             "numbers": {"inst": [3, 2], "full": [1, 1]}}])

    def test_three_files(self):
        # Compared with a, b helps 0 and 1 and hurts 2; c helps 1 and 3 and hurts 2 and 4.
        files = row([10] * 6), row([9, 9, 11, 10, 10, 10]), row([10, 8, 12, 9, 11, 10])
        document = self.document(*files)
        self.assertEqual([(one["before"], one["after"]) for one in document["comparisons"]], [(0, 1), (0, 2), (1, 2)])
        numbers = [one["drivers"][0]["numbers"][0] for one in document["comparisons"]]
        self.assertEqual([number["total"][:2] for number in numbers], [[60, 59], [60, 60], [59, 60]])
        self.assertEqual([number["kept"] for number in numbers[:2]], [None, None])
        self.assertEqual(numbers[2]["kept"], {"helped": [1, 1, 1], "hurt": [1, 1, 0]})
        text = self.text(*files)
        for line in ("a -> b", "a -> c", "b -> c", "helped against a: 1 in both, 1 new, 1 no longer",
                     "HURT against a: 1 in both, 1 new, 0 no longer"):
            self.assertIn(line + "\n", text)
        self.assertEqual(len(self.document(*files, files[0])["comparisons"]), 5)

    def test_three_files_and_loops(self):
        files = [[shader("a", {"inst": inst, "loops": loops}), shader("b", {"inst": inst, "loops": 1})]
                 for inst, loops in ((10, 1), (9, 0), (8, 0))]
        kept = {number["name"]: number["kept"]["helped"] for number in
                self.document(*files)["comparisons"][2]["drivers"][0]["numbers"]}
        self.assertEqual(kept, {"inst": [1, 0, 0], "loops": [1, 0, 0]})

    def test_three_files_with_holes(self):
        files = row([10, 10]), row([9, 9, 9]), [shader("1", {"inst": 8}), shader("2", {"inst": 7}), problem("0", "hang")]
        last = self.document(*files)["comparisons"][2]["drivers"][0]
        self.assertEqual(last["numbers"][0]["kept"], {"helped": [1, 0, 0], "hurt": [0, 0, 0]})  # 2 is not in a
        self.assertEqual(last["numbers"][0]["total"][:2], [18, 15])
        self.assertEqual([(one["program"], one["reason"]) for one in last["lost"]], [("0", "hang")])


class HostileTest(Folder):
    def refused(self, line, words):
        path = os.path.join(self.folder, "hostile")
        with open(path, "wb") as file:
            file.write(b'{"build": "1"}\n' + json.dumps(shader("a", {"inst": 1})).encode() + b"\n" + line + b"\n")
        with self.assertRaisesRegex(rig.UserError, f"hostile:3: .*{words}") as caught:
            compare.document([self.write("a", row([1])), path], DRIVERS)
        self.assertIn("write the file again" if "duplicate" in words else "remove the file", str(caught.exception))

    def test_lines_that_no_run_writes(self):
        good = json.dumps(shader("b", {"inst": 1}))
        for value in ("NaN", "Infinity", "-1", "true", '"1"', "null", "1e300", "1" + "0" * 400, "[1]"):
            self.refused(good.replace('"inst": 1', f'"inst": {value}').encode(), "is not a number")
        for name in ("driver", "program", "hash", "mode", "file", "stage", "variant"):
            line = {**shader("b", {"inst": 1})}
            del line[name]
            self.refused(json.dumps(line).encode(), f'"{name}" is not a string')
            self.refused(json.dumps({**line, name: 1}).encode(), f'"{name}" is not a string')
        self.refused(json.dumps({**shader("b", []), "numbers": [1]}).encode(), "is not an object")
        self.refused(json.dumps({"problem": "hang"}).encode(), '"driver" is not a string')
        self.refused(b"[]", "not a JSON object")
        self.refused(b"", "not JSON")
        self.refused(good.encode().replace(b'"b"', b'"\xff"'), "not JSON")
        self.refused(b"[" * 100000, "not JSON")
        self.refused(good.replace('"inst": 1', '"inst": ' + "1" * 5000).encode(), "not JSON")
        self.refused(json.dumps(shader("a", {"inst": 2})).encode(), "duplicate shader")

    def test_files_that_are_none(self):
        good = self.write("a", row([1]))
        for content in (b"", b"\n", b"{}\n", b"[1]\n", b'{"build": 7}\n', b'{"build": "1"}', b"\x7fELF\n", b"\0" * 50):
            path = os.path.join(self.folder, "none")
            with open(path, "wb") as file:
                file.write(content)
            with self.assertRaisesRegex(rig.UserError, "none:1: not"):
                compare.document([good, path], DRIVERS)
        with self.assertRaisesRegex(rig.UserError, "No such file"):
            compare.document([good, path + "2"], DRIVERS)
        with self.assertRaisesRegex(rig.UserError, "Is a directory"):
            compare.document([good, self.folder], DRIVERS)

    def test_half_a_line_is_said(self):
        paths = [self.write("a", row([1, 2])), self.write("b", row([1, 2]))]
        with open(paths[1], "r+b") as file:
            file.truncate(os.path.getsize(paths[1]) - 5)
        text = "\n".join(compare_text.lines(compare.document(paths, DRIVERS)))
        self.assertRegex(text, "^note: .*b ends in an incomplete line because its run was stopped; resume it with "
                               "the same --out\n")
        self.assertIn("LOST:   1 (after: 1 not run)", text)

    def test_another_build_is_shown(self):
        paths = [self.write("a", row([1]), "one"), self.write("b", row([1]), "two")]
        self.assertEqual([file["build"] for file in compare.document(paths, DRIVERS)["files"]], ["one", "two"])

    def test_a_file_for_each_driver(self):
        for name, inst in (("old", 10), ("new", 9)):
            self.write(f"ir3.{name}.jsonl", row([inst]), name + " 1")
            self.write(f"v3d.{name}.jsonl", row([2 * inst], driver="v3d-42"), name + " 2")
        paths = [os.path.join(self.folder, pattern) for pattern in ("*.old.jsonl", "*.new.jsonl")]
        document = compare.document(paths, DRIVERS)
        self.assertEqual([(one["driver"], one["numbers"][0]["total"]) for one in document["comparisons"][0]["drivers"]],
                         [("ir3-a630", [10, 9, -10]), ("v3d-42", [20, 18, -10])])
        self.assertEqual([file["build"] for file in document["files"]], ["old 1, old 2", "new 1, new 2"])
        self.write("other.new.jsonl", row([1]))
        with self.assertRaisesRegex(rig.UserError, "other.new.jsonl:2: duplicate shader"):
            compare.document(paths, DRIVERS)
        with self.assertRaisesRegex(rig.UserError, r"none: No such file"):
            compare.document([paths[0], paths[0] + ".none"], DRIVERS)
        # The name of an existing file is not a pattern.
        self.write("[ab].jsonl", row([10]))
        self.write("a.jsonl", row([1]))
        path = os.path.join(self.folder, "[ab].jsonl")
        self.assertIn("10 -> 10", "\n".join(compare_text.number_lines(
            compare.document([path, path], DRIVERS)["comparisons"][0]["drivers"][0]["numbers"][0], "")))


class CommandTest(Folder):
    def run_compare(self, *args, **more):
        return subprocess.run([sys.executable, os.path.join(FOLDER, "run"), *args], capture_output=True, text=True, **more)

    def test_text_and_json(self):
        paths = [self.write("a", row([10, 3])), self.write("b", row([9, 3]))]
        done = self.run_compare("--compare", *paths)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("total instructions in shared programs: 13 -> 12 (-7.69%)\n", done.stdout)
        done = self.run_compare("--compare", *paths, "--json")
        self.assertEqual(json.loads(done.stdout), compare.document(paths, DRIVERS))

    def test_a_terminal_without_the_letters(self):
        paths = [self.write("a", row([10] * 3)), self.write("b", row([9] * 3))]
        done = self.run_compare("--compare", *paths, env={**os.environ, "PYTHONIOENCODING": "latin-1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("max: 1 x?: 1.00", done.stdout)

    def test_what_does_not_go_together(self):
        a, b = self.write("a", row([1])), self.write("b", row([1]))
        for args, words in ((["--compare", a], "at least two files"), (["--json"], "use either --compare"),
                            (["--compare", a, b, "--driver", "v3d-42"], "remove --driver"),
                            (["--driver", "v3d-42", "--shaders", a, "--html", "x"], "require --compare"),
                            (["--compare", a, b, "--measurements", ","], "--measurements is empty"),
                            (["--compare", a, b, "--html", "x", "--shaders", a + "0"], "a0 does not exist"),
                            (["--compare", a, b, "--html", os.path.join(a, "x")], "Not a directory"),
                            (["--compare", a, os.devnull], "not a results file")):
            done = self.run_compare(*args)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


class FileTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "results.jsonl")

    def test_goes_on_and_sorts(self):
        file = results.File(self.path, "build 1")
        file.add([shader("b", {"inst": 2})])
        file.add([shader("a", {"inst": 1})])
        # The run was killed in the middle of a line.
        file.file.close()
        with open(self.path, "a") as half:
            half.write('{"driver": "ir3-a6')
        again = results.File(self.path, "build 1")
        self.assertEqual(again.done, {("ir3-a630", "a", "0"), ("ir3-a630", "b", "0")})
        again.close()
        with open(self.path) as text:
            lines = [json.loads(line) for line in text]
        self.assertEqual(lines[0], {"build": "build 1"})
        self.assertEqual([line["program"] for line in lines[1:]], ["a", "b"])

    def test_other_builds_and_other_files_are_refused(self):
        results.File(self.path, "build 1").close()
        with self.assertRaisesRegex(rig.UserError, "another build"):
            results.File(self.path, "build 2")
        with open(self.path, "w") as file:
            file.write("{}\n")
        with self.assertRaisesRegex(rig.UserError, ":1: not a results file"):
            results.read(self.path)
        with open(self.path, "w") as file:
            file.write('{"build": "1"}\nx\n')
        with self.assertRaisesRegex(rig.UserError, ":2: not JSON"):
            results.read(self.path)
        with self.assertRaisesRegex(rig.UserError, "No such file"):
            results.read(self.path + ".none")


if __name__ == "__main__":
    unittest.main()
