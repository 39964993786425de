"""Tests problems in the environment: clock jumps, full disks, damaged files, solvers that lie or die, two processes
that do the same work, and two presses of Ctrl-C.

usage: trouble_test.py REWROUGHT FAKE_WORKER
"""
import contextlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kills"))
import command_line  # noqa: E402 pylint: disable=wrong-import-position
import scenarios  # noqa: E402 pylint: disable=wrong-import-position

MACHINE = scenarios.MACHINE
SLOW = "valhall"  # a search takes minutes
FAKE_WORKER = ""
FAKETIME = "/usr/lib/%s/faketime/libfaketimeMT.so.1"
# The rule is false on only one of 2^64 inputs, which the test vectors miss, so a solver must decide it.
FALSE = "(('bcsel', ('ieq', 'a@64', 0x3ade68b1c5d00b17), 0, 'b@64'), b)\n"
TRUE = "(('iadd@64', ('iand', a, b), ('ior', a, b)), ('iadd', a, b))\n"
DAY = 86400


class TroubleTest(command_line.CommandLineTest):
    def harvested(self, name="t.db", shaders=((0, 1), (2, 3), (4, 5), (6,))):
        folder = self.path("shaders")
        for number, operations in enumerate(shaders):
            scenarios.write(os.path.join(folder, "%d.nir" % number), scenarios.nir_shader(number, operations))
        self.assertEqual(self.run_it("harvest", folder, "--db", self.path(name), "--json").code, 0)
        return self.path(name)

    def discover(self, db, *arguments, **options):
        return self.run_it("discover", "--db", db, "--machine", MACHINE, "--deterministic", "--json", *arguments, **options)

    def started(self, *arguments, **options):
        return subprocess.Popen(command_line.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def rows(self, db, sql):
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % db, uri=True)) as database:
            return sorted(database.execute(sql).fetchall())

    def wait_for(self, db, count, process):
        """Waits until a query returns a positive count."""
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if self.rows(db, count)[0][0] > 0:
                return
            time.sleep(0.01)
        process.kill()
        self.fail("never: %s: %s" % (count, process.communicate()[1].decode()))


class TwoAtOnceTest(TroubleTest):
    def test_a_second_discover_says_who_is_at_it(self):
        db = self.harvested()
        os.symlink(db, self.path("link.db"))
        slow = ("discover", "--machine", SLOW, "--json", "--db")
        with self.started(*slow, db) as first:
            self.wait_for(db, "SELECT count(*) FROM runs", first)
            for name in (db, self.path("link.db"), os.path.join(self.folder, "..", os.path.basename(self.folder), "t.db")):
                second = self.run_it(*slow, name)
                self.assert_refused(second, "process %d (" % first.pid, ", since 20", "stop it", "--shard 1/2")
            self.assert_refused(self.run_it(*slow, db, "--shard", "2/3"), "process %d (" % first.pid)
            self.assertEqual(self.discover(db, "--max-fragments", "1").code, 0, "another machine is other work")
            first.kill()
            first.communicate()
        # The next command immediately takes over the work of a dead owner.
        result = self.run_it(*slow, db, "--max-fragments", "1")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(self.rows(db, "SELECT count(*) FROM runs WHERE config LIKE '%s %%'" % SLOW), [(1,)])
        tried = self.rows(db, "SELECT count(*) FROM attempts JOIN strings ON strings.id = machine_id WHERE text = '%s'" % SLOW)
        self.assertEqual([(result.objects()[0]["fragments"],)], tried)

    def test_shards_share_the_work(self):
        whole, shared = self.harvested("whole.db"), self.harvested("shared.db")
        self.assertEqual(self.discover(whole).code, 0)
        both = [self.started("discover", "--db", shared, "--machine", MACHINE, "--deterministic", "--shard", part)
                for part in ("1/2", "2/2")]
        for process in both:
            self.assertEqual((process.communicate()[1][-300:], process.returncode)[1], 0)
        # A fragment may be attempted once or twice. Neither shard knows the other's rules, so each also searches for
        # longer programs where an undivided run already has a rule (docs/decisions/service.md).
        sql = "SELECT DISTINCT hex(digest) FROM attempts JOIN fragments ON fragments.id = fragment_id"
        self.assertEqual(self.rows(shared, sql), self.rows(whole, sql))
        self.assertEqual(len(self.rows(shared, "SELECT id FROM runs")), 2)
        for part in ("0/2", "3/2", "1", "a/b", "1/2/3", "1/65537"):
            self.assert_refused(self.discover(whole, "--shard", part), "--shard", "such as 2/4")

    def test_a_second_night_is_refused(self):
        db = self.harvested()
        config = self.write("night.textproto", 'machines: "%s"\n' % SLOW)
        with self.started("nightly", config, "--db", db) as first:
            self.wait_for(db, "SELECT count(*) FROM runs WHERE message LIKE 'discover%'", first)
            self.assert_refused(self.run_it("nightly", config, "--db", db), "this night", "process %d (" % first.pid)
            time.sleep(1)  # the night records its run before the search starts
            self.assert_refused(self.run_it("discover", "--machine", SLOW, "--db", db), "process %d (" % first.pid)
            first.kill()
            first.communicate()

    def test_a_database_of_two_names_is_not_written(self):
        db = self.harvested()
        os.link(db, self.path("other.db"))
        for name in (db, self.path("other.db")):
            self.assert_refused(self.discover(name), name, "2 names (hard links)", "copy it")
        self.assertEqual(self.run_it("rank", "--db", db, "--machine", MACHINE).code, 0)
        os.remove(self.path("other.db"))
        self.assertEqual(self.discover(db, "--max-fragments", "1").code, 0)


class ClockTest(TroubleTest):
    """The system clock may be changed while the program runs, because budgets measure elapsed time."""

    def with_clock(self, *arguments, jump):
        library = FAKETIME % (os.uname().machine + "-linux-gnu")
        if not os.path.exists(library):
            self.skipTest("no libfaketime: apt-get install faketime")
        clock = self.write("clock", "+0")
        environment = dict(os.environ, LD_PRELOAD=library, FAKETIME_TIMESTAMP_FILE=clock, FAKETIME_NO_CACHE="1",
                           DONT_FAKE_MONOTONIC="1", FAKETIME_DONT_FAKE_MONOTONIC="1")
        start = time.monotonic()
        with self.started(*arguments, env=environment) as process:
            time.sleep(1)
            self.write("clock", "%+d" % jump)
            out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        return command_line.Result(0, out, err), time.monotonic() - start

    def test_a_jump_neither_ends_nor_prolongs_a_run(self):
        # One fragment takes longer than the budget, so only the budget's watchdog can end the search.
        self.harvested()
        for jump in (DAY, -DAY):
            db = self.path("jump%d.db" % jump)
            shutil.copy(self.path("t.db"), db)
            result, seconds = self.with_clock("discover", "--db", db, "--machine", SLOW, "--seconds", "4", "--json",
                                              jump=jump)
            report = result.objects()[0]
            self.assertEqual(report["ended_by"], "time", jump)
            self.assertTrue(3.9 < report["seconds"] < 20, (jump, report))
            self.assertLess(seconds, 30)

    def test_a_jump_back_resumes_the_run(self):
        db = self.harvested()
        self.assertEqual(self.discover(db, "--max-fragments", "2").code, 0)
        result, _ = self.with_clock("discover", "--db", db, "--machine", MACHINE, "--deterministic", "--json", jump=-400 * DAY)
        self.assertTrue(result.objects()[0]["finished"])
        self.assertEqual(len(self.rows(db, "SELECT id FROM runs")), 1)


class DiskTest(TroubleTest):
    def test_discover_on_a_full_disk(self):
        db = self.harvested()
        whole = self.path("whole.db")
        shutil.copy(db, whole)
        self.assertEqual(self.discover(whole).code, 0)
        bytes_now = os.path.getsize(db)
        result = self.discover(db, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_now, bytes_now)))
        self.assert_refused(result, "t.db", "the file size limit", "committed data is kept")
        self.assertEqual(self.discover(db).code, 0)
        sql = "SELECT hex(id), search, replace, program FROM rules"
        self.assertEqual(self.rows(db, sql), self.rows(whole, sql))

    def test_export_on_a_full_disk_keeps_the_old_pack(self):
        db = self.harvested()
        self.assertEqual(self.discover(db).code, 0)
        os.mkdir(self.path("packs"))
        # Fill a separate 1 MiB file system between two exports.
        script = ('mount -t tmpfs -o size=1m tmpfs packs || exit 77\nexport="$0 export --db t.db --machine %s -o packs"\n'
                  '$export > first || exit 1\n(cd packs; find . -type f | sort | xargs sha256sum) > before\n'
                  'cat /dev/zero > packs/filler 2> dd.err\n$export > second 2> said && exit 2\nrm packs/filler\n'
                  '(cd packs; find . -type f | sort | xargs sha256sum; ls -A | grep -v "^%s") > after\nexit 0\n') % (MACHINE, MACHINE)
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script, command_line.BINARY], cwd=self.folder, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode == 77 or b"unshare" in done.stderr:
            self.skipTest("may not mount a small file system here")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = self.read(self.path("said")).decode()
        self.assertIn("cannot write", said)
        self.assertIn("No space left on device", said)
        self.assertIn(b"manifest.json", self.read(self.path("before")))
        self.assertEqual(self.read(self.path("after")), self.read(self.path("before")))

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def test_a_damaged_page_is_named_with_the_remedy(self):
        """If one page is damaged, a command either succeeds because it does not read the page, or fails with an error
        that names the file and the remedy. It never crashes."""
        db = self.harvested()
        self.assertEqual(self.discover(db).code, 0)
        whole = self.read(db)
        size = int.from_bytes(whole[16:18], "big")
        expected = self.run_it("rank", "--db", db, "--machine", MACHINE, "--json").out
        refused = 0
        pages = range(1, len(whole) // size)
        for page in random.Random(1).sample(pages, min(40, len(pages))):
            damaged = self.write("damaged.db", whole[:page * size] + b"\xa5" * size + whole[(page + 1) * size:])
            result = self.run_it("rank", "--db", damaged, "--machine", MACHINE, "--json")
            if result.code == 2:
                refused += 1
                self.assertIn("damaged.db: the database is damaged", result.err)
                self.assertIn("restore a backup, or salvage it with: sqlite3 FILE .recover", result.err)
            else:
                self.assertEqual((result.code, result.out), (0, expected), page)
        self.assertGreater(refused, 3)


class SolverTest(TroubleTest):
    """A misbehaving worker must not cause a false rule to be proved or a true one to be refuted."""

    def worker(self, mode):
        path = self.write("worker-" + mode, "#!/bin/sh\nexec '%s' %s\n" % (FAKE_WORKER, mode))
        os.chmod(path, 0o755)
        return dict(os.environ, REWROUGHT_WORKER=path)

    def verdicts(self, mode, *arguments):
        result = self.run_it("check", "-", "--json", "--timeout-ms", "300", *arguments, stdin=FALSE + TRUE,
                             env=self.worker(mode))
        self.assertIn(result.code, (0, 1, 3), result.err)
        return [line["verdict"] for line in result.objects()]

    def test_check(self):
        # Without a second solver, the wrong answer is accepted, so the fault is effective.
        self.assertEqual(self.verdicts("honest"), ["proved", "proved"])
        self.assertEqual(self.verdicts("honest", "--confirm")[0], "unknown", "the second solver detects it")
        for mode in ("sat_of_zeros", "garbage", "wrong_id", "dies_inside_message", "segfault", "eats_memory", "silent",
                     "closes", "exits_at_once", "value_not_asked_for"):
            false, true = self.verdicts(mode)
            self.assertIn(false, ("unknown", "refuted"), mode)
            self.assertIn(true, ("unknown", "proved"), mode)

    def test_discover(self):
        """With a misbehaving solver, the search finds only rules that an honest solver proves. It finds no rule for the
        term that differs for only one of 2^32 values."""
        needle = ("shader: MESA_SHADER_FRAGMENT\nname: needle\nimpl main {\n    block b0:   // preds:\n"
                  "    32     %0 = load_const (0x00000000)\n    32     %1 = @load_ubo (%0, %0) (access=none)\n"
                  "    32     %2 = @load_ubo (%0, %1) (access=none)\n    32     %3 = load_const (0x3ade68b1)\n"
                  "     1     %4 = ieq %1, %3\n    32     %5 = bcsel %4, %0, %2\n"
                  "                @store_output (%5, %0) (base=4)\n                // succs: b1\n    block b1:\n}\n")
        scenarios.write(self.path("shaders/needle.nir"), needle)
        base = self.harvested("base.db", ((0, 1), (4,)))
        sql = "SELECT search, replace, program FROM rules"
        honest = self.path("honest.db")
        shutil.copy(base, honest)
        self.assertEqual(self.discover(honest).code, 0)
        true = set(self.rows(honest, sql))
        self.assertGreater(len(true), 3)
        self.assertFalse([rule for rule in true if "0x3ade68b1" in rule[0]])
        for mode in ("honest", "sat_of_zeros", "garbage", "dies_inside_message", "eats_memory"):
            db = self.path(mode + ".db")
            shutil.copy(base, db)
            result = self.discover(db, env=self.worker(mode))
            self.assertEqual(result.code, 0, (mode, result.err))
            self.assertEqual(set(self.rows(db, sql)) - true, set(), mode)
            wrong = self.rows(db, "SELECT hex(v.rule) FROM verdicts v JOIN rules r ON r.id = v.rule WHERE v.verdict = 5")
            self.assertEqual(wrong, [], mode)


class InterruptTest(TroubleTest):
    def test_once_keeps_and_goes_on_twice_ends_at_once(self):
        # Write enough fragments that the search is still running when the signal arrives.
        scenarios.write(self.path("shaders/chain.nir"), scenarios.nir_shader(9, (), 40))
        db = self.harvested()
        expected = self.path("whole.db")
        shutil.copy(db, expected)
        self.assertEqual(self.discover(expected).code, 0)
        for signals in (1, 2):
            tried = self.rows(db, "SELECT count(*) FROM attempts")[0][0]
            with self.started("discover", "--db", db, "--machine", MACHINE, "--deterministic", "--json") as process:
                self.wait_for(db, "SELECT count(*) > %d FROM attempts" % tried, process)
                start = time.monotonic()
                for _ in range(signals):
                    process.send_signal(signal.SIGINT)
                    time.sleep(0.05)
                out, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130, err)
            self.assertLess(time.monotonic() - start, 5 if signals == 1 else 1)
            if signals == 1:
                report = command_line.Result(130, out, err).objects()[0]
                self.assertEqual((report["finished"], report["ended_by"]), (False, "stopped"))
        result = self.discover(db)
        self.assertTrue(result.objects()[0]["finished"], result.err)
        sql = "SELECT hex(id), search, replace, program FROM rules"
        self.assertEqual(self.rows(db, sql), self.rows(expected, sql))
        self.assertEqual(len(self.rows(db, "SELECT id FROM runs")), 1)

    def test_harvest_of_an_archive(self):
        """A harvest of an archive that was interrupted or killed reads the remaining members when it is restarted."""
        for number in range(400):
            scenarios.write(self.path("many/%03d.nir" % number), scenarios.nir_shader(number, (), 25))
        archive = shutil.make_archive(self.path("many"), "xztar", self.path("many"))
        for name, signals in (("once", [signal.SIGINT]), ("twice", [signal.SIGINT] * 2), ("killed", [signal.SIGKILL])):
            db = self.path(name + ".db")
            with self.started("harvest", archive, "--db", db, "--json") as process:
                deadline = time.monotonic() + 60
                while process.poll() is None and time.monotonic() < deadline:
                    with contextlib.suppress(sqlite3.OperationalError):
                        if self.rows(db, "SELECT count(*) FROM shaders")[0][0] > 0:
                            break
                    time.sleep(0.005)
                for one in signals:
                    process.send_signal(one)
                _, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, -9 if name == "killed" else 130, err)
            kept = self.rows(db, "SELECT count(*) FROM shaders")[0][0]
            self.assertTrue(0 < kept < 400, (name, kept))
            report = self.run_it("harvest", archive, "--db", db, "--json").objects()[0]
            self.assertEqual((report["shaders"], report["new"]), (400, 400 - kept), name)


if __name__ == "__main__":
    FAKE_WORKER = os.path.abspath(sys.argv.pop(2))
    command_line.main()
