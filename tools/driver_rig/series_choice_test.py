"""Tests the choice of proposals by the shaders that are not held out."""
import os
import sys
import tomllib
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rig  # noqa: E402
import series_choice  # noqa: E402

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
        return series_choice.reason_against(drivers, ROWS)

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
        text = series_choice.chosen_text(TEXT, document, ROWS, said.append)
        self.assertEqual(text, TEXT[:TEXT.index("[[proposal]]")] + TEXT[TEXT.rindex("[[proposal]]"):])
        self.assertEqual([one["subject"] for one in tomllib.loads(text)["proposal"]], ["b"])
        self.assertEqual(said, ["a: ir3-a630: time +0.10%"])
        document["patches"].pop()
        self.assertEqual(series_choice.chosen_text(TEXT, document, ROWS, said.append), "")
        self.assertEqual(said[-1], "b: it was not measured")


if __name__ == "__main__":
    unittest.main()
