"""Tests the table of several results files side by side."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import columns  # noqa: E402


def line(program, numbers):
    return {"driver": "ir3-a630", "program": program, "hash": "0", "mode": "alone", "api": "core", "file": program,
            "stage": "fragment", "variant": "", "numbers": numbers}


class ColumnsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, shaders):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            for entry in [{"build": name}] + [line(program, numbers) for program, numbers in shaders.items()]:
                file.write(json.dumps(entry) + "\n")
        return path

    def printed(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            columns.main(list(arguments))
        return out.getvalue()

    def test_sums_only_shaders_of_all_files_with_the_same_loops(self):
        def shaders(inst, loops_of_c):
            return {"a": {"inst": inst, "sstall": 4, "systall": 2, "waves": 16, "loops": 0},
                    "b": {"inst": 10, "sstall": 1, "systall": 1, "waves": 8 + inst % 2, "loops": 0},
                    "c": {"inst": 1000, "sstall": 0, "systall": 0, "waves": 16, "loops": loops_of_c}}
        files = [self.file(f"{number}", shaders(inst, loops))
                 for number, (inst, loops) in enumerate(((20, 1), (19, 1), (18, 1), (18, 2)))]
        only_here = shaders(18, 2)
        only_here["d"] = {"inst": 5, "sstall": 0, "systall": 0, "waves": 16, "loops": 0}
        files[3] = self.file("3", only_here)
        tsv = os.path.join(self.folder.name, "t.tsv")
        columns.main([f"{label}={path}" for label, path in zip(("old", "old+", "new", "new+"), files)] + ["--tsv", tsv])
        rows = {row[3]: row for row in columns.read_tsv(tsv)[1]}
        self.assertEqual(rows["number"], ["driver", "mode", "shaders", "number", "better", "old", "old+", "new", "new+",
                                          "better in old+", "worse in old+", "better in new+", "worse in new+"])
        self.assertEqual(rows["time"][2:], ["2", "time", "low", "38", "37", "36", "36", "1", "0", "0", "0"])
        self.assertEqual(rows["time, changes of more than 1%"][4:], ["low", "38", "37", "36", "36", "1", "0", "0", "0"])
        self.assertEqual(rows["waves"][4:], ["high", "24", "25", "24", "24", "1", "0", "0", "0"])
        with open(tsv, encoding="utf-8") as file:
            table = file.read()
        with open(tsv, "w", encoding="utf-8") as file:
            file.write("# # Title\n#\n# Text.\n" + table)
        page = self.printed("--render", tsv)
        self.assertTrue(page.startswith("# Title\n\nText.\n\n**ir3-a630, alone: 2 shaders**\n"), page)
        self.assertIn("**ir3-a630, alone: 2 shaders**", page)
        self.assertIn("| time | 38 | 37 (-2.63%; 1 better, 0 worse) | 36 | 36 (+0.00%; 0 better, 0 worse) |", page)
        self.assertIn("| waves (higher is better) | 24 | 25 (+4.17%; 1 better, 0 worse)", page)
        self.assertNotIn("sstall", page, "numbers that are the same in all columns are omitted")

    def test_all_files_are_compared_with_the_first(self):
        files = [self.file(f"{number}", {"a": {"inst": inst, "sstall": stalls, "systall": 0, "waves": 16},
                                         "b": {"inst": 10, "sstall": 0, "systall": 0, "waves": 16}})
                 for number, (inst, stalls) in enumerate(((200, 0), (199, 1), (190, 0), (202, 3)))]
        tsv = os.path.join(self.folder.name, "t.tsv")
        arguments = [f"{label}={path}" for label, path in zip(("none", "same", "fast", "slow"), files)]
        columns.main(["--first", *arguments, "--tsv", tsv])
        rows = {row[3]: row[5:] for row in columns.read_tsv(tsv)[1]}
        self.assertEqual(rows["number"][4:], ["better in same", "worse in same", "better in fast", "worse in fast",
                                              "better in slow", "worse in slow"])
        self.assertEqual(rows["time"], ["210", "210", "200", "215", "0", "0", "1", "0", "0", "1"])
        page = self.printed("--render", tsv)
        self.assertIn("| time | 210 | 210 (+0.00%; 0 better, 0 worse) | 200 (-4.76%; 1 better, 0 worse) | "
                      "215 (+2.38%; 0 better, 1 worse) |", page)
        self.assertEqual(page, self.printed("--first", *arguments))
        self.assertIn("| time | 210 | 210 (+0.00%", self.printed("--first", *arguments[:3]))

    def test_numbers_that_change_but_have_the_same_total_are_shown(self):
        files = [self.file(f"{number}", {"a": {"inst": inst}, "b": {"inst": 20 - inst}}) for number, inst in enumerate((9, 8))]
        self.assertIn("| instructions | 20 | 20 (+0.00%; 1 better, 1 worse) |",
                      self.printed(f"x={files[0]}", f"y={files[1]}"))

    def test_says_what_is_wrong_with_its_arguments(self):
        path = self.file("x", {"a": {"inst": 1}})
        for arguments in ((f"x={path}",), (f"x={path}", path), ()):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as text:
                columns.main(list(arguments))
            self.assertIn("name an even number of LABEL=FILE", text.getvalue())
        other = self.file("y", {"b": {"inst": 1}})
        with self.assertRaisesRegex(columns.rig.UserError, "no shader in common"):
            columns.main([f"x={path}", f"y={other}"])
        self.assertIn("All numbers are the same", self.printed(f"x={path}", f"y={path}"))


if __name__ == "__main__":
    unittest.main()
