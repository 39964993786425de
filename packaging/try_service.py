#!/usr/bin/env python3
"""Starts the service with a command, uses its web UI and its calls, and stops it. Without a command, uses a service
that is running.

usage: try_service.py [--http HOST:PORT] [--grpc HOST:PORT] [--client PROGRAM] [-- COMMAND...]
example: try_service.py -- rewrought serve --db my.db --http 127.0.0.1:8080

COMMAND must serve HTTP at --http (127.0.0.1:8080 by default). --client is a program with arguments that understands
`check --server`, for a call over gRPC; pass its words as one argument. Sends SIGTERM to the processes named rewrought
that COMMAND started.
Exit status: 0 if everything worked, 1 otherwise, 2 for wrong usage.
"""
import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

SECONDS_TO_START = 60
SECONDS_TO_END = 60
# The service needs Z3 to prove this rule.
RULE = "(('iadd', ('iand', 'a@32', 'b@32'), ('ior', 'a@32', 'b@32')), ('iadd', a, b))"
SERVICE = "rewrought"  # the name of its process
ENDED_WELL = (0, 130)


class Failed(Exception):
    """A call that did not work; the text is the message."""


def fetch(url, body=None):
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"} if body else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        raise Failed("%s: %s: %s" % (url, error, error.read(300))) from error
    except OSError as error:
        raise Failed("%s: %s" % (url, error)) from error


def wait_until_ready(process, url):
    end = time.monotonic() + SECONDS_TO_START
    while True:
        if process and process.poll() is not None:
            raise Failed("the service ended with status %d before it answered" % process.returncode)
        try:
            return fetch(url + "/healthz")
        except Failed:
            if time.monotonic() > end:
                raise
        time.sleep(0.1)


def use(process, url, arguments):
    """Makes all calls. Raises Failed for the first that does not work."""
    start = time.monotonic()
    wait_until_ready(process, url)
    print("ready after %.1f s" % (time.monotonic() - start), flush=True)
    page = fetch(url + "/")
    if "<title>" not in page:
        raise Failed("%s/ is not a page: %r" % (url, page[:100]))
    parts = re.findall(r'(?:src|href)="\.?(/?[\w./-]+)"', page)
    sizes = [len(fetch(url + "/" + part.lstrip("/"))) for part in parts]
    print("the web UI has a page and %d files, %d kB" % (len(parts), sum(sizes) / 1000), flush=True)
    answer = fetch(url + "/rewrought.v1.CheckService/CheckRule", json.dumps({"rule": RULE}).encode())
    if '"VERDICT_PROVED"' not in answer:
        raise Failed("the rule %s is not proved over HTTP: %s" % (RULE, answer[:300]))
    print("verdict over HTTP: proved", flush=True)
    if arguments.client:
        done = subprocess.run(shlex.split(arguments.client) + ["check", RULE, "--server", arguments.grpc],
                              capture_output=True, text=True)
        if done.returncode or not done.stdout.startswith("proved"):
            raise Failed("the rule is not proved over gRPC: %s%s" % (done.stdout, done.stderr))
        print("verdict over gRPC: proved", flush=True)


def services_below(pid):
    """Returns the ids of the processes of the service that a process started, directly or through other programs."""
    parents, names = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue  # it has ended
        names[int(entry)] = text[text.index("(") + 1:text.rindex(")")]
        parents[int(entry)] = int(text[text.rindex(")") + 2:].split()[1])

    def is_below(one):
        while one in parents:
            if one == pid:
                return True
            one = parents[one]
        return False

    return [one for one in sorted(names) if names[one] == SERVICE and is_below(one)]


def stop(process):
    """Ends the service, if this program started it. Raises Failed if it does not end, or ends with an unexpected
    status."""
    if process is None:
        return
    if process.poll() is None:
        for one in services_below(process.pid):
            os.kill(one, signal.SIGTERM)
    try:
        status = process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise Failed("the service did not end within %d s" % SECONDS_TO_END) from None
    if status not in ENDED_WELL:
        raise Failed("the service ended with status %d" % status)


def parse(words):
    own, command = (words[:words.index("--")], words[words.index("--") + 1:]) if "--" in words else (words, [])
    parser = argparse.ArgumentParser(prog="try_service.py", description=__doc__, usage="%(prog)s [OPTION...] [-- COMMAND...]",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--http", default="127.0.0.1:8080", metavar="HOST:PORT")
    parser.add_argument("--grpc", default="127.0.0.1:50051", metavar="HOST:PORT")
    parser.add_argument("--client", metavar="PROGRAM", help="also makes a call over gRPC with this program")
    arguments = parser.parse_args(own)
    arguments.command = command
    return arguments


def main(words):
    arguments = parse(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    process = subprocess.Popen(arguments.command, start_new_session=True) if arguments.command else None
    problem = None
    try:
        use(process, "http://" + arguments.http, arguments)
    except Failed as error:
        problem = error
    finally:
        try:
            stop(process)
        except Failed as error:
            problem = problem or error
    print("try_service.py: %s" % problem if problem else "the service works", flush=True)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
