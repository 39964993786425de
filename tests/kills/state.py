"""Reads the rows of a database that a killed process may have left behind. Omits local ids and times."""
import contextlib
import hashlib
import json
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from site_rows import sites  # noqa: E402

# These queries return the committed rows: key columns, then columns that must be equal in the end. They exclude local
# ids, times, durations, and the names of runs.
TABLES = {
    "sources": "SELECT name, held_out FROM sources",
    "shaders": "SELECT hex(digest), stage, alu_instructions, hex(extraction) FROM shaders",
    "occurrences": "SELECT hex(digest), sources.name, occurrences.name FROM occurrences "
                   "JOIN shaders ON shaders.id = shader_id JOIN sources ON sources.id = source_id",
    "notes": "SELECT hex(digest), text, count FROM notes JOIN shaders ON shaders.id = shader_id "
             "JOIN strings ON strings.id = note_id",
    "fragments": "SELECT hex(digest), text, nodes, variables, widths FROM fragments",
    "attempts": "SELECT hex(digest), strings.text, hex(semantics), hex(search), outcome, candidates FROM attempts "
                "JOIN fragments ON fragments.id = fragment_id JOIN strings ON strings.id = machine_id",
    "candidates": "SELECT hex(candidates.id), strings.text, hex(fragments.digest), candidates.text FROM candidates "
                  "JOIN strings ON strings.id = machine_id LEFT JOIN fragments ON fragments.id = fragment_id",
    "verdicts": "SELECT hex(rule), text, hex(semantics), verdict, tier, reason, confirmed_by, hex(witness) "
                "FROM verdicts JOIN strings ON strings.id = case_id",
    "contradictions": "SELECT hex(rule), text, hex(semantics) FROM contradictions JOIN strings ON strings.id = case_id",
    "rules": "SELECT hex(id), machine, search, replace, program, condition, flags, class, reason, "
             "hex(generalised_from), hex(fragment), hex(semantics) FROM rules",
    "rule_ops": "SELECT op, hex(rule) FROM rule_ops",
    "measurements": "SELECT hex(rule), split, hits, shaders, sources, naive_instructions, naive_cycles, "
                    "tuned_instructions, tuned_cycles FROM measurements",
    "hits": "SELECT hex(rule), hex(digest), hits, saved_instructions, saved_cycles, lines FROM hits "
            "JOIN shaders ON shaders.id = shader_id",
    "trials": "SELECT hex(rule), driver, hex(detail) FROM trials",
    "driver_trials": "SELECT driver, machine FROM driver_trials",  # excludes `detail`, which contains durations
}
# Tables that are not compared: interned strings, the runs themselves (compared separately below), data that depends on
# the time of a night, and an installation's own notes.
OTHERS = {"strings", "runs", "run_changes", "verified", "site_blocks", "stale_sites"}
# For each table, the number of leading columns that never change after the commit. The other columns may improve: for
# example, a verdict may be confirmed, or a rule may be assigned to its smallest fragment. Measurements are repeated.
LASTING = {"attempts": 4, "candidates": 2, "verdicts": 4, "rules": 8, "measurements": 0, "hits": 0, "trials": 0, "driver_trials": 0}


class Broken(Exception):
    """The database is in a state that a kill must not cause."""


def read(path):
    """Checks the file's pages. Returns the rows by table, and the runs separately, or None if there is no database
    yet."""
    if not os.path.exists(path):
        return None
    with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True)) as database:
        if database.execute("PRAGMA user_version").fetchone()[0] == 0:
            return None  # killed before the schema was created
        check = database.execute("PRAGMA integrity_check").fetchall()
        if check != [("ok",)] or database.execute("PRAGMA foreign_key_check").fetchall():
            raise Broken("%s: %s" % (path, check[:3]))
        known = {row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if known != set(TABLES) | OTHERS:
            raise Broken("tables that are not compared: %s" % (known ^ (set(TABLES) | OTHERS)))
        rows = {table: sorted(database.execute(sql), key=repr) for table, sql in TABLES.items()}
        rows["sites"] = sorted(sites(database), key=repr)
        runs = list(database.execute("SELECT id, kind, state, run_statistics FROM runs ORDER BY started, id"))
    for table, found in rows.items():
        if len(set(found)) != len(found):
            raise Broken("%s: duplicate row" % table)
    return {"rows": rows, "runs": runs}


def committed(state):
    """Returns the number of rows."""
    return sum(map(len, state["rows"].values())) if state else 0


def lost(before, after):
    """Returns rows that were committed before a kill but are missing in the end."""
    if before is None:
        return []
    gone = []
    for table, found in before["rows"].items():
        columns = LASTING.get(table)
        kept = {row[:columns] for row in after["rows"][table]}
        gone += ["%s %.200s" % (table, row) for row in found if columns != 0 and row[:columns] not in kept]
    return gone


def differences(expected, found):
    """Returns the differences between two databases as lines of text."""
    told = []
    for table in expected["rows"]:
        one, two = set(expected["rows"][table]), set(found["rows"][table])
        told += ["%s misses %.300s" % (table, row) for row in sorted(one - two, key=repr)[:2]]
        told += ["%s has %.300s" % (table, row) for row in sorted(two - one, key=repr)[:2]]
    for name, state in (("expected", expected), ("found", found)):
        unfinished = [run[:3] for run in state["runs"] if run[2] != 5]
        if unfinished:
            told.append("%s: unfinished runs: %s" % (name, unfinished))
    counts = [[json.loads(run[3]) for run in state["runs"]] for state in (expected, found)]
    for key in ("fragments", "candidates", "refuted", "proved", "unknown"):
        sums = [sum(int(one.get(key, 0)) for one in state) for state in counts]
        if sums[0] != sums[1]:
            told.append("run statistics: %d %s, not %d: something was counted twice or not at all" %
                        (sums[1], key, sums[0]))
    return told


def files(folder):
    """Maps the relative paths of all files and links below a folder to digests."""
    found = {}
    for root, folders, names in os.walk(folder):
        for name in names + [one for one in folders if not os.listdir(os.path.join(root, one))]:
            path = os.path.join(root, name)
            is_file = os.path.isfile(path) and not os.path.islink(path)
            with open(path if is_file else os.devnull, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest() if is_file else "-"
    return found


def torn_pack(folder):
    """Returns the errors in a folder that must be empty or a complete pack, whose manifest lists every file with
    its digest."""
    wrong = []
    for place in (folder, os.path.join(folder, "inexact")):
        manifest = os.path.join(place, "manifest.json")
        if not os.path.exists(manifest):
            names = [name for name in os.listdir(place)] if os.path.isdir(place) else []
            wrong += ["%s without a manifest" % os.path.join(place, name) for name in names if name != "inexact"]
            continue
        try:
            with open(manifest, encoding="utf-8") as file:
                named = json.load(file)["files"]
        except (ValueError, KeyError) as error:
            wrong.append("%s: %s" % (manifest, error))
            continue
        for one in named:
            path = os.path.join(place, one["name"])
            with open(path, "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != one["digest"]:
                    wrong.append("%s does not match the manifest" % path)
    return wrong
