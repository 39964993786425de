#!/usr/bin/env python3
"""Writes the tables and the page of proposed rules for a Mesa tree.

usage: tools/proposals_page.py rules SERIES.jsonl > RULES.tsv
       tools/proposals_page.py numbers SERIES.jsonl MEASURED/series.json > NUMBERS.tsv
       tools/proposals_page.py page PROPOSALS.toml RULES.tsv NUMBERS.tsv > PAGE.md
       tools/proposals_page.py summary NUMBERS.tsv

SERIES.jsonl is the output of `rewrought propose --add PROPOSALS.toml --measured MEASURED --json`. RULES.tsv has one row
for each rule of a patch. NUMBERS.tsv has one row for each main number of a driver that a patch changes, and always one
for the time. Separate rows cover all shaders, the held-out shaders, and all patches together. The page has a section
for each proposal. `summary` prints the table of README.md, the effect of all patches together.
"""
import json
import sys
import textwrap
import tomllib

import page_tables

RULE_COLUMNS = ["patch", "rule", "condition", "verdict"]
NUMBER_COLUMNS = ["patch", "driver", "shaders of", "shaders", "helped", "hurt", "verdict", "number", "before", "after",
                  "better", "worse"]
TIME = "time"
TOGETHER = "all patches"
INSTRUCTIONS = ("inst", "Instructions")  # the names that drivers use
COLUMNS = 120
HEAD = ["| driver | time | held out | helped | HURT | shaders | other numbers |", "|---|---|---|---|---|---|---|"]


def rule_rows(patches):
    return [{"patch": patch["subject"], "rule": rule["rule"], "condition": rule["condition"],
             "verdict": rule["verdict"]}
            for patch in patches for rule in patch["added"]]


def number_rows(patches, measured):
    """Returns the rows of NUMBERS.tsv. Raises Problem if a patch was not measured."""
    known = {entry["subject"]: entry["drivers"] for entry in measured["patches"]}
    for patch in patches:
        if patch["subject"] not in known:
            raise page_tables.Problem(f"\"{patch['subject']}\" was not measured")
    entries = [(patch["subject"], known[patch["subject"]]) for patch in patches] + [(TOGETHER, measured["together"])]
    return [row for subject, drivers in entries for driver in drivers for split in ("all", "held_out")
            for row in driver_rows(subject, driver, split)]


def driver_rows(subject, driver, split):
    sums = driver[split]
    if sums is None:
        return []
    common = {"patch": subject, "driver": driver["driver"], "shaders of": split.replace("_", " "),
              "shaders": sums["shaders"], "helped": sums["helped"], "hurt": sums["hurt"], "verdict": driver["verdict"]}
    return [{**common, "number": name, "before": tidy(number["before"]),
             "after": tidy(number["before"] + number["change"]), "better": number["better"], "worse": number["worse"]}
            for name, number in sums["numbers"].items()
            if name == TIME or (number["main"] and number["better"] + number["worse"])]


def tidy(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def prose(text):
    """Returns the text with its paragraphs filled."""
    return "\n\n".join(textwrap.fill(" ".join(part.split()), COLUMNS, break_long_words=False, break_on_hyphens=False)
                       for part in text.strip().split("\n\n"))


def change(row):
    before, after = float(row["before"]), float(row["after"])
    return f"{100 * (after - before) / before:+.2f}%" if before else f"{row['before']} → {row['after']}"


def driver_line(rows, held_out):
    """Returns the line of a driver's table. rows: its numbers on all shaders, the time first; held_out: on held-out
    shaders."""
    time = rows[0]
    others = ", ".join(f"{row['number']} {change(row)}" for row in rows[1:] if row["before"] != row["after"] and
                       (row["before"], row["after"]) != (time["before"], time["after"]))
    of_held_out = next((change(row) for row in held_out if row["number"] == TIME), "")
    cells = [time["driver"], change(time), of_held_out, time["helped"], time["hurt"], time["shaders"], others]
    return "| " + " | ".join(cells) + " |"


def table_lines(numbers):
    """Returns the lines of a table with a row for each driver that changes, and a line that names the other drivers."""
    drivers = {}
    for row in numbers:
        drivers.setdefault(row["driver"], {}).setdefault(row["shaders of"], []).append(row)
    unchanged = [name for name, found in drivers.items()
                 if not any(int(row["better"]) + int(row["worse"]) for row in found["all"])]
    lines = HEAD + [driver_line(found["all"], found.get("held out", [])) for name, found in drivers.items()
                    if name not in unchanged]
    return lines + (["", f"Without changes: {', '.join(unchanged)}."] if unchanged else [])


def section_of(proposal, rules, numbers):
    """Returns the section of a proposal: its reason, its rules, and the numbers of each driver that it changes."""
    verdicts = [rule["verdict"] for rule in rules]
    counts = [f"{verdicts.count(verdict)} {text}"
              for verdict, text in (("proved", "proved bit for bit"), ("inexact", "equal over the reals (`~`)"),
                                    ("refuted", "wrong")) if verdict in verdicts]
    lines = [f"## {proposal['subject'][:1].upper()}{proposal['subject'][1:]}", prose(proposal["reason"]), "",
             f"File `src/{proposal.get('file', 'compiler/nir/nir_opt_algebraic.py')}`; rules: {', '.join(counts)}.", "",
             "```python", *[insert["rules"].strip("\n") for insert in proposal["insert"]], "```", "",
             *table_lines(numbers)]
    for driver, text in proposal.get("explained", {}).items():
        lines += ["", prose(f"**{driver}:** {text}")]
    return "\n".join(lines) + "\n"


def page_of(page, rules, numbers):
    """Returns the page in Markdown. Proposals without rows, which `propose` rejected, are omitted."""
    together = table_lines([row for row in numbers if row["patch"] == TOGETHER])
    sections = ["\n".join(["## All patches together", *together]) + "\n"]
    for proposal in page["proposal"]:
        def mine(rows, subject=proposal["subject"]):
            return [row for row in rows if row["patch"].partition(": ")[2] == subject]
        if mine(rules):
            sections.append(section_of(proposal, mine(rules), mine(numbers)))
    if len(sections) == 1:
        raise page_tables.Problem("no proposal has rules; write RULES.tsv again")
    return "\n".join([f"# {page['title']}\n", prose(page["introduction"]) + "\n"] + sections)


def summary_of(numbers):
    """Returns a table of the effect of all patches together."""
    lines = ["| driver | time | time, held out | shaders faster / slower by more than 1% | instructions |",
             "|---|---|---|---|---|"]
    rows = {}
    for row in numbers:
        if row["patch"] == TOGETHER:
            rows.setdefault(row["driver"], {})[row["shaders of"], row["number"]] = row
    for driver, found in rows.items():
        time = found["all", TIME]
        held_out = found.get(("held out", TIME))
        instructions = next((change(found["all", name]) for name in INSTRUCTIONS if ("all", name) in found), "")
        lines.append(f"| {driver} | {change(time)} | {change(held_out) if held_out else ''} | "
                     f"{time['helped']} / {time['hurt']} of {time['shaders']} | {instructions} |")
    return "\n".join(lines) + "\n"


def text_of(command, *paths):
    """Returns the output of a command."""
    if command == "rules":
        return page_tables.table_of(rule_rows(page_tables.read_series(paths[0])), RULE_COLUMNS)
    if command == "numbers":
        with open(paths[1], encoding="utf-8") as file:
            measured = json.load(file)
        return page_tables.table_of(number_rows(page_tables.read_series(paths[0]), measured), NUMBER_COLUMNS)
    if command == "summary":
        return summary_of(page_tables.read_table(paths[0], NUMBER_COLUMNS))
    with open(paths[0], "rb") as file:
        page = tomllib.load(file)
    rules, numbers = page_tables.read_table(paths[1], RULE_COLUMNS), page_tables.read_table(paths[2], NUMBER_COLUMNS)
    return page_of(page, rules, numbers)


def main(arguments):
    if {"rules": 2, "numbers": 3, "page": 4, "summary": 2}.get(arguments[0] if arguments else "") != len(arguments):
        sys.exit(__doc__)
    return page_tables.print_result("proposals_page.py", lambda: text_of(*arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
