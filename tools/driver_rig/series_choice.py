#!/usr/bin/env python3
"""Chooses the proposals of a series from which drivers gain, by the shaders that are not held out.

usage: tools/driver_rig/series_choice.py PROPOSALS.toml MEASURED/series.json > CHOSEN.toml

A proposal is chosen if it is a loss for no measured driver (the rules of tools/driver_rig/series, applied to the shaders
that are not held out) and the time of the drivers falls: the sum of their relative changes is negative. The held-out
shaders of the chosen series are then an independent test. Prints the chosen entries of PROPOSALS.toml as they are, and
the reason for each other entry to standard error. Exit status 1 if no proposal is chosen.
"""
import json
import sys
import tomllib

import estimate
import rig
import series_report

ENTRY = "[[proposal]]\n"


def known_sums(driver):
    """Returns the sums over the shaders of a driver's entry in series.json that are not held out."""
    every, held_out = driver["all"], driver["held_out"]
    if held_out is None:
        return every
    numbers = {}
    for name, number in every["numbers"].items():
        other = held_out["numbers"].get(name, {"before": 0, "change": 0})
        numbers[name] = dict(number, before=number["before"] - other["before"], change=number["change"] - other["change"])
    return {"helped": every["helped"] - held_out["helped"], "hurt": every["hurt"] - held_out["hurt"], "numbers": numbers}


def reason_against(drivers, rows):
    """Returns why a patch is not chosen, or "". drivers: its entries in series.json. rows: the rows of
    statistics.toml by driver."""
    total = 0
    for driver in drivers:
        sums = known_sums(driver)
        if driver["reason"].endswith("not compile"):
            return f"{driver['driver']}: {driver['reason']}"
        if reason := series_report.loss_of(sums, rows[driver["driver"]]):
            return f"{driver['driver']}: {reason}"
        total += series_report.share(sums["numbers"][estimate.TIME])
    return "" if total < 0 else "no driver gains"


def chosen_text(text, document, rows, say):
    """Returns the entries of the TOML text that are chosen, and the text before the first entry."""
    head, *entries = text.split(ENTRY)
    drivers = {patch["subject"].partition(": ")[2]: patch["drivers"] for patch in document["patches"]}
    kept = []
    for entry in entries:
        subject = tomllib.loads(ENTRY + entry)["proposal"][0]["subject"]
        reason = reason_against(drivers[subject], rows) if subject in drivers else "it was not measured"
        if reason:
            say(f"{subject}: {reason}")
        else:
            kept.append(entry)
    return head + "".join(ENTRY + entry for entry in kept) if kept else ""


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    try:
        with open(arguments[0], encoding="utf-8") as file:
            text = file.read()
        with open(arguments[1], encoding="utf-8") as file:
            document = json.load(file)
        statistics = rig.load_table("statistics.toml")
        rows = {driver["name"]: statistics[driver["statistics"]] for driver in rig.load_drivers()}
        chosen = chosen_text(text, document, rows, lambda line: print(line, file=sys.stderr))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"series_choice.py: {error}")
    print(chosen, end="")
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
