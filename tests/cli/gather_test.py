"""Kills tools/shards/shard_job gather with SIGKILL in the middle of merges. After a restart, the job must resume
from its last copy, and its result must equal that of an undisturbed run.

usage: gather_test.py REWROUGHT
"""
import math
import os
import shutil
import sqlite3
import stat
import subprocess
import sys

import command_line

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "kills"))
import scenarios  # noqa: E402 pylint: disable=wrong-import-position

JOB = os.path.abspath("tools/shards/shard_job")
SHARDS = 24  # after every ten shards, the job makes a copy
# Wraps the program. Kills a selected merge of a shard after a delay, and then kills the job. Records in `kills` each
# merge that was still running.
PROGRAM = """#!/bin/bash
if [ "$1" = merge ] && [ -s "{folder}/delays" ] && [[ $2 == *.db ]]; then
  read -r skip delay < "{folder}/delays"
  if [ "$skip" -gt 0 ]; then
    echo "$((skip - 1)) $delay" > "{folder}/delays"
  else
    : > "{folder}/delays"
    "{program}" "$@" &
    sleep "$delay"
    if kill -9 $! 2>/dev/null; then echo killed >> "{folder}/kills"; fi
    kill -9 $PPID
    exit 1
  fi
fi
[ "$1" != merge ] || echo "$2" >> "{folder}/merges"
exec "{program}" "$@"
"""


class GatherTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        for number in range(60):
            scenarios.write(self.path("shaders/%d.nir" % number),
                            scenarios.nir_shader(number, (number % 7, (number + 2) % 7), 40))
        program = self.write("rewrought", PROGRAM.format(folder=self.folder, program=command_line.command()[0]))
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        os.mkdir(self.path("run"))
        self.write("run/run.conf", "REWROUGHT=%s\nINPUTS=(%s)\nHARVEST_OPTIONS=(--source mine)\nMACHINES=(vc4)\nSHARDS=%d\n" % (
            program, self.path("shaders"), SHARDS))
        os.mkdir(self.path("tmp"))
        self.environment = dict(os.environ, XDG_STATE_HOME=self.path("state"), TMPDIR=self.path("tmp"))

    def job(self, *arguments, code=0):
        done = subprocess.run([JOB, self.path("run")] + list(arguments), env=self.environment, check=False, timeout=400,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout)
        return done

    def content(self):
        """Returns every row including ids, to compare databases into which the same shards were merged in the same
        order."""
        database = sqlite3.connect(self.path("run/corpus.db"))
        text = "\n".join(database.iterdump())
        database.close()
        return text

    def fragments(self, name):
        database = sqlite3.connect(self.path(name))
        ((count,),) = database.execute("SELECT count(*) FROM fragments")
        database.close()
        return count

    def lines(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return file.read().split("\n")[:-1]
        except FileNotFoundError:
            return []

    def test_killed_in_the_middle_of_merges(self):
        for shard in range(1, SHARDS + 1):
            self.job("harvest", str(shard))
        self.job("gather", "harvest")
        undisturbed = self.content()
        self.assertEqual(undisturbed.count("INSERT INTO \"shaders\""), 60)
        os.remove(self.path("run/corpus.db"))
        self.write("merges", "")
        # Kill before the first copy, after the first copy, and after the second one, both early and late in a merge.
        for skip, delay in ((0, 0.0), (0, 0.05), (1, 0.01), (0, 0.02), (0, 0.03), (1, 0.1), (0, 0.005)):
            self.write("delays", "%d %s\n" % (skip, delay))
            self.assertEqual(self.job("gather", "harvest", code=None).returncode, -9)
            self.assertFalse(os.path.exists(self.path("run/corpus.db")))
        self.assertGreaterEqual(len(self.lines("kills")), 3, "no merge was killed before it ended")
        before = len(self.lines("merges"))
        copied = len(self.lines("run/corpus.db.merged"))
        self.assertGreaterEqual(copied, 10)
        self.job("gather", "harvest")
        self.assertEqual(self.content(), undisturbed)
        # The last run resumed from the last copy: it merged the remaining shards, and then settled the database.
        self.assertEqual(len(self.lines("merges")) - before, math.ceil((SHARDS - copied) / 10) + 1)
        self.assertEqual([name for name in os.listdir(self.path("run")) if ".part" in name or ".merged" in name], [])
        self.assertEqual(self.run_it("db", "check", "--db", self.path("run/corpus.db")).code, 0)
        self.assertEqual(sum(self.fragments(f"run/part/{shard}.db") for shard in range(1, SHARDS + 1)),
                         self.fragments("run/corpus.db"))

    def test_a_copy_that_is_no_database_is_no_start(self):
        """Copies must be complete. A damaged copy is reported and not trusted to contain the shards that its list
        names."""
        for shard in range(1, SHARDS + 1):
            self.job("harvest", str(shard))
        self.write("run/corpus.db.part", b"\0" * 4096)
        self.write("run/corpus.db.merged", "1\n2\n")
        self.assertEqual(self.job("gather", "harvest", code=None).returncode, 75)
        self.assertFalse(os.path.exists(self.path("run/corpus.db")))
        shutil.copy(self.path("run/harvest/1.db"), self.path("run/corpus.db.part"))
        self.write("run/corpus.db.merged", "1\n")
        self.job("gather", "harvest")
        self.assertEqual(self.content().count("INSERT INTO \"shaders\""), 60)


if __name__ == "__main__":
    command_line.main()
