"""Reads and writes the tables from which fault_page.py and proposals_page.py write pages.

A table is a file with one row per line and its cells separated by tabs; the first line names the columns.
"""
import csv
import io
import json
import os
import sys


class Problem(Exception):
    """Tables or descriptions that do not fit together."""


def read_series(path):
    """Returns the patches in the output of `rewrought propose --json`."""
    with open(path, encoding="utf-8") as lines:
        return [patch for patch in map(json.loads, lines) if "patch" in patch]


def table_of(rows, columns):
    """Returns the text of a table. rows: {column: cell}."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def read_table(path, columns):
    """Returns the rows of a table as {column: cell}. Raises Problem if the table has other columns."""
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        if reader.fieldnames != columns:
            raise Problem(f"{path} has other columns; write it again with {os.path.basename(sys.argv[0])}")
        return list(reader)


def print_result(name, text_of):
    """Prints the text that `text_of` returns. If it raises Problem, prints the name and the problem on standard error.
    Returns the exit status."""
    try:
        print(text_of(), end="")
    except Problem as problem:
        print(f"{name}: {problem}", file=sys.stderr)
        return 2
    return 0
