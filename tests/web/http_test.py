"""Tests the service over HTTP, as a browser or curl would use it: Connect, the catalog, roles, and TLS.

usage: http_test.py MAKE_DATABASE REWROUGHT
"""
import base64
import concurrent.futures
import glob
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
import unittest
import urllib.parse

import grpc

from serving import HARD_RULE, ROLES, TRUE_RULE, Server, main, path_of, shader, upload

# Every method and the role that it requires.
METHODS = {
    "RuleService": {"GetRule": "read", "ListRules": "read", "SearchRules": "read", "ListRuleHits": "read",
                    "GetAssembly": "read", "DropPreconditions": "check"},
    "CheckService": {"CheckRule": "check"},
    "ImproveService": {"Improve": "check"},
    "RunService": {"StartRun": "admin", "GetRun": "read", "ListRuns": "read", "WatchRun": "read", "CancelRun": "admin",
                   "ResumeRun": "admin", "GetSavings": "read"},
    "EvalService": {"Evaluate": "check"},
    "MachineService": {"ListMachines": "read", "GetMachine": "read"},
    "CorpusService": {"GetStatistics": "read", "ListFragments": "read", "ListUses": "read", "UploadShaders": "admin"},
    "PackService": {"ListPacks": "read", "GetPack": "read", "ListPackEntries": "read", "BuildPack": "admin",
                    "VerifyPack": "check", "WatchPackVerification": "check", "DiffPacks": "check",
                    "DownloadPackFile": "read"},
    "AuditService": {"ListAudits": "read", "ListAuditFindings": "read", "GetAuditFinding": "read"},
}
STREAMS = ("Improve", "WatchRun", "DropPreconditions", "BuildPack", "WatchPackVerification", "DownloadPackFile")


class ConnectTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--web-ui", path_of("web_ui"))
        assert cls.server.port, cls.server.said()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def test_unary(self):
        rules = self.server.call("RuleService/ListRules", {"pageSize": 2})
        self.assertEqual(len(rules["rules"]), 2)
        self.assertTrue(rules["nextPageToken"])
        verdict = self.server.call("CheckService/CheckRule", {"rule": TRUE_RULE, "widths": [32]})["verdict"]
        self.assertEqual(verdict["verdict"], "VERDICT_PROVED")

    def test_get(self):
        query = urllib.parse.urlencode({"connect": "v1", "encoding": "json", "message": '{"pageSize":1}'})
        status, _, body = self.server.ask("GET", "/rewrought.v1.RuleService/ListRules?" + query)
        self.assertEqual((status, len(json.loads(body)["rules"])), (200, 1))
        query = urllib.parse.urlencode({"encoding": "json", "message": "eyJwYWdlU2l6ZSI6M30", "base64": "1"})
        status, _, body = self.server.ask("GET", "/rewrought.v1.RuleService/ListRules?" + query)
        self.assertEqual((status, len(json.loads(body)["rules"])), (200, 3))
        # Methods that may compute or write do not accept GET.
        for method in ("CheckService/CheckRule", "RunService/StartRun"):
            status, headers, _ = self.server.ask("GET", "/rewrought.v1.%s?%s" % (method, query))
            self.assertEqual((status, headers["Allow"]), (405, "POST"))

    def test_stream(self):
        found, end = self.server.stream("ImproveService/Improve", {
            "expression": "('fsat', ('fadd', a, ('fneg', b)))", "machine": "intel_gen9", "timeLimit": "20s"})
        self.assertGreater(len(found), 0)
        self.assertEqual(end, [{}])
        self.assertIn("VERDICT_PROVED", [one["verdict"] for one in found])
        _, end = self.server.stream("ImproveService/Improve", {"expression": "(", "machine": "intel_gen9"})
        self.assertEqual(end[0]["error"]["code"], "invalid_argument")

    def test_errors_name_the_field(self):
        error = self.server.call("CheckService/CheckRule", {"rule": TRUE_RULE, "widths": [7]}, status=400)
        self.assertEqual(error["code"], "invalid_argument")
        self.assertTrue(error["message"].startswith("widths[0]: "))
        self.assertEqual(error["details"][0]["type"], "google.rpc.BadRequest")
        self.assertEqual(self.server.call("RuleService/GetRule", {"id": "f" * 64}, status=404)["code"], "not_found")

    def test_wrong_requests(self):
        rules = "/rewrought.v1.RuleService/ListRules"
        json_type = {"Content-Type": "application/json"}
        self.assertEqual(self.server.ask("POST", rules, "{", json_type)[0], 400)
        self.assertEqual(self.server.ask("POST", rules, "[" * 5000, json_type)[0], 400)
        self.assertEqual(self.server.ask("POST", rules, '{"no":1}', json_type)[0], 400)
        self.assertEqual(self.server.ask("POST", rules, "{}", {"Content-Type": "text/plain"})[0], 415)
        self.assertEqual(self.server.ask("POST", rules, "{}", dict(json_type, **{"Content-Encoding": "gzip"}))[0], 415)
        self.assertEqual(self.server.ask("POST", rules, "{}", dict(json_type, **{"Connect-Protocol-Version": "2"}))[0],
                         400)
        self.assertEqual(self.server.ask("POST", rules, "{}", dict(json_type, **{"Connect-Timeout-Ms": "1e3"}))[0], 400)
        self.assertEqual(self.server.ask("POST", "/rewrought.v1.RuleService/No", "{}", json_type)[0], 501)
        self.assertEqual(self.server.ask("POST", "/grpc.health.v1.Health/Check", "{}", json_type)[0], 501)
        self.assertEqual(self.server.ask("DELETE", rules)[0], 405)
        _, end = self.server.stream("RuleService/ListRules", {})
        self.assertEqual(end[0]["error"]["code"], "unimplemented")
        status, _, body = self.server.ask("POST", "/rewrought.v1.ImproveService/Improve", b"\0\0\0\1\0{}",
                                          {"Content-Type": "application/connect+json"})
        self.assertEqual(status, 200)
        self.assertIn(b"invalid_argument", body)

    def test_timeout(self):
        start = time.time()
        headers = {"Content-Type": "application/json", "Connect-Timeout-Ms": "400"}
        status, _, body = self.server.ask("POST", "/rewrought.v1.CheckService/CheckRule",
                                          json.dumps({"rule": HARD_RULE}), headers)
        self.assertEqual((status, json.loads(body)["code"]), (504, "deadline_exceeded"))
        self.assertLess(time.time() - start, 4)

    def test_a_client_that_goes_stops_the_work(self):
        body = json.dumps({"rule": HARD_RULE}).encode()
        peer = socket.create_connection(("127.0.0.1", self.server.port))
        peer.sendall(b"POST /rewrought.v1.CheckService/CheckRule HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        time.sleep(0.7)
        self.assertGreaterEqual(self.server.metric("calls_in_flight"), 1)
        peer.close()
        for _ in range(30):
            time.sleep(0.1)
            if self.server.metric("calls_in_flight") == 0:
                return
        self.fail("the call is still running")

    def test_web_ui(self):
        status, headers, body = self.server.ask("GET", "/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn(b"<title>web UI", body)
        policy = headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        status, headers, body = self.server.ask("GET", "/assets/a.js",
                                                headers={"Range": "bytes=" + "0-9999," * 300 + "0-1"})
        self.assertEqual((status, len(body)), (200, 10000))
        self.assertIn("immutable", headers["Cache-Control"])

    def test_path_traversal(self):
        for path in ("/../made.db", "/..%2fmade.db", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../../made.db",
                     "//etc/passwd",
                     "/assets/..%5c..%5cmade.db", "/secret.txt", "/passwd.html", "/index.html%00.js", "/etc/passwd"):
            status, _, body = self.server.ask("GET", path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"root:", body)
            self.assertNotIn(b"SQLite", body)

    def test_pages_of_other_sites_may_not_ask(self):
        body, kind = "{}", {"Content-Type": "application/json"}
        path = "/rewrought.v1.RuleService/ListRules"
        own = "http://127.0.0.1:%d" % self.server.port
        self.assertEqual(self.server.ask("POST", path, body, dict(kind, Origin=own))[0], 200)
        self.assertEqual(self.server.ask("POST", path, body, dict(kind, Origin="http://example.org"))[0], 403)
        self.assertEqual(self.server.ask("POST", path, body, dict(kind, Origin="null"))[0], 403)
        # Reject a foreign host name, which may resolve to 127.0.0.1.
        self.assertEqual(self.server.ask("GET", "/", headers={"Host": "example.org"})[0], 421)
        self.assertEqual(self.server.ask("GET", "/", headers={"Host": "localhost:%d" % self.server.port})[0], 200)

    def test_no_token_no_write(self):
        error = self.server.call("RunService/StartRun", {"config": {"machines": ["intel_gen9"]}}, status=401)
        self.assertEqual(error["code"], "unauthenticated")

    def test_catalogue(self):
        machines = self.server.call("MachineService/ListMachines", {})["machines"]
        self.assertIn("intel_gen9", [machine["id"] for machine in machines])
        machine = self.server.call("MachineService/GetMachine", {"id": "agx_g13"})["machine"]
        self.assertEqual(machine["id"], "agx_g13")
        self.assertEqual(self.server.call("MachineService/GetMachine", {"id": "vax"}, status=404)["code"], "not_found")
        self.assertGreaterEqual(int(self.server.call("CorpusService/GetStatistics", {})["shaders"]), 1)
        self.server.call("CorpusService/ListFragments", {"pageSize": 5})

    def test_names_are_bytes_in_a_json_string(self):
        """Markup is sent unchanged, but in JSON that no browser treats as HTML. Invalid UTF-8 is replaced."""
        rule = self.server.call("RuleService/ListRules", {"op": "fmul"})["rules"][0]
        status, headers, body = self.server.ask("POST", "/rewrought.v1.RuleService/ListRuleHits",
                                                json.dumps({"id": rule["id"]}),
                                                {"Content-Type": "application/json"})
        self.assertEqual((status, headers["Content-Type"]), (200, "application/json"))
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(json.loads(body)["hits"][0]["shader"], "<script>alert(4)</script>caf\ufffd.frag")

    def test_metrics(self):
        self.server.call("RuleService/ListRules", {})
        self.server.ask("POST", "/rewrought.v1.RuleService/Invented%d" % os.getpid(), "{}",
                        {"Content-Type": "application/json"})
        counted = b'rewrought_calls_total{code="0",method="/rewrought.v1.RuleService/ListRules"} '
        for _ in range(100):  # a request is counted when it ends, possibly after the client got the answer
            _, headers, text = self.server.ask("GET", "/metrics")
            if counted in text:
                break
            time.sleep(0.05)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        self.assertIn(counted, text)
        self.assertNotIn(b"Invented", text)
        self.assertEqual(self.server.ask("GET", "/healthz")[2], b"ok\n")


# Lines of `rewrought audit --json`: one contains markup, one is truncated, and in one all fields have the wrong types.
AUDIT = (
    {"pass": "nir_opt_algebraic", "index": 0, "file": "nir/a.py", "line": 7, "search": "('fadd', 'a', 0.0)",
     "replace": "a",
     "condition": "", "class": "refuted", "id": "abc1", "shadowed_by": None, "weaker": [], "inexact": True,
     "lowering": False,
     "cases": [{"width": 32, "mode": "any", "sizes": {"a": 32, "root": 32}, "verdict": "refuted", "tier": "vectors",
                "confirmed_by": [], "reason": "", "ms": 1.0,
                "witness": {"vars": {"a": "0x80000000"}, "search": ["0x00000000"], "replace": "0x80000000"},
                "explain": [{"side": "search", "node": "a", "values": ["0x80000000"]}]}]},
    {"pass": "late", "index": 0, "file": "nir/b.py", "line": 9, "search": "('fmul', 'a', ('fneg', 'b'))",
     "replace": "('fneg', ('fmul', 'a', 'b'))",
     "condition": "<script>alert(7)</script>", "class": "proved", "id": "abc2",
     "shadowed_by": {"file": "nir/a.py", "line": 7, "index": 0},
     "weaker": ["a"], "cases": []},
    {"pass": 3, "index": "x", "file": [], "line": -1, "search": {}, "replace": None, "condition": 5,
     "class": "unknown", "cases": {"a": 1},
     "weaker": 7, "shadowed_by": 1, "suggested_fix": [], "statement": "x", "weakest": [1, [2]]},
)


class CatalogueTest(unittest.TestCase):
    """Packs, audits and the corpus: data shown from folders, and uploads."""

    @classmethod
    def setUpClass(cls):
        os.makedirs(path_of("packs"))
        os.makedirs(path_of("audits"))
        with open(path_of("audits/tree.json"), "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(line) + "\n" for line in AUDIT) + "{\"cut")
        os.symlink("/etc/passwd", path_of("audits/link.json"))
        cls.server = Server("--packs", path_of("packs"), "--audits", path_of("audits"), "--tokens", path_of("tokens"),
                            "--anonymous", "read")
        assert cls.server.port, cls.server.said()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def admin(self, method, message, status=200):
        return self.server.call(method, message, status=status, token="token-admin")

    def test_audits(self):
        audits = self.server.call("AuditService/ListAudits", {})["audits"]
        self.assertEqual([(one["name"], one["rules"], one["unreadable"]) for one in audits], [("tree.json", "3", "1")])
        self.assertEqual({one.get("name", "") for one in audits[0]["passes"]}, {"nir_opt_algebraic", "late", ""})

        def listed(**filters):
            answer = self.server.call("AuditService/ListAuditFindings", dict(audit="tree.json", **filters))
            return [one.get("id", "") for one in answer.get("findings", [])]
        self.assertEqual(listed(), ["abc1", "abc2", ""])
        self.assertEqual(listed(classes=["AUDIT_CLASS_REFUTED"]), ["abc1"])
        self.assertEqual(listed(op="fneg"), ["abc2"])
        self.assertEqual(listed(op="fne"), [])
        self.assertEqual(listed(text="B.PY:9"), ["abc2"])
        self.assertEqual(listed(**{"pass": "late"}), ["abc2"])
        first = self.server.call("AuditService/ListAuditFindings", {"audit": "tree.json", "pageSize": 1})
        self.assertEqual((first["total"], len(first["findings"])), ("3", 1))
        second = self.server.call("AuditService/ListAuditFindings",
                                  {"audit": "tree.json", "pageSize": 1, "pageToken": first["nextPageToken"]})
        self.assertEqual(second["findings"][0]["id"], "abc2")
        error = self.server.call("AuditService/ListAuditFindings",
                                 {"audit": "tree.json", "op": "fadd", "pageToken": first["nextPageToken"]}, status=400)
        self.assertIn("page_token", error["message"])
        whole = self.server.call("AuditService/GetAuditFinding", {"audit": "tree.json", "number": 0})
        self.assertEqual(whole["cases"][0]["witness"]["vars"], {"a": "0x80000000"})
        self.assertEqual(whole["values"][0]["values"], ["0x80000000"])
        self.assertIn("rewrought check", whole["reproduce"])
        self.server.call("AuditService/GetAuditFinding", {"audit": "tree.json", "number": 2})
        self.server.call("AuditService/GetAuditFinding", {"audit": "tree.json", "number": 3}, status=404)
        # A file that grows is read again.
        with open(path_of("audits/tree.json"), "a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(dict(AUDIT[0], id="abc3")) + "\n")
        self.assertEqual(listed(), ["abc1", "abc2", "", "abc3"])
        for name in ("link.json", "../tokens", "/etc/passwd", "tree.json/../tree.json", ""):
            self.server.call("AuditService/ListAuditFindings", {"audit": name}, status=404)

    def test_packs(self):
        messages, end = self.server.stream("PackService/BuildPack", {"machine": "agx_g13"}, token="token-admin")
        self.assertEqual(end, [{}])
        self.assertEqual((messages[-1]["doing"], messages[-1].get("findings", [])), ("done", []))
        pack = messages[-1]["pack"]["name"]
        self.assertTrue(pack.startswith("agx_g13-"))
        again, _ = self.server.stream("PackService/BuildPack", {"machine": "agx_g13"}, token="token-admin")
        self.assertEqual(again[-1]["pack"]["name"], pack)
        other = self.server.stream("PackService/BuildPack", {"machine": "intel_gen9"},
                                   token="token-admin")[0][-1]["pack"]["name"]
        names = [one["name"] for one in self.server.call("PackService/ListPacks", {})["packs"]]
        self.assertEqual(names, sorted((pack, other)))
        self.assertEqual(self.server.call("PackService/GetPack", {"name": pack})["manifest"]["machine"], "agx_g13")
        self.server.call("PackService/ListPackEntries", {"name": pack})
        # The pack has no rules, so none is proved.
        self.assertEqual(self.admin("PackService/VerifyPack", {"name": pack}), {})
        diff = self.admin("PackService/DiffPacks", {"oldName": pack, "newName": other})
        self.assertIn("pack", [one["kind"] for one in diff["differences"]])
        pieces, end = self.server.stream("PackService/DownloadPackFile", {"name": pack, "file": "manifest.json"})
        self.assertEqual(end, [{}])
        got = b"".join(base64.b64decode(piece["content"]) for piece in pieces)
        with open(path_of("packs/%s/manifest.json" % pack), "rb") as file:
            self.assertEqual(got, file.read())
        os.symlink("/etc/passwd", path_of("packs/%s/link.py" % pack))
        for name, file in ((pack, "../../tokens"), (pack, "/etc/passwd"), (pack, "link.py"),
                           ("../" + pack, "manifest.json"),
                           ("..", "tokens"), (pack + "/", "manifest.json")):
            pieces, end = self.server.stream("PackService/DownloadPackFile", {"name": name, "file": file})
            self.assertEqual((pieces, end[0]["error"]["code"]), ([], "not_found"), (name, file))
        with open(path_of("packs/%s/nir.py" % pack), "a", encoding="utf-8") as file:
            file.write("# changed\n")
        self.assertIn("nir.py",
                      [one.get("file") for one in self.admin("PackService/VerifyPack", {"name": pack})["findings"]])
        _, end = self.server.stream("PackService/BuildPack", {"machine": "vax"}, token="token-admin")
        self.assertIn("machine", end[0]["error"]["message"])
        self.assertEqual([one for one in os.listdir(path_of("packs")) if one.startswith(".")], [])

    def test_upload_and_uses(self):
        before = int(self.server.call("CorpusService/GetStatistics", {})["shaders"])
        name = "<script>alert(8)<script>.frag"
        report = self.admin("CorpusService/UploadShaders", upload((name, shader(3.5)), ("b.frag", shader(4.5)),
                                                                  ("junk.spv", b"\3\2#\7" + b"\xff" * 999)))
        self.assertEqual((report["shaders"], report["added"], report["skipped"]), ("2", "2", "1"), report)
        self.assertEqual(int(self.server.call("CorpusService/GetStatistics", {})["shaders"]), before + 2)
        again = self.admin("CorpusService/UploadShaders", upload((name, shader(3.5))))
        self.assertEqual(again.get("added", "0"), "0")
        uses = self.server.call("CorpusService/ListUses", {"pattern": "('fmul', a, 3.5)"})
        self.assertEqual([(use["shader"], use["source"]) for use in uses["uses"]], [(name, "sent")])
        both = self.server.call("CorpusService/ListUses", {"pattern": "('fmul', a, '#b')", "pageSize": 1})
        self.assertEqual(both["fragments"], "2")
        rest = self.server.call("CorpusService/ListUses",
                                {"pattern": "('fmul', a, '#b')", "pageSize": 1, "pageToken": both["nextPageToken"]})
        self.assertNotEqual(rest["uses"], both["uses"])
        for pattern in ("a", "('fmul', a", "('nonsense', a)", ""):
            self.assertIn("pattern",
                          self.server.call("CorpusService/ListUses", {"pattern": pattern}, status=400)["message"])

    def children(self, *words):
        """Returns the ids of the server's child processes whose command line contains all the words."""
        found = []
        for status in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(status, encoding="latin-1") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                with open(status[:-len("stat")] + "cmdline", encoding="latin-1") as file:
                    line = file.read().split("\0")
            except OSError:
                continue
            if parent == self.server.process.pid and all(word in line for word in words):
                found.append(int(status.split("/")[2]))
        return found

    def wait_for(self, condition, seconds):
        start = time.time()
        while time.time() - start < seconds:
            if condition():
                return time.time() - start
            time.sleep(0.01)
        return None

    def test_a_build_that_nobody_waits_for_stops(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as peer:
            body = json.dumps({"machine": "valhall"}).encode()
            peer.sendall(b"POST /rewrought.v1.PackService/BuildPack HTTP/1.1\r\nHost: localhost\r\n"
                         b"Authorization: Bearer token-admin\r\n"
                         b"Content-Type: application/connect+json\r\nContent-Length: %d\r\n\r\n%s"
                         % (len(body) + 5, struct.pack(">BI", 0, len(body)) + body))
            builders = []
            begun = self.wait_for(lambda: builders.extend(self.children("export", "valhall")) or builders, 20)
            self.assertIsNotNone(begun, "no build has begun")
            # The pack of a small database is finished quickly, so stop the build until the client has gone.
            os.kill(builders[0], signal.SIGSTOP)
        gone = self.wait_for(lambda: not self.children("export", "valhall") and not self.children("verify"), 5)
        self.assertIsNotNone(gone, "the build is still running")
        self.assertLess(gone, 1)
        self.assertIsNotNone(self.wait_for(lambda: not [one for one in os.listdir(path_of("packs"))
                                                        if one.startswith(".")], 2))
        self.assertEqual([one for one in os.listdir(path_of("packs")) if one.startswith("valhall")], [])

    def test_wrong_uploads(self):
        for message, field in ((upload(("../x", b"1")), "files[0].name"), (upload((".x", b"1")), "files[0].name"),
                               (upload(("a/b", b"1")), "files[0].name"), (upload(("", b"1")), "files[0].name"),
                               (upload(("-o", b"1")), "files[0].name"), (upload(("a\nb", b"1")), "files[0].name"),
                               (upload(("a", b"1"), ("a", b"2")), "files[1].name"),
                               (upload(("a", b"")), "files[0].content"),
                               (upload(("a", b"1"), source="--held-out"), "source"),
                               (upload(("a", b"1"), source="../x"), "source"),
                               (upload(), "files"), (upload(("x" * 300, b"1")), "files[0].name")):
            self.assertIn(field, self.admin("CorpusService/UploadShaders", message, status=400)["message"])
        for role, status in (("", 401), ("token-read", 403), ("token-check", 403)):
            self.server.call("CorpusService/UploadShaders", upload(("a", b"1")), status=status, token=role)
        self.admin("CorpusService/UploadShaders", upload(*[("f%d" % i, b"1") for i in range(1001)]), status=429)

    def test_what_a_rule_shows(self):
        rules = self.server.call("RuleService/ListRules", {})["rules"]
        rule = [one for one in rules if "fsub" in one["replace"]][0]
        listing = self.server.call("RuleService/GetAssembly",
                                   {"id": rule["id"], "machines": ["intel_gen9"]})["listings"]
        self.assertEqual(len(listing), 1)
        self.assertTrue(listing[0]["before"] and listing[0]["beforeCost"]["instructions"] >= 1)
        machines = self.server.call("MachineService/ListMachines", {})["machines"]
        self.assertEqual(len(self.server.call("RuleService/GetAssembly", {"id": rule["id"]})["listings"]),
                         len(machines))
        self.assertIn("machines[0]", self.server.call("RuleService/GetAssembly",
                                                      {"id": rule["id"], "machines": ["vax"]}, status=400)["message"])
        guarded = [one for one in rules if "is_not_negative" in one["search"]][0]
        messages, end = self.server.stream("RuleService/DropPreconditions", {"id": guarded["id"]}, token="token-check")
        self.assertEqual(end, [{}])
        self.assertEqual([(one["precondition"], one["verdict"]["verdict"]) for one in messages],
                         [("n0: nsz", "VERDICT_REFUTED"), ("a: is_not_negative", "VERDICT_REFUTED")])
        for message in messages:
            self.assertTrue(any("witness" in case for case in message["verdict"]["cases"]))
        # With both preconditions, the rule is true, so each of them is needed.
        whole = self.server.call("CheckService/CheckRule", {"rule": "(%(search)s, %(replace)s)" % guarded},
                                 token="token-check")
        self.assertEqual(whole["verdict"]["verdict"], "VERDICT_PROVED")

    def test_resume(self):
        config = {"machines": ["intel_gen9"], "budget": {"seconds": 600}}
        run = self.admin("RunService/StartRun", {"config": config})["run"]["id"]
        self.assertEqual(self.admin("RunService/ResumeRun", {"id": "none"}, status=404)["code"], "not_found")
        self.admin("RunService/CancelRun", {"id": run})
        state = ""
        for _ in range(100):
            state = self.server.call("RunService/GetRun", {"id": run})["run"]["state"]
            if state not in ("RUN_STATE_QUEUED", "RUN_STATE_RUNNING"):
                break
            time.sleep(0.1)
        if state == "RUN_STATE_CANCELLED":  # the run may have finished earlier
            self.assertIn(self.admin("RunService/ResumeRun", {"id": run})["run"]["state"],
                          ("RUN_STATE_QUEUED", "RUN_STATE_RUNNING", "RUN_STATE_DONE"))
        self.admin("RunService/CancelRun", {"id": run})


class ProvedAgainTest(unittest.TestCase):
    """The service does not trust the verdicts of packs and databases from elsewhere."""

    @classmethod
    def setUpClass(cls):
        maker = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "../service/make_packs")
        subprocess.run([maker, path_of("proved")], check=True)
        cls.server = Server("--packs", path_of("proved"), "--tokens", path_of("tokens"), "--anonymous", "read",
                            environment=cls.at_home("state"), made="proved.db")
        assert cls.server.port, cls.server.said()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    @staticmethod
    def at_home(folder):
        """Returns the environment of a separate installation."""
        return dict(os.environ, REWROUGHT_STATE_DIR=path_of(folder))

    def verify(self, name):
        return self.server.call("PackService/VerifyPack", {"name": name}, token="token-check")

    def test_packs_are_proved_again(self):
        for name in ("true", "forged"):
            # The files agree, so only a proof can distinguish the packs.
            subprocess.run([Server.program, "pack", "verify", "--quick", path_of("proved/" + name)], check=True,
                           stdout=subprocess.DEVNULL)
        true = self.verify("true")
        self.assertEqual((true["rules"], true["rulesProved"], true["cases"]), ("1", "1", "1"), true)
        self.assertGreaterEqual(int(true["queries"]), 2)
        self.assertNotIn("findings", true)
        forged = self.verify("forged")
        self.assertEqual((forged["rules"], forged["rulesProved"], forged["total"]), ("2", "1", "1"), forged)
        finding = forged["findings"][0]
        entries = self.server.call("PackService/ListPackEntries", {"name": "forged"})["entries"]
        searches = {one["rule"]["id"]: one["rule"]["search"] for one in entries}
        self.assertIn("('ior@32', 'a@32', 'b@32'), ('ixor@32'", searches[finding["entry"]])
        self.assertIn("not proved", finding["what"])

    def test_progress_of_a_verification(self):
        watch = lambda name: self.server.stream("PackService/WatchPackVerification", {"name": name},
                                                token="token-check")
        messages, end = watch("forged")
        self.assertEqual(end, [{}])
        self.assertEqual([(one.get("rulesDone", "0"), one["rules"]) for one in messages],
                         [("0", "2"), ("1", "2"), ("2", "2"), ("2", "2")])
        self.assertEqual(["result" in one for one in messages], [False, False, False, True])
        self.assertEqual(messages[-1]["result"], self.verify("forged"))
        messages, end = watch("missing")
        self.assertEqual((messages, end[0]["error"]["code"]), ([], "not_found"))

    def test_one_pack_at_a_time_is_proved_again(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            ask = lambda _: self.server.ask("POST", "/rewrought.v1.PackService/VerifyPack", '{"name":"forged"}',
                                            {"Content-Type": "application/json", "Authorization": "Bearer token-check"})
            answers = list(pool.map(ask, range(8)))
        self.assertEqual({status for status, _, _ in answers}, {200, 429})
        self.assertIn(b"another pack is being verified", [body for status, _, body in answers if status == 429][0])

    def test_rules_say_whether_they_were_verified_here(self):
        rule = self.server.call("RuleService/ListRules", {})["rules"][0]["id"]
        ask = lambda: self.server.call("RuleService/GetRule", {"id": rule})

        def show(home, *options):
            return subprocess.run([Server.program, "show", rule, "--db", self.server.db, *options], check=True,
                                  env=self.at_home(home), stdout=subprocess.PIPE, text=True).stdout

        self.assertEqual(ask()["proofs"][0]["verdict"], "VERDICT_PROVED")
        self.assertNotIn("verifiedHere", ask())
        self.assertFalse(json.loads(show("state", "--json"))["verified_here"])
        self.assertIn("proved: 1 case, denormal modes none (according to the database; not verified here)", show("state"))
        # An export verifies the rules that it contains.
        messages, _ = self.server.stream("PackService/BuildPack", {"machine": "intel_gen9"}, token="token-admin")
        self.addCleanup(shutil.rmtree, path_of("proved/" + messages[-1]["pack"]["name"]))
        self.assertEqual(messages[-1]["pack"]["rules"], "1")
        self.assertTrue(ask()["verifiedHere"])
        self.assertTrue(json.loads(show("state", "--json"))["verified_here"])
        self.assertIn("(verified here)", show("state"))
        self.assertFalse(json.loads(show("elsewhere", "--json"))["verified_here"])


class NoFolderTest(unittest.TestCase):
    def test_folders_and_quotas(self):
        server = Server("--calls-per-second", "5")
        try:
            for method in ("PackService/ListPacks", "AuditService/ListAudits"):
                self.assertIn("start it with", server.call(method, {}, status=400)["message"])
            codes = [server.ask("POST", "/rewrought.v1.RuleService/ListRules", "{}",
                                {"Content-Type": "application/json"})[0]
                     for _ in range(30)]
            self.assertIn(429, codes)
            time.sleep(0.5)
            server.call("RuleService/ListRules", {})
        finally:
            server.stop()


class AccessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--tokens", path_of("tokens"), "--anonymous", "none")
        assert cls.server.port, cls.server.said()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def code_over_http(self, service, method, role):
        token = "" if role == "none" else "token-" + role
        name = service + "/" + method
        if method in STREAMS:
            _, end = self.server.stream(name, {}, token=token)
            return end[0].get("error", {}).get("code", "ok")
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = "Bearer " + token
        status, _, body = self.server.ask("POST", "/rewrought.v1." + name, "{}", headers)
        return "ok" if status == 200 else json.loads(body)["code"]

    def code_over_grpc(self, service, method, role):
        metadata = () if role == "none" else (("authorization", "Bearer token-" + role),)
        with grpc.insecure_channel(self.server.grpc) as channel:
            try:
                path = "/rewrought.v1.%s/%s" % (service, method)
                if method in STREAMS:
                    list(channel.unary_stream(path)(b"", metadata=metadata, timeout=30))
                else:
                    channel.unary_unary(path)(b"", metadata=metadata, timeout=30)
            except grpc.RpcError as error:
                return error.code().name.lower()
        return "ok"

    def test_each_method_takes_its_role(self):
        for service, methods in METHODS.items():
            for method, needed in methods.items():
                for role in ROLES:
                    expected = None
                    if role == "none":
                        expected = "unauthenticated"
                    elif ROLES.index(role) < ROLES.index(needed):
                        expected = "permission_denied"
                    for code in (self.code_over_http(service, method, role),
                                 self.code_over_grpc(service, method, role)):
                        if expected:
                            self.assertEqual(code, expected, (method, role))
                        else:
                            self.assertNotIn(code, ("unauthenticated", "permission_denied"), (method, role))

    def test_no_method_is_forgotten(self):
        """METHODS lists all methods of the schemas."""
        named = {(service, method) for service, methods in METHODS.items() for method in methods}
        found, service = set(), None
        for path in glob.glob("proto/rewrought/v1/*.proto"):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    words = line.replace("(", " ").split()
                    if words[:1] == ["service"]:
                        service = words[1]
                    elif words[:1] == ["rpc"]:
                        found.add((service, words[1]))
        self.assertEqual(found, named)

    def test_wrong_tokens(self):
        path, kind = "/rewrought.v1.RuleService/ListRules", {"Content-Type": "application/json"}
        for wrong in ("Bearer nonsense", "Bearer ", "Basic token-admin", "token-admin", "Bearer token-admin ",
                      "Bearer " + "x" * 5000,
                      "Bearer \xe9"):
            status, headers, _ = self.server.ask("POST", path, "{}", dict(kind, Authorization=wrong.encode("latin-1")))
            if wrong == "Bearer token-admin ":  # HTTP strips the space
                self.assertEqual(status, 200)
                continue
            self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"), wrong[:30])
        got = self.server.raw(b"POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                              b"Content-Type: application/json\r\nAuthorization: Bearer x\r\n"
                              b"Authorization: Bearer token-admin\r\nContent-Length: 2\r\n\r\n{}"
                              % path.encode())
        self.assertTrue(got.startswith(b"HTTP/1.1 401"), got[:50])

    def test_the_caller_cannot_be_played(self):
        """Headers that the server's ports use internally to identify the caller are ignored in external calls."""
        with grpc.insecure_channel(self.server.grpc) as channel:
            for metadata in (("x-rewrought-role", "admin"), ("x-rewrought-client-bin", b"token the-admin")), ():
                with self.assertRaises(grpc.RpcError) as caught:
                    channel.unary_unary("/rewrought.v1.RuleService/ListRules")(b"", metadata=metadata, timeout=30)
                self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED)

    def test_empty_tokens(self):
        """A call without a token, or with an empty one, is not admitted over gRPC either."""
        with grpc.insecure_channel(self.server.grpc) as channel:
            for value in ("Bearer ", "Bearer", "bearer  ", "", "Basic token-admin"):
                with self.assertRaises(grpc.RpcError) as caught:
                    channel.unary_unary("/rewrought.v1.RuleService/ListRules")(
                        b"", metadata=(("authorization", value),), timeout=30)
                self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED, value)

    def test_metrics_take_a_token(self):
        self.assertEqual(self.server.ask("GET", "/metrics")[0], 401)
        self.assertEqual(self.server.ask("GET", "/metrics", headers={"Authorization": "Bearer token-read"})[0], 200)


class StartTest(unittest.TestCase):
    def refused(self, *arguments, **addresses):
        server = Server(*arguments, **addresses)
        self.addCleanup(server.stop)
        self.assertIsNone(server.port)
        self.assertEqual(server.process.wait(timeout=20), 2)
        return server.said()

    def test_addresses_that_others_reach_are_guarded(self):
        for addresses in (dict(http="0.0.0.0:0"), dict(grpc_address="0.0.0.0:0")):
            self.assertIn("--tokens", self.refused(**addresses))
            self.assertIn("--tls-cert", self.refused("--tokens", path_of("tokens"), **addresses))

    def test_wrong_files(self):
        self.assertIn("both --tls-cert and --tls-key", self.refused("--tls-cert", path_of("server.pem")))
        self.assertIn("is not the key",
                      self.refused("--tls-cert", path_of("server.pem"), "--tls-key", path_of("client.key")))
        self.assertIn("no such token file", self.refused("--tokens", path_of("none")))
        self.assertIn("requires a token", self.refused("--anonymous", "admin"))
        self.assertIn("index.html", self.refused("--web-ui", path_of("none")))
        with open(path_of("bad"), "w", encoding="utf-8") as file:
            file.write("admin me token\n")
        os.chmod(path_of("bad"), 0o600)
        self.assertIn("bad:1: ", self.refused("--tokens", path_of("bad")))
        with open(path_of("bad"), "w", encoding="utf-8") as file:
            file.write("# someone\nadmin someone %s\n" % hashlib.sha256(b"").hexdigest())
        self.assertIn("bad:2: this is the digest of an empty token", self.refused("--tokens", path_of("bad")))
        os.chmod(path_of("bad"), 0o666)
        self.assertIn("chmod", self.refused("--tokens", path_of("bad")))


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--tls-cert", path_of("server.pem"), "--tls-key", path_of("server.key"), "--tls-client-ca",
                            path_of("ca.pem"), "--tokens", path_of("tokens"), http="0.0.0.0:0",
                            grpc_address="0.0.0.0:0")
        assert cls.server.port, cls.server.said()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def context(self, name):
        context = ssl.create_default_context(cafile=path_of("ca.pem"))
        if name:
            context.load_cert_chain(path_of(name + ".pem"), path_of(name + ".key"))
        return context

    def test_https(self):
        status, headers, _ = self.server.ask("GET", "/healthz", context=self.context("client"))
        self.assertEqual(status, 200)
        self.assertIn("max-age", headers["Strict-Transport-Security"])
        self.server.call("RuleService/ListRules", {}, token="token-read", context=self.context("client"))
        # A certificate does not grant a role.
        self.server.call("RuleService/ListRules", {}, status=401, context=self.context("client"))
        self.server.call("RunService/StartRun", {}, status=403, token="token-check", context=self.context("client"))

    def test_wrong_clients(self):
        for name in ("", "stranger", "expired"):
            with self.assertRaises((ssl.SSLError, ConnectionError, http.client.HTTPException), msg=name):
                self.server.ask("GET", "/healthz", context=self.context(name))
        self.assertFalse(self.server.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 200"))
        old = self.context("client")
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.server.ask("GET", "/healthz", context=old)

    def grpc_code(self, name, token="token-read"):
        def read(path):
            with open(path_of(path), "rb") as file:
                return file.read()
        pair = (read(name + ".key"), read(name + ".pem")) if name else (None, None)
        credentials = grpc.ssl_channel_credentials(read("ca.pem"), *pair)
        address = "127.0.0.1:" + self.server.grpc.rsplit(":", 1)[1]
        metadata = (("authorization", "Bearer " + token),) if token else ()
        with grpc.secure_channel(address, credentials) as channel:
            try:
                channel.unary_unary("/rewrought.v1.RuleService/ListRules")(b"", metadata=metadata, timeout=10)
                return "OK"
            except grpc.RpcError as error:
                return error.code().name

    def test_grpc(self):
        self.assertEqual(self.grpc_code("client"), "OK")
        self.assertEqual(self.grpc_code("client", ""), "UNAUTHENTICATED")
        for name in ("", "stranger", "expired"):
            self.assertEqual(self.grpc_code(name), "UNAVAILABLE", name)


class DrainTest(unittest.TestCase):
    def test_drain(self):
        server = Server()
        idle = socket.create_connection(("127.0.0.1", server.port))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            call = pool.submit(server.call, "CheckService/CheckRule", {"rule": HARD_RULE})
            time.sleep(0.5)
            status, seconds = server.stop()
            self.assertEqual(status, 130, server.said())  # the exit status of an interrupted command
            self.assertLess(seconds, 8)
            self.assertIsNotNone(call.exception())
        idle.close()


if __name__ == "__main__":
    main()
