"""Files of results: reading, going on, comparing two of them."""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import results  # noqa: E402
import rig  # noqa: E402

DRIVERS = rig.load_drivers()


def shader(program, numbers, variant="", driver="ir3-a630"):
    return {"driver": driver, "program": program, "hash": "0", "mode": "alone", "api": "core", "file": program,
            "stage": "fragment", "variant": variant, "numbers": numbers}


class CompareTest(unittest.TestCase):
    def test_totals_helped_and_hurt(self):
        before = [shader("a", {"inst": 100, "waves": 4}), shader("b", {"inst": 50, "waves": 8}),
                  shader("c", {"inst": 50, "waves": 8}), shader("d", {"inst": 10, "waves": 8})]
        after = [shader("a", {"inst": 90, "waves": 8}), shader("b", {"inst": 51, "waves": 4}),
                 shader("c", {"inst": 48, "waves": 8}), shader("d", {"inst": 10, "waves": 8})]
        text = "\n".join(compare.compare(before, after, DRIVERS))
        self.assertIn("ir3-a630 alone: 4 shared shaders", text)
        self.assertIn("total inst in shared shaders: 210 -> 199 (-5.24%)", text)
        self.assertIn("inst in affected shaders: 200 -> 189 (-5.50%)", text)
        self.assertIn("helped: 2; abs min 2.00 max 10.00 mean 6.00 median 6.00; "
                      "rel min 4.00% max 10.00% mean 7.00% median 7.00%", text)
        self.assertIn("HURT: 1; abs min 1.00", text)
        self.assertNotIn("confidence", text)  # three shaders changed
        # More waves are better.
        waves = text[text.index("total waves"):]
        self.assertIn("helped: 1; abs min 4.00 max 4.00", waves)
        self.assertIn("rel min 100.00%", waves)
        self.assertIn("HURT: 1; abs min 4.00", waves)

    def test_confidence(self):
        # Changes of -1 and -3, ten each: mean -2, standard deviation 1.026, half width 1.96 * 1.026 / sqrt(20) = 0.45.
        before = [shader(str(number), {"inst": 100}) for number in range(20)]
        after = [shader(str(number), {"inst": 99 - 2 * (number % 2)}) for number in range(20)]
        text = "\n".join(compare.compare(before, after, DRIVERS))
        self.assertIn("95% mean confidence interval for inst value: -2.45 -1.55 (has one sign)", text)
        after = [shader(str(number), {"inst": 101 - 2 * (number % 2)}) for number in range(20)]
        text = "\n".join(compare.compare(before, after, DRIVERS))
        self.assertIn("confidence interval for inst value: -0.45 0.45 (is inconclusive)", text)

    def test_lost_and_gained(self):
        before = [shader("a", {"inst": 1}), shader("b", {"inst": 1}, "SIMD16")]
        after = [shader("a", {"inst": 1}), shader("e", {"inst": 7}),
                 {**shader("b", {}), "problem": "hang", "text": ""}]
        text = "\n".join(compare.compare(before, after, DRIVERS))
        self.assertIn("1 shared shaders\nno change\nLOST: 1 (b fragment SIMD16)\nGAINED: 1 (e fragment)", text)

    def test_shaders_of_another_text_are_not_compared(self):
        before = [shader("a", {"inst": 1}), shader("b", {"inst": 10})]
        after = [{**shader("a", {"inst": 9}), "hash": "1"}, shader("b", {"inst": 8})]
        text = "\n".join(compare.compare(before, after, DRIVERS))
        self.assertIn("1 shared shaders\ntotal inst in shared shaders: 10 -> 8", text)
        self.assertIn("of another text, not compared: 1 (a fragment)", text)

    def test_same(self):
        lines = [shader("a", {"inst": 1})]
        self.assertEqual(compare.compare(lines, lines, DRIVERS), ["ir3-a630 alone: 1 shared shaders", "no change", ""])


class FileTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "results.jsonl")

    def test_goes_on_and_sorts(self):
        file = results.File(self.path, "build 1")
        file.add([shader("b", {"inst": 2})])
        file.add([shader("a", {"inst": 1})])
        # Killed in the middle of a line.
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
        with self.assertRaisesRegex(rig.UserError, ":1: not a file of results"):
            results.read(self.path)
        with open(self.path, "w") as file:
            file.write('{"build": "1"}\nx\n')
        with self.assertRaisesRegex(rig.UserError, ":2: not JSON"):
            results.read(self.path)
        with self.assertRaisesRegex(rig.UserError, "No such file"):
            results.read(self.path + ".none")


if __name__ == "__main__":
    unittest.main()
