"""Tests the contract of `rewrought check`: its objects, their order, verdicts, exit codes, and options.

usage: check_test.py REWROUGHT
"""
import json
import re
import unittest

import command_line

LINE_KEYS = ["line", "rule", "dialect", "verdict"]
CASE_KEYS = ["width", "sizes", "mode", "verdict", "tier", "confirmed_by", "reason"]
VERDICTS = ("proved", "inexact", "refuted", "unknown", "vacuous", "unsupported", "error")
MODE_ORDER = {"none": 0, "any": 1, "preserve": 2, "flush": 3}

PROVED = "(('iadd', 'a', 'b'), ('iadd', 'b', 'a'))"
REFUTED = "(('fadd', a, ('fneg', a)), 0.0)"
MALFORMED = "(('fadd', a), a)"
# This rule needs high products of 64 bits, so no solver decides it within milliseconds.
HARD = ("(('imul_high@64', a, b), ('isub', ('isub', ('umul_high', a, b), ('iand', ('ishr', a, 63), b)), "
        "('iand', ('ishr', b, 63), a)))")
# A 1-bit integer cannot be positive.
VACUOUS = "(('imul', 'a@1', '#b@1(is_pos_power_of_two)'), 0)"

MIXED = "\n".join([
    "# A comment, then rules of every sort.",
    REFUTED,
    "  " + PROVED + "  # and a comment after it",
    "",
    MALFORMED,
    "(('fmul', ('fadd', a, b), 2.0), ('fadd', ('fmul', a, 2.0), ('fmul', b, 2.0)), 'true')",
    "(('fabs', a), a)",
    "(('~fadd', ('fadd', a, b), c), ('fadd', a, ('fadd', b, c)))",
    "(('iand', a, ('inot', a)), 0)",
]) + "\n"


# For these rules, assumptions can be inferred quickly.
INFERRED = "(('fabs', a), a)\n(('fneg', ('fadd', a, 0.0)), ('fneg', a))\n" + MALFORMED + "\n" + PROVED + "\n"


def hex_width(text):
    """Returns the number of bits to which a hex number of this length is padded."""
    return 1 if len(text) == 3 else 4 * (len(text) - 2)


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key != "ms"}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    return value


# These two shifts equal one shift if the counts are small enough.
SHIFTS = "('ushr', ('ushr', 'a@32', '#b(is_ult_32)'), '#c(is_ult_32)')"
ONE_SHIFT = "('ushr', 'a', ('iadd', 'b', 'c'))"


class CheckTest(command_line.CommandLineTest):
    def check(self, rules, *arguments, code=None, **options):
        result = self.run_it("check", "-", "--json", *arguments, stdin=rules, **options)
        if code is not None:
            self.assertEqual(result.code, code, result.out + result.err)
        return result.objects()

    def test_relations_between_constants(self):
        """Each relation is needed, in its direction and with its exact bound. Witnesses satisfy the relations. A
        relation that is never true is reported."""
        def rule(relation, replace=ONE_SHIFT):
            return "(('where', %s, %s), %s)" % (SHIFTS, relation, replace)

        rules = [rule("('ult', ('iadd', 'b', 'c'), 32)"), "(%s, %s)" % (SHIFTS, ONE_SHIFT),
                 rule("('uge', ('iadd', 'b', 'c'), 32)"), rule("('uge', 32, ('iadd', 'b', 'c'))"),
                 rule("('uge', ('iadd', 'b', 'c'), 32)", "0"), rule("('ult', ('iadd', 'b', 'c'), 'b')")]
        answers = self.check("\n".join(rules), code=1)
        self.assertEqual([answer["verdict"] for answer in answers],
                         ["proved", "refuted", "refuted", "refuted", "proved", "vacuous"])
        self.assertEqual(answers[0]["rule"], rules[0])
        for answer, met in zip(answers[1:4], (lambda n: True, lambda n: n >= 32, lambda n: n <= 32)):
            values = answer["cases"][0]["witness"]["vars"]
            total = int(values["b"], 16) + int(values["c"], 16)
            self.assertTrue(total >= 32 and met(total), values)

    # Each rule is wrong only if two nodes match the same instruction, or if a variable is the result of an op. That
    # ineg is used once does not exclude this: the two ineg may be separate instructions, each ineg of c may match
    # another instruction, and a packed conversion or fsign, which the verifier spells out as several ops, reads its
    # operand once.
    def test_coincidences_are_not_hidden(self):
        for rule, dialect in (
                ("(('iand', ('iand', ('ieq', ('f2i32', 'a@32'), ('f2i32', 'c@32')), ('fneu', 'c', 'c')), "
                 "('ine', ('ineg(is_used_once)', 'a'), ('inot', ('ineg(is_used_once)', 'c')))), False)", "nir-26"),
                ("(('iand', ('ieq', ('f2i32', ('ineg(is_used_once)', 'a@32')), ('f2i32', ('ineg', 'c@32'))), "
                 "('fneu', ('ineg', 'c'), ('ineg', 'c'))), False)", "nir-26"),
                ("(('iand', ('ieq', ('pack_half_2x16_split', ('ineg(is_used_once)', 'a@32'), 0.0), "
                 "('pack_half_2x16_split', ('ineg', 'c@32'), 0.0)), ('ult', ('iadd', 'c', 0x7fffffff), 0x7fffff)), False)", "nir-26"),
                ("(('ieq', ('fsign@32', ('ineg(is_used_once)', 'a')), ('fsign@32', ('ineg', 'c'))), "
                 "('iand', ('feq', ('ineg', 'c'), ('ineg', 'c')), "
                 "('ieq', ('fsign', ('ineg', 'a')), ('fsign', ('ineg', 'c')))))", "nir-26"),
                # One pack matches both forms, with and without a flag.
                ("(('iand', ('ieq', ('pack_half_2x16_split', ('ineg(is_used_once)', 'a@32'), 'b'), "
                 "('pack_half_2x16_split(nsz)', 'c@32', 'b')), ('ieq', 'a', 0x00400000)), False)", "nir-25"),
                ("(('iand', ('ieq', ('ineg', ('pack_half_2x16_split(is_used_once)', ('ineg', 'a@32'), 0.0)), "
                 "('ineg', ('pack_half_2x16_split(nsz)', 'c@32', 0.0))), ('ult', ('iadd', 'a', 0xffffffff), 0x7ffffe)), False)",
                 "nir-25"),
                # The variables e and c, whose values the prover tries one by one, may be results.
                ("(('iand', ('ieq', ('f2i32', ('bcsel', 'e@1', 'x@32', 'y')), ('f2i32', ('bcsel', ('ieq', 'p@32', 'q'), 'x', "
                 "'y'))), ('iand', ('fneu', 'x', 'x'), ('fneu', 'y', 'y'))), False)", "nir-26"),
                ("(('iand', 'e@1', ('iand', ('ieq', ('ishl', 'x@32', ('f2i32', 'a@32')), ('ishl', 'x', 'c')), "
                 "('iand', ('fneu', ('fmul', 'a', 'a'), ('fmul', 'a', 'a')), ('ieq', 'x', 1)))), False)", "nir-26"),
                # The sign of a NaN is a choice of a part of fsign.
                ("(('iand', ('ieq', ('fsign@32', 'a'), 'c'), ('fneu', 'a', 'a')), False)", "nir-26"),
                ("(('iand', ('ieq', ('fsign@32', 'a'), 'c'), ('fneu', 'a', 'a')), False)", "nir-25")):
            result = self.run_it("check", rule, "--dialect", dialect)
            self.assertEqual(result.code, 1, result.out)
            self.assertRegex(result.out, "match the same instruction|is the result of")

    def test_dialects(self):
        rules = "(('fadd@32', 'a', -0.0), 'a')\n(('fneg', ('fneg', 'a')), ('fcanonicalize', 'a'))\n"
        answers = {dialect: self.check(rules, *options) for dialect, *options in (
            ("nir-25", "--dialect", "nir-25"), ("nir-26", "--dialect", "nir-26"), ("default",), ("machine", "--machine", "agx_g13"))}
        verdicts = {dialect: [answer["verdict"] for answer in found] for dialect, found in answers.items()}
        self.assertEqual(verdicts["nir-25"], ["refuted", "error"])
        self.assertEqual(verdicts["nir-26"], ["proved", "proved"])
        # Machine programs can be verified only in nir-25.
        self.assertEqual((verdicts["default"], verdicts["machine"]), (verdicts["nir-26"], verdicts["nir-25"]))
        self.assertEqual([answer["dialect"] for answer in answers["default"]], ["nir-26", "nir-26"])
        self.assertEqual(answers["machine"][0]["dialect"], "nir-25")
        self.assertIn("(dialect nir-26)", self.run_it("check", PROVED).err)
        self.assert_refused(self.run_it("check", PROVED, "--dialect", "nir-27"), "--dialect", "nir-25 or nir-26")
        program = "(('fsub', a, b), [fadd(r(F), a(F), -b(F))])"
        result = self.run_it("check", program, "--machine", "agx_g13", "--dialect", "nir-26")
        self.assertIn("only in dialect nir-25", result.out + result.err)

    def test_a_zero_that_matches_itself_only_is_shown_as_a_float(self):
        rule = "(('fadd', 'a@32', -0.0), 'a')"
        self.assertEqual(self.check(rule + "\n", "--dialect", "nir-26")[0]["rule"], rule)

    def test_relations_that_say_nothing_sound_are_errors(self):
        wrong = (("('flt', 'b', 'c')", "it works on floats"), ("('ult', 'a', 'c')", "'a' is not a constant of the search"),
                 ("('ult', 'd', 'c')", "'d' is not a constant of the search"),
                 ("('ieq', ('idiv', 'b', 'c'), 1)", "is undefined for some operands"),
                 ("'b'", "a single constant is not a relation"), ("('ult', 'b', 1.0)", "works on integers"))
        rules = ["(('where', %s, %s), 0)" % (SHIFTS, relation) for relation, _ in wrong]
        whole = "('where', %s, ('ult', 'b', 'c'))" % SHIFTS
        rules += ["(%s, %s)" % (SHIFTS, whole), "(('ineg', %s), 0)" % whole]
        answers = self.check("\n".join(rules), code=2)
        for answer, (_, message) in zip(answers, wrong):
            self.assertIn(message, answer["error"]["message"])
            self.assertGreater(answer["error"]["column"], len("(('where', " + SHIFTS))
        for answer in answers[-2:]:
            self.assertIn("must enclose a rule's whole search", answer["error"]["message"])
        for command in (("eval", whole, "--vectors", "-"), ("improve", whole, "--machine", "intel_gen9")):
            self.assert_refused(self.run_it(*command, stdin="{}"), "whole search")

    def check_one(self, rule, *arguments, code=None):
        objects = self.check(rule + "\n", *arguments, code=code)
        self.assertEqual(len(objects), 1)
        return objects[0]

    def assert_hex(self, text, bits):
        self.assertRegex(text, "^0x[0-9a-f]+$")
        self.assertEqual(hex_width(text), bits, text)

    def assert_case(self, case, explain=False):
        """Checks the fields of one case against the contract."""
        keys = list(CASE_KEYS)
        if case["verdict"] == "refuted":
            keys += ["witness"] + (["explain"] if explain else [])
        self.assertEqual(list(case), keys + ["ms"])
        self.assertIn(case["verdict"], VERDICTS[:-1])
        self.assertIn(case["width"], (1, 8, 16, 32, 64))
        self.assertIn(case["mode"], MODE_ORDER)
        self.assertIn("root", case["sizes"])
        self.assertGreaterEqual(case["ms"], 0)
        self.assertIsInstance(case["confirmed_by"], list)
        if case["verdict"] in ("unknown", "unsupported"):
            self.assertNotEqual(case["reason"], "")
        if case["verdict"] != "refuted":
            return
        witness = case["witness"]
        self.assertEqual(list(witness), ["vars", "search", "replace"])
        for name, value in witness["vars"].items():
            self.assert_hex(value, case["sizes"].get(name, hex_width(value)))
        for name in case["sizes"]:
            self.assertTrue(name == "root" or name in witness["vars"], name)
        self.assert_hex(witness["replace"], case["sizes"]["root"])
        if isinstance(witness["search"], str):
            self.assertIn(witness["search"], ("nan", "any"))
        else:
            self.assertNotIn(witness["replace"], witness["search"])
            for value in witness["search"]:
                if value != "nan":
                    self.assert_hex(value, case["sizes"]["root"])

    def assert_line(self, line, infer=False, explain=False):
        keys = [key for key in line if key not in ("error", "inexact", "weakest")]
        self.assertEqual(keys, LINE_KEYS + ["cases", "ms"])
        self.assertIn(line["verdict"], VERDICTS)
        self.assertEqual("error" in line, line["verdict"] == "error")
        self.assertTrue(line["verdict"] != "inexact" or "inexact" in line)
        self.assertTrue(infer or "weakest" not in line)
        if line["verdict"] == "error":
            self.assertEqual(set(line["error"]), {"column", "message"})
            self.assertGreater(line["error"]["column"], 0)
            self.assertNotEqual(line["error"]["message"], "")
            self.assertEqual(line["cases"], [])
            return
        for case in line["cases"]:
            self.assert_case(case, explain)
        places = [(case["width"], MODE_ORDER[case["mode"]]) for case in line["cases"]]
        sizes = [(case["width"], list(case["sizes"].items()), MODE_ORDER[case["mode"]]) for case in line["cases"]]
        self.assertEqual(len(set(map(str, sizes))), len(sizes))
        self.assertEqual([width for width, _ in places], sorted(width for width, _ in places))
        found = {case["verdict"] for case in line["cases"]}
        for verdict in ("refuted", "unknown", "unsupported", "proved", "vacuous"):
            if verdict in found:
                inexact = verdict in ("refuted", "unknown") and "~" in line["rule"] and line["verdict"] == "inexact"
                self.assertEqual(line["verdict"], "inexact" if inexact else verdict)
                break

    def test_one_object_per_rule_in_input_order(self):
        result = self.run_it("check", "-", "--json", stdin=MIXED)
        lines = result.objects()
        self.assertEqual([line["line"] for line in lines], [2, 3, 5, 6, 7, 8, 9])
        self.assertEqual([line["verdict"] for line in lines],
                         ["refuted", "proved", "error", "refuted", "refuted", "inexact", "proved"])
        for line in lines:
            self.assert_line(line)
        self.assertEqual(lines[0]["rule"], "(('fadd', 'a', ('fneg', 'a')), 0.0)")
        self.assertEqual(lines[1]["rule"], PROVED)
        self.assertEqual(result.code, 2)

    def test_canonical_text_reads_back_as_itself(self):
        rules = [line["rule"] for line in self.check(MIXED, "--widths", "32") if line["verdict"] != "error"]
        again = self.check("\n".join(rules) + "\n", "--widths", "32")
        self.assertEqual([line["rule"] for line in again], rules)

    def test_file_and_standard_input_give_the_same(self):
        path = self.write("mixed.rules", MIXED)
        from_file = self.run_it("check", path, "--json", "--widths", "16")
        self.assertEqual(without_times(from_file.objects()), without_times(self.check(MIXED, "--widths", "16")))
        # The text has Windows line ends, no final line end, a list as in Mesa's files, and a tuple over several lines.
        listed = "rules = [\r\n  (('iadd', a, b),\r\n   ('iadd', b, a)),\r\n  " + REFUTED + ",\r\n]"
        lines = self.check(listed, "--widths", "32", code=1)
        self.assertEqual([(line["line"], line["verdict"]) for line in lines], [(2, "proved"), (4, "refuted")])

    def test_exit_codes(self):
        fast = ("--widths", "1,32")
        self.check(PROVED, *fast, code=0)
        self.check(PROVED + "\n" + REFUTED, *fast, code=1)
        self.check(PROVED + "\n" + REFUTED + "\n" + MALFORMED, *fast, code=2)
        self.check(PROVED + "\n" + MALFORMED, *fast, code=2)
        self.check(HARD, "--timeout-ms", "20", code=3)
        self.check(HARD + "\n" + REFUTED, "--timeout-ms", "20", code=1)
        self.assertEqual(self.check_one(VACUOUS, code=3)["verdict"], "vacuous")

    def test_text_form_has_the_same_exit_code_and_names_the_place(self):
        path = self.write("r.rules", PROVED + "\n" + REFUTED + "\n" + MALFORMED + "\n")
        result = self.run_it("check", path, "--widths", "32")
        self.assertEqual(result.code, 2)
        self.assertIn(path + ":2: refuted", result.out)
        self.assertIn(path + ":3:4: error: fadd takes 2 sources, not 1", result.out)

    def test_rules_on_the_command_line(self):
        one = self.run_it("check", REFUTED, "--widths", "32")
        self.assertEqual(one.code, 1)
        self.assertTrue(one.out.startswith("refuted  (('fadd', 'a', ('fneg', 'a')), 0.0)\n"), one.out)
        self.assertEqual(one.out.count("mode any: denormals may or may not be flushed to zero"), 1)
        # `--json` prints the same objects for a rule on the command line and on standard input.
        self.assertEqual(without_times(self.run_it("check", "  " + REFUTED, "--json", "--widths", "32").objects()),
                         without_times(self.check(REFUTED, "--widths", "32")))
        path = self.write("r.rules", PROVED + "\n")
        several = self.run_it("check", PROVED, path, REFUTED, "--widths", "32", "--json")
        self.assertEqual([(line["input"], line["line"], line["verdict"]) for line in several.objects()],
                         [("argument 1", 1, "proved"), (path, 1, "proved"), ("argument 3", 1, "refuted")])
        wrong = self.run_it("check", PROVED, "\n " + MALFORMED, "--widths", "32")
        self.assertEqual(wrong.code, 2)
        self.assertIn("argument 2:2:5: error: fadd takes 2 sources, not 1", wrong.out)
        self.assertIn("argument 1: proved", wrong.out)
        self.assert_refused(self.run_it("check", self.path("none.rules")), "none.rules", "starts with '('")
        program = self.run_it("check", "(('fsub@32', a, b), [fadd(r(F), a(F), -b(F))])", "--machine", "agx_g13", "--json")
        self.assertEqual(program.objects()[0]["verdict"], "proved", program.err)

    def test_rules_are_printed_as_people_write_them(self):
        for rule, shown in (("(('fmul@32', 'a@32', 0x3f800000@32), 'a@32')", "(('fmul', 'a@32', 1.0), 'a')"),
                            ("(('iand', 'a@32', 0x7fffffff), 'a@32')", "(('iand', 'a@32', 0x7fffffff), 'a')")):
            self.assertEqual(self.check_one(rule, "--modes", "preserve")["rule"], shown)

    def test_sizes_are_those_that_typing_allows(self):
        def widths(rule, *arguments):
            return [case["width"] for case in self.check_one(rule, *arguments)["cases"]]
        self.assertEqual(widths(PROVED), [1, 8, 16, 32, 64])
        self.assertEqual(widths("(('fmul', a, b), ('fmul', b, a))"), [16, 32, 64])
        self.assertEqual(widths("(('fmul@16', a, b), ('fmul', b, a))"), [16])
        self.assertEqual(widths("(('fmul', 'a@64', b), ('fmul', b, a))"), [64])
        # The rule has two free size classes. The case is named after the class of the first variable; the other class
        # takes every size.
        cases = self.check_one("(('bcsel', ('ieq', a, b), c, d), ('bcsel', ('ine', a, b), d, c))", "--widths", "8")["cases"]
        self.assertEqual([case["sizes"]["c"] for case in cases], [1, 8, 16, 32, 64])
        self.assertEqual({case["width"] for case in cases}, {8})
        self.assertEqual(cases[0]["sizes"], {"a": 8, "b": 8, "c": 1, "d": 1, "root": 1})
        # Without a free size class, the case is named after the root's size.
        cases = self.check_one("(('f2f32', ('fneg', 'a@16')), ('fneg', ('f2f32', a)))")["cases"]
        self.assertEqual([(case["width"], case["sizes"]) for case in cases], [(32, {"a": 16, "root": 32})])

    def test_widths_and_modes_choose_cases(self):
        rule = "(('fmul', a, b), ('fmul', b, a))"
        def cases(*arguments):
            return [(case["width"], case["mode"]) for case in self.check_one(rule, *arguments)["cases"]]
        self.assertEqual(cases("--widths", "all"), [(16, "any"), (32, "any"), (64, "any")])
        self.assertEqual(cases("--widths", "64,16"), [(16, "any"), (64, "any")])
        self.assertEqual(cases("--widths", "32", "--modes", "flush"), [(32, "flush")])
        self.assertEqual(cases("--widths", "32,16", "--modes", "flush,preserve,any,flush"),
                         [(width, mode) for width in (16, 32) for mode in ("any", "preserve", "flush")])
        # Without float operations, the only mode is none.
        modes = {case["mode"] for case in self.check_one(PROVED, "--modes", "any,flush")["cases"]}
        self.assertEqual(modes, {"none"})
        self.assertEqual(len(self.check_one(PROVED, "--modes", "any,flush")["cases"]), 5)
        self.assert_refused(self.run_it("check", "-", "--widths", "7", stdin=PROVED), "--widths", "'7'", "1, 8, 16, 32, 64")
        self.assert_refused(self.run_it("check", "-", "--widths", "", stdin=PROVED), "--widths")
        self.assert_refused(self.run_it("check", "-", "--modes", "ftz", stdin=PROVED), "--modes", "'ftz'", "any, preserve or flush")

    def test_modes_change_verdicts(self):
        line = self.check_one("(('fmul', a, 1.0), a)", "--widths", "32", "--modes", "any,preserve,flush", code=1)
        self.assertEqual([case["verdict"] for case in line["cases"]], ["proved", "proved", "refuted"])

    def test_a_condition_or_a_word_after_the_rule_is_kept(self):
        line = self.check_one("(('iadd', a, b), ('iadd', b, a), 'options->lower_sub')", "--widths", "32", code=0)
        self.assertEqual(line["rule"], "(('iadd', 'a', 'b'), ('iadd', 'b', 'a'), 'options->lower_sub')")

    def test_errors_have_a_column(self):
        for rule, column, word in ((MALFORMED, 4, "2 sources"), ("(('fnope', a, b), a)", 4, "'fnope'"),
                                   ("(('iadd', a, b), c)", 18, "'c'"), ("(('iadd@8', 'a@16', b), a)", None, "16"),
                                   ("(('iadd', a, b), a", None, "')'"), ("hello", 1, "rule"), ("(('fadd(fast)', a, b), a)", None, "fast"),
                                   ("(('iadd', 'a(is_blue)', b), a)", None, "is_blue")):
            line = self.check_one(rule, code=2)
            self.assert_line(line)
            if column is not None:
                self.assertEqual(line["error"]["column"], column, line)
            self.assertIn(word, line["error"]["message"])
            self.assertTrue(1 <= line["error"]["column"] <= len(rule) + 1, line)

    def test_literals(self):
        rule = "(('fadd', a, -0.0), a)"
        options = ("--widths", "32", "--dialect", "nir-25")
        self.assertEqual(self.check_one(rule, *options, code=1)["verdict"], "refuted")
        self.assertEqual(self.check_one(rule, *options, "--literals", "exact", code=0)["verdict"], "proved")
        self.assertEqual(self.check_one("(('fadd', a, 0.0), a)", *options, "--literals", "exact", code=1)["verdict"], "refuted")
        self.assert_refused(self.run_it("check", "-", "--literals", "loose", stdin=rule), "--literals", "exact")

    def test_infer_lists_the_weakest_assumptions_and_changes_no_verdict(self):
        line = self.check_one("(('fadd', a, 0.0), a)", "--widths", "32", "--infer", code=1)
        self.assert_line(line, infer=True)
        self.assertEqual(line["verdict"], "refuted")
        self.assertIn(["n0:nsz"], line["weakest"])
        self.assertNotIn("weakest", self.check_one("(('fadd', a, 0.0), a)", "--widths", "32", code=1))
        # Node names follow the prefix order of the search side. Each alternative is sufficient when it is added to the
        # rule.
        rule = "(('fneg', ('fadd', a, 0.0)), ('fneg', a))"
        weakest = self.check_one(rule, "--widths", "32", "--infer", code=1)["weakest"]
        self.assertEqual(weakest, [["n0:nsz"], ["a:is_not_zero"]])
        # Another instruction may read the sum and observe the sign of its zero.
        self.check(rule.replace("'fadd'", "'fadd(nsz)'"), "--widths", "32", code=1)
        self.check(rule.replace("'fadd'", "'fadd(nsz,is_used_once)'"), "--widths", "32", code=0)
        self.check(rule.replace("'fneg', (", "'fneg(nsz)', ("), "--widths", "32", code=0)

    def test_inferred_alternatives_are_weakest(self):
        """If one alternative implies another, only the weaker one is reported."""
        weakest = self.check_one("(('fadd', a, 0.0), a)", "--widths", "32", "--infer", code=1)["weakest"]
        self.assertIn(["a:is_not_zero"], weakest)
        self.assertNotIn(["a:is_finite_not_zero"], weakest)

    def test_infer_of_flags_and_predicates_together(self):
        line = self.check_one("(('fsub', a, a), 0.0)", "--widths", "32", "--infer", code=1)
        names = [item for items in line["weakest"] for item in items]
        self.assertTrue(names)
        for name in names:
            self.assertRegex(name, "^(n[0-9]+:(nsz|nnan|ninf)|a:is_[a-z_]+)$")
        self.assertIn(["a:is_finite"], line["weakest"])

    def test_explain_shows_every_node_on_the_witness(self):
        line = self.check_one("(('fneg', ('fadd', a, b)), ('fsub', ('fneg', a), b))", "--widths", "32", "--explain", code=1)
        self.assert_line(line, explain=True)
        nodes = line["cases"][0]["explain"]
        self.assertEqual({node["side"] for node in nodes}, {"search", "replace"})
        texts = " ".join(node["node"] for node in nodes)
        for word in ("fneg", "fadd", "fsub"):
            self.assertIn(word, texts)
        roots = [node["values"] for node in nodes if node["side"] == "replace"][-1]
        self.assertEqual(roots, [line["cases"][0]["witness"]["replace"]])
        text = self.run_it("check", "-", "--widths", "32", "--explain", stdin="(('fabs', a), a)").out
        self.assertIn("fabs a", text)

    def test_only_ms_differs_between_two_runs(self):
        drop = lambda text: re.sub(r'"ms":[0-9.]+', '"ms":0', text)
        for rules, arguments in ((MIXED + VACUOUS, ("--explain", "--widths", "1,32", "--modes", "any,flush")), (INFERRED, ("--infer", "--widths", "32"))):
            first = self.run_it("check", "-", "--json", "--jobs", "1", *arguments, stdin=rules)
            second = self.run_it("check", "-", "--json", "--jobs", "3", *arguments, stdin=rules)
            self.assertIn('"ms":', first.out)
            self.assertEqual(drop(first.out), drop(second.out))
            self.assertEqual(first.code, second.code)

    def test_standard_output_holds_json_only(self):
        for rules, flag in ((MIXED, "--explain"), (INFERRED, "--infer")):
            result = self.run_it("check", "-", "--json", flag, "--widths", "32", stdin=rules)
            for line in result.out.splitlines():
                self.assertIsInstance(json.loads(line), dict)
            self.assertIn("rewrought check: ", result.err)

    def test_witnesses_hold_in_eval(self):
        """With the values of a witness, `eval` returns the same results for both sides as `check` reports."""
        for search, replace in (("('fmul', a, 1.0)", "('fadd', a, a)"), ("('fneg', ('fsub', a, b))", "('fsub', b, a)"),
                                ("('fadd', ('fadd', a, b), c)", "('fadd', a, ('fadd', b, c))"), ("('ushr', a, b)", "('ishr', a, b)"),
                                ("('fmax', a, b)", "('bcsel', ('flt', a, b), b, a)"), ("('f2i32', a)", "('f2u32', a)")):
            line = self.check_one("(%s, %s)" % (search, replace), "--widths", "32", "--modes", "any,preserve,flush", code=1)
            for case in line["cases"]:
                if case["verdict"] != "refuted":
                    continue
                mode = "any" if case["mode"] == "none" else case["mode"]
                def allowed(term):
                    result = self.run_it("eval", term, "--mode", mode, "--vectors", "-", stdin=json.dumps(case["witness"]["vars"]))
                    return result.objects()[0]["allowed"]
                self.assertEqual(allowed(search), case["witness"]["search"], case)
                given = allowed(replace)
                self.assertTrue(given in ("any", "nan") or case["witness"]["replace"] in given, case)

    def test_timeout_bounds_a_query(self):
        line = self.check_one(HARD, "--timeout-ms", "30", code=3)
        self.assertEqual(line["verdict"], "unknown")
        self.assertLess(line["ms"], 20000)
        self.assert_line(line)

    def test_approximate_rules(self):
        line = self.check_one("(('~fadd', ('fadd', a, b), c), ('fadd', a, ('fadd', b, c)))", "--widths", "32", code=0)
        self.assertEqual(line["verdict"], "inexact")
        self.assertEqual(line["cases"][0]["verdict"], "refuted")
        self.assertLessEqual({"reals", "class", "ulp_worst_before", "ulp_worst_after", "ulp_typical_before",
                              "ulp_typical_after", "special"}, set(line["inexact"]))  # other keys may be present
        self.assertEqual(line["inexact"]["reals"], "proved")
        # (a + b) + c is exactly c if b is -a, but b + c loses most digits of c.
        self.assertEqual(line["inexact"]["class"], "cancelling")
        self.assertIn(" ULP", line["inexact"]["hardest_input"])
        factored = self.check_one("(('~fadd', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))",
                                  "--widths", "32", code=0)
        self.assertEqual((factored["inexact"]["class"], factored["inexact"]["growth_as_written"]),
                         ("not_less_accurate", 2))
        wrong = self.check_one("(('~fadd', ('fadd', a, b), c), ('fadd', a, b))", "--widths", "32", code=1)
        self.assertEqual(wrong["verdict"], "refuted")
        # Expanded to an unfused sum, (1 + a) b loses all digits if a is near -1.
        cancels = self.check_one("(('~fmul', ('fadd', 1.0, a), b), ('fadd', b, ('fmul', a, b)))", "--widths", "32", code=0)
        self.assertEqual((cancels["verdict"], cancels["inexact"]["class"]), ("inexact", "cancelling"))
        fused = self.check_one("(('~fmul', ('fadd', 1.0, a), b), ('fadd', b, ('fmul', a, b)))", "--widths", "32",
                               "--machine", "ir3_a6xx", code=0)
        self.assertEqual((fused["inexact"]["class"], fused["inexact"]["growth_as_written"]),
                         ("not_less_accurate", None))


if __name__ == "__main__":
    command_line.main()
