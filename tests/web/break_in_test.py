"""Tests attempts to break in and to crowd out other clients: the result of each attempt, and that other clients get
answers during the attack.

usage: break_in_test.py MAKE_DATABASE REWROUGHT
"""
import concurrent.futures
import json
import os
import resource
import signal
import socket
import time
import unittest

import grpc

from serving import HARD_RULE, MEGABYTE, Server, main, path_of, run, shader, upload


class HostileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--web-ui", path_of("web_ui"))
        assert cls.server.port, cls.server.said()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server has gone")
        self.assertEqual(self.server.ask("GET", "/healthz")[0], 200)

    def test_big_messages(self):
        head = (b"POST /rewrought.v1.CheckService/CheckRule HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\n")
        got = self.server.raw(head + b"Content-Length: 104857600\r\n\r\n" + b"x" * 65536)
        self.assertTrue(got.startswith(b"HTTP/1.1 413 "), got[:80])
        # A body without a length is cut off while it is read.
        before = self.server.metric("resident_bytes")
        try:
            self.server.raw(head + b"Transfer-Encoding: chunked\r\n\r\n" +
                            (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 1600)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertLess(self.server.metric("resident_bytes") - before, 32 * MEGABYTE)
        status, _, _ = self.server.ask("POST", "/rewrought.v1.CheckService/CheckRule",
                                       json.dumps({"rule": "#" * (900 << 10)}), {"Content-Type": "application/json"})
        self.assertEqual(status, 400)

    def test_big_grpc_messages(self):
        before = self.server.metric("resident_bytes")

        def send(_):
            with grpc.insecure_channel(self.server.grpc, options=(("grpc.max_send_message_length", -1),
                                                                  ("grpc.use_local_subchannel_pool", 1))) as channel:
                with self.assertRaises(grpc.RpcError) as caught:
                    channel.unary_unary("/rewrought.v1.CheckService/CheckRule")(b"\0" * (100 << 20), timeout=60)
                return caught.exception.code()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            codes = set(pool.map(send, range(4)))
        # The server rejects the message, or resets the stream if all messages together are too long.
        self.assertLessEqual(codes, {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE})
        with grpc.insecure_channel(self.server.grpc) as channel:
            channel.unary_unary("/rewrought.v1.RuleService/ListRules")(b"", timeout=10)
        self.assertLess(self.server.metric("resident_bytes") - before, 128 * MEGABYTE)

    def test_malformed_heads(self):
        for text in (b"\0\1\2\3\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                     b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 9000 + b"\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 400000,
                     b"POST /a.b/c HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
                     b"POST /a.b/c HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                     b"POST /a.b/c HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"):
            try:
                got = self.server.raw(text, timeout=3)
            except (BrokenPipeError, ConnectionResetError):
                continue
            self.assertFalse(got.startswith(b"HTTP/1.1 200"), text[:60])

    def test_slow_clients(self):
        """The server closes connections that send a header or a body at one byte per second; other clients get
        answers meanwhile."""
        start = time.time()
        slow = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(100)]
        for peer in slow[:50]:
            peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        for peer in slow[50:]:
            peer.sendall(b"POST /rewrought.v1.RuleService/ListRules HTTP/1.1\r\nHost: localhost\r\n"
                         b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
        open_ones = slow
        while open_ones and time.time() - start < 25:
            self.assertEqual(self.server.ask("GET", "/healthz")[0], 200)
            time.sleep(1)
            left = []
            for peer in open_ones:
                try:
                    peer.sendall(b"X")
                    left.append(peer)
                except OSError:
                    peer.close()
            open_ones = left
        self.assertEqual(len(open_ones), 0)
        self.assertLess(time.time() - start, 20)
        self.assertGreaterEqual(self.server.metric("http_timeouts_total"), 100)

    def test_many_threads_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            answers = list(pool.map(lambda _: self.server.call("RuleService/ListRules", {"pageSize": 1}), range(400)))
        self.assertEqual({len(answer["rules"]) for answer in answers}, {1})


# Simulates code that an upload runs in the parser's process after taking it over. Once the process is locked down,
# this code performs the access that VIOLATION names.
INTRUDER = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int Holds(const char* path, const char* text) {
  char bytes[8192] = "";
  int file = open(path, O_RDONLY), size = file < 0 ? 0 : (int)read(file, bytes, sizeof(bytes) - 1);
  if (file >= 0) close(file);
  for (int i = 0; i < size; ++i) {
    if (bytes[i] == 0) bytes[i] = ' ';
  }
  return strstr(bytes, text) != NULL;
}

static void* Intrude(void* nothing) {
  const char* what = getenv("VIOLATION");
  while (!Holds("/proc/self/status", "Seccomp:\t2")) usleep(500);
  if (!strcmp(what, "socket")) socket(AF_INET, SOCK_STREAM, 0);
  if (!strcmp(what, "program")) execl("/bin/sh", "sh", "-c", "true", NULL);
  if (!strcmp(what, "write")) open(getenv("VICTIM"), O_WRONLY | O_APPEND);
  if (!strcmp(what, "read")) open(getenv("VICTIM"), O_RDONLY);
  return nothing;
}

__attribute__((constructor)) static void Enter(void) {
  pthread_t thread;
  if (!Holds("/proc/self/cmdline", "--confined")) return;
  pthread_create(&thread, NULL, Intrude, NULL);
  pthread_detach(thread);
}
"""


class IntruderTest(unittest.TestCase):
    def test_what_a_parser_may_not(self):
        with open(path_of("intruder.c"), "w", encoding="utf-8") as file:
            file.write(INTRUDER)
        run("gcc", "-shared", "-fPIC", "-w", "-o", "intruder.so", "intruder.c", "-lpthread")
        with open(path_of("victim"), "w", encoding="utf-8") as file:
            file.write("untouched")
        for number, violation in enumerate(("socket", "program", "write", "read")):
            server = Server("--tokens", path_of("tokens"), environment=dict(
                os.environ, LD_PRELOAD=path_of("intruder.so"), VIOLATION=violation, VICTIM=path_of("victim")))
            try:
                self.assertIsNotNone(server.port, server.said())
                message = upload(*[("%d.frag" % i, shader(number + i / 64)) for i in range(1, 9)])
                if violation == "read":  # reading is permitted: the filter must not end this upload
                    answer = server.call("CorpusService/UploadShaders", message, token="token-admin")
                    self.assertEqual(answer["added"], "8")
                    continue
                before = server.call("CorpusService/GetStatistics", {})["shaders"]
                error = server.call("CorpusService/UploadShaders", message, status=409, token="token-admin")
                self.assertIn("signal %d" % signal.SIGSYS, error["message"])
                self.assertEqual(server.call("CorpusService/GetStatistics", {})["shaders"], before)
            finally:
                server.stop()
        with open(path_of("victim"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "untouched")


# The first bytes of a gRPC client: the preface and an empty SETTINGS frame.
HTTP2_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
HTTP_REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


class CrowdTest(unittest.TestCase):
    """Opens 10,000 connections that do nothing but occupy slots. Clients that come later must still get answers."""

    CROWD = 10000

    @classmethod
    def setUpClass(cls):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        cls.crowd = min(cls.CROWD, hard - 500)
        cls.server = Server("--connections", "1000")
        assert cls.server.port, cls.server.said()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def connect(self, address, greeting, count):
        """Opens `count` connections that send `greeting` and stay open on the client's side."""
        peers = []
        self.addCleanup(lambda: [peer.close() for peer in peers])
        for _ in range(count):
            peer = socket.create_connection(address, timeout=20)
            peers.append(peer)
            try:
                peer.sendall(greeting)
            except OSError:
                pass  # the server has already closed the connection
        return peers

    def grpc_address(self):
        host, port = self.server.grpc.rsplit(":", 1)
        return host, int(port)

    def list_rules(self):
        """Makes a call, which must be answered, on a new connection."""
        with grpc.insecure_channel(self.server.grpc, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            channel.unary_unary("/rewrought.v1.RuleService/ListRules")(b"", timeout=10)

    def crowd_grpc(self, greeting):
        with grpc.insecure_channel(self.server.grpc) as busy:
            # A client in the middle of a call keeps its connection, no matter how many others connect.
            found = busy.unary_unary("/rewrought.v1.CheckService/CheckRule").future(
                b"\x0a" + bytes([len(HARD_RULE) & 127 | 128, len(HARD_RULE) >> 7]) + HARD_RULE.encode(), timeout=300)
            time.sleep(0.5)
            self.assertFalse(found.done())
            self.connect(self.grpc_address(), greeting, self.crowd // 2)
            self.list_rules()
            self.connect(self.grpc_address(), greeting, self.crowd - self.crowd // 2)
            self.list_rules()
            if found.done():  # possible on a slow machine; the call must have succeeded
                self.assertIsNone(found.exception())
            found.cancel()
        self.assertLessEqual(self.server.metric("grpc_connections"), 1000)
        # The server closed many connections to make room; gRPC itself closes connections that stay silent for seconds.
        self.assertGreater(self.server.metric("grpc_connections_evicted_total"), 1000)

    def test_silent_grpc_connections(self):
        self.crowd_grpc(b"")

    def test_grpc_connections_that_greet_and_wait(self):
        self.crowd_grpc(HTTP2_GREETING)

    def test_silent_http_connections(self):
        self.connect(("127.0.0.1", self.server.port), b"", self.crowd)
        self.assertEqual(self.server.ask("GET", "/healthz", timeout=10)[0], 200)
        self.assertLessEqual(self.server.metric("http_connections"), 256)
        self.assertGreater(self.server.metric("http_connections_evicted_total"), 1000)

    def test_http_connections_that_asked_once(self):
        """Idle connections that have made one request are evicted to make room. A client with a call in progress stays
        connected, and new clients get answers."""
        before = self.server.metric("http_connections_evicted_total")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            found = pool.submit(self.server.call, "CheckService/CheckRule", {"rule": HARD_RULE, "timeLimit": "8s"},
                                timeout=60)
            time.sleep(0.5)
            self.connect(("127.0.0.1", self.server.port), HTTP_REQUEST, 2000)
            self.assertEqual(self.server.ask("GET", "/healthz", timeout=10)[0], 200)
            self.assertEqual(found.result()["verdict"]["verdict"], "VERDICT_UNKNOWN")
        self.assertGreater(self.server.metric("http_connections_evicted_total") - before, 500)

    def test_half_a_request(self):
        """A client that sends half a request counts as silent."""
        self.connect(("127.0.0.1", self.server.port),
                     b"POST /rewrought.v1.RuleService/ListRules HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{", 1000)
        self.assertEqual(self.server.ask("GET", "/healthz", timeout=10)[0], 200)


if __name__ == "__main__":
    main()
