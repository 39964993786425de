#!/usr/bin/env python3
"""Writes a table or a page of the confirmed faults that an audit found in a tree's rules.

usage: tools/fault_page.py table CONFIRMED.jsonl CAUSES.toml > TABLE.tsv
       tools/fault_page.py patches SERIES.jsonl CAUSES.toml > PATCHES.tsv
       tools/fault_page.py page TABLE.tsv CAUSES.toml PATCHES.tsv > PAGE.md

CONFIRMED.jsonl is the output of tests/mesa/confirm_witnesses.py --json. CAUSES.toml describes the page: its title and
introduction, and a list of causes. Each cause has a title, an explanation, and the lines of its rules in the tree. With
`suggest = false`, the audit's suggested fixes are omitted, because the explanation states a better one. The table has
one row for each rule of a listed line whose witness Mesa's constant folding confirms. `table` fails if a listed line
has no such rule, or if a line has several causes. SERIES.jsonl is the output of `rewrought propose --fix --causes
CAUSES.toml --json`. PATCHES.tsv has one row for each corrected rule, and one for each patch that only removes rules.
"""
import json
import sys
import tomllib

import page_tables

COLUMNS = ["cause", "line", "test status", "search", "replacement", "condition", "bits", "inputs", "results", "fix"]
PATCH_COLUMNS = ["patch", "lines", "removed", "rule", "condition", "verdict"]
CONFIRMED = ("folding", "poison")


def read_confirmed(path):
    """Returns the confirmed rules by line, without lowerings and without rules that are wrong at 1 bit only."""
    rules = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            rule = json.loads(line)
            if rule["confirmed"] in CONFIRMED and not rule["lowering"] and rule["width"] != 1:
                rules.setdefault(rule["line"], []).append(rule)
    return rules


def inputs_of(rule):
    shown = {name: value for name, value in sorted(rule["witness"]["vars"].items()) if not name.startswith("root_")}
    return ", ".join(f"{name} = {value}" for name, value in shown.items())


def row_of(cause, rule):
    fix = rule.get("suggested_fix") or {}
    return {"cause": cause["title"], "line": str(rule["line"]), "test status": rule["test_status"] or "PASS",
            "search": rule["search"], "replacement": rule["replace"], "condition": rule["condition"],
            "bits": str(rule["width"]), "inputs": inputs_of(rule), "results": rule["why"],
            "fix": fix.get("rule", "") if fix.get("verdict") == "proved" and cause.get("suggest", True) else ""}


def rows_of(causes, rules):
    """Returns the rows of the table, by cause and line. Raises Problem if the causes do not fit the rules."""
    rows, seen = [], {}
    for cause in causes:
        for line in cause["lines"]:
            if line in seen:
                raise page_tables.Problem(f"line {line} is listed under both '{seen[line]}' and '{cause['title']}'; "
                                          "list it under one cause")
            if line not in rules:
                raise page_tables.Problem(f"line {line} of '{cause['title']}' has no confirmed fault")
            seen[line] = cause["title"]
            rows += [row_of(cause, rule) for rule in rules[line]]
    return rows


def patch_rows_of(patches):
    """Returns the rows of the table of patches."""
    rows = []
    for patch in patches:
        common = {"patch": patch["subject"], "lines": ", ".join(map(str, patch["lines"])),
                  "removed": str(patch["removed"])}
        for rule in patch["added"] or [{"rule": "", "condition": "", "verdict": ""}]:
            rows.append({**common, "rule": rule["rule"], "condition": rule["condition"], "verdict": rule["verdict"]})
    return rows


def code(text):
    return f"`{text}`" if text else ""


def section_of(cause, rows):
    """Returns the section of a cause: its explanation and a table with one example for each line."""
    lines = [f"## {cause['title']}", cause["text"].strip(), "",
             "| line | rules | test status | rule | condition | bits | inputs | results of constant folding "
             "| proved form |", "|---|---|---|---|---|---|---|---|---|"]
    for line in cause["lines"]:
        of_line = [row for row in rows if row["line"] == str(line)]
        if not of_line:
            raise page_tables.Problem(f"the table has no row for line {line}; generate it again with "
                                      "`fault_page.py table`")
        row = of_line[0]
        cells = [line, len(of_line), row["test status"], code(f"({row['search']}, {row['replacement']})"),
                 code(row["condition"]), row["bits"], row["inputs"], row["results"], code(row["fix"])]
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def patches_section(page, rows):
    """Returns the section about the series of patches, with one row for each patch."""
    patches = {}
    for row in rows:
        patches.setdefault(row["patch"], []).append(row)
    lines = ["## Patches", page["patches"].strip(), "",
             "| patch | lines | rules before | rules after | a corrected rule |", "|---|---|---|---|---|"]
    for patch, found in patches.items():
        rules = [row for row in found if row["rule"]]
        verdicts = sorted({row["verdict"] for row in rules}, reverse=True)
        after = ", ".join(f"{sum(row['verdict'] == verdict for row in rules)} {verdict}"
                          for verdict in verdicts) or "removed"
        cells = [patch, found[0]["lines"], found[0]["removed"], after, code(rules[0]["rule"]) if rules else ""]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def page_of(page, rows, patches):
    """Returns the page in Markdown."""
    listed = {str(line) for cause in page["cause"] for line in cause["lines"]}
    lines = {row["line"] for row in rows}
    if lines - listed:
        raise page_tables.Problem(f"no cause lists line {min(lines - listed)} of the table")
    passing = len([row for row in rows if row["test status"] == "PASS"])
    counts = (f"This page lists {len(rows)} rules on {len(lines)} lines of the file. The tree's own test expects "
              f"{'all' if passing == len(rows) else passing} of them to pass.")
    sections = [section_of(cause, rows) for cause in page["cause"]] + [patches_section(page, patches)]
    return "\n".join([f"# {page['title']}\n", page["introduction"].strip() + "\n", counts + "\n"] + sections)


def text_of(page, command, source, patches=None):
    """Returns the output of a command."""
    if command == "table":
        return page_tables.table_of(rows_of(page["cause"], read_confirmed(source)), COLUMNS)
    if command == "patches":
        return page_tables.table_of(patch_rows_of(page_tables.read_series(source)), PATCH_COLUMNS)
    return page_of(page, page_tables.read_table(source, COLUMNS), page_tables.read_table(patches, PATCH_COLUMNS))


def main(arguments):
    if {"table": 3, "patches": 3, "page": 4}.get(arguments[0] if arguments else "") != len(arguments):
        sys.exit(__doc__)
    command, source, causes, *patches = arguments
    with open(causes, "rb") as file:
        page = tomllib.load(file)
    return page_tables.print_result(causes, lambda: text_of(page, command, source, *patches))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
