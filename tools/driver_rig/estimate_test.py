"""Tests the estimate of time, and the effects and figures of trials, which are computed from it."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import estimate  # noqa: E402
import rig  # noqa: E402
import trial_effect  # noqa: E402
import trial_figures  # noqa: E402
import trial_measure  # noqa: E402

TABLE = rig.load_table("statistics.toml")
ROW = {"time": [{"sum": ["inst", "stalls"]}], "instructions": "alu", "keep": ["waves", "spills"],
       "main": ["inst", "stalls", "waves"], "better_high": ["waves"]}
KEY = ("alone", "fragment", "")


class Program:
    def __init__(self, name):
        self.name = name


def effect_of(*shaders):
    """Returns the Effect on programs p0, p1, ..., each of which is a pair of numbers before and after. After is None if
    the program is no longer compiled."""
    effect = trial_effect.Effect(trial_effect.Objective(ROW))
    for number, (before, after) in enumerate(shaders):
        outcomes = [trial_measure.Outcome({} if of is None else {KEY: of}, {}, "hang" if of is None else None).timed(ROW)
                    for of in (before, after)]
        effect.add(Program(f"p{number}"), *outcomes)
    return effect


class EstimateTest(unittest.TestCase):
    def test_a_sum(self):
        numbers = {"inst": 100, "nops": 20, "sstall": 7, "systall": 30, "waves": 16}
        self.assertEqual(estimate.time_of(TABLE["ir3"], numbers), 137)
        self.assertEqual(estimate.formula(TABLE["ir3"]), "inst + sstall + systall")
        self.assertEqual(list(estimate.with_time(TABLE["ir3"], numbers))[:2], ["time", "inst"])

    def test_the_largest_of_quotients_and_sums(self):
        def time(latency, waves, throughput):
            return estimate.time_of(TABLE["aco"], {"Latency": latency, "Max Waves": waves, "Inverse Throughput": throughput})
        self.assertEqual(estimate.formula(TABLE["aco"]), "max(Latency / Max Waves, Inverse Throughput)")
        self.assertEqual(time(1600, 16, 90), 100)  # the waves wait
        self.assertEqual(time(1600, 16, 110), 110)  # a unit is busy all the time
        self.assertEqual(time(1600, 8, 110), 200)  # half as many waves hide less latency
        row = {"time": [{"sum": ["a", "b"], "per": "c"}, {"sum": ["a"]}]}
        self.assertEqual(estimate.formula(row), "max((a + b) / c, a)")
        self.assertEqual(estimate.time_of(row, {"a": 2, "b": 10, "c": 4}), 3)
        self.assertEqual(estimate.time_of(row, {"a": 5, "b": 10, "c": 4}), 5)

    def test_a_divisor_of_zero_counts_as_one(self):
        numbers = {"Latency": 50, "Max Waves": 0, "Inverse Throughput": 9}
        self.assertEqual(estimate.time_of(TABLE["aco"], numbers), 50)
        self.assertEqual(estimate.time_of(TABLE["aco"], dict(numbers, **{"Max Waves": 1})), 50)

    def test_without_every_number_there_is_no_estimate(self):
        self.assertIsNone(estimate.time_of(TABLE["ir3"], {"inst": 100, "sstall": 7}))
        self.assertIsNone(estimate.time_of(TABLE["aco"], {"Latency": 50, "Inverse Throughput": 9}))
        self.assertIsNone(estimate.time_of(TABLE["etnaviv"], {"instructions": 1}))
        self.assertEqual(estimate.with_time(TABLE["ir3"], {"inst": 100}), {"inst": 100})
        self.assertEqual(estimate.formula(TABLE["etnaviv"]), "")

    def test_rows_are_complete(self):
        """A row with an estimate also has everything else that a trial needs, and keeps waves or threads and spills."""
        for name, row in TABLE.items():
            if "time" not in row:
                self.assertFalse({"instructions", "keep", "main"} & row.keys(), name)
                continue
            self.assertTrue(all(term.keys() <= {"sum", "per"} and term["sum"] for term in row["time"]), name)
            self.assertLessEqual({row["instructions"], *estimate.names_of(row)}, set(row["main"]), name)
            self.assertLessEqual(set(row.get("keep", ())), set(row["main"]), name)
            waves = {one for one in row.get("better_high", ()) if "early" not in one.lower()}
            self.assertLessEqual(waves, set(row.get("keep", ())), name)

    def test_noticeable_changes(self):
        for before, after, helped, hurt in ((100, 99, False, False), (100, 98.9, True, False), (100, 101, False, False),
                                            (100, 101.1, False, True), (0, 0, False, False), (0, 1, False, True)):
            self.assertEqual((estimate.is_helped(before, after), estimate.is_hurt(before, after)), (helped, hurt))


class EffectTest(unittest.TestCase):
    def test_sums_and_directions(self):
        effect = effect_of(({"inst": 100, "stalls": 10, "alu": 50, "waves": 16}, {"inst": 96, "stalls": 11, "alu": 46, "waves": 8}),
                           ({"inst": 100, "stalls": 0, "alu": 50, "waves": 8}, {"inst": 101, "stalls": 0, "alu": 50, "waves": 16}),
                           ({"inst": 100, "stalls": 0, "alu": 50, "waves": 8}, {"inst": 104, "stalls": 0, "alu": 49, "waves": 8}),
                           ({"inst": 100, "stalls": 0, "alu": 50, "waves": 8}, {"inst": 100, "stalls": 0, "alu": 50, "waves": 8}))
        self.assertEqual((effect.time, effect.instructions), (2, -5))
        self.assertEqual(effect.totals["waves"], 0)
        self.assertEqual((effect.faster, effect.slower), (1, 2))
        self.assertEqual(([key[0] for key in effect.helped], [key[0] for key in effect.hurt]), (["p0"], ["p2"]))
        self.assertEqual({key[0] for key in effect.worsened("waves")}, {"p0"})
        self.assertEqual(effect.loss_in("waves", {"p0"}), 8)
        self.assertEqual(effect.loss_in("waves", {"p0", "p1"}), 0)
        self.assertEqual(effect.loss_in("time", {"p0", "p2"}), 1)
        self.assertEqual(effect.message(), {"time": 2, "instructions": -5, "helped": 1, "hurt": 1, "faster": 1, "slower": 2,
                                            "lost": 0})
        self.assertEqual(effect.numbers({"time": 410})[0], {"name": "time", "before": 410, "change": 2, "better": 1,
                                                            "worse": 2, "better_high": False})
        self.assertEqual(effect.scaled(2).time, 4)

    def test_the_difference_of_two_settings(self):
        before = {"inst": 100, "stalls": 0, "alu": 50}
        both = effect_of((before, {"inst": 90, "stalls": 0, "alu": 40}), (before, {"inst": 110, "stalls": 0, "alu": 40}))
        one = effect_of((before, {"inst": 85, "stalls": 0, "alu": 40}), (before, before))
        rest = both.minus(one)
        self.assertEqual((rest.time, rest.instructions, rest.faster, rest.slower), (15, -10, 0, 2))
        self.assertEqual(([*rest.helped], [key[0] for key in rest.hurt]), ([], ["p1"]))

    def test_what_is_lost_and_what_has_other_loops(self):
        effect = effect_of(({"inst": 10, "stalls": 0, "alu": 5}, None),
                           ({"inst": 10, "stalls": 0, "alu": 5, "loops": 1}, {"inst": 90, "stalls": 0, "alu": 80, "loops": 0}))
        self.assertEqual((effect.lost, effect.time, effect.hurt), (["p0"], 0, set()))


class FiguresTest(unittest.TestCase):
    ROW = {"time": [{"sum": ["inst", "stalls"]}], "instructions": "inst", "main": ["stalls", "waves"], "better_high": ["waves"]}

    def lines(self, sizes):
        return trial_figures.shaders_of([
            {"driver": "d", "program": name, "mode": "alone", "stage": stage, "variant": variant, "numbers":
             {"inst": inst, "stalls": stalls, "waves": waves}} for (name, stage, variant), (inst, stalls, waves) in sizes.items()] +
            [{"driver": "d", "program": "a/9", "mode": "alone", "problem": "hang"}], self.ROW)

    def test_sums_of_sources(self):
        one, two, three, four, five = (("a/1", "fragment", ""), ("a/2", "fragment", ""), ("b/1", "fragment", ""),
                                       ("b/2", "fragment", ""), ("b/2", "fragment", "SIMD16"))
        figures = trial_figures.figures_of(self.ROW, self.lines({one: (10, 2, 8), two: (5, 0, 8), three: (4, 0, 8), four: (7, 0, 8)}),
                                           self.lines({one: (8, 3, 4), two: (6, 0, 8), three: (4, 0, 8), five: (7, 0, 8)}))
        self.assertEqual([(one["source"], one["stage"]) for one in figures], [("a", "fragment"), ("b", "fragment")])
        self.assertEqual([[one[name] for name in trial_figures.COUNTS] for one in figures], [[2, 1, 1, 0, 0, 0], [1, 0, 0, 1, 1, 0]])
        numbers = {number["name"]: number for number in figures[0]["numbers"]}
        self.assertEqual(list(numbers), ["time", "stalls", "waves", "inst"])
        self.assertEqual([number["main"] for number in numbers.values()], [True, True, True, False])
        self.assertEqual(numbers["time"], {"name": "time", "before": 17, "change": 0, "better": 1, "worse": 1,
                                           "better_high": False, "main": True})
        self.assertEqual([numbers["waves"][part] for part in ("before", "change", "better", "worse", "better_high")],
                         [16, -4, 0, 1, True])
        self.assertEqual(trial_figures.set_lines("held-out", "chosen", figures), [
            "held-out  chosen      time 21 -> 21 (+0.00%; 1 better, 1 worse)  by more than 1%: helped 1 HURT 1 of 3  LOST 1  "
            "GAINED 1",
            "      stalls 2 -> 3 (+50.00%; 0 better, 1 worse)  waves 24 -> 20 (-16.67%; 0 better, 1 worse)"])

    def test_the_time_of_each_stage(self):
        vertex, fragment = ("a/1", "vertex", ""), ("a/1", "fragment", "")
        figures = trial_figures.figures_of(self.ROW, self.lines({vertex: (5, 0, 8), fragment: (10, 4, 8)}),
                                           self.lines({vertex: (5, 0, 8), fragment: (8, 4, 8)}))
        self.assertEqual(trial_figures.set_lines("held-out", "chosen", figures)[-1].strip(),
                         "time by stage: vertex +0.00% of 5  fragment -14.29% of 14")

    def test_loops_that_are_unrolled_are_counted_and_in_no_sum(self):
        def lines(numbers):
            return {("gpu", "a/1", "", "alone", "fragment", ""): dict(numbers, time=numbers["inst"])}
        figures = trial_figures.figures_of(self.ROW, lines({"inst": 10, "loops": 1}), lines({"inst": 90, "loops": 0}))
        self.assertEqual([(one["shaders"], one["loops_changed"], one["numbers"]) for one in figures], [(0, 1, [])])
        self.assertTrue(trial_figures.set_lines("held-out", "chosen", figures)[0].endswith("of 0  loops changed in 1 more"))

    def test_the_reason_why_a_rule_saves_no_time(self):
        effect = effect_of(({"inst": 100, "stalls": 0, "alu": 50, "waves": 16}, {"inst": 99, "stalls": 2, "alu": 48, "waves": 8}))
        no_time = {"place": "late", "numbers": effect.numbers({})}
        self.assertEqual(trial_figures.no_time_text(no_time, "alu"), "time +1, alu -2 at late; worse: stalls +2, waves -8")
        effect = effect_of(({"inst": 100, "stalls": 0, "alu": 50}, {"inst": 100, "stalls": 0, "alu": 48}))
        self.assertEqual(trial_figures.no_time_text({"place": "late", "numbers": effect.numbers({})}, "alu"),
                         "time +0, alu -2 at late; no other number gets worse")


if __name__ == "__main__":
    unittest.main()
