"""Runs a private Slurm cluster on this machine: munged, slurmctld and some slurmd, each in the foreground, as root.

Uses only the programs that are installed on the system. Configuration, keys, sockets and state are in one folder.
"""
import os
import signal
import socket
import subprocess
import time

os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"  # the daemons are in these folders, which Bazel's PATH lacks
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cluster:
    """A cluster for use in a `with` statement. The nodes are n1, n2, …"""

    def __init__(self, folder, nodes, cpus):
        self.folder, self.cpus = folder, cpus
        self.nodes = ["n%d" % (i + 1) for i in range(nodes)]
        self.daemons = {}
        self.conf = os.path.join(folder, "slurm.conf")
        self.environment = dict(os.environ, SLURM_CONF=self.conf)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def __enter__(self):
        for name in ["run", "log", "state"] + ["spool/" + node for node in self.nodes]:
            os.makedirs(self.path(name), exist_ok=True)
        os.chmod(self.folder, 0o755)  # munged requires that only the owner can write to the folder
        with open(self.path("munge.key"), "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(self.path("munge.key"), 0o400)
        host = socket.gethostname().split(".")[0]
        ports = [free_port() for _ in self.nodes]
        lines = ["ClusterName=test", "SlurmctldHost=%s(127.0.0.1)" % host, "AuthType=auth/munge",
                 "AuthInfo=socket=%s,cred_expire=5" % self.path("run", "munge.sock"), "CryptoType=crypto/munge",
                 "SlurmUser=root", "SlurmdUser=root", "SlurmctldPort=%d" % free_port(),
                 "SlurmctldPidFile=" + self.path("run", "slurmctld.pid"), "SlurmdPidFile=" + self.path("run", "slurmd-%n.pid"),
                 "SlurmctldLogFile=" + self.path("log", "slurmctld.log"), "SlurmdLogFile=" + self.path("log", "slurmd-%n.log"),
                 "StateSaveLocation=" + self.path("state"), "SlurmdSpoolDir=" + self.path("spool", "%n"),
                 "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "JobAcctGatherType=jobacct_gather/none",
                 "AccountingStorageType=accounting_storage/none", "SelectType=select/cons_tres",
                 "SelectTypeParameters=CR_Core", "SchedulerType=sched/backfill",
                 "SchedulerParameters=sched_interval=2,batch_sched_delay=0,bf_interval=2", "MpiDefault=none",
                 "ReturnToService=2", "SlurmdTimeout=10", "KillWait=5", "OverTimeLimit=0", "MinJobAge=3600", "JobRequeue=1",
                 "MailProg=/bin/true"]
        for node, port in zip(self.nodes, ports):
            lines.append("NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=1000 State=UNKNOWN" %
                         (node, host, port, self.cpus))
        lines.append("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
        with open(self.conf, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        run = self.path("run")
        self.start("munged", ["munged", "--foreground", "--force", "--socket=%s/munge.sock" % run,
                              "--key-file=" + self.path("munge.key"), "--log-file=" + self.path("log", "munged.log"),
                              "--pid-file=%s/munged.pid" % run, "--seed-file=%s/munge.seed" % run])
        self.wait(lambda: os.path.exists(run + "/munge.sock"), "munged's socket", 20)
        self.start("slurmctld", ["slurmctld", "-D", "-c", "-f", self.conf])
        for node in self.nodes:
            self.start_node(node)
        self.wait(lambda: self.run("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == str(len(self.nodes)), "idle nodes", 60)
        return self

    def __exit__(self, *_):
        for name in self.nodes:
            self.kill_node(name)
        for process in self.daemons.values():
            if process.poll() is None:
                process.kill()
            process.wait()

    def start(self, name, arguments):
        with open(self.path("log", name + ".said"), "ab") as said:
            self.daemons[name] = subprocess.Popen(arguments, env=self.environment, stdout=said, stderr=said,
                                                  stdin=subprocess.DEVNULL, cwd=self.folder)

    def start_node(self, node):
        self.start(node, ["slurmd", "-D", "-N", node, "-f", self.conf])

    def run(self, *arguments):
        return subprocess.run(arguments, env=self.environment, check=True, stdout=subprocess.PIPE, timeout=60,
                              stderr=subprocess.PIPE, text=True).stdout

    def wait(self, condition, what, seconds):
        deadline = time.time() + seconds
        while time.time() < deadline:
            try:
                if condition():
                    return
            except (subprocess.SubprocessError, OSError):
                pass
            time.sleep(0.3)
        raise TimeoutError("no %s within %d s; %s has the logs" % (what, seconds, self.path("log")))

    def processes_of(self, node):
        """Returns all processes on a node, including reparented ones, except its slurmd. The jobs' slurmstepd processes
        come first, so that they cannot report the jobs' end."""
        jobs, parents, steps = [], {}, set()
        for entry in os.listdir("/proc"):
            try:
                with open("/proc/%s/environ" % entry, "rb") as file:
                    environment = file.read()
                with open("/proc/%s/cmdline" % entry, "rb") as file:
                    command = file.read()
                with open("/proc/%s/stat" % entry, encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError):
                continue
            if not entry.isdigit():
                continue
            parents[int(entry)] = parent
            if b"slurmstepd" in command:
                steps.add(int(entry))
            if ("SLURM_CONF=" + self.conf).encode() in environment and (
                    "SLURMD_NODENAME=%s\0" % node).encode() in environment:
                jobs.append(int(entry))
        above = {parents.get(job) for job in jobs} & steps
        return sorted(above) + [job for job in jobs if job not in above]

    def kill_node(self, node):
        """Simulates a power failure: kills all processes without notice. Returns the number of killed job
        processes."""
        slurmd = self.daemons.get(node)
        if slurmd is not None and slurmd.poll() is None:
            slurmd.kill()
            slurmd.wait()
        died = 0
        for _ in range(5):
            for process in self.processes_of(node):
                try:
                    os.kill(process, signal.SIGKILL)
                    died += 1
                except ProcessLookupError:
                    pass
            time.sleep(0.1)
        return died
