#!/usr/bin/env python3
"""Counts the outcomes of public inputs in docs/results/outcomes.tsv, and checks the rules among them again.

usage: tools/outcomes.py [--rewrought PATH] [--sample N] docs/results/outcomes.tsv

Without --rewrought, prints only the counts. With --rewrought, runs `rewrought check` on the rows that contain a rule
and prints each row whose verdict or counterexample differs. Only a different verdict counts as a change, because a
rule may have several counterexamples. --sample checks only N rules, evenly spaced.

Exit status: 0 if nothing changed, 1 if a verdict changed, 2 if the table is malformed or the program fails.
"""
import argparse
import collections
import json
import subprocess
import sys

COLUMNS = ["kind", "source", "rule", "outcome", "right", "remark"]
KINDS = ["file", "report"]
# "fixed": the outcome was wrong when the input was first tried, and is right now.
RIGHT = ["yes", "fixed", "no"]


class TableError(Exception):
    """A row of the table is malformed."""


def read_table(path):
    """Returns the rows of the table as dictionaries. Raises TableError with the number of the first malformed line."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if not lines or lines[0].split("\t") != COLUMNS:
        raise TableError(f"{path}:1: the columns are not {' '.join(COLUMNS)}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            raise TableError(f"{path}:{number}: {len(cells)} columns instead of {len(COLUMNS)}")
        row = dict(zip(COLUMNS, cells), line=number)
        if row["kind"] not in KINDS or row["right"] not in RIGHT or (row["kind"] == "report") != bool(row["rule"]):
            raise TableError(f"{path}:{number}: malformed row")
        rows.append(row)
    return rows


def verdict_of(row):
    """Returns the first word of the outcome: "read" or "skipped" for a file, and the verdict for a rule."""
    return row["outcome"].split(":")[0]


def count_rows(rows):
    """Returns the lines of the summary: the bad outcomes first, then the counts for each kind of input."""
    lines = [f"wrong: {row['source']}: {row['outcome']}" for row in rows if row["right"] == "no"]
    lines += [f"wrong at first: {row['source']}: {row['remark']}" for row in rows if row["right"] == "fixed"]
    for kind in KINDS:
        of_kind = [row for row in rows if row["kind"] == kind]
        counts = collections.Counter(verdict_of(row) for row in of_kind)
        right = collections.Counter(row["right"] for row in of_kind)
        text = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        lines.append(f"{kind}: {len(of_kind)} ({text}); right: {right['yes']}, right after a fix: {right['fixed']}, "
                     f"wrong: {right['no']}")
    return lines


def check_rules(rewrought, rows):
    """Returns a pair for each row: the verdict on its rule, and a counterexample or an empty string."""
    rules = "".join(row["rule"] + "\n" for row in rows)
    done = subprocess.run([rewrought, "check", "--dialect", "nir-25", "--json", "-"], input=rules, capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        result = json.loads(line)
        refuted = [case for case in result.get("cases", []) if case.get("witness")]
        refuted.sort(key=lambda case: case["width"] != 32)  # prefers 32 bits
        witness = witness_text(refuted[0]["witness"]["vars"]) if refuted else ""
        found[result["line"]] = (result["verdict"], witness)
    if len(found) != len(rows):
        raise OSError(f"{rewrought} returned {len(found)} verdicts for {len(rows)} rules: {done.stderr[-500:]}")
    return [found[number] for number in sorted(found)]


def witness_text(values):
    """Returns the inputs of a counterexample as text. Omits the flags and zeros that Mesa's matcher leaves open."""
    names = sorted(name for name in values if not name.startswith(("root_", "zero")))
    return ", ".join(f"{name} = {values[name]}" for name in names)


def spaced(rows, count):
    """Returns `count` of the rows, evenly spaced, or all rows if `count` is 0 or too large."""
    if not 0 < count < len(rows):
        return rows
    return [rows[index * len(rows) // count] for index in range(count)]


def main(arguments):
    """Runs the command line and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", help="the table of outcomes")
    parser.add_argument("--rewrought", metavar="PATH", help="the program that checks the rules again")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="check only N rules (default: all)")
    args = parser.parse_args(arguments)
    try:
        rows = read_table(args.table)
        print("\n".join(count_rows(rows)))
        if not args.rewrought:
            return 0
        with_rules = spaced([row for row in rows if row["rule"]], args.sample)
        changed = 0
        for row, (verdict, witness) in zip(with_rules, check_rules(args.rewrought, with_rules)):
            if verdict != verdict_of(row):
                changed += 1
                print(f"{args.table}:{row['line']}: the outcome was {row['outcome']}, and is now {verdict}"
                      f"{': ' + witness if witness else ''}: {row['rule']}")
            elif row["outcome"] not in (verdict, f"{verdict}: {witness}"):
                print(f"{args.table}:{row['line']}: another counterexample: {witness}: {row['rule']}")
        print(f"checked {len(with_rules)} rules: {changed} verdicts changed")
        return 1 if changed else 0
    except (TableError, OSError) as error:
        print(f"outcomes: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
