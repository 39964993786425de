"""Tests the service with plain grpcio.

usage: service_test.py TEST_SERVER
"""
import concurrent.futures
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import grpc
import stubs
from google.protobuf import duration_pb2

SERVER = ""
WORK = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))

# This rule is true for all inputs, but no solver can prove it within a minute: a b = (a and b)(a or b) + (a and not
# b)(not a and b).
HARD_RULE = ("(('imul@64', a, b), ('iadd', ('imul', ('iand', a, b), ('ior', a, b)), "
             "('imul', ('iand', a, ('inot', b)), ('iand', ('inot', a), b))))")


class Server:
    """A server process with its own database, and stubs for it."""

    count = 0

    def __init__(self, *arguments, fill=True, db=None):
        Server.count += 1
        self.db = db or os.path.join(WORK, "test%d.db" % Server.count)
        command = [SERVER, "--db=" + self.db, "--fill=%d" % fill] + list(arguments)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.address = line.split()[1] if line.startswith("listening ") else ""
        if not self.address:
            return
        self.channel = grpc.insecure_channel(self.address)
        self.rules = rules_grpc.RuleServiceStub(self.channel)
        self.checks = checks_grpc.CheckServiceStub(self.channel)
        self.evals = evals_grpc.EvalServiceStub(self.channel)
        self.improve = improves_grpc.ImproveServiceStub(self.channel)
        self.runs = runs_grpc.RunServiceStub(self.channel)

    def failure(self):
        """Returns the error output of a server that did not start."""
        _, errors = self.process.communicate(timeout=20)
        return errors

    def stop(self):
        """Asks the server to drain. Returns its exit status and the elapsed time."""
        start = time.time()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode, time.time() - start


def span(seconds):
    message = duration_pb2.Duration()
    message.FromMilliseconds(int(seconds * 1000))
    return message


class TestCase(unittest.TestCase):
    def fails(self, code, call):
        """Expects the call to fail with code. Returns the message."""
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        self.error = caught.exception
        return caught.exception.details()

    def check(self, rule, timeout=60, **fields):
        return self.server.checks.CheckRule(checks_pb.CheckRuleRequest(rule=rule, **fields), timeout=timeout).verdict

    @staticmethod
    def health(server, service):
        """Returns the serving status of grpc.health.v1 without using its package: 1 is SERVING, 2 is NOT_SERVING."""
        call = server.channel.unary_unary("/grpc.health.v1.Health/Check")
        request = b"\x0a" + bytes([len(service)]) + service.encode()
        return call(request, timeout=10)


class ServiceTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        if not cls.server.address:
            raise AssertionError(cls.server.failure())

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    # Health checks and reflection.

    def test_health(self):
        for name in ("", "RuleService", "CheckService", "EvalService", "ImproveService", "RunService"):
            self.assertEqual(self.health(self.server, "rewrought.v1." + name if name else ""), b"\x08\x01", name)
        self.fails(grpc.StatusCode.NOT_FOUND, lambda: self.health(self.server, "rewrought.v1.NoService"))

    def test_health_watch(self):
        stream = self.server.channel.unary_stream("/grpc.health.v1.Health/Watch")(b"", timeout=20)
        self.assertEqual(next(stream), b"\x08\x01")
        stream.cancel()

    def test_reflection_is_off(self):
        call = self.server.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        self.fails(grpc.StatusCode.UNIMPLEMENTED, lambda: list(call(iter([b"\x3a\x01*"]), timeout=10)))

    # Checks.

    def test_true_rule(self):
        verdict = self.check("(('fadd', a, b), ('fadd', b, a))", with_certificates=True)
        self.assertEqual(verdict.verdict, proof.VERDICT_PROVED)
        self.assertEqual([case.width for case in verdict.cases], [16, 32, 64])
        self.assertEqual({case.mode for case in verdict.cases}, {proof.DENORM_MODE_ANY})
        self.assertEqual(dict(verdict.cases[1].sizes), {"a": 32, "b": 32, "root": 32})
        self.assertEqual(len(verdict.cases[1].certificate.semantics_digest), 64)

    def test_false_rule_has_a_witness(self):
        verdict = self.check("(('fadd', a, ('fneg', a)), 0.0)", widths=[32], infer=True)
        self.assertEqual(verdict.verdict, proof.VERDICT_REFUTED)
        self.assertEqual(len(verdict.cases), 1)
        witness = verdict.cases[0].witness
        value = int(witness.vars["a"], 16)
        self.assertEqual(value & 0x7f800000, 0x7f800000, "only infinities and NaNs refute it")
        self.assertNotIn(witness.replace, list(witness.search))
        self.assertIn(["n0:nnan"], [list(alternative.assumptions) for alternative in verdict.weakest])
        self.assertFalse(verdict.cases[0].HasField("certificate"))

    def test_a_check_can_be_drawn(self):
        """The response contains the rule as written and, for a refuted rule, the value of each node."""
        request = checks_pb.CheckRuleRequest(rule="(('fadd', a, ('fneg', a)), 0.0)", widths=[32], explain=True)
        for _ in range(2):  # the second answer comes from the cache
            answer = self.server.checks.CheckRule(request, timeout=60)
            self.assertEqual([node.label for node in answer.search_term.nodes], ["a", "fneg", "fadd"])
            self.assertEqual([node.label for node in answer.replace_term.nodes], ["0.0"])
            case = answer.verdict.cases[0]
            nodes = case.search_term.nodes
            values = {nodes[one.index].label.split("@")[0]: one.values[0] for one in case.explain if one.side == "search"}
            self.assertEqual(set(values), {"a", "fneg", "fadd"})
            self.assertEqual(values["a"], case.witness.vars["a"])
            # The sum of an infinity and its negative is NaN.
            self.assertGreater(int(values["fadd"], 16) & 0x7fffffff, 0x7f800000)
            self.assertEqual([node.label for node in case.replace_term.nodes], ["0.0"])
        plain = self.server.checks.CheckRule(checks_pb.CheckRuleRequest(rule=request.rule, widths=[32]), timeout=60)
        self.assertFalse(plain.verdict.cases[0].HasField("search_term"))
        broken = self.server.checks.CheckRule(checks_pb.CheckRuleRequest(rule="(('fadd', a), a)"), timeout=60)
        self.assertFalse(broken.HasField("search_term"))

    def test_inexact_rule(self):
        """The rule is refuted bit for bit but equal over the reals, so it is inexact; the errors of both sides are
        reported."""
        verdict = self.check("(('~fadd', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))", widths=[32])
        self.assertEqual((verdict.verdict, verdict.cases[0].verdict), (proof.VERDICT_INEXACT, proof.VERDICT_REFUTED))
        self.assertEqual(verdict.inexact.reals, proof.VERDICT_PROVED)
        self.assertTrue(verdict.inexact.reason.startswith("proved"), verdict.inexact.reason)
        self.assertGreater(verdict.inexact.ulp_worst_before, 0)
        self.assertGreater(verdict.inexact.ulp_worst_after, 0)
        self.assertLessEqual(verdict.inexact.ulp_typical_after, verdict.inexact.ulp_worst_after)
        self.assertIn("nan", verdict.inexact.special)
        # A rule whose sides differ over the reals is refuted, and the response contains the inputs.
        verdict = self.check("(('~fadd', a, b), ('fmul', a, b))", widths=[32])
        self.assertEqual(verdict.verdict, proof.VERDICT_REFUTED)
        self.assertEqual(verdict.inexact.reals, proof.VERDICT_REFUTED)
        self.assertTrue(verdict.inexact.reason.startswith("refuted at "), verdict.inexact.reason)
        self.assertFalse(verdict.inexact.HasField("ulp_worst_after"))
        # Without `~`, equality over the reals does not matter.
        verdict = self.check("(('fadd', a, b), ('fmul', a, b))", widths=[32])
        self.assertFalse(verdict.HasField("inexact"))

    def test_ill_formed_rule_is_a_verdict(self):
        verdict = self.check("(('fadd', a), a)")
        self.assertEqual(verdict.verdict, proof.VERDICT_ERROR)
        self.assertGreater(verdict.error.column, 0)
        self.assertIn("fadd", verdict.error.message)

    def test_modes(self):
        verdict = self.check("(('fadd(nsz)', a, 0.0), a)", widths=[32],
                             modes=[proof.DENORM_MODE_PRESERVE, proof.DENORM_MODE_FLUSH])
        by_mode = {case.mode: case.verdict for case in verdict.cases}
        self.assertEqual(by_mode, {proof.DENORM_MODE_PRESERVE: proof.VERDICT_PROVED,
                                   proof.DENORM_MODE_FLUSH: proof.VERDICT_REFUTED})

    def test_dialects(self):
        rule, zero = "(('fadd@32', a, -0.0), a)", {"a": "0x80000000"}
        verdicts = {dialect: self.check(rule, dialect=dialect) for dialect in (0, proof.DIALECT_NIR_25, proof.DIALECT_NIR_26)}
        self.assertEqual([verdicts[dialect].verdict for dialect in (0, proof.DIALECT_NIR_25, proof.DIALECT_NIR_26)],
                         [proof.VERDICT_PROVED, proof.VERDICT_REFUTED, proof.VERDICT_PROVED])
        self.assertEqual(verdicts[0].dialect, proof.DIALECT_NIR_26)
        # Machine programs can be verified only in nir-25.
        self.assertEqual(self.check(rule, machine="intel_gen9").dialect, proof.DIALECT_NIR_25)
        self.assertEqual(list(self.evaluate("('fsat', a)", zero)[0].allowed), ["0x00000000"])
        self.assertEqual(len(self.evaluate("('fsat', a)", zero, dialect=proof.DIALECT_NIR_25)[0].allowed), 2)
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        for call in (lambda: self.check(rule, dialect=9), lambda: self.evaluate("('fsat', a)", zero, dialect=9)):
            self.assertTrue(self.fails(invalid, call).startswith("dialect: "))

    def test_machine_program(self):
        rule = "(('iadd', a, ('ineg', b)), [ADD(r(D), a(D), -b(D))])"
        verdict = self.check(rule, machine="intel_gen9")
        self.assertEqual(verdict.verdict, proof.VERDICT_PROVED, verdict)
        self.assertEqual([case.width for case in verdict.cases], [32])
        wrong = self.check(rule.replace("-b(D)", "b(D)"), machine="intel_gen9")
        self.assertEqual(wrong.verdict, proof.VERDICT_REFUTED)
        self.assertIn("machine", self.check(rule).error.message)

    def test_wrong_requests_name_their_field(self):
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        rule = "(('fneg', ('fneg', a)), a)"
        self.assertTrue(self.fails(invalid, lambda: self.check("")).startswith("rule: "))
        self.assertTrue(self.fails(invalid, lambda: self.check(rule + "\n" + rule)).startswith("rule: contains 2"))
        self.assertTrue(self.fails(invalid, lambda: self.check(rule, widths=[32, 7])).startswith("widths[1]: "))
        self.assertTrue(self.fails(invalid, lambda: self.check(rule, machine="vax")).startswith("machine: "))
        self.assertTrue(self.fails(invalid, lambda: self.check(rule, modes=[9])).startswith("modes[0]: "))
        details = dict(self.error.trailing_metadata())["grpc-status-details-bin"]
        self.assertIn(b"type.googleapis.com/google.rpc.BadRequest", details)
        self.assertIn(b"modes[0]", details)

    def test_deadline(self):
        start = time.time()
        self.fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: self.check(HARD_RULE, timeout=0.5))
        self.assertLess(time.time() - start, 2)
        self.assert_idle_soon()

    def test_time_limit_of_the_call_is_an_unknown(self):
        start = time.time()
        verdict = self.check(HARD_RULE, time_limit=span(0.5))
        self.assertLess(time.time() - start, 3)
        self.assertEqual(verdict.verdict, proof.VERDICT_UNKNOWN)
        self.assertIn("time limit of 500ms", verdict.cases[0].reason)

    def test_cancellation_stops_the_work(self):
        request = checks_pb.CheckRuleRequest(rule=HARD_RULE)
        calls = [self.server.checks.CheckRule.future(request, timeout=60) for _ in range(2)]
        time.sleep(0.7)
        for call in calls:
            call.cancel()
        self.assert_idle_soon()

    def assert_idle_soon(self):
        """Expects that a compute slot is free after one second, so that another check can start immediately."""
        time.sleep(1)
        start = time.time()
        self.assertEqual(self.check("(('iadd', a, b), ('iadd', b, a))").verdict, proof.VERDICT_PROVED)
        self.assertLess(time.time() - start, 1.5)

    def test_twenty_checks_at_once(self):
        rules = ["(('iadd', 'a@32', %d), ('iadd', %d, a))" % (i, i) for i in range(10)]
        rules += ["(('iadd', a, %d), ('isub', a, %d))" % (i, i) for i in range(1, 11)]
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            verdicts = [verdict.verdict for verdict in pool.map(self.check, rules)]
        self.assertEqual(verdicts, [proof.VERDICT_PROVED] * 10 + [proof.VERDICT_REFUTED] * 10)

    def test_big_message_is_refused(self):
        self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.check("#" * (70 << 10)))

    # Stored rules.

    def list_rules(self, **fields):
        return self.server.rules.ListRules(rules_pb.ListRulesRequest(**fields), timeout=10)

    def test_list_by_worth_in_pages(self):
        searches, token, pages = [], "", 0
        while True:
            page = self.list_rules(page_size=2, page_token=token)
            searches += [rule.search for rule in page.rules]
            pages += 1
            token = page.next_page_token
            if not token:
                break
        self.assertEqual(pages, 3)
        self.assertEqual([search.split("'")[1] for search in searches], ["fmul", "fneg", "fadd", "iadd", "fsat"])

    def test_list_filters(self):
        def searches(**fields):
            return [rule.search for rule in self.list_rules(**fields).rules]

        self.assertEqual(searches(op="fmul"), ["('fmul', 'a', 2.0)"])
        self.assertEqual(len(searches(machine="intel_gen9")), 1)
        self.assertEqual(searches(text="isub"), ["('iadd', 'a', ('ineg', 'b'))"])
        self.assertEqual(len(searches(rule_class=rule_pb.RULE_CLASS_STRICT)), 5)
        self.assertEqual(searches(rule_class=rule_pb.RULE_CLASS_INEXACT), [])
        self.assertEqual(searches(states=[rule_pb.RULE_STATE_LOST]), [])

    def test_page_token_of_another_list(self):
        token = self.list_rules(page_size=1).next_page_token
        for wrong in (dict(op="fmul", page_token=token), dict(page_token="nonsense")):
            message = self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda fields=wrong: self.list_rules(**fields))
            self.assertTrue(message.startswith("page_token: "), message)

    def test_get(self):
        listed = self.list_rules(op="fmul").rules[0]
        answer = self.server.rules.GetRule(rules_pb.GetRuleRequest(id=listed.id), timeout=10)
        self.assertEqual(answer.rule.replace, "('fadd', 'a', 'a')")
        self.assertEqual(answer.rule.measurements[0].tuned_saved_cycles, 9)
        self.assertEqual([node.op.name for node in answer.rule.search_term.nodes if node.HasField("op")], ["fmul"])
        self.assertEqual([case.verdict for case in answer.proofs], [proof.VERDICT_PROVED])
        prefix = self.server.rules.GetRule(rules_pb.GetRuleRequest(id=listed.id[:12]), timeout=10)
        self.assertEqual(prefix.rule.id, listed.id)

    def test_not_found(self):
        get = self.server.rules.GetRule
        self.fails(grpc.StatusCode.NOT_FOUND, lambda: get(rules_pb.GetRuleRequest(id="f" * 64), timeout=10))
        request = rules_pb.GetRuleRequest(id="xyz")
        message = self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda: get(request, timeout=10))
        self.assertTrue(message.startswith("id: "), message)
        missing = runs_pb.GetRunRequest(id="none")
        self.fails(grpc.StatusCode.NOT_FOUND, lambda: self.server.runs.GetRun(missing, timeout=10))

    def test_hits(self):
        rule = self.list_rules(op="fmul").rules[0]
        hits = self.server.rules.ListRuleHits(rules_pb.ListRuleHitsRequest(id=rule.id), timeout=10).hits
        self.assertEqual([(hit.source, hit.hits, list(hit.lines)) for hit in hits], [("sample", 4, [7, 11])])
        self.assertTrue(hits[0].shader.startswith("caf"), hits[0].shader)

    def search(self, **fields):
        return self.server.rules.SearchRules(rules_pb.SearchRulesRequest(**fields), timeout=10)

    def test_search(self):
        matches = self.search(expression="('fadd', ('fmul', x, 2.0), ('fneg', y))").matches
        found = {match.node: match.result for match in matches}
        self.assertEqual(set(found), {"n0", "n1"})
        self.assertIn("fsub", found["n0"])
        self.assertNotIn("fmul", found["n1"])
        program = self.search(expression="('fsat@32', ('fadd', x, y))", machine="intel_gen9").matches
        self.assertEqual([(match.node, match.rule.program) for match in program],
                         [("n0", "[ADD(r(F), a(F), b(F)).sat()]")])
        self.assertEqual(len(self.search(expression="('fmax', x, y)").matches), 0)

    def test_search_in_pages(self):
        expression = "('fadd', ('fmul', ('fmul', x, 2.0), 2.0), ('fneg', ('fneg', ('fneg', y))))"
        whole = self.search(expression=expression)
        self.assertEqual(whole.next_page_token, "")
        nodes, token = [], ""
        while True:
            page = self.search(expression=expression, page_size=2, page_token=token)
            self.assertLessEqual(len(page.matches), 2)
            nodes += [(match.rule.id, match.node) for match in page.matches]
            token = page.next_page_token
            if not token:
                break
        self.assertEqual(nodes, [(match.rule.id, match.node) for match in whole.matches])
        self.assertGreater(len(nodes), 3)

    # Evaluation.

    def evaluate(self, text, *vectors, **fields):
        request = evals_pb.EvaluateRequest(text=text, vectors=[dict(values=vector) for vector in vectors], **fields)
        return self.server.evals.Evaluate(request, timeout=10).results

    def test_evaluate(self):
        one, two = self.evaluate("('fadd', a, 1.0)", {"a": "0x3f800000"}, {"a": "0x7fc00000"})
        self.assertEqual(list(one.allowed), ["0x40000000"])
        self.assertEqual(list(two.allowed), ["nan"])
        program = self.evaluate("[ADD(r(F), a(F), -b(F)).sat()]", {"a": "0x40000000", "b": "0x3fc00000"},
                                machine="intel_gen9")
        self.assertEqual(list(program[0].allowed), ["0x3f000000"])

    def test_an_expression_is_read_without_vectors(self):
        answer = self.server.evals.Evaluate(evals_pb.EvaluateRequest(text="('fadd', a, 1.0)"), timeout=10)
        self.assertEqual([node.label for node in answer.term.nodes], ["a", "1.0", "fadd"])
        self.assertEqual((answer.term.root, len(answer.results)), (2, 0))

    def test_evaluate_names_the_wrong_vector(self):
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        wrong = lambda: self.evaluate("('fadd', a, 1.0)", {"a": "0x3f800000"}, {"a": "one"})
        self.assertIn('vectors[1].values["a"]: ', self.fails(invalid, wrong))
        self.assertIn("vectors[0]: no value for 'a'",
                      self.fails(invalid, lambda: self.evaluate("('fadd@32', a, 1.0)", {})))
        self.assertTrue(self.fails(invalid, lambda: self.evaluate("('fadd', a", {})).startswith("text: "))
        self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.evaluate("a", *[{} for _ in range(10001)]))


    def test_texts_beyond_their_bounds_are_refused_and_end_nothing(self):
        """Tests both calls with input that once caused two stack overflows and a delay of half a minute."""
        deep = "[MOV(r(F), %sa(F))]"

        def sums(count):
            return "[%s]" % ", ".join("ADD(%s(F), %s(F), b(F))" % ("t%d" % i, "t%d" % (i - 1) if i else "a")
                                      for i in range(count))

        texts = {deep % ("-" * 10000): "8 levels", "[MOV(r(F), %sa(F)%s)]" % ("abs(" * 10000, ")" * 10000): "8 levels",
                 sums(15000): "", sums(1500): "1024 instructions",
                 "('fneg', " * 100000: "", "('fneg', " * 6000: "200 levels"}
        for text, bound in texts.items():
            machine = "intel_gen9" if text.startswith("[") else ""
            if len(text) > 65536:  # the service rejects messages of this length
                self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.evaluate(text, {}, machine=machine))
                continue
            refused = self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda: self.evaluate(text, {}, machine=machine))
            self.assertIn("more than " + bound, refused)
            verdict = self.check("(('fadd', a, 0.0), %s)" % text, machine=machine)
            self.assertIn("more than " + bound, verdict.error.message)
        self.assertEqual(self.check("(('fadd', a, b), ('fadd', b, a))").verdict, proof.VERDICT_PROVED)

    # Improvement.

    def improved(self, timeout=60, **fields):
        return list(self.server.improve.Improve(improves_pb.ImproveRequest(**fields), timeout=timeout))

    def test_improve(self):
        expression = "('iadd@32', ('iand', a, b), ('ior', a, b))"
        found = self.improved(expression=expression, machine="intel_gen9", time_limit=span(30))
        self.assertEqual(found[0].cost, found[0].base)  # base selection's own program comes first
        self.assertEqual(found[0].base.instructions, 3)
        better = [answer for answer in found[1:] if answer.verdict == proof.VERDICT_PROVED]
        self.assertEqual(better[-1].cost.instructions, 1, found)
        self.assertEqual([len(answer.instructions) for answer in found], [answer.cost.instructions for answer in found])
        for answer in better:
            program = "(%s, %s)" % (expression, answer.program)
            self.assertEqual(self.check(program, machine="intel_gen9").verdict, proof.VERDICT_PROVED, answer.program)

    def test_improve_names_the_wrong_field(self):
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        for field, fields in (("expression", dict(expression="('nope', a)", machine="intel_gen9")),
                              ("machine", dict(expression="('fneg', a)")),
                              ("time_limit", dict(expression="('fneg', a)", machine="intel_gen9", time_limit=span(-1)))):
            message = self.fails(invalid, lambda some=fields: self.improved(**some))
            self.assertTrue(message.startswith(field + ": "), message)


class RunTest(TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)

    def start(self, request_id="", timeout=20, **fields):
        config = run.NightlyConfig(**fields)
        request = runs_pb.StartRunRequest(config=config, request_id=request_id)
        return self.server.runs.StartRun(request, timeout=timeout).run

    def watch(self, run_id):
        return [answer.run for answer in self.server.runs.WatchRun(runs_pb.WatchRunRequest(id=run_id), timeout=90)]

    def test_run_to_its_end(self):
        started = self.start(machines=["intel_gen9"], budget=dict(seconds=120, timeout_ms=1000))
        self.assertEqual(started.state, run.RUN_STATE_QUEUED)
        seen = self.watch(started.id)
        self.assertEqual(seen[-1].state, run.RUN_STATE_DONE, seen[-1].message)
        self.assertEqual(seen[-1].statistics.fragments, 1)
        self.assertTrue(seen[-1].HasField("ended"))
        listed = self.server.runs.ListRuns(runs_pb.ListRunsRequest(), timeout=10).runs
        self.assertEqual([one.id for one in listed], [started.id])
        again = self.server.runs.CancelRun(runs_pb.CancelRunRequest(id=started.id), timeout=10).run
        self.assertEqual(again.state, run.RUN_STATE_DONE)

    def test_a_budget_pauses_a_run(self):
        """A run whose budget has ended is paused. It is neither running nor done, and continues when it is resumed."""
        started = self.start(machines=["intel_gen9"], budget=dict(seconds=0.001))
        paused = self.watch(started.id)[-1]
        self.assertEqual((paused.state, paused.message), (run.RUN_STATE_PAUSED, "ended by time"))
        self.assertTrue(paused.HasField("ended") and paused.HasField("updated"))
        got = self.server.runs.GetRun(runs_pb.GetRunRequest(id=started.id), timeout=10).run
        self.assertEqual(got.state, run.RUN_STATE_PAUSED)
        again = self.server.runs.ResumeRun(runs_pb.ResumeRunRequest(id=started.id), timeout=10).run
        self.assertIn(again.state, (run.RUN_STATE_QUEUED, run.RUN_STATE_RUNNING, run.RUN_STATE_PAUSED))
        self.assertEqual(self.watch(started.id)[-1].state, run.RUN_STATE_PAUSED)

    def test_wrong_configurations(self):
        for field, fields in (("config.machines", {}), ("config.machines[0]", dict(machines=["vax"])),
                              ("config.export_dir", dict(machines=["intel_gen9"], export_dir="/tmp")),
                              ("config.budget.seconds", dict(machines=["intel_gen9"], budget=dict(seconds=-1))),
                              ("config.shard", dict(machines=["intel_gen9"], shard=2, shards=2))):
            message = self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda some=fields: self.start(**some))
            self.assertTrue(message.startswith(field + ": "), message)

    def test_queue_is_bounded_and_requests_are_idempotent(self):
        first = self.start("night 1", machines=["agx_g13"])
        self.assertEqual(self.start("night 1", machines=["agx_g13"]).id, first.id)
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda: self.start("night 1", machines=["intel_gen9"]))
        ids = []
        message = self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: [
            ids.append(self.start(machines=["agx_g13", "intel_gen9"]).id) for _ in range(200)])
        self.assertIn("wait", message)
        last = self.server.runs.CancelRun(runs_pb.CancelRunRequest(id=ids[-1]), timeout=10).run
        self.assertEqual(last.state, run.RUN_STATE_CANCELLED)
        page = self.server.runs.ListRuns(runs_pb.ListRunsRequest(page_size=3), timeout=10)
        self.assertEqual([one.id for one in page.runs], ids[::-1][:3])
        request = runs_pb.ListRunsRequest(page_size=3, page_token=page.next_page_token)
        page = self.server.runs.ListRuns(request, timeout=10)
        self.assertEqual([one.id for one in page.runs], ids[::-1][3:6])

    def test_runs_outlive_the_server(self):
        ids = [self.start(machines=["agx_g13"]).id for _ in range(3)]
        self.server.process.kill()
        self.server.process.wait()
        self.server = Server(fill=False, db=self.server.db)
        self.addCleanup(self.server.stop)
        for one in ids:
            self.assertEqual(self.watch(one)[-1].state, run.RUN_STATE_DONE)


class LifeTest(TestCase):
    """Tests starting, rejecting requests, and stopping."""

    def server(self, *arguments, **options):
        server = Server(*arguments, **options)
        self.addCleanup(server.stop)
        return server

    def test_quota(self):
        server = self.server("--running_calls=1", "--waiting_calls=1")
        call = lambda: server.checks.CheckRule.future(checks_pb.CheckRuleRequest(rule=HARD_RULE), timeout=60)
        calls = [call() for _ in range(3)]
        done, _ = concurrent.futures.wait([FutureOf(one) for one in calls], 5, concurrent.futures.FIRST_COMPLETED)
        self.assertEqual([one.result() for one in done], [grpc.StatusCode.RESOURCE_EXHAUSTED])
        for one in calls:
            one.cancel()

    def test_limit_of_the_service(self):
        self.server = self.server("--max_call_ms=300")
        verdict = self.check(HARD_RULE, time_limit=span(60))
        self.assertIn("time limit of 300ms", verdict.cases[0].reason)

    def test_limit_of_verifying_a_pack(self):
        packs = os.path.join(WORK, "packs")
        subprocess.run([os.path.join(os.path.dirname(SERVER), "make_packs"), packs], check=True)
        server = self.server("--packs=" + packs, "--max_verify_pack_ms=1")
        with self.assertRaises(grpc.RpcError) as error:
            server.channel.unary_unary("/rewrought.v1.PackService/VerifyPack")(b"\n\6forged", timeout=60)
        self.assertEqual(error.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertIn("of 2 rules were verified", error.exception.details())

    def test_drain(self):
        server = self.server()
        call = server.checks.CheckRule.future(checks_pb.CheckRuleRequest(rule=HARD_RULE), timeout=60)
        watch = server.channel.unary_stream("/grpc.health.v1.Health/Watch")(b"", timeout=20)
        self.assertEqual(next(watch), b"\x08\x01")
        time.sleep(0.5)
        code, seconds = server.stop()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 5)
        self.assertEqual(next(watch), b"\x08\x02")
        self.assertIn(call.code(), (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED))

    def test_errors_at_start(self):
        running = self.server()
        in_use = Server("--address=" + running.address).failure()
        self.assertIn("the address is in use; choose another port", in_use)
        link = os.path.join(WORK, "link.db")
        os.symlink(running.db, link)
        for name in (running.db, link, os.path.join(WORK, "..", os.path.basename(WORK), os.path.basename(running.db))):
            message = Server(fill=False, db=name).failure()
            self.assertIn("another server serves this database: process %d (" % running.process.pid, message)
        hard = os.path.join(WORK, "hard.db")
        os.link(running.db, hard)
        self.assertIn("hard links", Server(fill=False, db=hard).failure())
        os.remove(hard)
        self.assertIn("harvest", Server(fill=False).failure())
        self.assertIn("host:port", Server("--address=somewhere").failure())
        with open(os.path.join(WORK, "text.db"), "w", encoding="utf-8") as file:
            file.write("no database, but long enough to be looked at as one\n" * 100)
        self.assertIn("text.db", Server(fill=False, db=file.name).failure())

    def test_read_only(self):
        first = self.server()
        second = self.server("--read_only=1", fill=False, db=first.db)
        self.assertEqual(len(second.rules.ListRules(rules_pb.ListRulesRequest(), timeout=10).rules), 5)
        request = runs_pb.StartRunRequest(config=run.NightlyConfig(machines=["intel_gen9"]))
        self.fails(grpc.StatusCode.FAILED_PRECONDITION, lambda: second.runs.StartRun(request, timeout=10))

    def test_reflection_when_asked(self):
        server = self.server("--reflection=1")
        call = server.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        answer = next(iter(call(iter([b"\x3a\x01*"]), timeout=10)))
        self.assertIn(b"rewrought.v1.RuleService", answer)


class FutureOf(concurrent.futures.Future):
    """The status of a call as a future."""

    def __init__(self, call):
        super().__init__()
        call.add_done_callback(lambda done: self.set_result(done.code()))


if __name__ == "__main__":
    SERVER = sys.argv.pop(1)
    stubs.generate(".", WORK)
    # pylint: disable=import-error
    from proto.rewrought.v1 import proof_pb2 as proof
    from proto.rewrought.v1 import rule_pb2 as rule_pb
    from proto.rewrought.v1 import run_pb2 as run
    from proto.rewrought.v1 import check_service_pb2 as checks_pb
    from proto.rewrought.v1 import check_service_pb2_grpc as checks_grpc
    from proto.rewrought.v1 import eval_service_pb2 as evals_pb
    from proto.rewrought.v1 import eval_service_pb2_grpc as evals_grpc
    from proto.rewrought.v1 import improve_service_pb2 as improves_pb
    from proto.rewrought.v1 import improve_service_pb2_grpc as improves_grpc
    from proto.rewrought.v1 import rule_service_pb2 as rules_pb
    from proto.rewrought.v1 import rule_service_pb2_grpc as rules_grpc
    from proto.rewrought.v1 import run_service_pb2 as runs_pb
    from proto.rewrought.v1 import run_service_pb2_grpc as runs_grpc
    unittest.main(verbosity=2)
