#!/usr/bin/env python3
"""Runs ./test and ./demo on a minimal installation of a Debian release.

Creates a root file system with mmdebstrap (the variant minbase, git, and ca-certificates), clones HEAD of this
repository into it, and runs the commands in it with chroot. They have the network and this machine's devices, but
neither its packages nor its files. Requires root.

    sudo tools/release_check.py trixie                                  both commands; removes the file system
    sudo tools/release_check.py bookworm --demo-seconds 120 --keep      keeps the file system
    sudo tools/release_check.py trixie --keep -- ./test //ir/...        one command instead
    sudo tools/release_check.py trixie --reuse --keep -- ./demo 60      in the file system that --keep kept
    sudo tools/release_check.py trixie --folder /var/tmp/check --mirror http://debian.example.org/debian

Writes the output of each step to a log in the folder, and its time, exit status, and the size of the file system after
it to steps.jsonl. Prints a table of the steps at the end. Ctrl-C ends the step and prints the table. Everything is
mounted and started in namespaces of this command, so the kernel unmounts and kills it when the command ends in any way.
Exit status: 0 if all steps succeeded, 1 if one failed, 2 for wrong usage, 130 after Ctrl-C.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
RELEASES = ("bookworm", "trixie")
PACKAGES = "git,ca-certificates"
CLONE = "rewrought"  # The folder of the clone, in the home folder of root.
HOME = "/root"  # In the new file system.
PASSED_VARIABLES = ("TERM", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
STEPS, ROOT = "steps.jsonl", "root"  # In the folder of a check.
INSIDE = "REWROUGHT_RELEASE_CHECK_INSIDE"  # Set in the process that runs in the new namespaces.
INTERRUPTED = 130
SECONDS_TO_END = 20  # after Ctrl-C
SHOWN_COLUMNS = 50  # of a command and of its last line, in the table


def say(text):
    print("release_check.py: " + text, file=sys.stderr, flush=True)


def table(steps):
    """Returns a table of the steps, one line of text each."""
    rows = [("step", "time", "size of the file system", "exit status", "last line")]
    for step in steps:
        minutes, seconds = divmod(round(step["seconds"]), 60)
        rows.append((step["step"][:SHOWN_COLUMNS], "%d:%02d" % (minutes, seconds), "%.2f GB" % (step["bytes"] / 1e9), str(step["status"]),
                     step["last_line"][:SHOWN_COLUMNS]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def size_of(root):
    """Returns the bytes that the files below root occupy, without other file systems that are mounted there."""
    done = subprocess.run(["du", "-s", "-x", "-B1", root], capture_output=True, text=True)
    return int(done.stdout.split()[0]) if done.stdout else 0


class Check:
    """The steps of one check, and the files that they write."""

    def __init__(self, arguments):
        self.release = arguments.release
        self.folder = arguments.folder
        self.root = os.path.join(self.folder, ROOT)
        self.variables = arguments.env
        self.steps = []

    def run(self, name, command, **options):
        """Runs a step and records it. Shows its output, and writes it to a log. Returns True if it succeeded."""
        say("%s: %s" % (self.release, name))
        log = os.path.join(self.folder, re.sub(r"\W+", "_", name).strip("_")[:SHOWN_COLUMNS] + ".log")
        start, last, status, process = time.monotonic(), "", INTERRUPTED, None
        with open(log, "wb") as file:
            try:
                process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
                for line in process.stdout:
                    file.write(line)
                    sys.stdout.buffer.write(line)
                    sys.stdout.flush()
                    last = line.decode(errors="replace").strip() or last
                status = process.wait()
            except KeyboardInterrupt:
                say("interrupted; ending %s" % name)
                if process:
                    self.end(process)
        seconds, size = round(time.monotonic() - start, 1), 0
        try:
            size = size_of(self.root)
        except KeyboardInterrupt:
            status = INTERRUPTED
        step = {"release": self.release, "step": name, "seconds": seconds, "status": status, "bytes": size,
                "last_line": last}
        self.steps.append(step)
        with open(os.path.join(self.folder, STEPS), "a", encoding="utf-8") as file:
            file.write(json.dumps(step) + "\n")
        if status == INTERRUPTED:
            raise KeyboardInterrupt
        return status == 0

    def end(self, process):
        """Waits for a process that got the same signal, and kills it if it does not end."""
        try:
            process.communicate(timeout=SECONDS_TO_END)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
            process.communicate()

    def create(self, mirror, packages=PACKAGES, variant="minbase"):
        included = ["--include=" + packages] if packages else []
        return self.run("create the file system", ["mmdebstrap", "--variant=" + variant] + included +
                        [self.release, self.root] + ([mirror] if mirror else []))

    def clone(self):
        """Replaces the clone by one of HEAD, but keeps its folder `out`."""
        clone = self.root + HOME + "/" + CLONE
        # The repository may belong to another user.
        environment = dict(os.environ, GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*")
        kept = clone + ".out"
        if os.path.isdir(clone + "/out"):
            os.rename(clone + "/out", kept)
        shutil.rmtree(clone, ignore_errors=True)
        done = self.run("clone", ["git", "clone", "--quiet", "--depth=1", "file://" + REPOSITORY, clone], env=environment)
        if os.path.isdir(kept):
            os.rename(kept, clone + "/out")
        return done

    def trust(self, certificates):
        """Makes the system trust these certificates of authorities, such as that of a company's proxy."""
        for path in certificates:
            name = os.path.splitext(os.path.basename(path))[0] + ".crt"
            shutil.copyfile(path, os.path.join(self.root, "usr/local/share/ca-certificates", name))
        subprocess.run(["chroot", self.root, "update-ca-certificates"], check=True, stdout=subprocess.DEVNULL)

    def mount(self):
        """Mounts /proc and /dev, which only the processes of this command see, and provides the network."""
        subprocess.run(["mount", "-t", "proc", "proc", self.root + "/proc"], check=True)
        subprocess.run(["mount", "--rbind", "/dev", self.root + "/dev"], check=True)
        shutil.copyfile("/etc/resolv.conf", self.root + "/etc/resolv.conf")

    def command(self, words):
        """Runs a command in the clone in the file system."""
        return self.inside(" ".join(words), words, HOME + "/" + CLONE)

    def inside(self, name, words, folder="/"):
        """Runs a command in a folder of the file system."""
        environment = {"HOME": HOME, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                       "LANG": "C.UTF-8"}
        environment.update((name, os.environ[name]) for name in PASSED_VARIABLES + tuple(self.variables)
                           if name in os.environ)
        change = 'cd "$1" && shift && exec "$@"'
        return self.run(name, ["chroot", self.root, "/bin/sh", "-c", change, "sh", folder] + words, env=environment)


def check_inside(arguments):
    """Runs the steps in the new namespaces. Returns the exit status."""
    check = Check(arguments)
    commands = [arguments.command] if arguments.command else [["./test"], ["./demo", str(arguments.demo_seconds)]]
    status = 0
    try:
        if (arguments.reuse or check.create(arguments.mirror)) and check.clone():
            check.mount()
            if arguments.ca:
                check.trust(arguments.ca)
            results = [check.command(words) for words in commands]  # Runs ./demo even if a test failed.
            status = 0 if all(results) else 1
        else:
            status = 1
    except KeyboardInterrupt:
        status = INTERRUPTED
    print("\n".join(["", "Debian %s:" % arguments.release] + table(check.steps)), flush=True)
    return status


def check_outside(arguments, words, script=__file__):
    """Starts a script again in new namespaces, with the same arguments, and removes the file system afterwards. Returns
    the exit status."""
    os.makedirs(arguments.folder, exist_ok=True)
    if not arguments.reuse:
        with open(os.path.join(arguments.folder, STEPS), "w", encoding="utf-8"):
            pass
    # If this process or unshare is killed, the kernel kills process 1 of the namespace, and therefore all others.
    process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child",
                                "--mount-proc", "--", sys.executable, os.path.realpath(script)] + words,
                               env=dict(os.environ, **{INSIDE: "1"}))
    signal.signal(signal.SIGTERM, lambda *_: process.kill())
    while True:
        try:
            status = process.wait()
            break
        except KeyboardInterrupt:
            continue  # The other process ends after the same signal.
    root = os.path.join(arguments.folder, ROOT)
    if arguments.keep:
        say("the file system is in %s; remove it with rm -r, or use it again with --reuse" % root)
    else:
        say("removing the file system")
        shutil.rmtree(root, ignore_errors=True)
    say("the logs are in %s" % arguments.folder)
    return status if status >= 0 else 1


def parse(words):
    """Returns the arguments. Ends the program with status 2 if they are wrong."""
    own, command = words, []
    if "--" in words:
        own, command = words[:words.index("--")], words[words.index("--") + 1:]
    parser = argparse.ArgumentParser(prog="release_check.py", description=__doc__, usage="%(prog)s RELEASE [OPTION...] "
                                     "[-- COMMAND...]", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", choices=RELEASES, metavar="RELEASE", help=" or ".join(RELEASES))
    parser.add_argument("--keep", action="store_true", help="keep the file system")
    parser.add_argument("--reuse", action="store_true", help="use the file system that an earlier run with --keep kept, "
                        "with a new clone of HEAD")
    parser.add_argument("--folder", help="the folder for the file system and the logs (default: "
                        "out/release_check/RELEASE)")
    parser.add_argument("--mirror", help="the Debian mirror (default: the mirror that mmdebstrap chooses)")
    parser.add_argument("--demo-seconds", type=int, default=300, metavar="N", help="seconds of discovery in ./demo "
                        "(default: %(default)s)")
    parser.add_argument("--ca", action="append", default=[], metavar="FILE", help="make the system trust this "
                        "certificate authority, for example that of a proxy")
    parser.add_argument("--env", action="append", default=[], metavar="NAME", help="pass this environment variable to "
                        "the commands, in addition to those of proxies")
    arguments = parser.parse_args(own)
    arguments.command = command
    arguments.folder = os.path.abspath(
        arguments.folder or os.path.join(REPOSITORY, "out", "release_check", arguments.release))
    return arguments


def problem_of(arguments):
    """Returns why the check cannot start, or None."""
    root = os.path.join(arguments.folder, ROOT)
    if os.geteuid() != 0:
        return "mmdebstrap, mount, and chroot need root here; run: sudo %s ..." % os.path.relpath(__file__)
    for tool, package in (("mmdebstrap", "mmdebstrap"), ("unshare", "util-linux"), ("setpriv", "util-linux"),
                          ("git", "git")):
        if not shutil.which(tool):
            return "%s is missing; run: apt-get install %s" % (tool, package)
    if arguments.reuse and not os.path.isdir(root):
        return "%s does not exist; run without --reuse first, with --keep" % root
    if not arguments.reuse and os.path.exists(root):
        return "%s exists; remove it, or use it with --reuse" % root
    for path in arguments.ca:
        if not os.path.isfile(path):
            return "%s does not exist" % path
    return None


def main(words):
    arguments = parse(words)
    if os.environ.get(INSIDE):
        return check_inside(arguments)
    problem = problem_of(arguments)
    if problem:
        say(problem)
        return 2
    if subprocess.run(["git", "-C", REPOSITORY, "-c", "safe.directory=*", "status", "--porcelain", "-uno"],
                      capture_output=True, text=True).stdout:
        say("the check does not include the uncommitted changes of this repository")
    return check_outside(arguments, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
