"""Tests shards on a real Slurm cluster: three nodes, two of which are killed during the run, a time limit, limited
retries, and equal exports.

usage: slurm_test.py REWROUGHT NETWORK_FILE_SYSTEM.so   (as root; tools/install_packages.sh --slurm)
The nodes' shared folder is reported as NFS, so that opening a database there fails the test.
"""
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "kills"))
import cluster  # noqa: E402 pylint: disable=wrong-import-position
import scenarios  # noqa: E402 pylint: disable=wrong-import-position

BINARY, PRELOAD, SHARDS, SHADERS = "", "", 6, 42
RUN_SHARDS = os.path.abspath("tools/shards/run_shards")
MACHINE = "vc4"


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names)


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = [name for name in cluster.PROGRAMS if shutil.which(name) is None]
        if missing or os.geteuid() != 0:
            raise RuntimeError("needs root and %s: tools/install_packages.sh --slurm" % (", ".join(missing) or "nothing else"))
        # The paths of sockets must be short, and Bazel's folders are too long.
        cls.folder = tempfile.mkdtemp(prefix="rewrought-slurm-", dir="/tmp")
        for name in ("tmp", "home"):
            os.makedirs(os.path.join(cls.folder, name))
        os.environ.update(XDG_STATE_HOME=cls.folder + "/home", XDG_DATA_HOME=cls.folder + "/home",
                          TMPDIR=cls.folder + "/tmp")
        for number in range(SHADERS):
            scenarios.write(os.path.join(cls.folder, "shaders", "%03d.nir" % number),
                            scenarios.nir_shader(number, (number % 7, (number + 3) % 7), 12))
        cls.one = os.path.join(cls.folder, "one.db")
        begun = time.time()
        cls.rewrought("harvest", cls.folder + "/shaders", "--db", cls.one)
        cls.rewrought("discover", "--db", cls.one, "--machine", MACHINE, "--deterministic", "--shard", "1/1")
        cls.one_took = time.time() - begun
        cls.export(cls.one, cls.folder + "/one")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, True)

    @classmethod
    def rewrought(cls, *arguments):
        done = subprocess.run([BINARY] + list(arguments), check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        if done.returncode != 0:
            raise RuntimeError("%s: exit %d: %s" % (arguments, done.returncode, done.stderr[-2000:]))
        return done.stdout

    @classmethod
    def export(cls, db, folder):
        cls.rewrought("export", "--db", db, "--machine", MACHINE, "-o", folder)

    def new_run(self, name, **options):
        run = os.path.join(self.folder, name)
        os.makedirs(run)
        conf = dict(REWROUGHT=BINARY, INPUTS="(%s/shaders)" % self.folder, HARVEST_OPTIONS="(--source shaders)",
                    MACHINES="(%s)" % MACHINE, SHARDS=SHARDS, SECONDS_PER_SHARD=0, SLICE=5, RETRIES=5, DETERMINISTIC=1)
        conf.update(options)
        with open(os.path.join(run, "run.conf"), "w", encoding="utf-8") as file:
            file.writelines("%s=%s\n" % row for row in conf.items())
            # Nodes see the shared folder as NFS, where SQLite must not open a database.
            file.write("export LD_PRELOAD=%s REWROUGHT_TEST_NFS=%s\n" % (PRELOAD, run))
        return run

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def assert_equal_exports(self, run, name):
        db = os.path.join(self.folder, name + ".db")
        self.rewrought("db", "restore", run + "/all.db", "--db", db)
        self.rewrought("db", "check", "--db", db)
        self.export(db, os.path.join(self.folder, name + "-packs"))
        one, two = self.folder + "/one", os.path.join(self.folder, name + "-packs")
        self.assertEqual(files_below(one), files_below(two))
        _, different, errors = filecmp.cmpfiles(one, two, files_below(one), shallow=False)
        for path in different:
            subprocess.run(["diff", os.path.join(one, path), os.path.join(two, path)], check=False)
        self.assertEqual((different, errors), ([], []))
        with open(os.path.join(one, MACHINE, "pack.json"), encoding="utf-8") as file:
            self.assertGreater(len(json.load(file)["entries"]), 3)

    def log_of(self, run):
        text = ""
        for name in sorted(os.listdir(run + "/log")):
            with open(os.path.join(run, "log", name), encoding="utf-8", errors="replace") as file:
                text += "".join("%s: %s" % (name, line) for line in file if not line.startswith(("{", " ", "[")))
        return text

    def test_local_processes_give_the_same(self):
        run = self.new_run("local")
        done = subprocess.run([RUN_SHARDS, run, "--local", "2"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stdout + self.log_of(run))
        self.assert_equal_exports(run, "local")
        self.assertEqual([name for name in files_below(run) if name.endswith((".db-wal", ".db-shm"))], [])

    def test_nodes_are_killed(self):
        run = self.new_run("slurm")
        with cluster.Cluster(os.path.join(self.folder, "cluster"), nodes=3, cpus=1) as slurm:
            ids = subprocess.run([RUN_SHARDS, run, "--slurm", "--mem=100", "--time=30"], env=slurm.environment, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout.split()
            self.assertEqual(len(ids), 4)
            died = {}
            for node in ("n1", "n2"):
                slurm.wait(lambda n=node: self.searches(slurm, n), "search on " + node, 240)
                died[node] = slurm.kill_node(node)
            time.sleep(5)
            for node in ("n1", "n2"):
                slurm.start_node(node)
            slurm.wait(lambda: os.path.exists(run + "/all.db"), "all.db\n" + self.log_of(run), 420)
            slurm.wait(lambda: not slurm.run("squeue", "-h").strip(), "empty queue", 60)
            log = self.log_of(run)
        print(log)
        print("one process took %.1f s; processes killed together with their nodes: %s" % (self.one_took, died))
        self.assertGreater(min(died.values()), 0, died)
        self.assertGreaterEqual(log.count("restart 1\n"), 1, log)
        self.assert_equal_exports(run, "slurm")

    def searches(self, slurm, node):
        """Returns whether `rewrought discover` is running on the node."""
        for process in slurm.processes_of(node):
            try:
                with open("/proc/%d/cmdline" % process, "rb") as file:
                    if b"\0discover\0--db" in file.read():
                        return True
            except OSError:
                continue
        return False

    def searches_on(self, slurm, job, node):
        return job in slurm.run("squeue", "-h", "-t", "R", "-w", node, "-o", "%F").split()

    def test_the_signal_before_the_time_limit_makes_a_copy(self):
        """After USR1, the job stores the shard's state and is requeued, and then resumes."""
        run = self.new_run("limit", SHARDS=1, SLICE=600)
        self.rewrought("harvest", self.folder + "/shaders", "--db", self.folder + "/limit.db", "--source", "shaders")
        self.rewrought("db", "backup", run + "/corpus.db", "--db", self.folder + "/limit.db")
        os.makedirs(run + "/log")
        job = os.path.join(os.path.dirname(RUN_SHARDS), "shard_job")
        with cluster.Cluster(os.path.join(self.folder, "cluster2"), nodes=1, cpus=1) as slurm:
            number = slurm.run("sbatch", "--parsable", "--array=1-1", "--mem=100", "--output", run + "/log/%A_%a.log", job, run,
                               "discover").strip()
            slurm.wait(lambda: self.searches_on(slurm, number, "n1"), "search", 60)
            time.sleep(3)
            slurm.run("scancel", "--batch", "--signal=USR1", number + "_1")
            slurm.wait(lambda: "stopped; finished work is kept" in self.log_of(run), "copy", 60)
            self.assertTrue(os.path.exists(run + "/discover/1.db"))
            self.assertFalse(os.path.exists(run + "/discover/1.done"))
            slurm.wait(lambda: os.path.exists(run + "/discover/1.done"), "second start", 240)
        self.assertIn("restart 1", self.log_of(run))

    def test_what_fails_for_good_ends(self):
        """Bad input fails immediately; persistent errors fail after RETRIES retries. The other shards are merged, and
        the failure is reported."""
        run = self.new_run("bad", INPUTS="(/nothing/here)", SHARDS=2)
        done = subprocess.run([RUN_SHARDS, run, "--local", "2"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("wrong usage or bad input", self.read(run + "/harvest/1.failed"))
        run = self.new_run("capped", SHARDS=1, RETRIES=2, REWROUGHT="/bin/false")
        done = subprocess.run([RUN_SHARDS, run, "--local", "1"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("(after 2 restarts)", self.read(run + "/harvest/1.failed"))


    def test_parallel_jobs_of_a_ci(self):
        """GitLab numbers parallel jobs in CI_NODE_INDEX. A finished job is not repeated, and gather names the missing
        jobs."""
        run = self.new_run("ci", SHARDS=2)
        job = os.path.join(os.path.dirname(RUN_SHARDS), "shard_job")

        def shard(*arguments, index="2"):
            return subprocess.run([job, run] + list(arguments), check=False, env=dict(os.environ, CI_NODE_INDEX=index),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        done = shard("harvest")
        self.assertEqual((done.returncode, sorted(os.listdir(run + "/harvest"))), (0, ["2.db", "2.done"]), done.stdout)
        self.assertEqual(shard("harvest").stdout, "")
        for index in ("0", "3", "x", ""):
            refused = shard("harvest", index=index)
            self.assertEqual((refused.returncode, "no shard '%s' of 2" % index in refused.stdout), (2, True), refused.stdout)
        gathered = shard("gather", "harvest")
        self.assertEqual(gathered.returncode, 3, gathered.stdout)
        self.assertIn("shards not done: 1", gathered.stdout)
        self.assertTrue(os.path.exists(run + "/corpus.db"))


if __name__ == "__main__":
    PRELOAD = os.path.abspath(sys.argv.pop(2))
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
