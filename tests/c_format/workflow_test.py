"""Tests a maintainer's workflow: a pack is exported as C into a tree, built there with make, and compared with the C++
selector on the driver's own shaders. Also tests waivers, and that rule ids are the same across targets and nights.

usage: workflow_test.py REWROUGHT COMPARE EXAMPLE_DRIVER MAKEFILE
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import command_line  # noqa: E402 pylint: disable=wrong-import-position

MACHINE = "intel_gen9"
HEAD = ["shader: MESA_SHADER_FRAGMENT", "name: driver", "impl main {", "    block b0:   // preds:",
        "    32     %0 = load_const (0x00000000)", "    32     %1 = @load_ubo (%0, %0) (access=none)",
        "    32     %2 = @load_ubo (%0, %1) (access=none)"]
STORE = "                @store_output (%%%d, %%0) (base=%d)"
# The shaders that example_driver.c contains as DAGs, by letter.
SHADERS = {
    "i": ["    32     %3 = iadd %1, %2", "    32     %4 = ineg %3", STORE % (4, 4)],
    "s": ["    1     %3 = ilt %1, %2", "    32     %4 = bcsel %3, %1, %2", STORE % (4, 4)],
    "c": ["    32     %5 = load_const (0x00000005)", "    32     %3 = iadd %1, %5", "    32     %4 = ineg %3", STORE % (4, 4)],
    "d": ["    32     %3 = iadd %1, %2", "    32     %4 = ineg %3", STORE % (3, 4), STORE % (4, 5)],
}
MORE = ["    32     %3 = iand %1, %2", "    32     %4 = ior %1, %2", "    32     %5 = ixor %3, %4", STORE % (5, 4)]


def canonical(mnemonic, operands, choice):
    """Returns an instruction as a value. Operands are (negated, name, type); the name of an immediate is its value."""
    return (mnemonic, tuple(operands), choice)


def renamed(instructions):
    """Renumbers registers in the order of their first appearance, because each side has its own numbering."""
    names = {}
    return [(mnemonic, tuple((negated, name if name == "null" or isinstance(name, int) else names.setdefault(name, len(names)),
                              kind) for negated, name, kind in operands), choice)
            for mnemonic, operands, choice in instructions]


def of_driver(line):
    """Parses an instruction that example_driver.c printed: "v3: ADD r(D), neg_i v0(D), 0x5(D)"."""
    root, mnemonic, rest = re.fullmatch(r"(v\d+): (\w+) (.*)", line).groups()
    rest, _, choice = rest.partition(" .")
    operands = []
    for operand in rest.split(", "):
        *modifiers, name, kind = re.fullmatch(r"((?:\w+ )*)(\w+)\((\w+)\)", operand).groups()
        name = root if name == "r" else int(name, 16) if name.startswith("0x") else name
        operands.append((modifiers[0], name, kind))
    return canonical(mnemonic, operands, choice)


def of_selector(line):
    """Parses an instruction that `select --program` printed: "ADD(v4(D), -v1(D).uniform(), imm(5, D))"."""
    mnemonic, rest = re.match(r"(\w+)\((.*)", line).groups()
    choice = re.search(r"\.cmod\((\w+)\)", rest)
    operands = []
    for negated, value, immediate_type, name, kind in re.findall(r"(-?)(?:imm\((-?\d+), (\w+)\)|(\w+)\((\w+)\))", rest):
        if name in ("uniform", "cmod", "predicate"):
            continue
        if value:
            operands.append(("", int(value) & 0xffffffff, immediate_type))
        elif kind:
            operands.append(("neg_i " if negated else "", name, kind))
    return canonical(mnemonic, operands, choice.group(1) if choice else "")


class WorkflowTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("shaders"))
        for name, lines in SHADERS.items():
            self.shader(name, lines)
        self.db = self.path("rules.db")
        self.night()

    def shader(self, name, lines):
        return self.write(os.path.join("shaders", name + ".nir"),
                          "\n".join(HEAD + lines + ["                // succs: b1", "    block b1:", "}", ""]))

    def night(self):
        self.assertEqual(self.run_it("harvest", self.path("shaders"), "--db", self.db).code, 0)
        found = self.run_it("discover", "--db", self.db, "--machine", MACHINE, "--deterministic", "--json")
        self.assertEqual(found.code, 0, found.err)

    def export(self, folder, *options):
        ran = self.run_it("export", "--db", self.db, "--machine", MACHINE, "-o", self.path(folder), "--format", "c,nir", "--json",
                          *options)
        self.assertEqual(ran.code, 0, ran.err)
        return os.path.join(self.path(folder), MACHINE), ran.objects()[0]

    def entries(self, pack):
        with open(os.path.join(pack, "pack.json"), encoding="utf-8") as file:
            return {entry["rule"]["id"]: entry["rule"] for entry in json.load(file)["entries"]}

    def driver(self, pack):
        """Returns the driver's output by shader: instructions, and the line with their count."""
        subprocess.run(["make", "-s", "-f", MAKEFILE, "PACK=" + pack, "DRIVER=" + DRIVER], cwd=self.folder, check=True)
        ran = subprocess.run([self.path("driver"), "".join(SHADERS)], check=True, stdout=subprocess.PIPE, text=True)
        answers, code = {}, []
        for line in ran.stdout.splitlines():
            if line.startswith("v"):
                code.append(of_driver(line))
            else:
                answers[line[0]] = (code, line)
                code = []
        return answers

    def selector(self, name, pack):
        ran = self.run_it("select", self.path(os.path.join("shaders", name + ".nir")), "--machine", MACHINE, "--pack", pack,
                          "--cover", "tree", "--program")
        self.assertEqual(ran.code, 0, ran.err)
        lines = [line.strip() for line in ran.out.splitlines()]
        return [of_selector(line) for line in lines if re.match(r"[A-Z]\w*\(", line)]

    def test_make_and_both_selections_of_the_drivers_shaders(self):
        pack, _ = self.export("tree")
        answers = self.driver(pack)
        self.assertEqual(set(answers), set(SHADERS))
        for name, (code, line) in answers.items():
            self.assertIn("status 0", line)
            self.assertIn("0 uncovered", line)
            self.assertEqual(renamed(code), renamed(self.selector(name, pack)), name)
        # These programs use the pack's rules, not only the machine's base rules: a negated sum and a minimum are one
        # instruction each.
        self.assertEqual([len(answers[name][0]) for name in "isc"], [1, 1, 1])
        compared = subprocess.run([COMPARE, "--pack", pack, self.path("shaders")], check=False, stdout=subprocess.PIPE, text=True)
        self.assertEqual(compared.returncode, 0, compared.stdout)
        self.assertRegex(compared.stdout, r"intel_gen9 \+ pack +4 of +4 ")

    def waived(self, folder, rules):
        """Exports a pack with waivers for these rules. Returns the folder, the export's report about each rule, and the
        contents of the pack's files."""
        lines = ['waivers { subject: "%s" reason: "slower on our silicon" by: "a maintainer" }\n' % rule for rule in rules]
        pack, said = self.export(folder, "--waivers", self.write(folder + ".waivers", "".join(lines)))
        # Rules that a waived rule made superfluous may now appear and be blocked for other reasons.
        waived = [one for one in said["blocked"] if one["reason"].startswith("waived: ")]
        self.assertEqual([one["reason"] for one in waived], ["waived: slower on our silicon"] * len(rules))
        with open(os.path.join(pack, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        waivers = manifest["waivers"]
        # Ops that the driver may pass on, but that no rule selects, are listed too.
        self.assertIn("fquantize2f16 of 32 bits", manifest["uncovered_ops"])
        self.assertEqual(manifest["uncovered_ops"], said["uncovered"])
        self.assertEqual([(one["subject"], one["reason"]) for one in waivers],
                         [(rule, "slower on our silicon") for rule in rules])
        for name in ("tables.c", "nir.py", "pack.json"):
            with open(os.path.join(pack, name), encoding="utf-8") as file:
                text = file.read()
            entries = text[text.index('"entries"'):] if name == "pack.json" else text
            for rule in rules:
                self.assertNotIn(rule, entries)
        return pack

    def test_a_waiver_silences_a_rule_and_the_export_says_so(self):
        pack, _ = self.export("before")
        before = self.entries(pack)
        selects = [rule for rule, entry in before.items() if "bcsel" in entry["search"]]
        rule = selects[0]
        after = set(self.entries(self.waived("after", [rule])))
        self.assertNotIn(rule, after)
        self.assertLessEqual(set(before) - {rule}, after)
        # If all of these rules are waived, the driver uses a separate compare and select again.
        self.assertEqual(len(self.driver(pack)["s"][0]), 1)
        self.assertEqual(len(self.driver(self.waived("none", selects))["s"][0]), 2)
        wrong = self.write("wrong", 'waivers { subject: "%s" }\n' % rule)
        refused = self.run_it("export", "--db", self.db, "--machine", MACHINE, "-o", self.path("never"), "--waivers", wrong)
        self.assert_refused(refused, rule, "needs a reason")
        self.assertFalse(os.path.exists(self.path("never")))

    def test_ids_live_across_targets_and_nights(self):
        of_target = {}
        for target in ("mesa-22.3", "mesa-25.0"):
            pack, _ = self.export(target, "--target", target)
            of_target[target] = self.entries(pack)
        self.assertEqual(set(of_target["mesa-22.3"]), set(of_target["mesa-25.0"]))
        first = of_target["mesa-25.0"]
        self.shader("more", MORE)
        self.night()
        pack, _ = self.export("next")
        second = self.entries(pack)
        self.assertGreater(len(second), len(first))
        for rule, entry in first.items():
            self.assertIn(rule, second)
            for side in ("search", "replace", "program"):
                self.assertEqual(second[rule].get(side), entry.get(side))


COMPARE, DRIVER, MAKEFILE = (os.path.abspath(path) for path in sys.argv[2:5])
del sys.argv[2:5]

if __name__ == "__main__":
    command_line.main()
