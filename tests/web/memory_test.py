"""Tests that clients cannot exhaust the server's memory before they are admitted, and that other clients get answers
meanwhile. The server may use 512 MB.

usage: memory_test.py MAKE_DATABASE REWROUGHT
"""
import concurrent.futures
import struct
import threading
import time
import unittest
import zlib

import grpc

import http2
from serving import MEGABYTE, SECOND, Server, main, path_of

LIST_RULES = "/rewrought.v1.RuleService/ListRules"


class MemoryTest(unittest.TestCase):
    arguments = ("--tokens", path_of("tokens"), "--anonymous", "none")
    LIMIT = 512 * MEGABYTE

    def setUp(self):
        self.server = Server(*self.arguments)
        self.addCleanup(self.server.stop)
        self.assertTrue(self.server.port, self.server.said())
        self.before = self.peak_bytes()

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server has gone")
        self.assertLess(self.peak_bytes(), self.LIMIT)

    def peak_bytes(self):
        with open("/proc/%d/status" % self.server.process.pid, encoding="latin-1") as file:
            return int(file.read().split("VmHWM:")[1].split()[0]) << 10

    def connect(self, greeting=http2.GREETING):
        peer = http2.connect(self.server.grpc, greeting)
        self.addCleanup(peer.close)
        return peer

    def answers_others(self):
        """Expects that new clients get answers on both ports."""
        metadata = (("authorization", "Bearer token-read"),)
        with grpc.insecure_channel(self.server.grpc, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            channel.unary_unary(LIST_RULES)(b"", metadata=metadata, timeout=10 * SECOND)
        self.server.call("RuleService/ListRules", {}, token="token-read", timeout=10 * SECOND)

    def attack(self, send, connections=4, seconds=2.0):
        """Calls `send` with one connection after another, on several threads, while other clients get answers."""
        end = time.monotonic() + seconds
        sent = [0] * connections

        def work(number):
            while time.monotonic() < end:
                try:
                    with http2.connect(self.server.grpc) as peer:
                        threading.Thread(target=http2.read_until_closed, args=(peer, 10), daemon=True).start()
                        while time.monotonic() < end:
                            sent[number] += send(peer)
                except OSError:
                    pass  # the server has closed the connection
        with concurrent.futures.ThreadPoolExecutor(connections) as pool:
            futures = [pool.submit(work, number) for number in range(connections)]
            self.answers_others()
            concurrent.futures.wait(futures)
            self.answers_others()
        return sum(sent)


class NoTokenTest(MemoryTest):
    def test_compressed_messages(self):
        """A small compressed message could have any length, so compression is refused before anything is unpacked."""
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(100)) + packer.flush()
        message = b"\1" + struct.pack(">I", len(packed)) + packed
        peers = []
        for _ in range(10):
            peer = self.connect()
            peer.sendall(http2.frame(http2.HEADERS, http2.END_HEADERS, 1,
                                     http2.block(LIST_RULES, ("grpc-encoding", "gzip"))))
            try:
                for start in range(0, len(message), 16384):
                    end = http2.END_STREAM if start + 16384 >= len(message) else 0
                    peer.sendall(http2.frame(http2.DATA, end, 1, message[start:start + 16384]))
            except OSError:
                pass
            peers.append(peer)
        self.answers_others()
        self.assertLess(self.peak_bytes() - self.before, 32 * MEGABYTE)

    def test_calls_that_are_reset_at_once(self):
        headers = http2.block(LIST_RULES)

        def bare(number):
            return http2.frame(http2.HEADERS, http2.END_HEADERS, number, headers)

        def ended(number):
            return http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, number, headers)

        def whole(number):
            return bare(number) + http2.frame(http2.DATA, http2.END_STREAM, number, bytes(5))
        for call in (bare, ended, whole):
            stream = {}

            def send(peer, call=call, stream=stream):
                first = stream.get(peer, 1)
                stream[peer] = first + 400
                peer.sendall(b"".join(call(number) + http2.frame(http2.RST_STREAM, 0, number, struct.pack(">I", 8))
                                      for number in range(first, first + 400, 2)))
                return 200
            self.assertGreater(self.attack(send, seconds=1.5), 1000)
        self.assertLess(self.peak_bytes() - self.before, 64 * MEGABYTE)

    def test_floods_of_frames_that_need_answers(self):
        settings = http2.frame(http2.SETTINGS, 0, 0, struct.pack(">HI", 4, 65535))
        ping = http2.frame(http2.PING, 0, 0, bytes(8))
        for piece in (settings * 200, ping * 200):
            self.attack(lambda peer, piece=piece: peer.sendall(piece) or 200, seconds=1.0)
        self.assertLess(self.peak_bytes() - self.before, 32 * MEGABYTE)

    def test_answers_that_are_never_read(self):
        """The client never reads the answers to its calls and pings."""
        headers = http2.block(LIST_RULES)
        peers = []
        for _ in range(100):
            peer = self.connect()
            peer.setblocking(False)
            peers.append(peer)
        for first in range(1, 20001, 200):
            piece = b"".join(http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, number, headers) +
                             http2.frame(http2.PING, 0, 0, bytes(8)) for number in range(first, first + 200, 2))
            for peer in peers[:10] if first > 1 else peers:
                try:
                    peer.send(piece)
                except OSError:
                    pass
        self.answers_others()
        self.assertLess(self.peak_bytes() - self.before, 64 * MEGABYTE)

    def test_headers_that_do_not_end(self):
        headers = http2.block(LIST_RULES) + (b"\0" + http2.text("x") + http2.text("y" * 4000)) * 4
        start = http2.frame(http2.HEADERS, 0, 1, headers[:16000])
        more = http2.frame(http2.CONTINUATION, 0, 1, (b"\0" + http2.text("x") + http2.text("y" * 4000)) * 4)
        for _ in range(200):
            peer = self.connect()
            try:
                peer.sendall(start + more * 20)
            except OSError:
                pass
        self.answers_others()
        self.assertLess(self.peak_bytes() - self.before, 64 * MEGABYTE)

    def test_health_watches(self):
        """Anyone may watch the server's health, but only on a bounded number of streams."""
        headers = http2.block("/grpc.health.v1.Health/Watch")
        for _ in range(20):
            self.connect().sendall(b"".join(
                http2.frame(http2.HEADERS, http2.END_HEADERS, number, headers) +
                http2.frame(http2.DATA, http2.END_STREAM, number, bytes(5)) for number in range(1, 201, 2)))
        self.answers_others()
        self.assertLess(self.peak_bytes() - self.before, 64 * MEGABYTE)

    def test_bodies_over_http(self):
        """The bodies of calls without a token are not read."""
        peers = []
        for _ in range(200):
            peer = self.connect_http(b"Content-Length: 1048000\r\n\r\n")
            try:
                peer.sendall(bytes(500000))
            except OSError:
                pass
            peers.append(peer)
        self.answers_others()
        self.assertLess(self.peak_bytes() - self.before, 32 * MEGABYTE)

    def connect_http(self, rest):
        peer = http2.connect("127.0.0.1:%d" % self.server.port, b"POST %s HTTP/1.1\r\nHost: localhost\r\n"
                             b"Content-Type: application/json\r\n" % LIST_RULES.encode() + rest)
        self.addCleanup(peer.close)
        return peer


class AdmittedTest(NoTokenTest):
    """Performs the same attacks as a client that may call methods, and sends messages that do not end."""

    arguments = ("--tokens", path_of("tokens"), "--anonymous", "check", "--calls-per-second", "0")

    def test_bodies_over_http(self):
        peers = [self.connect_http(b"Content-Length: 1048000\r\n\r\n") for _ in range(200)]
        for peer in peers:
            peer.setblocking(False)
            try:
                peer.send(bytes(500000))
            except OSError:
                pass
        self.answers_others()
        self.assertLess(self.peak_bytes() - self.before, 160 * MEGABYTE)

    def test_messages_over_grpc(self):
        headers = http2.block(LIST_RULES)
        streams = range(1, 201, 2)
        start = b"".join(http2.frame(http2.HEADERS, http2.END_HEADERS, number, headers) +
                         http2.frame(http2.DATA, 0, number, http2.LONG_MESSAGE + bytes(600)) for number in streams)
        more = b"".join(http2.frame(http2.DATA, 0, number, bytes(16000)) for number in streams)
        for _ in range(300):
            peer = self.connect()
            peer.setblocking(False)
            for piece in (start, more, more):
                try:
                    peer.send(piece)
                except OSError:
                    break
        self.answers_others()
        self.assertLess(self.peak_bytes() - self.before, 192 * MEGABYTE)


if __name__ == "__main__":
    main()
