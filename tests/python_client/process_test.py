"""Tests that no process and no file is left behind when a program that uses the Python library ends in any way.

usage: process_test.py MAKE_DATABASE MAKE_PACKS REWROUGHT
"""
import os
import signal
import subprocess
import sys
import time
import unittest

import setting
from setting import path_of, serving

import rewrought

# Each program prints a line when its operation is in progress. `client` is a client that started a server.
PROGRAMS = {
    "idle": "print('ready', flush=True)\ntime.sleep(100)",
    "check": "print('ready', flush=True)\nclient.check(%r)" % serving.HARD_RULE,
    "check_all": "print('ready', flush=True)\nlist(client.check_all([%r] * 9))" % serving.HARD_RULE,
    # The search takes several seconds.
    "improve": "print('ready', flush=True)\n"
               "for one in client.improve(\"('ixor@32', ('iadd', ('ixor', a, b), c), ('iand', ('iadd', a, b), c))\",\n"
               "                          'agx_g13', time_limit=100):\n    pass",
    "audit": "with client.audit(%r, verdicts=%r) as run:\n    print('ready', flush=True)\n    run.result()",
    "catches": "print('ready', flush=True)\ntry:\n    time.sleep(100)\nexcept KeyboardInterrupt:\n"
               "    print(client.check(\"(('iadd', a, 0), a)\").status, flush=True)\nclient.close()",
    "unclosed": "print('ready', flush=True)",
    "exception": "print('ready', flush=True)\nraise ValueError",
}
SOURCE = """
import sys, time
import rewrought
client = rewrought.Client()
print(client.pid, flush=True)
%s
"""


def descendants(pid):
    """Returns the ids of the living processes below `pid`."""
    done = subprocess.run(["pgrep", "-P", str(pid)], stdout=subprocess.PIPE, text=True, check=False)
    children = [int(word) for word in done.stdout.split()]
    return children + [one for child in children for one in descendants(child)]


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def end_all(processes):
    """Kills the processes that a failed test left behind."""
    for pid in filter(is_alive, processes):
        os.kill(pid, signal.SIGKILL)


class ProcessTest(unittest.TestCase):
    def start(self, name, **options):
        """Starts a program and waits until its operation is in progress. Returns it with all processes below it."""
        body = PROGRAMS[name]
        if name == "audit":
            body %= (setting.make_tree("slow", setting.SLOW_RULES), path_of("verdicts"))
        process = subprocess.Popen([sys.executable, "-c", SOURCE % body], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        server = int(process.stdout.readline())
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.8 if name == "improve" else 1.5)
        below = descendants(process.pid)
        self.addCleanup(end_all, below)
        if name not in ("unclosed", "exception"):
            self.assertIn(server, below)
        if name in ("check", "check_all", "audit"):
            self.assertGreater(len(below), 1, "no solver runs")
        return process, below

    def assert_ended(self, processes, seconds=25):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            alive = [pid for pid in processes if is_alive(pid)]
            if not alive:
                return
            time.sleep(0.1)
        self.fail("still running: %s" % subprocess.run(["ps", "-fp", ",".join(map(str, alive))], stdout=subprocess.PIPE,
                                                       text=True, check=False).stdout)

    def folders(self):
        return [name for name in os.listdir(path_of("tmp")) if name.startswith("rewrought-client-")]

    def test_killed_programs(self):
        for name in ("idle", "check", "check_all", "improve", "audit"):
            for number in (signal.SIGKILL, signal.SIGTERM):
                with self.subTest(program=name, signal=number.name):
                    process, below = self.start(name)
                    process.send_signal(number)
                    process.wait(20)
                    self.assert_ended(below)
        # The next client removes the temporary files of the killed ones, but not those of living clients.
        self.assertGreater(len(self.folders()), 0)
        with rewrought.Client(), rewrought.Client():
            self.assertEqual(len(self.folders()), 2)
        self.assertEqual(self.folders(), [])

    def test_ctrl_c(self):
        """Sends SIGINT to the whole process group, as a terminal does."""
        for name in ("idle", "check", "check_all", "improve", "audit"):
            with self.subTest(program=name):
                process, below = self.start(name, start_new_session=True)
                start = time.monotonic()
                os.killpg(process.pid, signal.SIGINT)
                _, errors = process.communicate(timeout=40)
                self.assertLess(time.monotonic() - start, 15)
                self.assertIn("KeyboardInterrupt", errors)
                self.assertEqual(process.returncode, -signal.SIGINT)
                self.assert_ended(below, 1)
        self.assertEqual(self.folders(), [])

    def test_a_program_continues_after_ctrl_c(self):
        """The started server does not receive the terminal's signal."""
        process, below = self.start("catches", start_new_session=True)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=40)
        self.assertEqual((process.returncode, output), (0, "proved\n"), errors)
        self.assert_ended(below, 1)

    def test_programs_that_do_not_close_their_client(self):
        for name, status in (("unclosed", 0), ("exception", 1)):
            with self.subTest(program=name):
                process, below = self.start(name)
                self.assertEqual(process.wait(20), status)
                self.assert_ended(below, 1)
        self.assertEqual(self.folders(), [])

    def test_the_server_dies(self):
        with rewrought.Client() as client:
            os.kill(client.pid, signal.SIGKILL)
            time.sleep(0.2)
            self.assertRaises(rewrought.Unavailable, client.check, "(('iadd', a, 0), a)")
        self.assertEqual(self.folders(), [])

    def test_a_failed_start_leaves_nothing(self):
        self.assertRaises(rewrought.ProgramError, rewrought.Client, database=path_of("missing.db"))
        self.assertEqual(self.folders(), [])

    def test_the_server_for_audits_ends(self):
        """A client of a server starts a second server for audits and ends it, too."""
        server = setting.make_server()
        self.addCleanup(server.stop)
        with rewrought.Client(server.http, token="token-check") as client:
            before = set(descendants(os.getpid()))
            with client.audit(setting.make_tree("small", setting.RULES)) as run:
                run.result()
            started = set(descendants(os.getpid())) - before
            self.assertGreater(len(started), 0)
        self.assert_ended(started, 1)
        self.assertEqual(self.folders(), [])


if __name__ == "__main__":
    setting.main()
