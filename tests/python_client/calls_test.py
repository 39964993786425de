"""Makes every call of the Python library with a server and without one. Both ways must return equal objects, and the
objects must agree with the command line.

usage: calls_test.py MAKE_DATABASE MAKE_PACKS REWROUGHT
"""
import json
import os
import subprocess
import unittest

import setting
from setting import path_of, serving

import rewrought
from rewrought import AuditClass, DenormMode, Dialect, RuleClass, RuleOrder, RuleState, Verdict

# A proved, a refuted, an inexact, and a malformed rule, one with a condition, and one without inputs that satisfy it.
RULES = ["(('fadd', a, b), ('fadd', b, a))", "(('fsub@16', a, a), 0.0)",
         "(('~fadd@32', a, ('fadd', b, 'c')), ('fadd', ('fadd', a, b), c))", "(('fadd', a, b), ('fadd', b c))",
         "(('fmax', 'a@32', 'a'), a, 'options->lower_fmod')", "(('where', ('iadd', 'a@32', '#b'), ('ult', 'b', 0)), a)"]
NO_RULES = "import nir_algebraic\nnir_algebraic.AlgebraicPass('pass', [])\n"


class CallsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.servers = {made: setting.make_server(made=made) for made in ("made.db", "proved.db")}
        cls.clients = []

    @classmethod
    def tearDownClass(cls):
        for client in cls.clients:
            client.close()
        for server in cls.servers.values():
            server.stop()

    def both(self, made="made.db"):
        """Returns a client of a server, and one that starts the program, with the same database and packs."""
        server = self.servers[made]
        clients = (rewrought.Client(server.http, token="token-admin"),
                   rewrought.Client(database=server.db, packs=setting.copy_packs(), audits=path_of("audits")))
        self.clients.extend(clients)
        return clients

    def same(self, call, made="made.db"):
        """Makes a call in both ways, expects equal results that are not empty, and returns the result."""
        there, here = (call(client) for client in self.both(made))
        self.assertEqual(here, there)
        self.assertTrue(here)
        return here

    def test_check(self):
        verdicts = self.same(lambda client: [client.check(rule, infer=True, explain=True) for rule in RULES])
        self.assertEqual([one.status for one in verdicts],
                         [Verdict.PROVED, Verdict.REFUTED, Verdict.INEXACT, Verdict.ERROR, Verdict.PROVED,
                          Verdict.VACUOUS])
        all_at_once = self.same(lambda client: list(client.check_all(RULES, infer=True, explain=True)))
        self.assertEqual(all_at_once, verdicts)
        self.assertEqual([str(one) for one in verdicts[1].weakest][0], "n0:nnan")
        self.assertEqual(verdicts[1].counterexample.search, ("nan",))
        self.assertTrue(verdicts[1].refuted_case.explain)
        self.assertEqual((verdicts[3].error.column, verdicts[3].error.message), (29, "expected ',' or ')'"))
        self.assertIsNone(verdicts[0].counterexample)
        self.assertEqual(verdicts[2].inexact.reals, Verdict.PROVED)

    def test_options_of_check(self):
        program = "(('fadd@32', a, ('fneg', b)), [fadd(r(F), a(F), -b(F))])"
        one, two, three = self.same(lambda client: [
            client.check(program, machine="agx_g13"),
            client.check("(('fadd', a, 0.0), a)", widths=[16, 32], modes=[DenormMode.FLUSH, DenormMode.PRESERVE]),
            client.check("(('fadd', 'a@float', -0.0), a)", dialect=Dialect.NIR_25, exact_literals=True)])
        self.assertEqual((one.status, one.dialect), (Verdict.PROVED, Dialect.NIR_25))
        self.assertEqual(sorted({(case.width, str(case.mode)) for case in two.cases}),
                         [(16, "flush"), (16, "preserve"), (32, "flush"), (32, "preserve")])
        self.assertEqual(three.dialect, Dialect.NIR_25)

    def test_a_time_limit(self):
        verdict = self.both()[1].check(serving.HARD_RULE, time_limit=0.5)
        self.assertEqual(verdict.status, Verdict.UNKNOWN)
        self.assertIn("time limit", verdict.cases[0].reason)

    def test_the_command_line_agrees(self):
        """Splits a file as the command does, and compares the verdicts."""
        text = ("# rules\nrules = [\n  " + ",\n  ".join(RULES) + ",\n" + """
  (('ieq', ('iand', a, b), 'c@32'),   # don't end the rule here ))
   ('ieq', 'c', ('iand', b, a))),
  (('isub', a, a), 0), (('ior', a, a), a)
]
(('fadd', a, b), ('fadd', b, a)
(('imin', a, a), a)
nonsense
((('fadd', a, b), ('fadd', b, a))
x.extend([ (('imax', a, a), a) ])
""")
        path = setting.write("some.rules", text)
        done = subprocess.run([serving.Server.program, "check", path, "--json"], capture_output=True, text=True,
                              check=False)
        expected = [json.loads(line) for line in done.stdout.splitlines()]
        rules = rewrought.read_rules(path)
        with rewrought.Client() as client:
            verdicts = list(client.check_all(rule.text for rule in rules))
        self.assertEqual([(rule.line, str(one.status)) for rule, one in zip(rules, verdicts)],
                         [(one["line"], one["verdict"]) for one in expected])
        self.assertEqual(len(rules), len(expected))
        for one, other in zip(verdicts, expected):
            if one.counterexample:
                witness = next(case["witness"] for case in other["cases"] if "witness" in case)
                self.assertEqual((one.counterexample.vars, one.counterexample.replace),
                                 (witness["vars"], witness["replace"]))

    def test_eval(self):
        vectors = [{"a": rewrought.bits_of(value, 32)} for value in (1.0, float("nan"), 1e-40)]
        one, two, three = self.same(lambda client: client.eval("('fadd', a, 1.0)", vectors))
        self.assertEqual(one.allowed, ("0x40000000",))
        self.assertEqual(two.allowed, ("nan",))
        self.assertEqual(three.allowed, ("0x3f800000",))
        many = self.same(lambda client: client.eval("('iadd', a, 1)", [{"a": "0x%08x" % i} for i in range(2500)]))
        self.assertEqual([int(one.allowed[0], 16) for one in many], list(range(1, 2501)))
        (flushed,) = self.same(lambda client: client.eval("('fmul', a, 1.0)", vectors[2:], mode=DenormMode.FLUSH))
        self.assertEqual(flushed.allowed, ("0x00000000",))
        with self.assertRaisesRegex(rewrought.InvalidArgument, "text: "):
            self.both()[0].eval("('fadd', a)", [])

    def test_bits(self):
        for value, width, bits in ((1.0, 32, "0x3f800000"), (-0.0, 16, "0x8000"), (0.1, 64, "0x3fb999999999999a")):
            self.assertEqual(rewrought.bits_of(value, width), bits)
            self.assertAlmostEqual(rewrought.float_of(bits), value, places=3)
        for wrong in ("nan", "0x3f", "3f800000"):
            self.assertRaises(ValueError, rewrought.float_of, wrong)
        self.assertRaises(ValueError, rewrought.bits_of, 1.0, 8)

    def test_improve(self):
        best = self.same(lambda client: client.improve("('inot', ('iand@32', a, b))", "agx_g13", time_limit=4).result())
        self.assertEqual((best.status, best.cost.instructions), (Verdict.PROVED, 1))
        inexact = self.both()[1].improve("('fmax', ('fmin', 'a@32', 1.0), 0.0)", "intel_gen9", time_limit=8).result()
        self.assertEqual((inexact.status, inexact.cost.instructions), (Verdict.INEXACT, 1))

    def test_audit(self):
        tree = setting.make_tree("for_audit", setting.RULES)

        def run(client):
            with client.audit(tree, suggest_fixes=True) as run:
                audit = run.result()
                findings = list(audit.findings())
                return audit.counts, audit.rules, findings, [audit.details(one) for one in findings]
        _, rules, findings, details = self.same(run)
        self.assertEqual(rules, 4)
        self.assertEqual([str(one.audit_class) for one in findings], ["proved", "refuted", "refuted", "inexact"])
        self.assertEqual([one.line for one in findings], [5, 6, 7, 8])
        self.assertEqual(details[2].weakest[0].assumptions, ("n0:nsz",))
        self.assertIsNotNone(details[1].counterexample)
        self.assertIsNone(details[0].counterexample)
        # The text of a finding is a rule that `check` accepts.
        with rewrought.Client() as client:
            self.assertEqual([str(one.status) for one in client.check_all(map(str, findings))],
                             [str(one.audit_class) for one in findings])

    def test_audits(self):
        def read(client):
            (audit,) = client.audits()
            again = client.published_audit(audit.name)
            self.assertEqual(audit, again)
            refuted = list(audit.findings([AuditClass.REFUTED]))
            return (audit.name, audit.count(AuditClass.REFUTED), refuted, [audit.details(one) for one in refuted],
                    list(audit.findings(op="isub")), list(audit.findings(text=":7")),
                    list(audit.findings(pass_name="pass")))
        name, count, refuted, _, subtractions, line_7, of_pass = self.same(read)
        self.assertEqual((name, count, len(refuted), len(subtractions), len(line_7), len(of_pass)),
                         ("tree.jsonl", 2, 2, 1, 1, 4))
        # A published audit and an audit on this machine yield the same objects.
        with rewrought.Client() as client, client.audit(setting.make_tree("audited", setting.RULES)) as run:
            self.assertEqual(list(run.result().findings([AuditClass.REFUTED])), refuted)

    def test_options_of_audit(self):
        tree = setting.make_tree("with_options", setting.RULES)
        waivers = setting.write("waivers", "(('isub', 'a', 'b'), ('isub', 'b', 'a'))  # known\n")
        with rewrought.Client() as client:
            with client.audit(tree, waivers=waivers, since=path_of("audits/tree.jsonl"), modes=[DenormMode.PRESERVE],
                              verdicts=path_of("verdicts"), jobs=1) as run:
                findings = list(run.result().findings())
            self.assertEqual([one.waived for one in findings], ["", "known", "", ""])
            self.assertEqual({one.was for one in findings}, {"proved", "refuted", "inexact"})
            self.assertTrue(os.path.exists(path_of("verdicts")))
            # An audit of no rules is empty, and a wrong path or file is an error.
            with client.audit(setting.make_tree("empty", NO_RULES)) as run:
                self.assertEqual((run.result().rules, list(run.result().findings())), (0, []))
            for path, message in ((path_of("nowhere"), "nowhere"),
                                  (setting.make_tree("no_pass", ""),
                                   "^rewrought audit: compiler/nir/nir_opt_algebraic.py:0: cannot be read: the file "
                                   "creates no AlgebraicPass$")):
                with client.audit(path) as run, self.assertRaisesRegex(rewrought.InvalidArgument, message):
                    run.result()

    def test_rules(self):
        rules = self.same(lambda client: list(client.rules()))
        self.assertGreater(len(rules), 3)
        ids = [one.id for one in rules]
        by_id = self.same(lambda client: list(client.rules(order=RuleOrder.ID)))
        self.assertEqual([one.id for one in by_id], sorted(ids))
        found = self.same(lambda client: list(client.rules(op="fneg", rule_class=RuleClass.STRICT,
                                                           states=[RuleState.NEW])))
        self.assertTrue(all("fneg" in one.ops for one in found))
        self.assertEqual(list(self.both()[1].rules(text="no such text")), [])
        self.assertEqual(len(self.same(lambda client: [client.rule(one) for one in ids])), len(ids))
        matches = self.same(lambda client: list(client.search_rules("('fneg', ('fneg', 'a@32'))")))
        self.assertEqual((matches[0].node, matches[0].result), ("n0", "'a@32'"))
        hits = self.same(lambda client: list(client.rule_hits(matches[0].rule.id)))
        self.assertEqual(hits[0].lines, (7, 11))
        listings = self.same(lambda client: client.assembly(matches[0].rule.id, ["agx_g13"]))
        self.assertEqual([one.machine for one in listings], ["agx_g13"])
        (with_precondition,) = [one.id for one in rules if "is_not_negative" in one.search]
        dropped = self.same(lambda client: list(client.drop_preconditions(with_precondition)))
        self.assertIn("a: is_not_negative", [one.precondition for one in dropped])
        self.assertIn(Verdict.REFUTED, [one.verdict.status for one in dropped])
        self.assertRaises(rewrought.NotFound, self.both()[1].rule, "0" * 64)

    def test_pages(self):
        """Reads a list of more than one page."""
        database = path_of("many.db")
        subprocess.run([setting.MAKE_DATABASE, database, "450"], check=True)
        with rewrought.Client(database=database) as client:
            ids = [rule.id for rule in client.rules(order=RuleOrder.ID)]
        self.assertEqual((len(ids), ids), (450, sorted(set(ids))))

    def test_packs(self):
        packs = self.same(lambda client: list(client.packs()), "proved.db")
        self.assertEqual([(one.name, one.rules) for one in packs], [("forged", 2), ("true", 1)])

        def read(client):
            true, forged = client.pack("true"), client.pack("forged")
            manifest = true.manifest()
            return (manifest, list(true.entries()), true.differences(forged), true.blocked_rules(),
                    [true.read(file.name) for file in manifest.files], list(true.verify()), forged.verify().result())
        manifest, entries, differences, _, files, progress, forged = self.same(read, "proved.db")
        self.assertEqual([len(content) for content in files], [file.bytes for file in manifest.files])
        self.assertEqual(entries[0].rule.search, "('ixor@32', ('iand@32', 'a@32', 'b@32'), ('ior@32', 'a', 'b'))")
        self.assertIn("added", [one.kind for one in differences])
        self.assertEqual([(one.rules_done, one.rules) for one in progress], [(0, 1), (1, 1), (1, 1)])
        self.assertEqual([one.result is not None for one in progress], [False, False, True])
        self.assertEqual((progress[-1].result.rules_proved, progress[-1].result.findings), (1, ()))
        self.assertEqual((forged.result.rules, forged.result.rules_proved, forged.result.total), (2, 1, 1))
        for missing in (lambda client: client.pack("missing"), lambda client: client.pack("true").read("missing")):
            self.assertRaises(rewrought.NotFound, missing, self.both("proved.db")[1])

    def test_build_pack(self):
        server = setting.make_server(made="proved.db")  # other tests list the packs of the shared server
        self.addCleanup(server.stop)
        self.servers["own"] = server
        steps = self.same(lambda client: [one.doing for one in client.build_pack("intel_gen9")][-1:], "own")
        self.assertEqual(steps, ["done"])
        last = self.same(lambda client: client.build_pack("intel_gen9").result(), "own")
        self.assertEqual((last.pack.rules, last.findings), (1, ()))

    def test_machines(self):
        machines = self.same(lambda client: list(client.machines()))
        self.assertEqual(len(machines), 21)
        self.assertIn("agx_g13", [one.id for one in machines])


if __name__ == "__main__":
    setting.main()
