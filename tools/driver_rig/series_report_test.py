"""Tests the report of a patch series: verdicts, sums, and the statistics for commit messages."""
import os
import sys
import tempfile
import tomllib
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rig  # noqa: E402
import series_report  # noqa: E402
import trial_measure  # noqa: E402

ROW = rig.load_table("statistics.toml")["ir3"]


class Program:
    """Stands in for programs.Program."""

    def __init__(self, name):
        self.name, self.hash = name, "h" + name

    def file_of(self, stage):
        return f"{self.name}.{stage[:4]}"


def outcome(problem=None, mode="alone", **numbers):
    shaders = {} if problem else {(mode, "fragment", ""): {"inst": 100, "non-nops": 90, "sstall": 0, "systall": 0, "waves": 16,
                                                           "nops": 10, **numbers}}
    return trial_measure.Outcome(shaders, {}, problem).timed(ROW)


class SeriesReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.programs = {name: Program(f"game/{name}") for name in "abc"}

    def report(self, held_out=frozenset(), **after):
        """Returns the entry of the driver for one patch with these outcomes by program."""
        changed = {self.programs[name]: one for name, one in after.items()}
        everything = {**changed, self.programs["c"]: outcome(inst=20)}
        results = series_report.Results("ir3-a630", ROW, {one: outcome() for one in self.programs.values()},
                                        [changed, everything])
        results.write(self.folder.name, "build")
        patch = types.SimpleNamespace(id="i", name="0001-x.patch", subject="s", added=1, removed=0)
        document = series_report.document([patch], [results], self.folder.name, held_out)
        self.table, self.together = series_report.table(document), document["together"]
        return document["patches"][0]["drivers"][0]

    def test_a_gain(self):
        entry = self.report(a=outcome(inst=90, nops=0), held_out={"hgame/b"})
        self.assertEqual((entry["verdict"], entry["reason"], entry["touched"], entry["build"]), ("gain", "", 1, "build"))
        self.assertEqual((entry["all"]["shaders"], entry["all"]["helped"], entry["all"]["hurt"]), (3, 1, 0))
        self.assertEqual(entry["all"]["numbers"]["time"], {"before": 300, "change": -10, "better": 1, "worse": 0,
                                                           "better_high": False, "main": True})
        self.assertEqual(entry["held_out"]["numbers"]["time"]["change"], 0)
        self.assertEqual(entry["text"][:6], [
            "ir3-a630, 3 shaders (time = inst + sstall + systall):", "", "total time in shared programs: 300 -> 290 (-3.33%)",
            "time in affected programs: 100 -> 90 (-10.00%)", "helped: 1", "HURT: 0"])
        self.assertIn("total nops in shared programs: 30 -> 20 (-33.33%)", entry["text"])
        self.assertEqual(self.table[0], "0001-x.patch: gains on ir3-a630")
        self.assertEqual(self.together[0]["all"]["numbers"]["time"]["change"], -90)
        self.assertIn("all patches: gains on ir3-a630", self.table)

    def test_losses(self):
        for after, reason in (({"a": outcome(sstall=5)}, "time +1.67%"),
                              ({"a": outcome(inst=40), "b": outcome(sstall=2), "c": outcome(sstall=3)},
                               "2 shaders become slower by more than 1%, and 1 faster"),
                              ({"a": outcome(inst=99, waves=8)}, "waves -16.67%"),
                              ({"a": outcome(problem="hang")}, "1 shader does not compile")):
            entry = self.report(**after)
            self.assertEqual((entry["verdict"], entry["reason"]), ("loss", reason))
            self.assertIn("gains on no driver", self.table[0])
        # The waves fall by a smaller share than the time.
        self.assertEqual(self.report(a=outcome(inst=10), b=outcome(waves=14))["verdict"], "gain")
        self.assertEqual(self.report(a=outcome(nops=11))["verdict"], "none")

    def test_names_the_shaders_that_become_slower(self):
        entry = self.report(a=outcome(inst=40), b=outcome(inst=101, nops=11, waves=15))
        self.assertEqual(entry["text"][-3:], ["Slower (1, the worst first):",
                                              "- game/b.frag fragment: time 100 -> 101 (1.00%), inst +1, waves -1,", "  nops +1"])

    def test_a_linked_program_counts_once(self):
        both = trial_measure.Outcome({**outcome().shaders, **outcome(mode="linked", inst=50).shaders}, {}, None)
        results = series_report.Results("ir3-a630", ROW, {self.programs["a"]: both}, [{}])
        self.assertEqual([line["numbers"]["inst"] for line in results.base], [50])

    def test_unchanged_and_unmeasurable_drivers(self):
        self.assertEqual(self.report()["text"], ["ir3-a630: no changes in 3 shaders."])
        with self.assertRaisesRegex(rig.UserError, "no estimate of time for x"):
            series_report.Results("x", {}, {}, [])


ROWS = {"ir3-a630": rig.load_table("statistics.toml")["ir3"], "v3d-42": rig.load_table("statistics.toml")["v3d"]}
TEXT = '''# head
title = "Proposals"

[[proposal]]
subject = "a"
[[proposal.insert]]
rules = """
# a
"""

[[proposal]]
subject = "b"
[[proposal.insert]]
rules = "b"
'''


def sums(time, helped=3, hurt=1, **numbers):
    """Returns the sums of a driver whose time is 1000 before. Each number changes from 100."""
    entries = {"time": {"before": 1000, "change": time, "better_high": False}}
    for name, change in numbers.items():
        entries[name] = {"before": 100, "change": change, "better_high": name in ("waves", "threads")}
    return {"helped": helped, "hurt": hurt, "numbers": entries}


def driver(every, held_out=None, name="ir3-a630", reason=""):
    return {"driver": name, "all": every, "held_out": held_out, "reason": reason}


class SeriesChoiceTest(unittest.TestCase):
    def reason(self, *drivers):
        return series_report.reason_against(drivers, ROWS)

    def test_a_gain_without_a_loss_is_chosen(self):
        self.assertEqual(self.reason(driver(sums(-10))), "")
        self.assertEqual(self.reason(driver(sums(-10)), driver(sums(0, 0, 0), name="v3d-42")), "")
        self.assertEqual(self.reason(driver(sums(0, 0, 0))), "no driver gains")

    def test_a_loss_of_one_driver_excludes_a_proposal(self):
        self.assertEqual(self.reason(driver(sums(-10)), driver(sums(1), name="v3d-42")), "v3d-42: time +0.10%")
        self.assertIn("4 shaders become slower", self.reason(driver(sums(-10, helped=3, hurt=4))))
        self.assertEqual(self.reason(driver(sums(-10, waves=-2))), "ir3-a630: waves -2.00%")
        self.assertEqual(self.reason(driver(sums(-10), reason="1 shader does not compile")),
                         "ir3-a630: 1 shader does not compile")

    def test_held_out_shaders_do_not_count(self):
        lost, gained = sums(15, helped=1, hurt=8), sums(-20, helped=3, hurt=0)
        for held_out in (lost, gained):
            held_out["numbers"]["time"]["before"] = 400
        self.assertEqual(self.reason(driver(sums(5, helped=4, hurt=9), lost)), "")
        self.assertEqual(self.reason(driver(sums(-10, helped=3, hurt=0), gained)), "ir3-a630: time +1.67%")

    def test_chosen_entries_are_printed_as_they_are(self):
        document = {"patches": [{"subject": "nir/opt_algebraic: a", "drivers": [driver(sums(1))]},
                                {"subject": "nir/opt_algebraic: b", "drivers": [driver(sums(-10))]}]}
        said = []
        text = series_report.chosen_text(TEXT, document, ROWS, said.append)
        self.assertEqual(text, TEXT[:TEXT.index("[[proposal]]")] + TEXT[TEXT.rindex("[[proposal]]"):])
        self.assertEqual([one["subject"] for one in tomllib.loads(text)["proposal"]], ["b"])
        self.assertEqual(said, ["a: ir3-a630: time +0.10%"])
        document["patches"].pop()
        self.assertEqual(series_report.chosen_text(TEXT, document, ROWS, said.append), "")
        self.assertEqual(said[-1], "b: it was not measured")


if __name__ == "__main__":
    unittest.main()
