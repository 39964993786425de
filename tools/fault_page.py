#!/usr/bin/env python3
"""Writes a table and a page of the confirmed faults that an audit found in a tree's rules.

usage: tools/fault_page.py CONFIRMED.jsonl CAUSES.toml TABLE.tsv PAGE.md

CONFIRMED.jsonl is the output of tests/mesa/confirm_witnesses.py --json. CAUSES.toml describes the page: its title and
introduction, and a list of causes. Each cause has a title, an explanation, and the lines of its rules in the tree. The
table has one row for each rule of a listed line whose witness Mesa's constant folding confirms. The program fails if a
cause has no such rule, or if a line has several causes.
"""
import json
import sys
import tomllib

COLUMNS = ["cause", "line", "test status", "search", "replacement", "condition", "bits", "inputs", "results", "fix"]
CONFIRMED = ("folding", "poison")


class Problem(Exception):
    pass


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
            "fix": fix.get("rule", "") if fix.get("verdict") == "proved" else ""}


def rows_of(causes, rules):
    """Returns the rows of the table, by cause and line. Raises Problem if the causes do not fit the rules."""
    rows, seen = [], {}
    for cause in causes:
        for line in cause["lines"]:
            if line in seen:
                raise Problem(f"line {line} belongs to '{seen[line]}' and to '{cause['title']}'")
            if line not in rules:
                raise Problem(f"line {line} of '{cause['title']}' has no confirmed fault")
            seen[line] = cause["title"]
            rows += [row_of(cause, rule) for rule in rules[line]]
    return rows


def write_table(rows, path):
    with open(path, "w", encoding="utf-8") as table:
        table.write("\t".join(COLUMNS) + "\n")
        for row in rows:
            table.write("\t".join(row[column] for column in COLUMNS) + "\n")


def section_of(cause, rows):
    """Returns the section of a cause: its explanation, and one example for each line."""
    mine = [row for row in rows if row["cause"] == cause["title"]]
    lines = [f"## {cause['title']}", cause["text"].strip(), ""]
    for line in cause["lines"]:
        of_line = [row for row in mine if row["line"] == str(line)]
        row = of_line[0]
        count = f" and {len(of_line) - 1} similar rules" if len(of_line) > 1 else ""
        condition = f" if `{row['condition']}`" if row["condition"] else ""
        lines.append(f"- **:{line}**{count} (test status {row['test status']}): `({row['search']}, {row['replacement']})`{condition}")
        lines.append(f"  at {row['bits']} bits with {row['inputs']}: {row['results']}.")
        if row["fix"]:
            lines.append(f"  This form is proved: `{row['fix']}`.")
    return "\n".join(lines) + "\n"


def page_of(page, rows):
    """Returns the page in Markdown. Lines with rules are long."""
    lines = len({row["line"] for row in rows})
    passing = len([row for row in rows if row["test status"] == "PASS"])
    counts = (f"The page lists {len(rows)} rules on {lines} lines of the file. The tree's own test expects {passing} of them to pass.")
    sections = [section_of(cause, rows) for cause in page["cause"]]
    return "\n".join([f"# {page['title']}\n", page["introduction"].strip() + "\n", counts + "\n"] + sections)


def main(arguments):
    if len(arguments) != 4:
        sys.exit(__doc__)
    confirmed, causes, table, page = arguments
    with open(causes, "rb") as file:
        description = tomllib.load(file)
    try:
        rows = rows_of(description["cause"], read_confirmed(confirmed))
    except Problem as problem:
        print(f"{causes}: {problem}", file=sys.stderr)
        return 2
    write_table(rows, table)
    with open(page, "w", encoding="utf-8") as file:
        file.write(page_of(description, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
