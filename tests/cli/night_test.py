"""Tests the steps, reports, exit codes, and interruptions of tools/nightly/night. Also checks the examples for systemd,
cron, and CI.

usage: night_test.py REWROUGHT
"""
import configparser
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import command_line

for name in ("audit", "kills"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", name))
import small_tree  # noqa: E402 pylint: disable=wrong-import-position
import scenarios  # noqa: E402 pylint: disable=wrong-import-position

NIGHT = "tools/nightly/night"
MACHINE = "vc4"
RULE = "(('isub', 'a', 0), 'a')"


class NightTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        for number in range(4):
            scenarios.write(self.path("shaders/%d.nir" % number), scenarios.nir_shader(number, (number, number + 2)))
        self.write("night.textproto", 'corpus { path: "%s" source: "mine" }\nmachines: "%s"\nexport_formats: "nir"\n'
                   'export_dir: "%s"\ndb: "%s"\nreport_file: "%s"\ndeterministic: true\n' %
                   (self.path("shaders"), MACHINE, self.path("packs"), self.path("t.db"), self.path("report.html")))
        self.environment = dict(os.environ, XDG_STATE_HOME=self.path("state"), XDG_DATA_HOME=self.path("data"),
                                REWROUGHT=command_line.command()[0])

    def conf(self, more="", night=""):
        return self.write("night.conf", "[night]\nout = %s\nconfig = %s\nbackup = %s\nkeep_runs = 30\n%s\n%s" % (
            self.path("out"), self.path("night.textproto"), self.path("backup.db"), night, more))

    def night(self, conf, code=0):
        done = subprocess.run([sys.executable, NIGHT, conf], env=self.environment, check=False, timeout=400,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for mark in command_line.CRASH_MARKS:
            self.assertNotIn(mark, done.stderr)
        return done

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def summary(self):
        with open(self.path("out/night.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_two_nights(self):
        conf = self.conf()
        mail = self.night(conf).stdout
        first = self.summary()
        self.assertEqual([step["step"] for step in first["steps"]], ["nightly", "compact", "backup"])
        (machine,) = first["nightly"]["machines"]
        self.assertGreater(len(machine["new"]), 0)
        self.assertTrue(mail.startswith("Subject: rewrought: all went well\n"))
        self.assertIn("%s: %d rules; new %d, lost 0" % (MACHINE, machine["rules"], len(machine["new"])), mail)
        with open(self.path("out/mail.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), mail)
        self.assertTrue(os.path.exists(self.path("report.html")))
        self.assertEqual(self.run_it("db", "check", "--db", self.path("backup.db")).code, 0)
        self.night(conf)
        second = self.summary()
        self.assertEqual([step["step"] for step in second["steps"]], ["check", "nightly", "compact", "backup"])
        again = second["nightly"]["machines"][0]
        self.assertEqual((second["nightly"]["harvest"]["new"], again["new"], again["lost"], again["changed"]), (0, [], [], []))
        self.assertEqual(again["rules"], machine["rules"])
        self.assertEqual(len(os.listdir(self.path("out/nights"))), 2)

    def test_a_changed_meaning_is_told(self):
        """Rules that were proved with other semantics are verified again. A rule that no longer holds is refuted, and
        the exit code reports it."""
        conf = self.conf()
        self.night(conf)
        database = sqlite3.connect(self.path("t.db"))
        # Simulate that an op or the machine had a different meaning when the rules were proved, and make one rule
        # false.
        database.execute("UPDATE rules SET semantics = zeroblob(32)")
        row = database.execute("SELECT hex(id), search, replace FROM rules WHERE class = 1 AND state IN (1, 2) ORDER BY id").fetchone()
        database.commit()
        database.close()
        self.assertIsNotNone(row)
        self.night(conf)
        self.assertEqual(self.summary()["nightly"]["machines"][0]["lost"], [])
        database = sqlite3.connect(self.path("t.db"))
        self.assertEqual(database.execute("SELECT count(*) FROM rules WHERE semantics = zeroblob(32)").fetchone()[0], 0)
        # Use a search side that is not equivalent to the program.
        other = database.execute("SELECT search FROM rules WHERE hex(id) != ? AND machine = ? AND search != ?",
                                 (row[0], MACHINE, row[1])).fetchone()[0]
        database.execute("UPDATE rules SET semantics = zeroblob(32), search = ? WHERE hex(id) = ?", (other, row[0]))
        database.commit()
        database.close()
        mail = self.night(conf, code=1).stdout
        self.assertIn("RULES WERE LOST OR REFUTED", mail)
        machine = self.summary()["nightly"]["machines"][0]
        self.assertEqual(len(machine["lost"]) + len(machine["refuted"]), 1)

    def test_killed_and_stopped(self):
        """After SIGKILL of the whole process tree or SIGTERM of the job, the next night resumes and ends like an
        undisturbed one."""
        for number in range(40):
            scenarios.write(self.path("shaders/many%d.nir" % number), scenarios.nir_shader(100 + number, (number % 7,), 25))
        conf = self.conf()
        for how in (signal.SIGKILL, signal.SIGTERM):
            self.run_it("db", "check", "--db", self.path("t.db"))  # checkpoints the write-ahead log that a kill left behind
            before = attempts = self.attempts()
            job = subprocess.Popen([sys.executable, NIGHT, conf], env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
            deadline = time.time() + 100
            while time.time() < deadline and attempts <= before and job.poll() is None:
                time.sleep(0.05)
                attempts = self.attempts()
            if how == signal.SIGKILL:  # the night still has hundreds of fragments to search
                second = subprocess.run([sys.executable, NIGHT, conf], env=self.environment, check=False,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertEqual(second.returncode, 2)
                self.assertIn("another nightly run is in progress", second.stderr)
            if how == signal.SIGKILL:
                os.killpg(job.pid, how)
            else:
                job.send_signal(how)
            out, _ = job.communicate(timeout=60)
            if how == signal.SIGTERM:
                self.assertIn(job.returncode, (0, 130), out)
        self.night(conf)
        self.assertEqual(self.run_it("db", "check", "--db", self.path("t.db")).code, 0)
        killed = self.rules()
        for name in ("t.db", "t.db-wal", "t.db-shm"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        shutil.rmtree(self.path("out"))
        self.night(conf)
        self.assertEqual(self.rules(), killed)

    def attempts(self):
        try:
            database = sqlite3.connect("file:%s?mode=ro" % self.path("t.db"), uri=True)
            try:
                return database.execute("SELECT count(*) FROM attempts").fetchone()[0]
            finally:
                database.close()
        except sqlite3.Error:
            return 0

    def rules(self):
        database = sqlite3.connect(self.path("t.db"))
        rows = database.execute("SELECT hex(id), class, state IN (3, 5) FROM rules ORDER BY id").fetchall()
        database.close()
        return rows

    def test_the_tree_is_audited_and_compared(self):
        rules = [RULE, "(('iadd', 'a', 0), 'a')"]
        tree = self.tree(rules)
        conf = self.conf("[audit]\ntree = %s\n" % tree)
        self.assertIn("audited for the first time", self.night(conf).stdout)
        self.assertIn("no rule became refuted", self.night(conf).stdout)
        self.tree(rules + ["(('isub', 'a', 'b'), ('isub', 'b', 'a'))"])
        self.assertIn("RULES BECAME REFUTED", self.night(conf, code=1).stdout)

    def tree(self, rules):
        return small_tree.write(self, """import argparse
import nir_algebraic
rules = [%s]
parser = argparse.ArgumentParser()
parser.add_argument('--out', required=True)
args = parser.parse_args()
with open(args.out, 'w') as f:
    f.write(nir_algebraic.AlgebraicPass("small_pass", rules).render())
""" % ", ".join(rules))

    def test_damage_stops_the_night(self):
        """The last good backup is kept."""
        conf = self.conf()
        self.night(conf)
        before = os.path.getmtime(self.path("backup.db"))
        database = sqlite3.connect(self.path("t.db"))
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = database.execute("SELECT max(pageno) FROM dbstat WHERE name = 'site_blocks' AND pagetype = 'leaf'").fetchone()[0]
        database.close()
        with open(self.path("t.db"), "r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(b"\xa5" * 64)
        done = self.night(conf, code=3)
        self.assertIn("a step failed or a result is unknown", done.stdout)
        self.assertIn("page %d, of table site_blocks" % page, self.read(self.path("out/check.json")))
        self.assertEqual(os.path.getmtime(self.path("backup.db")), before)

    def test_bad_configurations_are_told(self):
        for text, words in (("[night\n", "cannot be read"), ("[night]\nconfig = x\n", "out is missing"),
                            ("[nigth]\n", "[nigth]: unknown section"),
                            ("[night]\nout = a\nconfg = b\n", "confg: unknown key"),
                            ("[night]\nout = %s\nconfig = /none\n" % self.path("o"), "/none: cannot be read"),
                            ("[night]\nout = a\nconfig = b\nkeep_runs = soon\n", "keep_runs: 'soon'"),
                            ("[night]\nout = a\nconfig = b\n[audit]\n", "tree is missing")):
            done = self.night(self.write("bad.conf", text), code=2)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("none.conf", self.night(self.path("none.conf"), code=2).stderr)
        self.write("night.textproto", 'machines: "vc5"\ndb: "%s"\n' % self.path("t.db"))
        self.assertIn("COULD NOT RUN", self.night(self.conf(), code=2).stdout)

    def test_the_examples(self):
        """Checks the examples: with systemd, as a line with cron's five fields, as YAML, and with night itself."""
        for name in ("rewrought-night.service", "rewrought-night.timer"):
            shutil.copy("tools/nightly/" + name, self.folder)
        service = self.path("rewrought-night.service")
        with open(service, encoding="utf-8") as file:
            text = file.read()
        with open(service, "w", encoding="utf-8") as file:  # systemd verifies that the program exists
            file.write(text.replace("/usr/libexec/rewrought/night", os.path.abspath(NIGHT)))
        if shutil.which("systemd-analyze"):
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", service, self.path("rewrought-night.timer")],
                                  check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            ours = [line for line in done.stdout.splitlines() if "rewrought-night" in line]
            self.assertEqual((done.returncode, ours), (0, []), done.stdout)
            for line in re.findall(r"OnCalendar=(.*)", self.read(self.path("rewrought-night.timer"))):
                subprocess.run(["systemd-analyze", "calendar", line], check=True, stdout=subprocess.DEVNULL)
        jobs = [line for line in self.read("tools/nightly/crontab.example").splitlines()
                if not line.startswith("#") and "=" not in line.split(" ")[0]]
        self.assertEqual(len(jobs), 1)
        self.assertRegex(jobs[0], r"^[0-9*/,-]+ [0-9*/,-]+ [0-9*/,-]+ [0-9*/,-]+ [0-9*/,-]+ /\S+/night /\S+/night\.conf$")
        conf = configparser.ConfigParser(interpolation=None)
        conf.read("tools/nightly/night.conf.example")
        text = self.read("tools/nightly/night.conf.example")
        # The example contains exactly the sections that the program accepts, and only keys that it accepts.
        with open(NIGHT, encoding="utf-8") as file:
            keys = eval(re.search(r"KEYS = (\{.*?\})\n", file.read(), re.S).group(1))  # pylint: disable=eval-used
        self.assertEqual(set(conf.sections()), set(keys))
        for section, names in keys.items():
            self.assertLessEqual(set(conf[section]), set(names))
        self.assertIn("keep_runs", text)
        import yaml  # pylint: disable=import-outside-toplevel
        with open("tools/nightly/gitlab-ci.example.yml", encoding="utf-8") as file:
            pipeline = yaml.safe_load(file)
        for name, job in pipeline.items():
            if name == "stages" or name.startswith("."):
                continue
            self.assertIn(job["stage"], pipeline["stages"], name)
            program = job["script"][0].split()[0]
            self.assertTrue(os.access(program, os.X_OK), program)
        self.assertEqual(pipeline["harvest"]["parallel"], pipeline["discover"]["parallel"])


if __name__ == "__main__":
    command_line.main()
