#!/usr/bin/env python3
"""How long shards of a given size take to be merged into one database, and in how much memory: what is generated is a
corpus as harvests leave it (few fragments are frequent, most are rare), so that sizes can be measured beyond the shaders
that there are. Not a test.

usage: merge_benchmark.py REWROUGHT FOLDER [--shards N] [--rows ROWS] [--together T] [--kill-at N] [--keep]

Makes T shards (by default 1) of ROWS rows of sites in FOLDER, merges them into FOLDER/all.db by one command, deletes
them, and so on until there were N; one line for each merge: rows and bytes so far, seconds of processor and of the
clock, peak memory, what went through the disk. Rows are counted at the end, and after --kill-at, which kills the merge
of shard N with -9 half-way and merges again. --keep leaves all.db there. In a cgroup of little memory it says what
becomes of databases that no machine's memory holds.
"""
import argparse
import hashlib
import math
import multiprocessing
import os
import random
import sqlite3
import subprocess
import sys
import time

ROWS_PER_SHADER = 1170  # of the demo's sources (docs/nightly.md 7)
FREQUENT = 1250  # so that 400,000 rows have 106,000 distinct fragments, as there


def text_of(number):
    """A fragment's text, as long as they are on average."""
    return ("(fadd@32 (fmul@32{nsz} (ffma@32 a@32 b@32 0x%08x@32) (fmax@32 c@32 d@32)) (bcsel@32 (flt@1 a@32 d@32) "
            "(fsqrt@32 b@32) 0x%x@32))" % (number & 0xffffffff, number))


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
    shaders = max(1, rows // ROWS_PER_SHADER)
    draw = random.Random(number)
    # Distinct fragments grow with the 0.62nd power of rows, and are as many as in the demo's corpus.
    fragment = lambda: min(int(FREQUENT * math.pow(draw.random() + 1e-9, -1 / 0.62)), 1 << 60)
    database = sqlite3.connect(path, isolation_level=None)
    database.create_function("shader_digest", 1, lambda shader: hashlib.sha256(b"%d %d" % (number, shader)).digest())
    database.create_function("draw_fragment", 0, fragment)
    database.create_function("fragment_text", 1, text_of, deterministic=True)
    database.create_function("sha256", 1, lambda text: hashlib.sha256(text.encode()).digest(), deterministic=True)
    for statement in ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -64000", "BEGIN",
                      "INSERT INTO sources (name, held_out) VALUES ('generated', 0) ON CONFLICT DO NOTHING"):
        database.execute(statement)
    database.executemany("INSERT INTO strings (text) VALUES (?)", [("number finite max=%d" % i,) for i in range(10)])
    (facts,) = database.execute("SELECT min(id) FROM strings WHERE text LIKE 'number finite%'").fetchone()
    count = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) "
    database.execute(count % shaders + "INSERT INTO shaders (digest, stage, alu_instructions, extraction) "
                     "SELECT shader_digest(i), 'fragment', 200, randomblob(32) FROM n")
    database.execute("INSERT INTO occurrences SELECT s.id, sources.id, 'shader ' || hex(digest) FROM shaders s, sources "
                     "WHERE sources.name = 'generated'")
    database.execute("CREATE TEMP TABLE drawn AS " + count % rows + "SELECT draw_fragment() AS fragment, i FROM n")
    # Fragments that other shards have too are most.
    database.execute("CREATE TEMP TABLE ids (id INTEGER PRIMARY KEY, fragment INTEGER UNIQUE)")
    database.execute("INSERT INTO ids (fragment) SELECT fragment FROM drawn GROUP BY fragment ORDER BY min(i)")
    database.execute("INSERT INTO fragments (id, digest, text, nodes, variables, widths) SELECT id, "
                     "sha256(fragment_text(fragment)), fragment_text(fragment), 7, 4, '32' FROM ids")
    database.execute("INSERT INTO sites SELECT id, i % :shaders + 1, i / :shaders, 0, :facts + i % 10, 1, 1, "
                     "(i % :shaders) || ' ' || (i / :shaders) FROM drawn JOIN ids USING (fragment) ORDER BY 1, 2, 3",
                     {"shaders": shaders, "facts": facts})
    database.execute("COMMIT")
    database.close()


def merge(program, shards, database, kill_after=None):
    """(seconds of processor, of the clock, what the system says it used) of one merge; with kill_after it is killed."""
    begun = time.time()
    process = subprocess.Popen([program, "merge", *shards, "--db", database, "--no-settle", "--json"],
                               stdout=subprocess.DEVNULL)
    if kill_after is not None:
        time.sleep(kill_after)
        process.kill()
    _, status, usage = os.wait4(process.pid, 0)
    if kill_after is None and status != 0:
        sys.exit("merge_benchmark.py: merge ended with %d" % status)
    return usage.ru_utime + usage.ru_stime, time.time() - begun, usage


def check_rows(database, expected):
    connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    sites, fragments, shaders = connection.execute(
        "SELECT (SELECT count(*) FROM sites), (SELECT count(*) FROM fragments), (SELECT count(*) FROM shaders)").fetchone()
    connection.close()
    if sites != expected:
        sys.exit("merge_benchmark.py: %d rows where %d belong" % (sites, expected))
    print("counted: %d shaders, %d rows, %d fragments" % (shaders, sites, fragments), flush=True)


def make_shards(options, first, paths):
    """In processes of their own: what this one holds would count as the merge's, too, until that is another program."""
    for number, path in enumerate(paths, first):
        maker = multiprocessing.Process(target=make_shard, args=(options.rewrought, path, number, options.rows))
        maker.start()
        maker.join()
        if maker.exitcode != 0:
            sys.exit("merge_benchmark.py: no shard was made")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rewrought")
    parser.add_argument("folder")
    parser.add_argument("--shards", type=int, default=20)
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--kill-at", type=int, default=0)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    database = os.path.join(options.folder, "all.db")
    total, last = 0.0, 1.0
    for first in range(1, options.shards + 1, options.together):
        end = min(first + options.together, options.shards + 1)
        shards = [os.path.join(options.folder, "shard%d.db" % number) for number in range(first, end)]
        made = time.time()
        make_shards(options, first, shards)
        made = time.time() - made
        killed = first <= options.kill_at < end
        if killed:
            merge(options.rewrought, shards, database, kill_after=last / 2)
            print("shards %d to %d: the merge was killed after %.1f s" % (first, end - 1, last / 2))
        processor, last, usage = merge(options.rewrought, shards, database)
        total += processor
        rows = (end - first) * options.rows
        print("shards %d to %d of %.0f MB: %.2f s of processor, %.1f s, %.1f us a row, %.0f MB of memory, %.0f MB read, "
              "%.0f MB written; in all %d rows, %.0f MB, %.1f s of processor (made in %.0f s)" % (
                  first, end - 1, os.path.getsize(shards[-1]) / 1e6, processor, last, processor * 1e6 / rows,
                  usage.ru_maxrss / 1e3, usage.ru_inblock * 512 / 1e6, usage.ru_oublock * 512 / 1e6,
                  (end - 1) * options.rows, os.path.getsize(database) / 1e6, total, made), flush=True)
        if killed or end > options.shards:
            check_rows(database, (end - 1) * options.rows)
        for shard in shards:
            remove(shard)
    if not options.keep:
        remove(database)


if __name__ == "__main__":
    main()
