"""Tests the commands with --server, which must give the same answers as without it.

usage: client_test.py MAKE_DATABASE REWROUGHT
"""
import json
import subprocess
import unittest

from serving import HARD_RULE, Server, main, path_of

# These rules are proved, refuted, inexact, malformed, and written on two lines. `--infer` needs less than a second for
# the refuted one; near its limit of 10 s, the result would depend on the load of the machine.
RULES = """# rules
(('fadd', a, b), ('fadd', b, a))
  (('fsub@16', a, a), 0.0)
(('~fadd@32', a, ('fadd', b, 'c')), ('fadd', ('fadd', a, b), c))
  (('fadd', a, b), ('fadd', b c))
(('ieq', ('iand', a, b), 'x@bool'),
 True)
(('fmul', ('fneg', 'a@16(is_a_number)'), b), ('fneg', ('fmul', a, b)))
"""


def write(name, text):
    with open(path_of(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path_of(name)


def run(*arguments, stdin=""):
    """Runs the binary and returns the finished process."""
    return subprocess.run([Server.program] + list(arguments), input=stdin, capture_output=True, text=True, timeout=120,
                          check=False)


def objects(text, *without):
    """Parses JSON lines and removes the keys `without` at all levels."""
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(one) for key, one in value.items() if key not in without}
        return [strip(one) for one in value] if isinstance(value, list) else value
    return [strip(json.loads(line)) for line in text.splitlines()]


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        assert cls.server.port, cls.server.said()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def test_check(self):
        rules = write("rules", RULES)
        for options in (["--json", "--explain", "--infer"],
                        ["--json", "--widths", "16,32", "--modes", "flush,preserve"]):
            here = run("check", rules, *options)
            there = run("check", rules, *options, "--server", self.server.grpc)
            self.assertEqual(here.returncode, 2)  # one line is not a rule
            self.assertEqual(there.returncode, 2, there.stderr)
            self.assertEqual(len(objects(here.stdout)), 6)
            self.assertEqual(objects(there.stdout, "ms"), objects(here.stdout, "ms"))
        here, there = run("check", rules), run("check", rules, "--server", self.server.grpc)
        self.assertEqual([line.split("  (")[0] for line in there.stdout.splitlines()],
                         [line.split("  (")[0] for line in here.stdout.splitlines()])
        self.assertIn("rules:5:31: error", there.stdout.replace(path_of(""), ""))
        # A rule whose replacement is a machine program also has a proof.
        program = "(('fadd@32', a, ('fneg', b)), [fadd(r(F), a(F), -b(F))])\n"
        there = run("check", "-", "--machine", "agx_g13", "--server", self.server.grpc, stdin=program)
        self.assertEqual(there.returncode, 0, there.stdout + there.stderr)

    def test_time_limit(self):
        there = run("check", "-", "--json", "--timeout-ms", "500", "--server", self.server.grpc, stdin=HARD_RULE)
        self.assertEqual(there.returncode, 3, there.stderr)

    def test_eval(self):
        vectors = write("vectors", '{"a":"0x3f800000"}\n\n{"a":"0x7fc00000"}\n')
        here = run("eval", "('fadd', a, 1.0)", "--vectors", vectors)
        there = run("eval", "('fadd', a, 1.0)", "--vectors", vectors, "--server", self.server.grpc)
        self.assertEqual((there.returncode, there.stdout), (0, here.stdout), there.stderr)
        self.assertEqual(len(here.stdout.splitlines()), 2)
        for text, line in (("('fadd', a)", '{"a":"0x3f800000"}'), ("('fadd', a, 1.0)", '{"a":1}'),
                           ("('fadd', a, 1.0)", "{}")):
            wrong = run("eval", text, "--vectors", "-", "--server", self.server.grpc, stdin=line)
            self.assertEqual(wrong.returncode, 2, text + line)
            self.assertNotEqual(wrong.stderr, "")

    def test_improve(self):
        arguments = ("improve", "('inot', ('iand@32', a, b))", "--machine", "intel_gen9", "--seconds", "3", "--json")
        here, there = run(*arguments), run(*arguments, "--server", self.server.grpc)
        self.assertEqual(there.returncode, 0, there.stderr)
        self.assertEqual(objects(there.stdout)[0], objects(here.stdout)[0])
        self.assertEqual(objects(there.stdout)[-1]["verdict"], "proved")
        wrong = run("improve", "('fadd', a)", "--machine", "intel_gen9", "--server", self.server.grpc)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("expression", wrong.stderr)

    def test_nobody_there(self):
        gone = Server()
        gone.stop()
        there = run("check", "-", "--server", gone.grpc, stdin="(('iadd', a, 0), a)")
        self.assertEqual(there.returncode, 2)
        self.assertIn(gone.grpc, there.stderr)
        self.assertIn("rewrought serve", there.stderr)

    def test_wrong_options(self):
        token = write("token", "token-check\n")
        for options, part in ((["--server", "nowhere"], "--server"),
                              (["--server", "192.0.2.1:50051", "--token-file", token], "only over TLS"),
                              (["--server", self.server.grpc, "--token-file", path_of("none")], "cannot be read"),
                              (["--server", self.server.grpc, "--tls-cert", token], "--tls-key"),
                              (["--server", self.server.grpc, "--confirm"], "--confirm"),
                              (["--tls"], "--server")):
            there = run("check", "-", *options, stdin="(('iadd', a, 0), a)")
            self.assertEqual(there.returncode, 2, options)
            self.assertIn(part, there.stderr)

    def test_tokens_and_certificates(self):
        server = Server("--tokens", path_of("tokens"), "--anonymous", "none", "--tls-cert", path_of("server.pem"),
                        "--tls-key", path_of("server.key"), "--tls-client-ca", path_of("ca.pem"))
        self.addCleanup(server.stop)
        self.assertIsNotNone(server.port, server.said())
        address = server.grpc.replace("127.0.0.1", "localhost")
        mine = ["--tls-ca", path_of("ca.pem"), "--tls-cert", path_of("client.pem"), "--tls-key", path_of("client.key")]
        for options, token, status in ((mine, "check", 0), (mine, "read", 2), (mine, None, 2), (mine[:2], "check", 2),
                                       (["--tls"], "check", 2), ([], "check", 2)):
            if token:
                options = options + ["--token-file", write("token", "token-" + token)]
            there = run("check", "-", "--server", address, *options, stdin="(('iadd', a, 0), a)")
            self.assertEqual(there.returncode, status, "%s: %s" % (options, there.stderr))


if __name__ == "__main__":
    main()
