#!/usr/bin/env python3
"""How long shards of a given size take to be merged, one after the other into one database, and in how much memory: what
is generated is a corpus as harvests leave it (few fragments are frequent, most are rare), so that sizes can be measured
beyond the shaders that there are. Not a test.

usage: merge_benchmark.py REWROUGHT FOLDER [--shards N] [--rows ROWS] [--kill-at N] [--keep]

Makes a shard of ROWS rows of sites in FOLDER, merges it into FOLDER/all.db, deletes it, and so on N times; one line for
each: rows and bytes so far, seconds of processor and of the clock, peak memory. --kill-at kills the merge of shard N
with -9 half-way, and merges it again. --keep leaves all.db there.
"""
import argparse
import hashlib
import math
import os
import random
import sqlite3
import subprocess
import sys
import time

ROWS_PER_SHADER = 1170  # of the demo's sources (docs/nightly.md 7)
FREQUENT = 1250  # so that 400,000 rows have 106,000 distinct fragments, as there


def text_of(number):
    return "(fadd@32 (fmul@32{nsz} a@32 0x%x@32) b@32)" % number


def remove(database):
    for name in (database, database + "-wal", database + "-shm"):
        if os.path.exists(name):
            os.remove(name)


def make_shard(program, path, number, rows):
    """A database of `rows` sites, of shaders that no other shard has."""
    remove(path)
    empty = path + ".empty"
    os.makedirs(empty, exist_ok=True)
    subprocess.run([program, "harvest", empty, "--db", path, "--source", "generated"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.rmdir(empty)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    database.execute("BEGIN")
    draw = random.Random(number)
    shaders = max(1, rows // ROWS_PER_SHADER)
    database.execute("INSERT INTO sources (name, held_out) VALUES ('generated', 0) ON CONFLICT DO NOTHING")
    source = database.execute("SELECT id FROM sources").fetchone()[0]
    database.executemany("INSERT INTO strings (text) VALUES (?)", [("number finite max=%d" % i,) for i in range(10)])
    facts = [row[0] for row in database.execute("SELECT id FROM strings WHERE text LIKE 'number finite%'")]
    digests = [hashlib.sha256(b"%d %d" % (number, i)).digest() for i in range(shaders)]
    database.executemany("INSERT INTO shaders (digest, stage, alu_instructions, extraction) VALUES (?, 'fragment', 200, ?)",
                         [(digest, bytes(32)) for digest in digests])
    database.execute("INSERT INTO occurrences SELECT id, %d, 'shader ' || hex(digest) FROM shaders" % source)
    ids = {}  # of fragments: those that other shards have too are most
    count = 0
    batch = []
    for shader in range(1, shaders + 1):
        mine = rows // shaders + (1 if shader <= rows % shaders else 0)
        for row in range(mine):
            # Distinct fragments grow with the 0.62nd power of rows, and are as many as in the demo's corpus.
            fragment = min(int(FREQUENT * math.pow(draw.random() + 1e-9, -1 / 0.62)), 1 << 60)
            if fragment not in ids:
                ids[fragment] = len(ids) + 1
            batch.append((ids[fragment], shader, row, 0, facts[row % 10], 1, 1, "%d %d" % (shader, row)))
        count += mine
        if len(batch) >= 200000 or shader == shaders:
            batch.sort()
            database.executemany("INSERT INTO sites VALUES (?, ?, ?, ?, ?, ?, ?, ?)", batch)
            batch = []
    texts = [(number_, hashlib.sha256(text_of(fragment).encode()).digest(), text_of(fragment)) for fragment, number_ in ids.items()]
    database.executemany("INSERT INTO fragments (id, digest, text, nodes, variables, widths) VALUES (?, ?, ?, 5, 2, '32')", texts)
    database.execute("COMMIT")
    database.close()
    return count


def merge(program, shard, database, kill_after=None):
    """(seconds of processor, of the clock, peak bytes) of one merge; with kill_after it is killed then."""
    begun = time.time()
    process = subprocess.Popen([program, "merge", shard, "--db", database, "--no-settle", "--json"], stdout=subprocess.DEVNULL)
    if kill_after is not None:
        time.sleep(kill_after)
        process.kill()
    _, status, usage = os.wait4(process.pid, 0)
    if kill_after is None and status != 0:
        sys.exit("merge_benchmark.py: merge ended with %d" % status)
    return usage.ru_utime + usage.ru_stime, time.time() - begun, usage.ru_maxrss * 1024


def rows_of(database):
    connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    row = connection.execute("SELECT (SELECT count(*) FROM sites), (SELECT count(*) FROM fragments), "
                             "(SELECT count(*) FROM shaders)").fetchone()
    connection.close()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rewrought")
    parser.add_argument("folder")
    parser.add_argument("--shards", type=int, default=20)
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--kill-at", type=int, default=0)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    database = os.path.join(options.folder, "all.db")
    shard = os.path.join(options.folder, "shard.db")
    total, last = 0.0, 1.0
    for number in range(1, options.shards + 1):
        made = time.time()
        make_shard(options.rewrought, shard, number, options.rows)
        made = time.time() - made
        if number == options.kill_at:
            merge(options.rewrought, shard, database, kill_after=last / 2)
            print("shard %d: its merge was killed after %.1f s" % (number, last / 2))
        processor, last, peak = merge(options.rewrought, shard, database)
        total += processor
        sites, fragments, shaders = rows_of(database)
        if sites != number * options.rows:
            sys.exit("merge_benchmark.py: %d rows where %d belong" % (sites, number * options.rows))
        print("shard %d of %.1f MB: %.2f s of processor, %.1f s, %.1f us a row, %.0f MB of memory; in all %d shaders, "
              "%d rows, %d fragments, %.1f MB, %.1f s of processor (made in %.0f s)" % (
                  number, os.path.getsize(shard) / 1e6, processor, last, processor * 1e6 / options.rows, peak / 1e6,
                  shaders, sites, fragments, os.path.getsize(database) / 1e6, total, made), flush=True)
        remove(shard)
    if not options.keep:
        remove(database)


if __name__ == "__main__":
    main()
