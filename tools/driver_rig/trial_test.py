"""Tests trials with a fake driver: rules that help, hurt, hang, or replace each other; also packs and the ledger."""
import argparse
import fcntl
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rig  # noqa: E402
import trial_choice  # noqa: E402
import trial_code  # noqa: E402
import trial_effect  # noqa: E402
import trial_measure  # noqa: E402
import trial_model  # noqa: E402
import trial_rules  # noqa: E402

KEY = ("alone", "fragment", "")
ROW = {"time": [{"sum": ["cycles"]}], "instructions": "inst", "keep": ["waves", "spills"], "main": ["cycles", "nops"],
       "better_high": ["waves"]}
OBJECTIVE = trial_effect.Objective(ROW)


class Program:
    def __init__(self, name):
        self.name, self.hash, self.files, self.inputs = name, name, {}, []


class Bench:
    """A driver that compiles with a function of the program's name and the setting."""

    def __init__(self, driver):
        self.driver, self.outcomes, self.hangs = driver, {}, 0

    def known(self, program, setting):
        return self.outcomes.get((program, setting))

    def look_for(self, program, setting):
        """Returns the pairs that are applied when each is enabled alone, with the numbers of the program without
        rules."""
        pairs = [frozenset([pair]) for pair in setting - {trial_rules.MATCH}]
        applied = {one: times for pair in pairs for one, times in self.driver(program.name, pair).applied.items()}
        return trial_measure.Outcome(self.driver(program.name, frozenset()).shaders, applied, None)

    def compile_all(self, wanted, _what, until_bad=False):
        found = {}
        for pair in wanted:
            if pair not in self.outcomes:
                self.outcomes[pair] = (self.look_for(*pair) if trial_rules.MATCH in pair[1] else
                                       self.driver(pair[0].name, pair[1])).timed(ROW)
            found[pair] = self.outcomes[pair]
            self.hangs += found[pair].problem == "hang"
            if until_bad and found[pair].problem:
                break
        return found


def rule(number, kind="inexact", late=False):
    made = trial_rules.Rule(f"{number:064x}", kind, "some_gpu")
    made.texts, made.tuples = [f"(rule {number})"], [(number,)]
    made.home = "after_late" if late else "before_late"
    return made


def outcome(instructions, applied=(), cycles=None, problem=None, **more):
    cycles = instructions if cycles is None else cycles
    shaders = {} if problem else {KEY: {"inst": instructions, "cycles": cycles, **more}}
    return trial_measure.Outcome(shaders, {pair: 1 for pair in applied}, problem)


class ChoiceTest(unittest.TestCase):
    def choose(self, driver, rules, programs, places=("main_rest", "before_late"), hurt=0.02, tried=None, least=0.0):
        self.lines = []
        names = [Program(f"p{number}") for number in range(programs)]
        choice = trial_choice.Choice(Bench(driver), rules, tried or list(range(len(rules))), names, OBJECTIVE, places,
                                     self.lines.append, least)
        return choice, choice.choose(hurt)

    def test_takes_what_gains_at_the_place_where_it_gains_most(self):
        def driver(_, setting):  # rule 0 saves 1 early and 3 late; rule 1 is applied but saves nothing
            saved = 3 if (0, "before_late") in setting else 1 if (0, "main_rest") in setting else 0
            return outcome(100 - saved, setting)
        choice, chosen = self.choose(driver, [rule(0), rule(1)], 10)
        self.assertEqual(chosen, {(0, "before_late")})
        self.assertEqual(choice.alone[0, "before_late"].instructions, -30)
        self.assertEqual(choice.in_set[0, "before_late"].instructions, -30)
        self.assertEqual(choice.alone[1, "main_rest"].instructions, 0)

    def test_measures_alone_what_another_is_faster_than(self):
        def driver(name, setting):  # the rules are equivalent from p300 on; rule 1 is applied where rule 0 is not
            rules = {number for number, _ in setting}
            fits = int(name[1:]) >= 300
            return outcome(95 if rules and fits else 100, [(min(rules), "main_rest")] if rules and fits else [])
        choice, _ = self.choose(driver, [rule(0), rule(1)], 310, places=("main_rest",))
        self.assertEqual(choice.touched[1, "main_rest"], choice.touched[0, "main_rest"])
        self.assertEqual(choice.alone[1, "main_rest"].instructions, -50)

    def test_tells_conditions_that_are_never_met_from_rules_that_do_not_fit(self):
        # Rule 1's condition holds only for p3, and rule 2's never holds; rule 0 is applied twice in p1.
        def driver(name, setting):
            met = [(1, trial_rules.MET)] if (1, "main_rest") in setting and name == "p3" else []
            made = outcome(100, met)
            if (0, "main_rest") in setting and name == "p1":
                made.applied[0, "main_rest"] = 2
            return made
        rules = [rule(number) for number in range(4)]
        for number in (1, 2):
            rules[number].tuples = [("search", "replace", "options->x")]
        rules[3].tuples = [("search", "replace", "options->x"), ("search", "replace")]  # one tuple has no condition
        choice, _ = self.choose(driver, rules, 4, places=("main_rest",))
        self.assertEqual(choice.unmet, {2})
        self.assertEqual(choice.touched, {(0, "main_rest"): {"p1"}})
        self.assertEqual(choice.applied((0, "main_rest")), 2)
        self.assertEqual([one.condition for one in rules], ["", "options->x", "options->x", ""])

    def test_a_rule_adds_as_much_as_it_must(self):
        def driver(name, setting):  # rule 0 saves 5 of 100 everywhere, rule 1 saves 1 of 100 in every tenth program
            rules = {number for number, _ in setting}
            return outcome(100 - 5 * (0 in rules) - (1 in rules and name == "p3"), setting)
        for least, expected in ((0.05, {0, 1}), (0.2, {0}), (20, set())):  # rule 1 scores 0.1 %
            _, chosen = self.choose(driver, [rule(0), rule(1)], 10, places=("main_rest",), least=least)
            self.assertEqual({number for number, _ in chosen}, expected, least)

    def test_one_of_two_that_do_the_same_stays(self):
        def driver(_, setting):
            return outcome(95 if setting else 100, setting)
        _, chosen = self.choose(driver, [rule(0), rule(1), rule(2)], 10, places=("main_rest",))
        self.assertEqual(len(chosen), 1)

    def test_leaves_out_what_gains_alone_and_hurts_beside_others(self):
        def driver(_, setting):
            rules = {number for number, _ in setting}
            return outcome(100 - 5 * (0 in rules) - 2 * (1 in rules) + 4 * ({0, 1} <= rules), setting)
        _, chosen = self.choose(driver, [rule(0), rule(1)], 10, places=("main_rest",))
        self.assertEqual(chosen, {(0, "main_rest")})

    def test_what_slows_many_shaders_for_those_that_it_speeds_up_gains_by_chance(self):
        # Rule 0 makes 6 programs faster by 5 and 4 slower by 1; rule 1 makes 7 faster and 3 slower.
        def driver(name, setting):
            number, rules = int(name[1:]), {number for number, _ in setting}
            change = sum(-5 if number < faster else 1 for faster in (6 + one for one in rules))
            return outcome(100 - len(rules), setting, cycles=100 + change)
        for one, expected in ((0, set()), (1, {1})):
            _, chosen = self.choose(driver, [rule(0), rule(1)], 10, places=("main_rest",), hurt=1.0, tried=[one])
            self.assertEqual({number for number, _ in chosen}, expected)
        # Only a rule's effect within the set counts; together, these rules make every program faster.
        _, chosen = self.choose(lambda name, setting: driver(name, setting) if len(setting) < 2 else outcome(60, setting),
                                [rule(0), rule(1)], 10, places=("main_rest",), hurt=1.0)
        self.assertEqual({number for number, _ in chosen}, {0, 1})

    def test_names_what_hangs_and_goes_on_without_it(self):
        def driver(name, setting):
            rules = {number for number, _ in setting}
            if 2 in rules and name == "p3":
                return outcome(0, problem="hang")
            return outcome(100 - len(rules), setting)
        choice, chosen = self.choose(driver, [rule(number) for number in range(5)], 6, places=("main_rest",))
        self.assertEqual(choice.problems, {2: "hang on p3"})
        self.assertEqual({number for number, _ in chosen}, {0, 1, 3, 4})
        self.assertIn("hang on p3", self.lines[0])

    def test_a_rule_that_always_hangs_does_not_hang_on_every_program(self):
        def driver(_, setting):
            return outcome(0, problem="hang") if 1 in {number for number, _ in setting} else outcome(100, setting)
        choice, _ = self.choose(driver, [rule(number) for number in range(8)], 100)
        self.assertEqual(choice.problems, {1: "hang on " + choice.problems[1].split()[-1]})
        self.assertLess(choice.bench.hangs, 12)

    def test_names_what_crashes_only_beside_the_others(self):
        def driver(name, setting):
            rules = {number for number, _ in setting}
            if {1, 3} <= rules and name == "p0":
                return outcome(0, problem="crash")
            return outcome(100 - len(rules), setting)
        choice, chosen = self.choose(driver, [rule(number) for number in range(4)], 4, places=("main_rest",))
        self.assertEqual(choice.problems, {3: f"crash on p0 beside {rule(1).id[:12]}"})
        self.assertEqual({number for number, _ in chosen}, {0, 1, 2})

    def test_hurts_no_more_shaders_than_it_may(self):
        # Rule 0 saves much in some programs and hurts many a little; rule 1 saves a little in all of them.
        def driver(name, setting):
            saved = (1, "main_rest") in setting
            if (0, "main_rest") in setting:
                saved += -3 if int(name[1:]) % 4 == 0 else 10
            return outcome(100, setting, cycles=100 - saved)
        _, chosen = self.choose(driver, [rule(0), rule(1)], 40, places=("main_rest",), hurt=0.3)
        self.assertEqual(chosen, {(0, "main_rest"), (1, "main_rest")})
        _, chosen = self.choose(driver, [rule(0), rule(1)], 40, places=("main_rest",), hurt=0.02)
        self.assertEqual(chosen, {(1, "main_rest")})

    def test_hurts_no_more_of_any_source_than_it_may(self):
        # Rule 0 saves a lot but hurts a tenth of one source, which is a hundredth of all shaders. The source's limit
        # does not apply to small sources, nor to excesses that chance explains: of a hundred shaders, four hurt ones
        # are excused, but ten are not.
        for small, each, expected in ((60, 10, {1}), (40, 10, {0, 1}), (120, 30, {0, 1}), (120, 12, {1})):
            def driver(name, setting, each=each):
                rules, number = {number for number, _ in setting}, int(name.split("p")[1])
                hurts = name.startswith("small/") and number % each == 0
                return outcome(100 - (1 in rules) + ((6 if hurts else -5) if 0 in rules else 0), setting)
            names = [Program(f"small/p{number}") for number in range(small)]
            names += [Program(f"large/p{number}") for number in range(600)]
            choice = trial_choice.Choice(Bench(driver), [rule(0), rule(1)], [0, 1], names, OBJECTIVE, ("main_rest",),
                                         lambda text: None)
            self.assertEqual({number for number, _ in choice.choose(0.015)}, expected, (small, each))

    def test_what_chance_gives(self):
        for count, of, share, expected in ((0, 100, 0.02, True), (5, 100, 0.02, True), (6, 100, 0.02, False),
                                           (1, 100, 0.0, False), (23, 811, 0.02, True), (24, 811, 0.02, False),
                                           (3000, 3000, 0.9, False)):
            self.assertEqual(trial_choice.is_chance(count, of, share), expected, (count, of, share))

    def test_shaders_with_another_number_of_loops_say_nothing(self):
        def driver(name, setting):  # rule 0 saves an instruction and causes one loop to be unrolled
            unrolled = bool(setting) and name == "p3"
            made = outcome(500 if unrolled else 100 - len(setting), setting)
            made.shaders[KEY]["loops"] = 0 if unrolled else 1
            return made
        choice, chosen = self.choose(driver, [rule(0)], 6, places=("main_rest",), hurt=0)
        self.assertEqual(chosen, {(0, "main_rest")})
        self.assertEqual((choice.alone[0, "main_rest"].time, choice.alone[0, "main_rest"].faster), (-5, 5))

    def test_a_variant_that_is_lost_is_a_shader_hurt(self):
        # Rule 0 saves much, but prevents the driver from compiling a wider variant of one program.
        def driver(name, setting):
            found = outcome(100 - 5 * ((0, "main_rest") in setting) - ((1, "main_rest") in setting), setting)
            if not (name == "p77" and (0, "main_rest") in setting):
                found.shaders["alone", "fragment", "SIMD16"] = {"inst": 100, "cycles": 100}
            return found
        for hurt, expected in ((0.01, {0, 1}), (0.004, {1})):  # of 200 shaders
            _, chosen = self.choose(driver, [rule(0), rule(1)], 100, places=("main_rest",), hurt=hurt)
            self.assertEqual({number for number, _ in chosen}, expected)

    def test_no_stage_of_a_program_is_lost(self):
        def driver(name, setting):
            found = outcome(100 - 5 * ((0, "main_rest") in setting) - ((1, "main_rest") in setting), setting)
            if not (name == "p77" and (0, "main_rest") in setting):
                found.shaders["linked", "vertex", ""] = {"inst": 100, "cycles": 100}
            return found
        _, chosen = self.choose(driver, [rule(0), rule(1)], 100, places=("main_rest",))
        self.assertEqual(chosen, {(1, "main_rest")})

    def test_the_set_is_judged_where_nothing_is_in_its_way_any_more(self):
        # Rule 1 saves nothing, but keeps rule 0 from being applied in p7, where rule 0 would lose a variant.
        def driver(name, setting):
            rules = {number for number, _ in setting}
            is_lost = name == "p7" and rules == {0}
            found = outcome(100 - 5 * (0 in rules and name != "p7"),
                            [pair for pair in setting if name != "p7" or pair[0] != 0 or is_lost])
            if not is_lost:
                found.shaders["alone", "fragment", "SIMD16"] = {"inst": 100, "cycles": 100}
            return found
        _, chosen = self.choose(driver, [rule(0), rule(1)], 10, places=("main_rest",))
        self.assertEqual(chosen, frozenset())

    def test_time_decides_and_then_instructions(self):
        """Rule 0 saves instructions but no time. Rule 1 saves time and adds instructions. Rule 2 saves the same time at
        both places and more instructions late."""
        def driver(_, setting):
            rules = {number for number, _ in setting}
            late = (2, "before_late") in setting
            return outcome(100 - 9 * (0 in rules) + 5 * (1 in rules) - (2 in rules) - late, setting,
                           cycles=100 + (0 in rules) - 2 * (1 in rules) - 3 * (2 in rules))
        choice, chosen = self.choose(driver, [rule(0), rule(1), rule(2)], 4)
        self.assertEqual(chosen - {(1, "before_late"), (1, "main_rest")}, {(2, "before_late")})
        self.assertIn(1, {number for number, _ in chosen})
        self.assertEqual(choice.total["time"], 400)

    def test_what_saves_instructions_but_no_time_is_named(self):
        """Rule 0 replaces instructions by nops, and lowers the number of waves. Rule 1 saves time at one place, rule 2
        saves nothing, and rule 3 changes no number at all."""
        def driver(_, setting):
            rules = {number for number, _ in setting}
            waits = 3 if 0 in rules else 0
            return outcome(100 - 3 * (0 in rules) - (1 in rules) + (2 in rules), setting, nops=waits,
                           waves=8 if 0 in rules else 16, cycles=100 - ((1, "before_late") in setting))
        choice, chosen = self.choose(driver, [rule(number) for number in range(4)], 5)
        self.assertEqual({number for number, _ in chosen}, {1})
        self.assertEqual([number for number in range(4) if choice.saves_no_time([number])], [0])
        pair, effect = choice.saves_no_time([0])
        self.assertEqual(pair, (0, "before_late"))
        self.assertEqual({number["name"]: number["change"] for number in effect.numbers(choice.total)},
                         {"inst": -15, "nops": 15, "waves": -40})

    def test_totals_that_time_does_not_include_do_not_get_worse(self):
        """Rule 0 saves the most, but lowers the number of waves in two programs. Rule 1 saves little, and raises it in
        one. Rule 2 spills in one program and saves spilling in two."""
        def driver(name, setting):
            rules = {number for number, _ in setting}
            waves = 16 - 8 * (0 in rules and name in ("p1", "p2")) + 8 * (1 in rules and name == "p3")
            spills = 5 + (2 in rules) * {"p4": 1, "p5": -1, "p6": -1}.get(name, 0)
            return outcome(100, setting, waves=waves, spills=spills,
                           cycles=100 - 9 * (0 in rules) - (1 in rules) - 2 * (2 in rules))
        rules = [rule(0), rule(1), rule(2)]
        _, chosen = self.choose(driver, rules, 60, places=("main_rest",))
        self.assertEqual({number for number, _ in chosen}, {1, 2})

        def even(name, setting):  # rule 1 raises the number of waves in both programs in which rule 0 lowers it
            made = driver(name, setting)
            waves = made.shaders[KEY]["waves"]
            made.shaders[KEY]["waves"] = waves + 8 * (name == "p1" and (1, "main_rest") in setting)
            return made
        _, chosen = self.choose(even, rules, 60, places=("main_rest",))
        self.assertEqual({number for number, _ in chosen}, {0, 1, 2})

    def test_a_total_that_no_single_rule_restores_costs_only_rules_that_touch_it(self):
        def driver(name, setting):  # either rule 1 or rule 2 lowers the number of waves in p1; rule 0 touches only p2
            fits = {pair for pair in setting if pair[0] or name == "p2"}
            waits = name == "p1" and {1, 2} & {number for number, _ in fits}
            return outcome(100, fits, cycles=100 - len(fits), waves=8 if waits else 16)
        choice, chosen = self.choose(driver, [rule(0), rule(1), rule(2)], 10, places=("main_rest",))
        self.assertEqual(chosen, {(0, "main_rest")})
        self.assertEqual(choice.alone[1, "main_rest"].totals["waves"], -8)

    def test_no_source_becomes_slower(self):
        """Rule 0 saves a lot in one source and costs a little in the other. Rule 1 does so too, and rule 2 makes up for
        its loss."""
        def driver(name, setting):
            rules = {number for number, _ in setting}
            small = name.startswith("small/")
            return outcome(100, setting, cycles=100 - (0 in rules) * (-2 if small and name.endswith("p1") else 5) -
                           (1 in rules) * (-1 if small and name.endswith("p2") else 3) - 2 * (2 in rules and name == "small/p2"))
        names = [Program(f"small/p{number}") for number in range(4)] + [Program(f"large/p{number}") for number in range(60)]
        for tried, expected in (([0], {0}), ([0, 1, 2], {0, 1, 2})):
            choice = trial_choice.Choice(Bench(driver), [rule(0), rule(1), rule(2)], tried, names, OBJECTIVE, ("main_rest",),
                                         lambda text: None)
            self.assertEqual({number for number, _ in choice.choose(0.5)}, expected)

        def slower(name, setting):
            # In the small source, rule 0 costs more than it saves. Rule 3 costs time in the large source, but saves more.
            made = driver(name, setting)
            costs = 10 * ((0, "main_rest") in setting and name.startswith("small/"))
            if (3, "main_rest") in setting and name.startswith("large/"):
                costs += 40 if name in ("large/p1", "large/p2") else -3
            return outcome(100, setting, cycles=made.shaders[KEY]["cycles"] + costs)
        for tried, expected in (([0], set()), ([0, 1, 2, 3], {1, 2, 3})):
            choice = trial_choice.Choice(Bench(slower), [rule(number) for number in range(4)], tried, names, OBJECTIVE,
                                         ("main_rest",), lambda text: None)
            self.assertEqual({number for number, _ in choice.choose(0.5)}, expected)

    def test_a_rule_that_exceeds_a_limit_is_tried_at_its_other_places(self):
        """Rule 0 saves the most early, but hurts a tenth of the programs there. Rule 1 lowers the number of waves
        anywhere."""
        def driver(name, setting):
            early, late = (0, "main_rest") in setting, (0, "before_late") in setting
            hurts = early and name.endswith("0")
            return outcome(100, setting, cycles=100 + 5 * hurts - 9 * (early and not hurts) - 4 * (late and not early) -
                           2 * ((1, "main_rest") in setting or (1, "before_late") in setting),
                           waves=8 if name == "p1" and 1 in {number for number, _ in setting} else 16)
        choice, chosen = self.choose(driver, [rule(0), rule(1)], 40, hurt=0.05)
        self.assertEqual(chosen, {(0, "before_late")})
        self.assertEqual(choice.dropped, {(0, "main_rest"), (1, "main_rest"), (1, "before_late")})

    def test_small_changes_hurt_no_shader(self):
        for cycles, expected in ((101, {0}), (102, set())):  # in every fifth program
            def driver(name, setting, cycles=cycles):
                return outcome(100, setting, cycles=100 if not setting else cycles if int(name[1:]) % 5 == 0 else 95)
            _, chosen = self.choose(driver, [rule(0)], 50, places=("main_rest",), hurt=0.1)
            self.assertEqual({number for number, _ in chosen}, expected)

    def test_late_rules_stand_only_late_and_others_rules_are_not_tried(self):
        def driver(_, setting):
            return outcome(100 - len(setting), setting)
        choice, chosen = self.choose(driver, [rule(0, late=True), rule(1), rule(2)], 4,
                                     places=("main_rest", "after_late"), tried=[0, 1])
        self.assertEqual({place for number, place in chosen if number == 0}, {"after_late"})
        self.assertNotIn(2, {number for number, _ in choice.touched})

    def test_a_program_that_the_driver_refuses_anyway_is_no_fault_of_a_rule(self):
        def driver(name, setting):
            return outcome(0, problem="hang") if name == "p1" else outcome(100 - len(setting), setting)
        choice, chosen = self.choose(driver, [rule(0)], 3, places=("main_rest",))
        self.assertEqual((choice.problems, len(chosen)), ({}, 1))


PACK = """# Rewrite rules as passes of nir_algebraic.AlgebraicPass of mesa-25.0, measured on some_gpu.

a = 'a'

rules = [
   (('fadd', 'a@16', 0.0), a, 'options->x'),
   (('fadd', 'a@32', 0.0), a),
   (('fmin', a, float('inf')), a),
   (('fadd', 'a@64', 0.0), a),
]

name = 'nir_opt_x'
places = {{
   'main_rest': rules[:1],
   'before_ffma': [],
   'before_late': [],
   'after_late': [],
}}
second_places = {{
   'main_rest': [rules[i] for i in (1, 3)],
   'after_late': rules[2:3],
}}

ids = [
   '{0:064x}',  # proved
   '{0:064x}',
   '{1:064x}',  # proved
   '{0:064x}',  # proved
]

limits = {{'main_rest': 3}}
raise SystemExit('not to be run')
"""


class BuildTest(unittest.TestCase):
    def test_every_build_contains_the_wanted_drivers(self):
        for has_clc in (False, True):
            self.assertEqual(rig.build_stages(["ir3"], ["ir3"], has_clc), [["ir3"]])
            self.assertEqual(rig.build_stages(["brw"], [], has_clc), [["brw"]])
            self.assertEqual(rig.build_stages([], [], has_clc), [])
        self.assertEqual(rig.build_stages(["ir3", "brw"], ["ir3"], False), [["ir3"], ["ir3", "brw"]])
        self.assertEqual(rig.build_stages(["ir3", "brw"], ["ir3"], True), [["ir3", "brw"]])


class RulesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, text, folder=""):
        os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        with open(os.path.join(self.folder, folder, "nir.py"), "w") as file:
            file.write(text)

    def test_reads_ids_tuples_places_and_both_classes(self):
        self.write(PACK.format(1, 2))
        self.write(PACK.format(3, 4).replace("fadd", "fmul").replace("fmin", "fmax"), "inexact")
        rules = trial_rules.read_packs([self.folder, self.folder])
        self.assertEqual([(int(rule.id, 16), rule.kind, rule.home, len(rule.tuples)) for rule in rules],
                         [(1, "strict", "main_rest", 3), (2, "strict", "after_late", 1),
                          (3, "inexact", "main_rest", 3), (4, "inexact", "after_late", 1)])
        self.assertEqual(rules[0].texts[1], "(('fadd', 'a@32', 0.0), 'a')")
        self.assertEqual(rules[0].machine, "some_gpu")
        self.assertEqual([rule.second for rule in rules], [[False, True, True], [True]] * 2)

    def test_reads_the_file_that_the_exporter_writes(self):
        with open("emitter/testdata/nir.py.golden", encoding="utf-8") as file:
            self.write(file.read())
        rules = trial_rules.read_pack(self.folder)
        self.assertEqual({rule.machine for rule in rules}, {"intel_gen9"})
        self.assertIn("(('imul', 'a@32', ('iand', '#b(is_odd)', 1)), 'a')", [text for rule in rules for text in rule.texts])

    def test_the_form_for_positions_is_a_rule_of_its_own(self):
        self.write(PACK.format(1, 2).replace("'options->x'", "'info->stage != MESA_SHADER_VERTEX'").replace(
            "(('fadd', 'a@64', 0.0), a)",
            "(('fadd', 'a@64', 0.0), a, '(info->stage == MESA_SHADER_VERTEX || x) && y')"))
        rules = trial_rules.read_packs([self.folder])
        self.assertEqual([(int(rule.id, 16), rule.stages, len(rule.tuples), rule.home) for rule in rules],
                         [(1, "STAGES_OTHER", 2, "main_rest"), (2, "", 1, "after_late"),
                          (1, "STAGES_POSITIONS", 1, "main_rest")])

    def test_says_what_is_no_pack(self):
        with self.assertRaisesRegex(rig.UserError, "nir.py: No such file"):
            trial_rules.read_packs([self.folder])
        self.write("rules = []\n")
        with self.assertRaisesRegex(rig.UserError, "not a file from"):
            trial_rules.read_packs([self.folder])
        self.write(PACK.format(1, 2).replace("float('inf')", "open('/etc/passwd')"))
        with self.assertRaisesRegex(rig.UserError, "export the pack again"):
            trial_rules.read_packs([self.folder])

    def test_switches_say_what_is_on_and_read_what_was_applied(self):
        rules = [rule(0), rule(1), rule(2)]
        rules[0].tuples = [(0,)] * 3  # tuples 0 to 2; the other rules have tuples 3 and 4
        switches = trial_rules.Switches(rules)
        self.assertEqual(switches.text(frozenset()), "")
        self.assertEqual(switches.text({(0, "main_rest"), (2, "main_rest"), (1, "after_late")}),
                         "main_rest:71,after_late:8")
        self.assertEqual(switches.text({(1, "main_rest"), trial_rules.MATCH}), "match,main_rest:8")
        self.assertEqual(switches.pairs(["main_rest 1 2", "main_rest 2 1", "after_late 3 1", "met 4 2"]),
                         {(0, "main_rest"): 3, (1, "after_late"): 1, (2, trial_rules.MET): 2})

    def test_the_pass_has_a_switch_for_every_tuple(self):
        """Uses a stand-in for Mesa's generator that writes code in the same form."""
        with open(os.path.join(self.folder, "nir_algebraic.py"), "w") as file:
            file.write("condition_list = ['true']\n"
                       "class AlgebraicPass:\n"
                       "    def __init__(self, name, rules):\n        self.text = name, rules\n"
                       "        condition_list.extend(rule[2] for rule in rules)\n"
                       "    def render(self):\n"
                       "        return f'head\\n\\nbool\\n{self.text[0]}(nir_shader *s) {self.text[1]}\\n'\n")
        self.write(PACK.format(1, 2))
        for rules in (trial_rules.read_packs([self.folder]), []):
            source, out = (os.path.join(self.folder, name) for name in ("pass.py", "pass.c"))
            with open(source, "w") as file:
                file.write(trial_rules.pass_text(rules))
            subprocess.run([sys.executable, source, "-p", self.folder, "--out", out], check=True)
            with open(out) as file:
                text = file.read()
            for place in trial_rules.PLACES:
                self.assertIn(f"\nnir_opt_trial_{place}(nir_shader *shader)\n", text)
            self.assertIn("bool progress = nir_opt_trial_rules(shader);", text)
            if rules:
                self.assertIn("'rig_rule_on(0) && rig_met(0, (options->x))'", text.replace('"', "'"))
                self.assertIn("'rig_rule_on(2)'", text.replace('"', "'"))
                first, second = (text.index(f"\nstatic bool\nnir_opt_trial_{name}(") for name in ("rules", "second_rules"))
                self.assertLess(first, text.index("rig_rule_on(0) "))
                self.assertLess(text.index("rig_rule_on(0) "), second)
                for number in (1, 2, 3):
                    self.assertLess(second, text.index(f"rig_rule_on({number})"))
                self.assertIn("rig_numbers[] = {0, 0, 1, 2, 3};", text)


    def test_conditions_that_a_pack_brings_stand_before_its_rules(self):
        with open(os.path.join(self.folder, "nir_algebraic.py"), "w") as file:
            file.write("condition_list = ['true']\n"
                       "class AlgebraicPass:\n"
                       "    def __init__(self, name, rules):\n        self.name = name\n"
                       "        condition_list.extend(rule[2] for rule in rules)\n"
                       "    def render(self):\n"
                       "        return f'head\\n\\nbool\\n{self.name}(nir_shader *s)\\n'\n")
        helpers = """helpers = {
   'readers.c': r'''static bool is_read; // "\\n"
''',
   'sharing.c': r'''static unsigned shared_left;''',
}

limits ="""
        self.write(PACK.format(1, 2).replace("limits =", helpers))
        source, out = (os.path.join(self.folder, name) for name in ("pass.py", "pass.c"))
        with open(source, "w") as file:
            file.write(trial_rules.pass_text(trial_rules.read_packs([self.folder])))
        subprocess.run([sys.executable, source, "-p", self.folder, "--out", out], check=True)
        with open(out) as file:
            text = file.read()
        self.assertLess(text.index('static bool is_read; // "\\n"\n\nstatic unsigned shared_left;'), text.index("head\n"))
        # Each call counts separately, and CSE runs between rounds.
        self.assertIn("bool progress = run_with_cse(shader, nir_opt_trial_rules);", text)
        self.assertIn("progress |= run_with_cse(shader, nir_opt_trial_second_rules);", text)


class LedgerTest(unittest.TestCase):
    def test_keeps_what_was_measured_for_the_same_build_and_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger")
            setting = frozenset([(1, "main_rest")])
            ledger = trial_measure.Ledger(path, {"build": "x"}, ROW)
            ledger.put(Program("p"), setting, outcome(7, setting))
            self.assertEqual(ledger.get(Program("p"), setting).shaders[KEY]["time"], 7)
            ledger.close()
            with open(path, "a") as file:
                file.write('{"program": "half')  # left by a killed trial
            other = trial_measure.Ledger(path, {"build": "x"}, {"time": [{"sum": ["inst", "cycles"]}]})
            self.assertEqual(other.get(Program("p"), setting).shaders, {KEY: {"time": 14, "inst": 7, "cycles": 7}})
            other.close()
            again = trial_measure.Ledger(path, {"build": "x"}, ROW)
            self.assertEqual(again.get(Program("p"), setting).shaders, {KEY: {"time": 7, "inst": 7, "cycles": 7}})
            self.assertEqual(again.get(Program("p"), setting).applied, {(1, "main_rest"): 1})
            self.assertIsNone(again.get(Program("p"), frozenset()))
            again.put(Program("q"), setting, outcome(8))
            again.close()
            for build, known in (("x", 2), ("y", 0)):
                ledger = trial_measure.Ledger(path, {"build": build}, ROW)
                self.assertEqual(len(ledger.known), known)
                ledger.close()


# Abbreviated output of Mesa 25.0.7's drivers: two shaders of a program, or one.
PRINTED = {
    "ir3-a630": """MESA: info: Native code for unnamed FRAG shader TTN5 with sha1 9ba1:
MESA: info: nop
MESA: info: end
MESA: info: NIR (final form) for VERT shader GLSL1:
MESA: info: impl main {
MESA: info: Native code for unnamed VERT shader GLSL1 with sha1 fc64:
MESA: info: SIMD0
MESA: info: ; num_ubos:           0
MESA: info: @in(r0.x)	in0 (wrmask=0x3)
MESA: info: (sy)(rpt3)mul.f r1.z, c0.x, (r)r0.z
MESA: info: jump #l30
MESA: info: l30:
MESA: info: end
MESA: info: nop
MESA: info: Native code for unnamed FRAG shader GLSL1 with sha1 2551:
MESA: info: bary.f (ei)r63.x, 0, r0.x
MESA: info: end
""",
    "elk-hsw": """NIR (final form) for fragment shader:

Native code for unnamed vertex shader GLSL1 (src_hash 0x00000000) (sha1 fdb8):
mul(8)          g23<1>F         g2<0>F          g4<4>.yF        { align16 1Q };
send(8)         null<1>F        g113<4>F        0x8e08c000
                            urb MsgDesc: offset 0 write

Native code for unnamed fragment shader GLSL1 (src_hash 0x00000000) (sha1 446b)
SIMD8 shader: 8 instructions. 0 loops. 792 cycles.

""",
    "valhall-g57": """shader: MESA_SHADER_VERTEX
impl main {
}

block0 {
   r0 = FMA.f32 u0, r0, u256.neg
}

   FMA.f32.discard r0, u0, ^r0, 0x0.neg
   BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1

shader: MESA_SHADER_FRAGMENT
}
   IADD_IMM.i32 r48, 0x0, #0x0
""",
    "bifrost-g52": """shader: MESA_SHADER_FRAGMENT
block0 {
	* NOP
	+    r60 = ATEST r60, t0, fau.x
}
clause_0:
ds(0) nbb atest td ncph next_blend dwb(0, 6, 7)
{
    *FMA.f32 r3:t0, u0.w0, r3, #0.neg
    +NOP t1
}
""",
    "aco-navi31": """After RA:
ACO shader stage: SW (FS), HW (PIXEL_SHADER)
BB0
/* logical preds: / linear preds: / kind: uniform, top-level, */
	 v1: %18:v[0] = v_mul_f32 %17:s[2], %73:v[0]

""",
    "v3d-42": """MESA_SHADER_VERTEX_BIN prog 0/1 QPU:
0x3e903186bb800000 nop                           ; nop

""",
}
CODE = {
    "ir3-a630": [["(sy)(rpt3)mul.f r1.z, c0.x, (r)r0.z", "jump #l", "l:"], ["bary.f (ei)r63.x, 0, r0.x"]],
    "elk-hsw": [["mul(8)          g23<1>F         g2<0>F          g4<4>.yF        { align16 1Q };",
                 "send(8)         null<1>F        g113<4>F        0x8e08c000",
                 "                            urb MsgDesc: offset 0 write"],
                ["SIMD8 shader: 8 instructions. 0 loops. 792 cycles."]],
    "valhall-g57": [["FMA.f32.discard r0, u0, ^r0, 0x0.neg", "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1"],
                    ["IADD_IMM.i32 r48, 0x0, #0x0"]],
    "bifrost-g52": [["*FMA.f32 r3:t0, u0.w0, r3, #0.neg"]],
    "aco-navi31": [["BB0", "v1: v[0] = v_mul_f32 s[2], v[0]"]],
    "v3d-42": [["nop                           ; nop"]],
}


class ModelTest(unittest.TestCase):
    """Runs a shell script in place of `rewrought`, on existing NIR."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.asked = os.path.join(self.folder.name, "asked")
        pack = os.path.join(self.folder.name, "pack")
        for part in (pack, os.path.join(pack, "inexact"), os.path.join(self.folder.name, "mesa-s/src/compiler/nir")):
            os.makedirs(part)
        with open(os.path.join(self.folder.name, "mesa-s/src/compiler/nir/nir_opt_algebraic.py"), "w", encoding="utf-8"):
            pass
        for part in (pack, os.path.join(pack, "inexact")):
            with open(os.path.join(part, "pack.json"), "w", encoding="utf-8"):
                pass
        self.args = argparse.Namespace(out=self.folder.name, build=self.folder.name, pack=[pack], jobs=2, watchdog=20,
                                       shaders=["s"], model=os.path.join(self.folder.name, "rewrought"))
        self.say(0)

    def say(self, code):
        with open(self.args.model, "w", encoding="utf-8") as file:
            file.write(f"""#!/bin/sh
echo "$*" >> {self.asked}
echo '{{"shader": "p"}}'
case "$2" in */late) echo '{{"rule": "one", "applied": 3, "instructions": -2.0}}';; esac
echo '{{"rule": "two", "applied": 0, "instructions": 0}}'
exit {code}
""")
        os.chmod(self.args.model, 0o755)

    def path(self, end):
        return os.path.join(self.folder.name, "d." + end)

    def answers(self, driver, programs=("p",), places=("main", "late", "end")):
        def dump(_args, row, _build, folder):
            for place in places:
                os.makedirs(os.path.join(folder, row["name"], place))
        with unittest.mock.patch.object(trial_model, "dump_nir", dump):
            return trial_model.answers(self.args, driver, [rule(1)], "b", [Program(name) for name in programs], self.path,
                                       lambda _: None)

    def calls(self):
        with open(self.asked, encoding="utf-8") as file:
            return file.read().splitlines()

    def test_each_dump_is_asked_once_and_kept_until_something_changes(self):
        driver = {"name": "d", "machine": "gpu"}
        dumps = self.answers(driver)
        self.assertEqual(dumps, {"main": {"two": (0, 0)}, "late": {"one": (3, -2.0), "two": (0, 0)}})
        self.assertEqual(len(self.calls()), 2)
        for word in ("--machine gpu", f"--pack {self.args.pack[0]} ", "/inexact", "--each-rule", "--baseline"):
            self.assertIn(word, self.calls()[0])
        self.assertFalse(os.path.exists(self.path("nir")))
        self.answers(driver)
        self.assertEqual(len(self.calls()), 2)
        self.answers(driver, ("p", "q"))
        self.assertEqual(len(self.calls()), 4)
        self.answers({"name": "d", "model": "nearest"}, ("p", "q"))
        self.assertIn("--machine nearest", self.calls()[-1])
        with open(self.args.model, "a", encoding="utf-8") as file:
            file.write("# another program\n")
        self.answers({"name": "d", "model": "nearest"}, ("p", "q"))
        self.assertEqual(len(self.calls()), 8)

    def test_what_a_driver_still_does_is_said(self):
        """After the driver's last main loop, only late passes follow; on some drivers, constants are free."""
        self.answers({"name": "d", "machine": "gpu"}, places=("main", "before_ffma", "late"))
        late = {call.split()[1].rsplit("/", 1)[1]: "--late" in call.split() for call in self.calls()}
        self.assertEqual(late, {"main": False, "before_ffma": False, "late": True})
        self.assertNotIn("--constants-free", " ".join(self.calls()))
        self.answers({"name": "d", "machine": "gpu", "constants_free": True})
        self.assertEqual(len(self.calls()), 5)
        for call in self.calls()[3:]:
            self.assertIn("--constants-free", call)

    def test_what_the_model_applies_stands_at_its_places(self):
        figures, rows = {}, [{"rule": "one", "trial": {}}, {"rule": "two", "trial": {}}, {"rule": "three", "trial": {}}]
        trial_model.add({"main": {"two": [0, 0]}, "late": {"one": [3, -2.0]}}, "gpu", figures, rows)
        self.assertEqual(figures, {"modelled_as": "gpu"})
        self.assertEqual(rows[0]["trial"]["modelled"], [{"place": "before_late", "applied": 3, "instructions": -2.0},
                                                        {"place": "after_late", "applied": 3, "instructions": -2.0}])
        self.assertEqual([row["trial"]["modelled"] for row in rows[1:]], [[], []])

    def test_a_model_that_fails_is_no_answer(self):
        self.say(2)
        with self.assertRaisesRegex(rig.UserError, "failed with exit status 2"):
            self.answers({"name": "d", "machine": "gpu"})
        self.assertFalse(os.path.exists(self.path("model.json")))
        with self.assertRaisesRegex(rig.UserError, "no machine description models d"):
            self.answers({"name": "d"})


class HoldTest(unittest.TestCase):
    def test_no_build_changes_drivers_that_are_compiled_with(self):
        with tempfile.TemporaryDirectory() as folder:
            build = [os.path.join(os.path.dirname(os.path.abspath(rig.__file__)), "build"), "--out", folder, "--drivers",
                     "v3d-42"]
            first, second = rig.hold(folder), rig.hold(folder)
            refused = subprocess.run(build, capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("trial or run is using " + folder, refused.stderr)
            first.close()
            second.close()
            with open(os.path.join(folder, "lock"), "a", encoding="utf-8") as builds:
                fcntl.flock(builds, fcntl.LOCK_EX)
                with self.assertRaisesRegex(rig.UserError, "a build is using " + folder):
                    rig.hold(folder)
        with self.assertRaisesRegex(rig.UserError, "start tools/driver_rig/build"):
            rig.hold(folder)


class CodeTest(unittest.TestCase):
    def test_reads_the_code_that_drivers_print(self):
        for driver, printed in PRINTED.items():
            self.assertEqual(trial_code.printer_of(driver).shaders(printed), CODE[driver], driver)
        self.assertIsNone(trial_code.printer_of("nv40"))

    def test_long_code_is_shown_around_changes_and_then_cut(self):
        before = [f"line {number}" for number in range(500)]
        self.assertEqual(trial_code.compared(["a", "b", "c"], ["a", "x", "c"]), " a\n-b\n+x\n c")
        self.assertEqual(trial_code.compared(before, before), "")
        after = list(before)
        after[250] = "other"
        self.assertEqual(len(trial_code.compared(before, after).split("\n")), 501)
        longer = before * 2
        around = trial_code.compared(longer, longer[:700] + ["new"] + longer[700:]).split("\n")
        self.assertEqual((around[0][:2], len(around), around[4]), ("@@", 8, "+new"))
        cut = trial_code.compared([], ["x" * 100] * 5000)
        self.assertLessEqual(len(cut), trial_code.MOST_CHARACTERS + 40)
        self.assertRegex(cut.split("\n")[-1], "^@@ .* more lines @@$")

    def test_shows_the_smallest_shader_that_does_what_the_rule_does_in_all(self):
        pair, nothing = (0, "main_rest"), frozenset()
        sizes = {"p0": (50, 48), "p1": (20, 19), "p2": (5, 6), "p3": (10, 10)}  # in total, the rule saves time

        def driver(name, setting):
            return outcome(sizes[name][bool(setting)], setting, cycles=2 * sizes[name][bool(setting)])
        choice = trial_choice.Choice(Bench(driver), [rule(0)], [0], [Program(name) for name in sizes], OBJECTIVE, ("main_rest",),
                                     lambda text: None)
        choice.choose(1)

        class Text(trial_code.Examples):
            def __init__(self):
                self.choice = choice

            def code(self, program, setting):
                return {KEY: [f"{program.name} {len(setting)}"]}
        self.assertEqual(Text().of(pair), {"place": "main_rest", "program": "p1", "shader": "alone fragment", "number": "time",
                                           "before": 40, "after": 38, "code": "-p1 0\n+p1 1"})
        choice.alone[pair].totals["time"] = 1
        self.assertEqual(Text().of(pair)["program"], "p2")
        choice.alone[pair].totals["time"] = 0  # instructions decide
        self.assertEqual((Text().of(pair)["number"], Text().of(pair)["program"]), ("inst", "p1"))
        choice.alone[pair].totals["inst"] = 0
        self.assertIsNone(Text().of(pair))


if __name__ == "__main__":
    unittest.main()
