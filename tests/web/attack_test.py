"""Attacks on the service as a whole, each of which once brought it down: what it costs now, and that others are
answered meanwhile.

usage: attack_test.py MAKE_DATABASE REWROUGHT
"""
import concurrent.futures
import json
import time
import unittest
import urllib.parse

from serving import HARD_RULE, Server, main, path_of


class AttackTest(unittest.TestCase):
    arguments = ()

    def setUp(self):
        self.server = Server(*self.arguments)
        self.addCleanup(self.server.process.kill)
        self.addCleanup(self.stop)
        self.assertTrue(self.server.port, self.server.said())

    def stop(self):
        """SIGTERM is obeyed, whatever goes on."""
        status, seconds = self.server.stop()
        self.assertEqual(status, 130, self.server.said())
        self.assertLess(seconds, 8)


class ComputingTest(AttackTest):
    arguments = ("--client-calls", "1")

    def test_one_client_computes_once(self):
        """Whatever computes counts, not checks alone."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            checked = pool.submit(self.server.call, "CheckService/CheckRule", {"rule": HARD_RULE, "timeLimit": "4s"})
            time.sleep(1)
            self.server.call("EvalService/Evaluate", {"text": "('fadd', a, 1.0)", "vectors": [
                {"values": {"a": "0x3f800000"}}]}, status=429)
            self.server.call("RuleService/SearchRules", {"expression": "('fadd', a, b)"}, status=429)
            # Reading an expression computes nothing.
            self.server.call("EvalService/Evaluate", {"text": "('fadd', a, 1.0)"})
            self.assertEqual(checked.result()["verdict"]["verdict"], "VERDICT_UNKNOWN")
        self.server.call("RuleService/SearchRules", {"expression": "('fadd', a, b)"})


class OriginTest(AttackTest):
    arguments = ("--web-ui", path_of("web_ui"))

    def get(self, path, **headers):
        return self.server.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def test_hosts(self):
        for host in ("[::1].evil", "[::1]evil:80", "[::1", "localhost.evil", "127.0.0.1.evil", "localhost:80.evil",
                     "localhost:80@evil", "evil", "", "::1"):
            self.assertEqual(self.get("/healthz", Host=host)[0], 421, host)
        for host in ("[::1]", "[::1]:80", "localhost", "LocalHost:8080", "127.0.0.1:1"):
            self.assertEqual(self.get("/healthz", Host=host)[0], 200, host)

    def test_other_sites(self):
        call = "/rewrought.v1.RuleService/SearchRules?" + urllib.parse.urlencode(
            {"connect": "v1", "encoding": "json", "message": json.dumps({"expression": "('fadd', a, b)"})})
        for site in ("cross-site", "same-site"):
            self.assertEqual(self.get(call, Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors")[0], 403, site)
            self.assertEqual(self.get(call, Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate")[0], 403, site)
            self.assertEqual(self.get("/assets/a.js", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors")[0], 403, site)
            self.assertEqual(self.get("/", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate")[0], 200, site)
        for site in ("same-origin", "none"):
            self.assertEqual(self.get(call, Sec_Fetch_Site=site)[0], 200, site)
        self.assertEqual(self.get(call)[0], 200)
        _, _, text = self.get("/metrics")
        self.assertIn(b'rewrought_calls_total{method="/rewrought.v1.RuleService/SearchRules",code="0"} 3\n', text)


if __name__ == "__main__":
    main()
