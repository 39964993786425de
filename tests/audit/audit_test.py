"""Tests the audit command on a small tree that resembles Mesa's: classes, places, exit codes, and unreadable rules.

usage: audit_test.py REWROUGHT
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import command_line  # noqa: E402 pylint: disable=wrong-import-position
import small_tree  # noqa: E402 pylint: disable=wrong-import-position

RULES = '''import argparse
import nir_algebraic

a, b = 'a', 'b'
ignore_exact = nir_algebraic.ignore_exact


def both_orders(op):
    first = [op, a, 0]
    return [tuple([tuple(first), a])]


rules = [
    (('iadd', a, 0), a),                                       # line 14: proved
    (('isub', a, b), ('isub', b, a)),                          # line 15: refuted
    (('~fadd', ('fadd', a, b), ('fneg', b)), a),               # line 16: inexact
    (('iadd', 'a@32', 0), a, 'options->lower_something'),      # line 17: shadowed by 14
    (('no_such_op', a), a),                                    # line 18: unsupported
    (('bcsel', ignore_exact('feq', a, a), b, b), b),           # line 19: proved
    (('fadd@16', a, -0.0), a, 'options->has_x && !options->y'),  # line 20: refuted, 0.0 matches both zeros
    (('iadd(only_lower_8_bits_used)', ('iand', 'a@32', 0xff), b), ('iadd', a, b)),  # line 21: proved
    (('ishl', ('b2i32', 'a@64'), 1), 0),                       # line 22: vacuous, no such Boolean
    (('imul', a, lambda: 0), a),                               # line 23: cannot be imported
]
rules += both_orders('ior')  # line 25
for s in (8, 16):
    rules.extend([(('iand@%d' % s, a, b), ('iand', b, a))])  # line 27, twice

parser = argparse.ArgumentParser()
parser.add_argument('--out', required=True)
args = parser.parse_args()
with open(args.out, 'w') as f:
    f.write(nir_algebraic.AlgebraicPass("small_pass", rules).render())
'''

BACK_END = '''
import argparse


def run():
    import nir_algebraic
    print(nir_algebraic.AlgebraicPass("back_end_pass", [(('ineg', ('ineg', 'a')), 'a', 'x->y')]).render())


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('-p', '--import-path', required=True)
    parser.parse_args()
    run()
'''

# No solver decides this rule within its budget.
HARD = ("(('imul_high@64', {0}, 'b'), ('isub', ('isub', ('umul_high', {0}, 'b'), ('iand', ('ishr', {0}, 63), 'b')), "
        "('iand', ('ishr', 'b', 63), {0}))),\n")


class AuditTest(command_line.CommandLineTest):
    def tree(self, rules=RULES):
        return small_tree.write(self, rules)

    def audit(self, *arguments, **options):
        return self.run_it("audit", *arguments, "--jobs", 1, "--verdicts", self.path("kept/verdicts"), **options)

    def by_line(self, result):
        return {rule["line"]: rule for rule in result.objects()}

    def test_classes_places_and_shadows(self):
        result = self.audit(self.tree(), "--json")
        self.assertEqual(result.code, 1, result.err)
        rules = self.by_line(result)
        self.assertEqual({line: rule["class"] for line, rule in rules.items()},
                         {14: "proved", 15: "refuted", 16: "inexact", 17: "proved", 18: "unsupported", 19: "proved", 20: "refuted",
                          21: "proved", 22: "vacuous", 23: "unsupported", 25: "proved", 27: "proved"})
        self.assertEqual(len(result.objects()), 13)
        self.assertEqual([rule["index"] for rule in result.objects()], list(range(13)))
        self.assertEqual({rule["pass"] for rule in result.objects()}, {"small_pass"})
        self.assertEqual({rule["file"] for rule in result.objects()}, {"compiler/nir/nir_opt_algebraic.py"})
        self.assertEqual(rules[17]["shadowed_by"]["line"], 14)
        self.assertEqual([line for line, rule in rules.items() if rule["shadowed_by"] is not None], [17])
        self.assertEqual(rules[20]["condition"], "options->has_x && !options->y")
        self.assertTrue(rules[17]["lowering"])
        self.assertFalse(rules[20]["lowering"])
        self.assertEqual(rules[16]["statement"]["reals"], "proved")
        self.assertTrue(rules[16]["inexact"])
        self.assertIn("low 8 bits", rules[21]["note"])
        self.assertIn("of type function cannot be part of a rule", rules[23]["note"])
        self.assertIn("no_such_op", rules[18]["note"])
        witness = next(case["witness"] for case in rules[15]["cases"] if case["verdict"] == "refuted")
        self.assertNotEqual(witness["search"], [witness["replace"]])
        self.assertEqual(rules[15]["weaker"], [])

    def test_sizes_and_wide_vectors_of_the_tree(self):
        rules = """import nir_algebraic
rules = [
    (('pack_snorm_2x16', 'v'), ('pack_snorm_2x16', ('fneg', ('fneg', 'v')))),
    (('ball_iequal8', ('ieq', 'a', 'b'), -1), ('ball_iequal8', 'a', 'b')),
    (('bany_inequal16', ('ine', 'a', 'b'), 0), ('ball_iequal16', 'a', 'b')),
]
nir_algebraic.AlgebraicPass("p", rules)
"""
        nir = self.tree(rules)
        self.write("src/compiler/nir/nir_opcodes.py", """
class Opcode:
    input_types = ['float32']
opcodes = {'pack_snorm_2x16': Opcode}
""")
        packed, same, other = self.audit(nir, "--json").objects()
        self.assertEqual({case["sizes"]["v"] for case in packed["cases"]}, {32})
        self.assertIn("this tree's opcodes", packed["note"])
        self.assertEqual(same["class"], "proved")
        self.assertEqual(len(same["cases"]), 5, "one case per size")
        self.assertEqual(other["class"], "refuted")

    def test_the_tree_determines_the_dialect(self):
        rules = """import enum
import nir_algebraic

class TestStatus(enum.Enum):
    XFAIL = 1

rules = [
    (('fadd@32', 'a', -0.0), 'a', 'true', TestStatus.XFAIL),
    (('fneg', ('fneg', 'a')), ('fcanonicalize', 'a')),
]
algebraic = nir_algebraic.AlgebraicPass("p", rules)
print(algebraic.render_tests())
"""
        nir = self.tree(rules)
        opcodes = "class Opcode:\n    input_types = ['float']\n%sopcodes = {'fneg': Opcode}\n"
        self.write("src/compiler/nir/nir_opcodes.py", opcodes % "")
        result = self.audit(nir, "--json")
        self.assertEqual([rule["class"] for rule in result.objects()], ["refuted", "unsupported"])
        self.assertIn("dialect nir-25", result.err)
        self.write("src/compiler/nir/nir_opcodes.py", opcodes % "    valid_fp_math_ctrl = ''\n")
        result = self.audit(nir, "--json")
        self.assertEqual([rule["class"] for rule in result.objects()], ["proved", "proved"], result.out)
        self.assertEqual([rule["test_status"] for rule in result.objects()], ["XFAIL", ""])
        self.assertIn("dialect nir-26", result.err)

    def test_text_ends_with_the_table_and_a_reproducer_that_works(self):
        result = self.audit(self.tree())
        self.assertEqual(result.code, 1)
        self.assertIn("nir_opt_algebraic.py:15: refuted: (('isub', 'a', 'b'), ('isub', 'b', 'a'))", result.out)
        line = next(line for line in result.out.splitlines() if "printf" in line and "isub" in line)
        text = subprocess.run(["sh", "-c", line.strip().split(" | ")[0]], stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(self.run_it("check", "-", "--explain", stdin=text).code, 1)
        self.assertIn("cases decided, rules without ~", result.out)

    def test_a_damaged_file_of_verdicts_is_refused(self):
        rules = "import nir_algebraic\nnir_algebraic.AlgebraicPass('p', [\n(('isub', 'a', 'b'), ('isub', 'b', 'a')),\n]).render()\n"
        tree = self.tree(rules)
        self.assertEqual(self.audit(tree).code, 1)
        with open(self.path("kept/verdicts"), encoding="utf-8") as file:
            [line] = file.read().splitlines()
        for before, after, field in (('"verdict":"refuted"', '"verdict":"proved"', "verdict: the cases lead to"),
                                     ('"cases":[', '"cases":[1,', "cases.0.: expected an object"),
                                     ('"replace":"', '"replace":1,"x":"', "cases.[0-9]*..witness.replace: expected"),
                                     ('"unsat":[]', '"unsat":[1]', "unsat.0.: expected a digest"),
                                     ('"sizes":{', '"sizes":{"z":[],', "cases.[0-9]*..sizes.z: expected a size")):
            self.assertIn(before, line)
            head, _, tail = line.rpartition(before)
            self.write("kept/verdicts", line + "\n" + head + after + tail + "\n")
            for arguments in ((), ("--json",), ("--html", self.path("page.html"))):
                result = self.audit(tree, *arguments)
                self.assertEqual(result.code, 2, result.out)
                self.assertRegex(result.err, re.escape(self.path("kept/verdicts")) + ":2:1: field " + field)

    def test_a_condition_fixes_the_mode_of_one_size(self):
        rule = "    (('ine', ('iand', 'a@16', 0x7fff), 0), ('!fneu', 'a', 0.0), 'nir_is_denorm_preserve(m, %d)%s'),\n"
        rules = "import nir_algebraic\nnir_algebraic.AlgebraicPass('p', [\n"
        result = self.audit(self.tree(rules + rule % (16, "") + rule % (32, "") + rule % (16, " == false") + "]).render()\n"),
                            "--json")
        self.assertEqual({line: rule["class"] for line, rule in self.by_line(result).items()},
                         {3: "proved", 4: "refuted", 5: "refuted"})

    def test_second_run_remembers(self):
        tree = self.tree()
        first = self.audit(tree, "--json")
        start = time.time()
        second = self.audit(tree, "--json")
        self.assertLess(time.time() - start, 20)
        self.assertEqual(first.out, second.out)
        self.assertIn(" 0 verified", second.err)
        # A truncated file, which a crash can leave behind, must not make the audit fail.
        with open(self.path("kept/verdicts"), "r+b") as file:
            file.truncate(os.path.getsize(self.path("kept/verdicts")) - 20)
        third = self.audit(tree, "--json")
        self.assertEqual([r["class"] for r in third.objects()], [r["class"] for r in first.objects()])
        self.assertIn(" 1 verified", third.err)

    def test_back_ends_and_files(self):
        tree = self.tree()
        os.makedirs(self.path("src/gallium/some"))
        file = self.write("src/gallium/some/some_nir_algebraic.py", BACK_END)
        passes = [rule["pass"] for rule in self.audit(tree, "--back-ends", "--json").objects()]
        self.assertEqual(passes.count("back_end_pass"), 1)
        alone = self.audit(file, "--json")
        self.assertEqual([(r["pass"], r["line"], r["class"], r["file"]) for r in alone.objects()],
                         [("back_end_pass", 7, "proved", "gallium/some/some_nir_algebraic.py")])
        self.assertEqual(alone.code, 0, alone.err)

    def test_files_that_cannot_be_read_are_named(self):
        tree = self.tree()
        for name, text, reason in (("syntax.py", "import nir_algebraic\nx = (\n", "SyntaxError"),
                                   ("raises.py", "import nir_algebraic\n\nraise ValueError('no')\n", "ValueError: no"),
                                   ("exits.py", "import nir_algebraic, sys\nsys.exit(3)\n", "sys.exit(3)"),
                                   ("empty.py", "import nir_algebraic\n", "creates no AlgebraicPass")):
            file = self.write(name, text)
            result = self.audit(tree, file)
            self.assertEqual(result.code, 2, name)
            self.assertIn(reason, result.out)
            self.assertIn("small_pass", result.out)
        self.assertIn("raises.py:3: cannot be read", self.audit(tree, self.path("raises.py")).out)

    def test_one_bit_only_is_said(self):
        rules = ("import nir_algebraic\nnir_algebraic.AlgebraicPass('p', [\n"
                 "(('isign', 'a'), ('imin', ('imax', 'a', -1), 1)),\n(('bcsel@32', 'a', 1.0, 0.0), ('b2f', 'a')),\n]).render()\n")
        found = self.by_line(self.audit(self.tree(rules), "--json"))
        self.assertEqual([found[line]["class"] for line in (3, 4)], ["refuted", "refuted"])
        self.assertIn("refuted at 1 bit only", found[3]["note"])
        self.assertNotIn("1 bit", found[4].get("note", ""))

    def test_bad_use(self):
        self.assert_refused(self.audit(self.path("nowhere")), "no such file or folder")
        self.assert_refused(self.audit(self.folder), "must contain nir_algebraic.py", "src/compiler/nir")
        self.assert_refused(self.audit(self.tree(), "--modes", "some"), "'some' is not a denormal mode")
        self.assert_refused(self.audit(self.tree(), "--since", self.write("old.json", "{}\n")), "old.json:1:1")
        self.assert_refused(self.audit(self.tree(), "--waivers", self.write("w", "(('iadd', 'a', 'b'), 'a')\n")), "w:1:1", "needs a reason")

    def test_the_tree_is_not_written_to(self):
        tree = self.tree()
        before = sorted(os.listdir(tree))
        self.audit(tree, "--json")
        self.assertEqual(sorted(os.listdir(tree)), before)

    def test_since(self):
        old = self.write("old.json", self.audit(self.tree(), "--json").out)
        same = self.audit(self.tree(), "--since", old, "--json")
        self.assertEqual(same.code, 0, same.err)
        self.assertTrue(all(rule["was"] == rule["class"] for rule in same.objects()))
        changed = RULES.replace("(('iadd', a, 0), a), ", "(('iadd', a, 0), 0), ").replace("# line 21", "# line 21, still")
        result = self.audit(self.tree(changed), "--since", old, "--json")
        self.assertEqual(result.code, 1)
        rules = self.by_line(result)
        self.assertEqual((rules[14]["class"], rules[14]["was"]), ("refuted", "new"))
        self.assertEqual(rules[15]["was"], "refuted")
        self.assertIn("gone: compiler/nir/nir_opt_algebraic.py:14 proved", result.err)
        # The old audit proved this rule, which is now refuted.
        was_proved = old_text(old, "('isub', 'a', 'b')", "proved")
        result = self.audit(self.tree(), "--since", self.write("proved.json", was_proved))
        self.assertEqual(result.code, 1)
        self.assertIn("nir_opt_algebraic.py:15: proved -> refuted", result.out)

    def test_waivers(self):
        rules = {rule["line"]: rule for rule in self.audit(self.tree(), "--json").objects()}
        waivers = self.write("waivers", "# known\n(('isub', a, b), ('isub', b, a))  # the test plants it\n"
                             "nir_opt_algebraic.py:20:%s  # signed zero, accepted\n"
                             "(('iadd', 'a', 0), 'a')  # is right\n(('ixor', 'a', 'a'), 1)  # was removed\n" % rules[20]["id"])
        result = self.audit(self.tree(), "--waivers", waivers, "--json")
        self.assertEqual(result.code, 3, "only the two unsupported rules remain")
        self.assertEqual(self.by_line(result)[15]["waived"], "the test plants it")
        self.assertEqual(self.by_line(result)[20]["waived"], "signed zero, accepted")
        self.assertIn("waivers:4: stale waiver: the rule is not refuted", result.err)
        self.assertIn("waivers:5: stale waiver: no such rule", result.err)

    def test_html_opens_alone_and_escapes(self):
        rules = RULES.replace("'options->lower_something'", "'x < y && \"<script>\"'")
        page = self.path("audit.html")
        self.audit(self.tree(rules), "--html", page)
        with open(page, encoding="utf-8") as file:
            html = file.read()
        self.assertNotIn('"<script>"', html)
        self.assertIn("&lt;script&gt;", html)
        self.assertEqual(html.count("<script>"), 1)
        for outside in ("src=", "href=", "http:", "https:", "url("):
            self.assertNotIn(outside, html)
        self.assertEqual(html.count("<details class=\"rule refuted\""), 2)
        self.assertIn("nir_opt_algebraic.py:15", html)
        self.assertIn("value for the witness", html)
        self.assertIn("rewrought check - --dialect nir-25 --explain", html)

    def test_infer_gives_mends_that_hold_and_what_is_not_needed(self):
        rules = ('import nir_algebraic\nnir_algebraic.AlgebraicPass("p", [\n'
                 "(('fadd@32', 'a', ('fneg', 'a')), 0.0),\n"
                 "(('fmul@32(nsz)', 'a', 1.0), 'a'),\n"
                 "(('fadd@32', ('fmul', 'a', 'b'), ('fmul', 'a', 'c')), ('fmul', 'a', ('fadd', 'b', 'c'))),\n]).render()\n")
        result = self.audit(self.tree(rules), "--infer", "--json", timeout=300)
        found = self.by_line(result)
        self.assertIn(["n0:nnan"], found[3]["weakest"])
        self.assertEqual(found[3]["suggested_fix"]["verdict"], "proved")
        self.assertEqual(found[4]["class"], "proved")
        self.assertIn("n0:nsz", found[4]["weaker"])
        self.assertEqual((found[5]["suggested_fix"]["change"], found[5]["suggested_fix"]["verdict"]), ("~", "inexact"))
        for line in (3, 5):
            self.assert_holds(found[line]["suggested_fix"]["rule"], "nir-25")

    def assert_holds(self, rule, dialect):
        again = self.run_it("check", "-", "--dialect", dialect, "--json", stdin=rule + "\n").objects()[0]
        self.assertIn(again["verdict"], ("proved", "inexact"), again)

    def test_fixes_of_mesa_26_change_the_replacement_first(self):
        nir = self.tree("import nir_algebraic\nnir_algebraic.AlgebraicPass('p', [\n"
                        "(('iand', ('ineg', ('b2i32', 'a@1')), 0x3f800000), ('b2f32', 'a')),\n"
                        "(('fneg', ('fneg', 'a')), 'a'),\n"
                        "(('fmul_rtz@32', 'a', 'b'), ('fmul', 'a', 'b'), 'nir_is_rounding_mode_rtz(mode, 32)'),\n]).render()\n")
        self.write("src/compiler/nir/nir_opcodes.py", """
class Opcode:
    input_types = ['float']
    valid_fp_math_ctrl = ''
opcodes = {'fneg': Opcode}
""")
        result = self.audit(nir, "--suggest-fixes", "--modes", "flush", "--json")
        boolean, negation, rounding = result.objects()
        self.assertEqual([rule["dialect"] for rule in result.objects()], ["nir-26"] * 3)
        self.assertEqual(boolean["suggested_fix"]["change"], "preserve_sz on b2f32 of the replacement")
        self.assertEqual(negation["suggested_fix"]["change"], "fcanonicalize at the root of the replacement")
        for rule in (boolean, negation):
            self.assertEqual((rule["class"], rule["suggested_fix"]["verdict"]), ("refuted", "proved"), rule)
            self.assert_holds(rule["suggested_fix"]["rule"], "nir-26")
        # The verifier rounds to nearest, so a witness would not apply to shaders that round toward zero.
        self.assertEqual(rounding["class"], "unsupported")
        self.assertIn("rounds toward zero", rounding["note"])
        self.assertIn("rewrought check - --dialect nir-26 --explain", self.audit(nir, "--modes", "flush").out)

    def test_interrupted_and_resumed(self):
        rules = "import nir_algebraic\nnir_algebraic.AlgebraicPass('p', [(('iadd', 'a', 0), 'a'),\n%s]).render()\n" % "".join(
            HARD.format("('ixor', 'a', %d)" % p) for p in range(20))
        tree = self.tree(rules)
        arguments = command_line.command("audit", tree, "--json", "--jobs", 1, "--timeout-ms", 500, "--verdicts", self.path("kept"))
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.time() + 60
        while time.time() < deadline and not (os.path.exists(self.path("kept")) and os.path.getsize(self.path("kept")) > 0):
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        with open(self.path("kept"), encoding="utf-8") as file:
            kept = [json.loads(line)["key"] for line in file]
        self.assertGreaterEqual(len(kept), 1)
        self.assertLess(len(kept), 21)
        self.assertEqual(len(out.splitlines()), len(kept), "the output contains exactly the verified rules")
        done = self.run_it("audit", tree, "--json", "--jobs", 1, "--timeout-ms", 500, "--verdicts", self.path("kept"), timeout=300)
        self.assertEqual(done.code, 3, done.err)
        self.assertEqual(len(done.objects()), 21)
        self.assertIn("%d cached" % len(kept), done.err)
        with open(self.path("kept"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line)["key"] for line in file][:len(kept)], kept)


def old_text(path, search_part, new_class):
    """Returns the text of the audit at `path`, with new_class as the class of each rule whose search starts with
    search_part."""
    lines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            rule = json.loads(line)
            if rule["search"].startswith(search_part):
                rule["class"] = new_class
            lines.append(json.dumps(rule) + "\n")
    return "".join(lines)


if __name__ == "__main__":
    command_line.main()
