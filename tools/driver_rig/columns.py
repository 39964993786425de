#!/usr/bin/python3
"""Compares several results files column by column, such as two versions of Mesa without and with a pack.

Each argument is LABEL=FILE, where FILE is a results file of tools/driver_rig/run or a quoted pattern. The files come in
pairs: the second file of a pair is compared with the first. With --first, all other files are compared with the first
one instead. The table contains only shaders that every file has and whose number of loops is the same in all files, so
that the columns can be compared with each other.

    tools/driver_rig/columns.py 25.0.7=a.jsonl "25.0.7 with pack=b.jsonl" 26.2=c.jsonl "26.2 with pack=d.jsonl" --tsv t.tsv
    tools/driver_rig/columns.py --first without=a.jsonl "all rules=b.jsonl" "chosen rules=c.jsonl"
    tools/driver_rig/columns.py --render t.tsv u.tsv        # prints tables as Markdown

A line of a table that starts with "# " is text for the page, above the table.
"""
import argparse
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
sys.dont_write_bytecode = True
import compare  # noqa: E402
import compare_text  # noqa: E402
import estimate  # noqa: E402
import rig  # noqa: E402

HEAD = ["driver", "mode", "shaders", "number", "better"]
NOTICEABLE = f"time, changes of more than {100 * estimate.NOTICEABLE:g}%"


def shared_keys(sides, driver, mode):
    """Returns the shaders that every side has with the same number of loops. The key contains the hash of the program's
    text, so programs match across versions of Mesa."""
    keys = set.intersection(*(side.keys.get((driver, mode), set()) for side in sides))
    return sorted(key for key in keys if len({side.shaders[key]["numbers"].get("loops") for side in sides}) == 1)


def pairs_of(count, first):
    """Returns the pairs (before, after) of numbers of columns that are compared."""
    return [(0, after) for after in range(1, count)] if first else [(at, at + 1) for at in range(0, count, 2)]


def rows_of(sides, table, pairs):
    """Returns the table's rows without its head: the names of HEAD, one total per side, and for each pair of sides the
    numbers of shaders that got better and worse. The row after time has the same totals, but counts only shaders
    whose time changed noticeably (estimate.NOTICEABLE)."""
    rows = []
    modes = sorted({pair for side in sides for pair in side.keys})
    for driver, mode in modes:
        keys = shared_keys(sides, driver, mode)
        if not keys:
            continue
        row = table[driver]
        numbers = [[side.shaders[key]["numbers"] for key in keys] for side in sides]
        names = [name for name in numbers[0][0] if all(name in one for of_side in numbers for one in of_side)]
        for name in names:
            high = name in row.get("better_high", ())
            totals = [sum(one[name] for one in of_side) for of_side in numbers]
            counts = []
            for before, after in pairs:
                signs = [compare.sign((old[name], new[name]), high) for old, new in zip(numbers[before], numbers[after])]
                counts += [signs.count("helped"), signs.count("hurt")]
            rows.append([driver, mode, len(keys), name, "high" if high else "low"] + totals + counts)
            if name == estimate.TIME:
                rows.append([driver, mode, len(keys), NOTICEABLE, "low"] + totals + noticeable_counts(numbers, pairs))
    return rows


def noticeable_counts(numbers, pairs):
    """Returns, for each pair of sides, the numbers of shaders that became noticeably faster and slower."""
    counts = []
    for before, after in pairs:
        times = [(old[estimate.TIME], new[estimate.TIME]) for old, new in zip(numbers[before], numbers[after])]
        counts += [sum(estimate.is_helped(*pair) for pair in times), sum(estimate.is_hurt(*pair) for pair in times)]
    return counts


def head_of(labels, pairs):
    return HEAD + labels + [f"{which} in {labels[after]}" for _, after in pairs for which in ("better", "worse")]


def columns_of(head):
    """Returns the labels in a table's head and, for each label, the number of the column that it is compared with and
    the position of its counts in a row, or None if it is not compared."""
    labels = [name for name in head[len(HEAD):] if not name.startswith(("better in ", "worse in "))]
    found, before = [], 0
    for number, label in enumerate(labels):
        counts = f"better in {label}"
        if counts not in head:
            before = number
        found.append((before, head.index(counts)) if counts in head else None)
    return labels, found


def render(rows):
    """Returns the table as Markdown. rows: the rows of the TSV, including the header row, as strings."""
    labels, compared = columns_of(rows[0])
    columns = len(labels)
    text, last = [], None
    for row in rows[1:]:
        driver, mode, shaders, name, better = row[:len(HEAD)]
        totals = [float(value) for value in row[len(HEAD):len(HEAD) + columns]]
        moved = any(int(row[one[1]]) or int(row[one[1] + 1]) for one in compared if one)
        if len(set(totals)) == 1 and not moved:
            continue
        if (driver, mode) != last:
            last = (driver, mode)
            text += ["", f"**{driver}, {mode}: {shaders} shaders**", "", "| number | " + " | ".join(labels) + " |",
                     "|---|" + "---|" * columns]
        cells = []
        for at, total in enumerate(totals):
            shown = f"{total:,.0f}" if total == int(total) else f"{total:,.1f}"
            if compared[at]:
                before, counts = compared[at]
                change = compare.percent(totals[before], total)
                shown += f" ({'new' if change is None and total else f'{change or 0:+.2f}%'}; " \
                    f"{row[counts]} better, {row[counts + 1]} worse)"
            cells.append(shown)
        text.append(f"| {compare_text.shown(name)}{' (higher is better)' if better == 'high' else ''} | "
                    + " | ".join(cells) + " |")
    return "\n".join(text[1:] or ["All numbers are the same in all columns."]) + "\n"


def read_tsv(path):
    """Returns the text for the page and the rows of a table that --tsv wrote."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    text = "".join(line[1:].removeprefix(" ") + "\n" for line in lines if line.startswith("#"))
    return text, [line.split("\t") for line in lines if not line.startswith("#")]


def main(arguments):
    parser = argparse.ArgumentParser(prog="columns.py", formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("columns", nargs="*", metavar="LABEL=FILE")
    parser.add_argument("--first", action="store_true", help="compare all other files with the first one")
    parser.add_argument("--tsv", metavar="FILE", help="write the table to this file instead of printing it as Markdown")
    parser.add_argument("--render", metavar="FILE", nargs="+", help="print tables that --tsv wrote as Markdown")
    options = parser.parse_args(arguments)
    if options.render:
        tables = [read_tsv(path) for path in options.render]
        sys.stdout.write("\n".join(text + "\n" * bool(text) + render(rows) for text, rows in tables))
        return
    pairs = [column.partition("=") for column in options.columns]
    if len(pairs) < 2 or len(pairs) % 2 and not options.first or not all(label and path for label, _, path in pairs):
        parser.error("name an even number of LABEL=FILE, at least two; with --first, the number may be odd")
    table = compare.rows_of(rig.load_drivers())
    sides = [compare.Side(path, table) for _, _, path in pairs]
    for note in (note for side in sides for note in side.notes):
        print(f"columns.py: {note}", file=sys.stderr)
    compared = pairs_of(len(pairs), options.first)
    rows = [head_of([label for label, _, _ in pairs], compared)] + rows_of(sides, table, compared)
    if len(rows) == 1:
        raise rig.UserError("the files have no shader in common")
    if not options.tsv:
        sys.stdout.write(render([[str(value) for value in row] for row in rows]))
        return
    with open(options.tsv, "w", encoding="utf-8") as file:
        file.writelines("\t".join(str(value) for value in row) + "\n" for row in rows)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except rig.UserError as error:
        sys.exit(f"columns.py: {error}")
