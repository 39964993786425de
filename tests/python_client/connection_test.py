"""Tests the connection of the Python library: errors, canceled calls, TLS, tokens, and servers that misbehave.

usage: connection_test.py MAKE_DATABASE MAKE_PACKS REWROUGHT
"""
import concurrent.futures
import http.server
import itertools
import json
import os
import socket
import struct
import threading
import time
import unittest

import setting
from setting import path_of, serving

import rewrought
from rewrought import Verdict

RULE = "(('iadd', a, 0), a)"
# A search that finds a program quickly and then continues until its time limit.
SLOW_SEARCH = ("('ior', ('iand@32', a, c), ('iand', b, ('inot', c)))", "agx_g13")
PROVED = {"verdict": {"rule": RULE, "verdict": "VERDICT_PROVED"}}


class FakeServer:
    """Answers requests with `answer(handler, number)`, in which `number` counts the requests from 0."""

    def __init__(self, answer):
        numbers = itertools.count()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                answer(self, next(numbers))

            def reply(self, status, body, kind="application/json"):
                text = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = "127.0.0.1:%d" % self.server.server_port


def frame(flags, message):
    text = json.dumps(message).encode()
    return struct.pack(">BI", flags, len(text)) + text


class ConnectionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = setting.make_server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def client(self, token="token-admin", **options):
        client = rewrought.Client(self.server.http, token=token, **options)
        self.addCleanup(client.close)
        return client

    def fake(self, answer, **options):
        """Returns a client of a FakeServer."""
        server = FakeServer(answer)
        self.addCleanup(server.server.server_close)
        self.addCleanup(server.server.shutdown)
        client = rewrought.Client(server.address, **options)
        self.addCleanup(client.close)
        return client

    def wait_until_idle(self):
        """Waits until no check or improvement runs on the server."""
        for _ in range(100):
            _, _, text = self.server.ask("GET", "/metrics", headers={"Authorization": "Bearer token-read"})
            running = [line for line in text.decode().splitlines()
                       if line.startswith("rewrought_calls_in_flight") and not line.endswith(" 0")]
            if not running:
                return
            time.sleep(0.1)
        self.fail("the server still works: %s" % running)

    def test_wrong_arguments(self):
        for options, part in (({"server": "nowhere"}, "HOST:PORT"), ({"server": "host:99999"}, "HOST:PORT"),
                              ({"server": "192.0.2.1:80", "token": "t"}, "only over TLS"),
                              ({"server": "a:1", "tls_cert": "x"}, "tls_key"),
                              ({"server": "a:1", "packs": "x"}, "packs"),
                              ({"token": "t"}, "require server"), ({"tls": True}, "require server")):
            with self.assertRaisesRegex(ValueError, part):
                rewrought.Client(**options)
        self.assertRaises(FileNotFoundError, rewrought.Client, "a:1", tls_ca=path_of("none"))

    def test_missing_program(self):
        with self.assertRaisesRegex(rewrought.ProgramError, "REWROUGHT"):
            rewrought.Client(binary=path_of("none"))
        with self.assertRaisesRegex(rewrought.ProgramError, "did not start"):
            rewrought.Client(binary="/bin/false")
        with self.assertRaisesRegex(rewrought.ProgramError, "no such database"):
            rewrought.Client(database=path_of("missing.db"))
        # An audit needs the program even if there is a server.
        client = self.client(binary=path_of("none"))
        self.assertEqual(client.check(RULE).status, Verdict.PROVED)
        with self.assertRaisesRegex(rewrought.ProgramError, "REWROUGHT"):
            client.audit(path_of("."))

    def test_errors_of_the_service(self):
        client = self.client()
        for error, call in ((rewrought.NotFound, lambda: client.rule("0" * 64)),
                            (rewrought.InvalidArgument, lambda: client.eval("('fadd', a)", [])),
                            (rewrought.InvalidArgument, lambda: client.check(RULE + RULE)),
                            (rewrought.InvalidArgument, lambda: client.check(RULE, widths=[7])),
                            (rewrought.InvalidArgument, lambda: client.improve("('fadd', a)", "agx_g13").result()),
                            (rewrought.InvalidArgument, lambda: client.improve("('fabs', a)", "vax").result()),
                            (rewrought.NotFound, lambda: client.published_audit("none"))):
            with self.assertRaises(error) as caught:
                call()
            self.assertIn("Service/", str(caught.exception))
        bare = serving.Server()
        self.addCleanup(bare.stop)
        with rewrought.Client("127.0.0.1:%d" % bare.port) as client:
            self.assertRaises(rewrought.FailedPrecondition, lambda: list(client.packs()))
            self.assertRaises(rewrought.FailedPrecondition, lambda: list(client.audits()))

    def test_tokens(self):
        for token, error in ((None, rewrought.Unauthenticated), ("wrong", rewrought.Unauthenticated),
                             ("token-read", rewrought.PermissionDenied)):
            self.assertRaises(error, self.client(token).check, RULE)
            self.assertRaises(error, self.client(token).improve("('fabs', a)", "agx_g13").result)
        self.assertEqual(self.client("token-check").check(RULE).status, Verdict.PROVED)
        self.assertRaises(rewrought.PermissionDenied, self.client("token-check").build_pack("agx_g13").result)

    def test_the_started_server_serves_only_its_client(self):
        with rewrought.Client() as client:
            address = str(client._transport.endpoint)  # pylint: disable=protected-access
            with rewrought.Client(address) as other:
                self.assertRaises(rewrought.Unauthenticated, other.check, RULE)

    def test_tls(self):
        server = setting.make_server("--tls-cert", path_of("server.pem"), "--tls-key", path_of("server.key"),
                                     "--tls-client-ca", path_of("ca.pem"))
        self.addCleanup(server.stop)
        mine = {"tls_cert": path_of("client.pem"), "tls_key": path_of("client.key")}
        for host in ("127.0.0.1", "localhost"):
            with rewrought.Client("%s:%d" % (host, server.port), token="token-check", tls_ca=path_of("ca.pem"),
                                  **mine) as client:
                self.assertEqual(client.check(RULE).status, Verdict.PROVED)
                found = list(client.improve("('inot', ('iand@32', a, b))", "agx_g13", time_limit=5))
                self.assertGreater(len(found), 0)
        stranger = {"tls_cert": path_of("stranger.pem"), "tls_key": path_of("stranger.key")}
        for options in ({"tls_ca": path_of("other.pem"), **mine}, {"tls": True, **mine}, {"tls_ca": path_of("ca.pem")},
                        {"tls_ca": path_of("ca.pem"), **stranger}, {}):
            with rewrought.Client(server.http, token="token-check", **options) as client:
                self.assertRaises(rewrought.Unavailable, client.check, RULE)

    def test_nobody_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            address = "127.0.0.1:%d" % closed.getsockname()[1]
        for server in (address, self.server.grpc):
            with rewrought.Client(server) as client:
                with self.assertRaisesRegex(rewrought.Unavailable, "rewrought serve --http.*not its --grpc"):
                    client.check(RULE)
                self.assertRaises(rewrought.Unavailable, client.improve("('fabs', a)", "agx_g13").result)

    def test_deadlines(self):
        start = time.monotonic()
        self.assertRaises(rewrought.DeadlineExceeded, self.client(timeout=1).check, serving.HARD_RULE)
        self.assertLess(time.monotonic() - start, 7)
        self.wait_until_idle()
        with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts connections and never answers
            start = time.monotonic()
            with rewrought.Client("127.0.0.1:%d" % silent.getsockname()[1], timeout=0.5) as client:
                self.assertRaises(rewrought.DeadlineExceeded, client.check, RULE)
            self.assertLess(time.monotonic() - start, 12)

    def test_a_closed_stream_cancels_the_call(self):
        client = self.client()
        with client.improve(*SLOW_SEARCH, time_limit=100) as found:
            next(found)
        self.assertRaises(rewrought.Canceled, next, found)
        self.wait_until_idle()
        self.assertEqual(client.check(RULE).status, Verdict.PROVED)

    def test_another_thread_closes_a_stream(self):
        found = self.client().improve(*SLOW_SEARCH, time_limit=100)
        threading.Timer(1, found.close).start()
        start = time.monotonic()
        self.assertRaises(rewrought.Canceled, found.result)
        self.assertLess(time.monotonic() - start, 20)
        self.wait_until_idle()

    def test_a_closed_iterator_cancels_its_checks(self):
        verdicts = self.client().check_all([RULE] * 8 + [serving.HARD_RULE] * 8)
        self.assertEqual(next(verdicts).status, Verdict.PROVED)
        start = time.monotonic()
        verdicts.close()
        self.assertLess(time.monotonic() - start, 10)
        self.wait_until_idle()

    def test_a_closed_client_ends_its_calls(self):
        client = self.client()
        found = client.improve(*SLOW_SEARCH, time_limit=100)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            calls = [pool.submit(client.check, serving.HARD_RULE), pool.submit(found.result)]
            time.sleep(1)
            client.close()
            for call in calls:
                self.assertRaises(rewrought.Canceled, call.result, 20)
        self.assertRaises(rewrought.Canceled, client.check, RULE)
        self.assertRaises(rewrought.Canceled, client.audit, path_of("."))
        self.wait_until_idle()

    def test_an_audit_is_stopped(self):
        with rewrought.Client() as client:
            run = client.audit(setting.make_tree("slow", setting.SLOW_RULES))
            with run:
                time.sleep(2)
                self.assertTrue(os.path.exists("/proc/%d" % run.pid))
            self.assertFalse(os.path.exists("/proc/%d" % run.pid))
            with self.assertRaisesRegex(rewrought.Canceled, "resumes"):
                run.result()

    def test_threads_share_a_client(self):
        client = self.client()
        rules = ["(('iadd@32', a, %d), ('iadd', %d, a))" % (i, i + i % 2) for i in range(100)]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            verdicts = list(pool.map(client.check, rules))
        self.assertEqual([one.status for one in verdicts], [Verdict.PROVED, Verdict.REFUTED] * 50)

    def test_quotas(self):
        """The client repeats a call that exceeds a quota, until its timeout."""
        def sometimes(handler, number):
            handler.reply(*((429, {"code": "resource_exhausted", "message": "busy"}) if number < 2 else (200, PROVED)))
        self.assertEqual(self.fake(sometimes).check(RULE).status, Verdict.PROVED)

        def stream(handler, number):
            error = {"error": {"code": "resource_exhausted", "message": "busy"}}
            body = frame(2, error) if number < 2 else frame(0, {"verdict": "VERDICT_PROVED"}) + frame(2, {})
            handler.reply(200, body, "application/connect+json")
        self.assertEqual(self.fake(stream).improve("a", "m").result().status, Verdict.PROVED)
        never = lambda handler, _: handler.reply(429, {"code": "resource_exhausted", "message": "busy"})
        self.assertRaises(rewrought.ResourceExhausted, self.fake(never, timeout=0.5).check, RULE)

    def test_idle_connections_may_close(self):
        def close_after(handler, number):
            handler.reply(200, PROVED)
            handler.close_connection = number % 2 == 0
        client = self.fake(close_after)
        for _ in range(6):
            self.assertEqual(client.check(RULE).status, Verdict.PROVED)
            time.sleep(0.05)

    def test_wrong_responses(self):
        """A response that the library does not understand is an error, never a verdict."""
        internal, unavailable = rewrought.Internal, rewrought.Unavailable
        for status, body, error in ((200, b"no JSON", internal), (200, b"[]", internal),
                                    (200, {"verdict": {"verdict": "VERDICT_PROBABLY"}}, internal),
                                    (200, {}, internal), (200, {"verdict": None}, internal),
                                    (200, {"verdict": {"verdict": 17}}, internal),
                                    (200, {"verdict": {"rule": "x"}}, internal),
                                    (200, {"verdict": {"verdict": "VERDICT_PROVED", "cases": 7}}, internal),
                                    (200, {"verdict": {"verdict": "VERDICT_PROVED", "rule": 7}}, internal),
                                    (503, b"", unavailable), (500, b"<html>", rewrought.Error),
                                    (404, b"", rewrought.Unimplemented)):
            with self.subTest(body=body, status=status):
                client = self.fake(lambda handler, _, status=status, body=body: handler.reply(status, body))
                self.assertRaises(error, client.check, RULE)
        # Unknown fields are ignored, because newer servers may add them.
        more = {"verdict": dict(PROVED["verdict"], colour="blue"), "more": [1]}
        self.assertEqual(self.fake(lambda handler, _: handler.reply(200, more)).check(RULE).status, Verdict.PROVED)

    def test_truncated_streams(self):
        """A stream without its last frame is an error, so a partial result is not taken for a complete one."""
        whole = frame(0, {"verdict": "VERDICT_PROVED"}) + frame(2, {})
        for size in (0, 3, 5, 10, len(whole) - 7, len(whole) - 1):
            with self.subTest(size=size):
                client = self.fake(lambda handler, _, size=size: handler.reply(200, whole[:size],
                                                                               "application/connect+json"))
                self.assertRaises(rewrought.Unavailable, list, client.improve("a", "m"))
        failed = (frame(0, {"verdict": "VERDICT_PROVED"}) +
                  frame(2, {"error": {"code": "aborted", "message": "out of memory"}}))
        client = self.fake(lambda handler, _: handler.reply(200, failed, "application/connect+json"))
        with self.assertRaisesRegex(rewrought.Aborted, "out of memory"):
            list(client.improve("a", "m"))


if __name__ == "__main__":
    setting.main()
