"""Writes out/demo/summary.json from the output of the demo's steps, and prints it as a table.

usage: demo_summary.py OUT MACHINE…
"""
import collections
import json
import pathlib
import re
import sys


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def sum_harvests(reports):
    """Sums the sources' harvest reports into one object. Adds the counts in nested objects by name, and omits lists,
    which name inputs."""
    total = {}
    for report in reports:
        for field, value in report.items():
            if isinstance(value, dict):
                total[field] = dict(collections.Counter(total.get(field, {})) + collections.Counter(value))
            elif not isinstance(value, list):
                total[field] = total.get(field, 0) + value
    return total


def shape(rule):
    """Returns the rule's search side without sizes and with K for every constant; rules of the same shape count
    once."""
    search = re.sub(r"@\d+", "", rule["search"])
    return re.sub(r"(?<=, )(-?(0x[0-9a-f]+|[0-9][0-9.e+-]*)|True|False|'-?inf')(?=[,)])", "K", search)


def machine_summary(out, machine, run_statistics):
    exported = json.loads((out / f"export.{machine}.json").read_text())
    ranked = lines(out / f"rank.{machine}.jsonl")
    return {
        "rules": len({shape(rule) for rule in ranked}),
        "rules_beyond_tuned_baseline": len({shape(rule) for rule in ranked if rule["held_out"]["tuned_cycles"] > 0}),
        "rules_beyond_tuned_baseline_anywhere": len({shape(rule) for rule in ranked if rule["beats_tuned_baseline"]}),
        "rules_not_subsumed_upstream": len({shape(rule) for rule in ranked if rule.get("not_subsumed_upstream")}),
        "rules_inexact": len({shape(rule) for rule in ranked if rule["class"] == "inexact"}),
        "rules_as_found": len(ranked),
        "exported": exported["rules"],
        "blocked": len(exported["blocked"]),
        "packs": exported["files"],
        "run_statistics": run_statistics.get(machine, {}),
    }


def main():
    out, machines = pathlib.Path(sys.argv[1]), sys.argv[2:]
    steps = dict(line.split("\t") for line in (out / "steps.tsv").read_text().splitlines())
    run_statistics = {report["machine"]: report for report in lines(out / "discover.jsonl")}
    summary = {
        "harvest": sum_harvests(lines(out / "harvest.jsonl")),
        "machines": {machine: machine_summary(out, machine, run_statistics) for machine in machines},
        "seconds": {name: float(seconds) for name, seconds in steps.items()},
    }
    (out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    harvest = summary["harvest"]
    print(f"{harvest['shaders']} shaders, {harvest['fragments']} fragment sites, {harvest['distinct']} distinct (new in this run)")
    print("run_statistics".ljust(12) + "".join(machine.rjust(16) for machine in machines))
    for field in ("fragments", "enumerated", "distinct", "candidates", "refuted", "unknown", "proved", "general", "minimal"):
        print(field.ljust(12) + "".join(str(run_statistics.get(machine, {}).get(field, 0)).rjust(16) for machine in machines))
    for field in ("rules", "rules_inexact", "rules_beyond_tuned_baseline", "rules_not_subsumed_upstream", "exported", "blocked"):
        print(field.ljust(18) + "".join(str(summary["machines"][machine][field]).rjust(16 - (6 if machine == machines[0] else 0)) for machine in machines))
    for name, seconds in summary["seconds"].items():
        print(f"{seconds:8.1f} s  {name}")
    for machine in machines:
        for path in summary["machines"][machine]["packs"]:
            print(path)


if __name__ == "__main__":
    main()
