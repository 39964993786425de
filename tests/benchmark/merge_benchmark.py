#!/usr/bin/env python3
"""Measures the time and memory for merging shards of a given size into one database. The shards are generated, so
sizes beyond the available shaders can be measured. This is not a test.

usage: merge_benchmark.py REWROUGHT GENERATOR FOLDER [--shards N] [--rows ROWS] [--together T] [--kill-at N] [--keep]

Generates T shards (default 1) of about ROWS rows of sites in FOLDER (GENERATOR: //tests/benchmark:corpus_generator),
merges them into FOLDER/all.db with one command, deletes them, and repeats this until N shards are merged. The next
shards are generated during the merge. Prints one line per merge: rows and bytes so far, CPU and elapsed seconds, peak
memory, and disk traffic. --kill-at kills the merge of shard N with SIGKILL halfway, and then repeats the merge and
counts the rows. Rows are also counted at the end. --keep keeps all.db. In a cgroup with little memory, this measures
databases that do not fit in memory.
"""
import argparse
import os
import subprocess
import sys
import time


def remove(database):
    for name in (database, database + "-wal", database + "-shm"):
        if os.path.exists(name):
            os.remove(name)


class Shards:
    """Generates shards in a separate process."""

    def __init__(self, generator, folder, first, end, rows):
        self.paths = [os.path.join(folder, "shard%d.db" % number) for number in range(first, end)]
        self.begun = time.time()
        self.rows = self.seconds = 0
        for path in self.paths:
            remove(path)
        # Generate one shard at a time, because the merge uses the other core.
        command = "\n".join("'%s' make '%s' %d %d || exit" % (generator, path, number, rows)
                            for number, path in enumerate(self.paths, first))
        self.process = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, text=True)

    def wait(self):
        made, _ = self.process.communicate()
        if self.process.returncode != 0:
            sys.exit("merge_benchmark.py: no shard was generated")
        self.rows = sum(int(line) for line in made.split())
        self.seconds = time.time() - self.begun


def merge(program, shards, database, kill_after=None):
    """Runs one merge. Returns (CPU seconds, elapsed seconds, resource usage). With kill_after, kills the merge
    after that time."""
    begun = time.time()
    process = subprocess.Popen([program, "merge", *shards, "--db", database, "--no-settle", "--json"],
                               stdout=subprocess.DEVNULL)
    if kill_after is not None:
        time.sleep(kill_after)
        process.kill()
    _, status, usage = os.wait4(process.pid, 0)
    if kill_after is None and status != 0:
        sys.exit("merge_benchmark.py: merge failed with exit status %d" % status)
    return usage.ru_utime + usage.ru_stime, time.time() - begun, usage


def check_rows(generator, database, expected):
    counted = subprocess.run([generator, "count", database], check=True, stdout=subprocess.PIPE, text=True).stdout
    shaders, rows, fragments = map(int, counted.split())
    if rows != expected:
        sys.exit("merge_benchmark.py: found %d rows, but expected %d" % (rows, expected))
    print("counted: %d shaders, %d rows, %d fragments" % (shaders, rows, fragments), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rewrought")
    parser.add_argument("generator")
    parser.add_argument("folder")
    parser.add_argument("--shards", type=int, default=20)
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--kill-at", type=int, default=0)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    database = os.path.join(options.folder, "all.db")
    remove(database)
    total, last, rows = 0.0, 1.0, 0
    batches = [(first, min(first + options.together, options.shards + 1))
               for first in range(1, options.shards + 1, options.together)]
    making = Shards(options.generator, options.folder, *batches[0], options.rows)
    for batch, (first, end) in enumerate(batches, 1):
        shards = making
        shards.wait()
        if batch < len(batches):
            making = Shards(options.generator, options.folder, *batches[batch], options.rows)
        killed = first <= options.kill_at < end
        if killed:
            merge(options.rewrought, shards.paths, database, kill_after=last / 2)
            print("shards %d to %d: the merge was killed after %.1f s" % (first, end - 1, last / 2))
        processor, last, usage = merge(options.rewrought, shards.paths, database)
        total += processor
        rows += shards.rows
        print("shards %d to %d of %.0f MB: %.2f CPU s, %.1f s elapsed, %.2f us per row, %.0f MB of memory, %.0f MB "
              "read, %.0f MB written; in total %d rows, %.0f MB, %.1f CPU s (generated in %.0f s)" % (
                  first, end - 1, os.path.getsize(shards.paths[-1]) / 1e6, processor, last, processor * 1e6 / shards.rows,
                  usage.ru_maxrss / 1e3, usage.ru_inblock * 512 / 1e6, usage.ru_oublock * 512 / 1e6, rows,
                  os.path.getsize(database) / 1e6, total, shards.seconds), flush=True)
        if killed or end > options.shards:
            check_rows(options.generator, database, rows)
        for shard in shards.paths:
            remove(shard)
    if not options.keep:
        remove(database)


if __name__ == "__main__":
    main()
