"""Tests the contract of `rewrought db` (check, compact, backup, restore): exit codes, JSON, reports of damage, and
network file systems.

usage: db_test.py REWROUGHT NETWORK_FILE_SYSTEM.so   (reads corpus/samples below the working directory)
"""
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import command_line

SAMPLES = "corpus/samples/spirv"
PRELOAD = ""
LOST = 3  # RULE_STATE_LOST in proto/rewrought/v1/rule.proto
SHADER = """#version 450
layout(location = 0) in flat ivec3 v;
layout(location = 0) out int o;
void main() { o = v.x + v.y + v.z; }
"""


class DbTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        self.db = self.path("t.db")
        self.assertEqual(self.run_it("harvest", SAMPLES, "--db", self.db).code, 0)

    def shaders(self, db):
        result = self.run_it("db", "check", "--db", db, "--json")
        self.assertEqual(result.code, 0, result.out)
        connection = sqlite3.connect(db)
        count = connection.execute("SELECT count(*) FROM shaders").fetchone()[0]
        connection.close()
        return count

    def damage(self, path, table):
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = connection.execute("SELECT max(pageno) FROM dbstat WHERE name = ? AND pagetype = 'leaf'",
                                  (table,)).fetchone()[0]
        connection.close()
        with open(path, "r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(b"\xa5" * 64)
        return page

    def change(self, db, sql, *values):
        connection = sqlite3.connect(db)
        connection.execute(sql, values)
        connection.commit()
        connection.close()

    def states(self, db):
        """Maps the state of rules to their number."""
        connection = sqlite3.connect(db)
        states = dict(connection.execute("SELECT state, count(*) FROM rules GROUP BY state"))
        connection.close()
        return states

    def test_repair_restores_rules_that_are_proved_again(self):
        db = self.path("rules.db")
        shader = self.write("sum.frag", SHADER)
        self.assertEqual(self.run_it("harvest", shader, "--source", "made", "--db", db).code, 0)
        self.assertEqual(self.run_it("discover", "--machine", "ir3_a6xx", "--deterministic", "--db", db).code, 0)
        found = self.states(db)
        self.assertGreater(sum(found.values()), 0)
        self.assertNotIn(LOST, found)
        self.change(db, "UPDATE rules SET state = ?, reason = 'forged'", LOST)
        result = self.run_it("db", "check", "--repair", "--db", db, "--json")
        self.assertEqual(result.code, 0, result.err)
        repair = result.objects()[0]["repair"]
        self.assertEqual((repair["rules"], len(repair["restored"]), repair["lost"]),
                         (sum(found.values()), sum(found.values()), []))
        self.assertNotIn(LOST, self.states(db))
        text = self.run_it("db", "check", "--repair", "--db", db)
        self.assertRegex(text.out, rf"\n{sum(found.values())} rules: \d+ proved again, 0 restored, 0 lost; 0 contradictions")
        self.change(db, "UPDATE rules SET search = replace(search, 'iadd', 'isub')")
        result = self.run_it("db", "check", "--repair", "--db", db, "--json")
        self.assertEqual(result.code, 1, result.err)
        self.assertEqual(len(result.objects()[0]["repair"]["lost"]), sum(found.values()))
        self.assertEqual(self.states(db), {LOST: sum(found.values())})

    def test_check(self):
        result = self.run_it("db", "check", "--db", self.db, "--json")
        self.assertEqual(result.code, 0)
        (report,) = result.objects()
        self.assertEqual(list(report), ["db", "version", "bytes", "pages", "free_pages", "quick", "faults"])
        self.assertEqual(report["faults"], [])
        page = self.damage(self.db, "site_blocks")
        result = self.run_it("db", "check", "--db", self.db, "--json")
        self.assertEqual(result.code, 1)
        fault = result.objects()[0]["faults"][0]
        self.assertIn("page %d, of table site_blocks, from byte %d on: damaged" % (page, (page - 1) * 4096), fault["what"])
        self.assertIn("rewrought db restore", fault["remedy"])
        text = self.run_it("db", "check", "--db", self.db, "--quick")
        self.assertEqual(text.code, 1)
        self.assertIn("remedy: restore a backup", text.out)
        self.assert_refused(self.run_it("db", "check", "--db", self.path("none.db")), "none.db", "no such database")
        self.assert_refused(self.run_it("db", "check", "--db", self.write("x.db", "x" * 9000)), "not a database")

    def test_backup_and_restore(self):
        copy = self.path("backups/monday.db")
        before = self.shaders(self.db)
        self.assertEqual(self.run_it("db", "backup", copy, "--db", self.db).code, 0)
        self.assertEqual(os.listdir(os.path.dirname(copy)), ["monday.db"])
        self.assertEqual(self.run_it("harvest", "corpus/samples/nir", "--db", self.db).code, 0)
        self.assertGreater(self.shaders(self.db), before)
        self.damage(self.db, "fragments")
        (report,) = self.run_it("db", "restore", copy, "--db", self.db, "--json").objects()
        self.assertEqual(report["to"], self.db)
        self.assertEqual(self.shaders(self.db), before)
        self.assert_refused(self.run_it("db", "backup", self.db, "--db", self.db), "is the file to copy")
        self.assert_refused(self.run_it("db", "restore", self.path("none.db"), "--db", self.db), "none.db")
        self.assertEqual(self.run_it("db", "restore", copy, "--db", self.path("new/other.db")).code, 0)
        self.assertEqual(self.shaders(self.path("new/other.db")), before)

    def test_a_backup_under_a_writer_is_of_one_moment(self):
        """A backup made while harvest writes is complete and consistent, and neither process waits for the other."""
        folder = self.path("many")
        os.mkdir(folder)
        for number in range(60):
            for path in sorted(os.listdir(SAMPLES))[:8]:
                shutil.copy(os.path.join(SAMPLES, path), os.path.join(folder, "%d-%s" % (number, path)))
        # Change the generator's number, so that the bytes differ but the code does not.
        for number, name in enumerate(sorted(os.listdir(folder))):
            with open(os.path.join(folder, name), "r+b") as file:
                file.seek(8)
                file.write(number.to_bytes(4, "little"))
        harvest = subprocess.Popen(command_line.command("harvest", folder, "--db", self.db), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        copies = 0
        while harvest.poll() is None:
            self.assertEqual(self.run_it("db", "backup", self.path("copy.db"), "--db", self.db).code, 0)
            self.assertEqual(self.run_it("db", "check", "--db", self.path("copy.db")).code, 0)
            copies += 1
        self.assertEqual(harvest.wait(), 0)
        self.assertGreater(copies, 1)

    def test_restore_names_who_writes(self):
        copy = self.path("copy.db")
        self.run_it("db", "backup", copy, "--db", self.db)
        server = subprocess.Popen(command_line.command("serve", "--db", self.db, "--grpc", "127.0.0.1:0"),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.time() + 20
            while time.time() < deadline:
                result = self.run_it("db", "restore", copy, "--db", self.db)
                if result.code == 2:
                    break
                time.sleep(0.2)
            self.assert_refused(result, "is being written by process %d (" % server.pid, "stop it")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)
        self.assertEqual(self.run_it("db", "restore", copy, "--db", self.db).code, 0)

    def test_compact(self):
        connection = sqlite3.connect(self.db)
        connection.execute("CREATE TABLE ballast (x)")
        connection.execute("INSERT INTO ballast VALUES (zeroblob(3000000))")
        connection.execute("DROP TABLE ballast")
        connection.commit()
        connection.close()
        (report,) = self.run_it("db", "compact", "--db", self.db, "--keep-runs", "30", "--json").objects()
        self.assertGreater(report["bytes_before"], report["bytes_after"] + 2900000)
        self.assertEqual(os.path.getsize(self.db), report["bytes_after"])
        self.assert_refused(self.run_it("db", "compact", "--db", self.db, "--keep-runs", "-3"), "--keep-runs")

    def test_network_file_systems_hold_copies_alone(self):
        """In a folder that statfs reports as NFS, no database can be opened, but backups can be stored and restored."""
        far = self.path("far")
        os.mkdir(far)
        environment = dict(os.environ, LD_PRELOAD=PRELOAD, REWROUGHT_TEST_NFS=far)
        self.assert_refused(self.run_it("harvest", SAMPLES, "--db", far + "/t.db", env=environment),
                            "far/t.db", "network file system (NFS)", "rewrought db backup")
        self.assertEqual(os.listdir(far), [])
        before = self.shaders(self.db)
        self.assertEqual(self.run_it("db", "backup", far + "/copy.db", "--db", self.db, env=environment).code, 0)
        self.assertEqual(os.listdir(far), ["copy.db"])
        self.assert_refused(self.run_it("rank", "--machine", "vc4", "--db", far + "/copy.db", env=environment), "NFS")
        other = self.path("other.db")
        self.assertEqual(self.run_it("db", "restore", far + "/copy.db", "--db", other, env=environment).code, 0)
        self.assertEqual(self.shaders(other), before)
        merged = self.path("merged.db")
        self.assertEqual(self.run_it("merge", far + "/copy.db", "--db", merged, env=environment).code, 0)
        self.assertEqual(self.shaders(merged), before)
        self.assert_refused(self.run_it("db", "restore", other, "--db", far + "/new.db", env=environment), "NFS")
        self.assertEqual(os.listdir(far), ["copy.db"])

    def test_parts_share_a_corpus_out(self):
        found = [self.run_it("db", "part", self.path(f"parts/{k}.db"), "--shard", f"{k}/2", "--db", self.db, "--json").objects()[0]
                 for k in (1, 2)]
        database = sqlite3.connect(self.db)
        self.assertEqual(sum(part["fragments"] for part in found),
                         database.execute("SELECT count(*) FROM fragments").fetchone()[0])
        database.close()
        (merged,) = self.run_it("merge", self.db, "--db", self.path("whole.db"), "--json").objects()
        self.assertEqual(sum(part["sites"] for part in found), merged["sites"])
        for part in found:
            self.assertEqual(part["bytes"], os.path.getsize(part["to"]))
            self.assertEqual(self.run_it("db", "check", "--db", part["to"]).code, 0)
        # A part can be merged only into the database that it comes from.
        self.assertEqual(self.run_it("merge", self.path("parts/1.db"), "--db", self.db).code, 0)
        self.assert_refused(self.run_it("merge", self.path("parts/1.db"), "--db", self.path("other.db")), "a part of a corpus")
        self.assert_refused(self.run_it("db", "part", self.db, "--shard", "1/2", "--db", self.db), "is the database to take the part from")
        self.assert_refused(self.run_it("db", "part", self.path("p.db"), "--shard", "3/2", "--db", self.db), "must be K/N")
        self.assert_refused(self.run_it("db", "part", self.path("p.db"), "--db", self.db), "--shard")
        self.assert_refused(self.run_it("db", "part", self.path("p.db"), "--shard", "1/2", "--db", self.path("none.db")), "none.db")
        self.assertFalse(os.path.exists(self.path("p.db")))

    def test_wrong_use(self):
        for arguments in (("db",), ("db", "mend"), ("db", "backup", "--db", self.db), ("db", "check", "extra")):
            self.assert_refused(self.run_it(*arguments))


if __name__ == "__main__":
    PRELOAD = os.path.abspath(sys.argv.pop(2))
    command_line.main()
