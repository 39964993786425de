"""Reports the effect of each patch of a series: the document series.json, the statistics for a commit message, and a
table.

  {"version": 1, "patches": [{"id", "name", "subject", "added", "removed": numbers of rules, "drivers": [driver]}],
   "together": [driver]}                                with all patches
  driver  {"driver", "build", "time": the formula of the estimate, "touched": programs in which a rule of the patch
          matches, "verdict": "gain", "loss", or "none", "reason": why it is a loss, or "", "all", "held_out": sums or
          null, "text": lines for a commit message}
  sums    {"shaders", "helped", "hurt": those whose time changes by more than 1%, "lost", "gained", "loops_changed",
          "numbers": {name: {"before", "change", "better", "worse", "better_high", "main"}}}

A driver compiles a program's stages linked or, if they cannot be linked, alone; each shader is counted once.
"""
import os
import tomllib

import compare
import compare_text
import estimate
import results
import rig
import trial_figures

MODE = "linked or alone"
MOST_HURT = 10  # shaders to name for each driver
COLUMNS = 72  # of a commit message
PROPOSAL = "[[proposal]]\n"  # begins an entry of a file for `rewrought propose --add`
NEGLIGIBLE = 0.0001  # a smaller share of the time, or of another number, does not count as a loss


class Results:
    """A driver's outcomes (trial_measure.Outcome). base: {program: Outcome} without patches. after: {program:
    Outcome} of the programs that a patch may change, for each patch and for all of them together."""

    def __init__(self, driver, row, base, after):
        if not estimate.names_of(row):
            raise rig.UserError(f"statistics.toml has no estimate of time for {driver}, so it cannot be measured")
        self.driver, self.row, self.build, self.side = driver, row, "", None  # build and side: set by `write`
        self.base = self.lines(base)
        self.base_shaders = {}  # {hashes of a split, or None for all programs: the shaders without patches}
        self.touched = [len(outcomes) for outcomes in after]
        self.after = [self.lines({**base, **outcomes}) for outcomes in after]

    def lines(self, outcomes):
        """Returns the lines of a results file."""
        lines = []
        for program, outcome in outcomes.items():
            start = {"driver": self.driver, "program": program.name, "hash": program.hash, "mode": MODE}
            if outcome.problem:
                lines.append(dict(start, file=program.name, problem=outcome.problem, text=""))
            linked = any(mode == "linked" for mode, _, _ in outcome.shaders)
            for (mode, stage, variant), numbers in outcome.shaders.items():
                if mode == "linked" or not linked:
                    numbers = {name: value for name, value in numbers.items() if name != estimate.TIME}
                    lines.append(dict(start, file=program.file_of(stage), stage=stage, variant=variant, numbers=numbers))
        return lines

    def base_path(self, out):
        return os.path.join(out, f"{self.driver}.base.jsonl")

    def path(self, out, number):
        name = f"{number + 1:04}" if number + 1 < len(self.after) else "together"
        return os.path.join(out, f"{self.driver}.{name}.jsonl")

    def write(self, out, build):
        """Writes the results files to the folder."""
        self.build = build
        for path, lines in [(self.base_path(out), self.base)] + [
                (self.path(out, number), lines) for number, lines in enumerate(self.after)]:
            if os.path.exists(path):
                os.remove(path)
            file = results.File(path, build)
            file.add(lines)
            file.close()
        self.side = compare.Side(self.base_path(out), {self.driver: self.row})

    def of_patch(self, out, number, held_out):
        """Returns the document's entry for a patch, or for all patches if the number is their count, from the files of
        `write`."""
        after = compare.Side(self.path(out, number), {self.driver: self.row})
        source_of = compare.sources(sorted({key[1] for side in (self.side, after) for key in side.shaders}))
        driver = compare.Comparison(self.side, after).driver(self.driver, MODE, self.row, source_of,
                                                             {"ignore_loops": False, "measurements": ()})
        if not driver["shared"]:
            raise rig.UserError(f"{self.driver} reports no shader; see {self.base_path(out)}")
        sums = self.sums(number, None)
        lost = compiled(self.base) - compiled(self.after[number])
        reason = f"{len(lost)} shader{'s do' if len(lost) > 1 else ' does'} not compile" if lost \
            else loss_of(sums, self.row)
        gain = sums["numbers"][estimate.TIME]["change"] < 0
        return {"driver": self.driver, "build": self.build, "time": driver["time"], "touched": self.touched[number],
                "verdict": "loss" if reason else "gain" if gain else "none", "reason": reason, "all": sums,
                "held_out": self.sums(number, held_out) if held_out else None, "text": message_lines(driver, self.row)}

    def sums(self, number, only):
        """Returns the sums over all programs, or over the programs with these hashes."""
        split = None if only is None else frozenset(only)
        if split not in self.base_shaders:
            self.base_shaders[split] = self.shaders(self.base, only)
        after = self.shaders(self.after[number], only)
        sums = trial_figures.sums_of(trial_figures.figures_of(self.row, self.base_shaders[split], after))
        for name, one in sums["numbers"].items():
            one.update(main=name in compare.main_numbers(self.row, sums["numbers"]))
            del one["name"]
        return sums

    def shaders(self, lines, only):
        """Returns the shaders (trial_figures.shaders_of) of all programs, or of the programs with these hashes."""
        return trial_figures.shaders_of([line for line in lines if only is None or line["hash"] in only], self.row)


def compiled(lines):
    """Returns the program and the stage of each shader of which at least one variant was compiled."""
    return {(line["program"], line["stage"]) for line in lines if "problem" not in line}


def loss_of(sums, row):
    """Returns the reason why a patch does a driver more harm than good, or "". A number listed in `keep`, such as waves or
    spills, may get worse only by a smaller share than the time improves."""
    numbers = sums["numbers"]
    gain = -share(numbers[estimate.TIME])
    if gain <= -NEGLIGIBLE:
        return f"time {100 * -gain:+.2f}%"
    if sums["hurt"] > sums["helped"]:
        return f"{sums['hurt']} shaders become slower by more than 1%, and {sums['helped']} faster"
    worse = [name for name in row.get("keep", ()) if name in numbers and
             share(numbers[name]) * (-1 if numbers[name]["better_high"] else 1) > max(gain, NEGLIGIBLE)]
    return ", ".join(f"{name} {100 * share(numbers[name]):+.2f}%" for name in worse)


def share(number):
    """Returns the relative change of a number; a change from 0 counts as 1."""
    return number["change"] / number["before"] if number["before"] else float(number["change"] != 0)


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
        if reason := loss_of(sums, rows[driver["driver"]]):
            return f"{driver['driver']}: {reason}"
        total += share(sums["numbers"][estimate.TIME])
    return "" if total < 0 else "no driver gains"


def chosen_text(text, document, rows, say):
    """Returns the entries of the TOML text that are chosen, and the text before the first entry."""
    head, *entries = text.split(PROPOSAL)
    drivers = {patch["subject"].partition(": ")[2]: patch["drivers"] for patch in document["patches"]}
    kept = []
    for entry in entries:
        subject = tomllib.loads(PROPOSAL + entry)["proposal"][0]["subject"]
        reason = reason_against(drivers[subject], rows) if subject in drivers else "it was not measured"
        if reason:
            say(f"{subject}: {reason}")
        else:
            kept.append(entry)
    return head + "".join(PROPOSAL + entry for entry in kept) if kept else ""


def message_lines(driver, row):
    """Returns the statistics of a driver (compare.py) for a commit message, in the format of shader-db."""
    numbers = [number for number in driver["numbers"] if number["helped"]["count"] + number["hurt"]["count"]]
    if not numbers and not driver["lost"] and not driver["gained"]:
        return [f"{driver['driver']}: no changes in {driver['shared']} shaders."]
    lines = [f"{driver['driver']}, {driver['shared']} shaders:"]
    computed = len(estimate.names_of(row)) > 1  # otherwise, the time is one of the driver's numbers
    if computed:
        lines[0] = f"{lines[0][:-1]} (time = {driver['time']}):"
    for number in (number for number in numbers if number["main"] and (computed or number["name"] != estimate.TIME)):
        name = compare_text.shown(number["name"])
        lines += ["", f"total {name} in shared programs: {compare_text.change(number['total'])}",
                  f"{name} in affected programs: {compare_text.change(number['affected'])}",
                  f"helped: {number['helped']['count']}", f"HURT: {number['hurt']['count']}"]
    others = [f"{compare_text.clean(number['name'])} {compare_text.change(number['total'])}"
              for number in numbers if not number["main"] and number["total"][0] != number["total"][1]]
    if others:
        lines += [""] + folded("Also: ", others)
    for label in ("lost", "gained"):
        lines += [f"{label.upper()}: {compare_text.shader_name(shader)} ({shader['reason']})" for shader in driver[label]]
    return lines + hurt_lines(driver, row)


def hurt_lines(driver, row):
    """Returns lines that name the shaders whose time gets worse, the worst first, with the numbers that get worse."""
    found, terms = [], estimate.names_of(row)
    shown = {estimate.TIME} | set(terms if len(terms) == 1 else ())  # the time equals its only term
    for shader in driver["changed"]:
        numbers = shader["numbers"]
        before, after = numbers.get(estimate.TIME, (0, 0))
        if shader["loops_changed"] or after <= before:
            continue
        worse = [f"{compare_text.clean(name)} {new - old:+.10g}" for name, (old, new) in numbers.items()
                 if name not in shown and compare.sign((old, new), name in row.get("better_high", ())) == "hurt"]
        found.append((before - after, compare_text.shader_name(shader), before, after, worse))
    lines = [] if not found else ["", f"Slower ({len(found)}, the worst first):"]
    for _, name, before, after, worse in sorted(found)[:MOST_HURT]:
        lines += folded(f"- {name}: ", [f"time {compare_text.change([before, after, compare.percent(before, after)])}"] +
                        worse, "  ")
    return lines


def folded(start, texts, indent=""):
    """Returns lines with these strings, separated by commas; lines after the first are indented."""
    lines = [start + texts[0]]
    for text in texts[1:]:
        if len(lines[-1]) + 2 + len(text) < COLUMNS:
            lines[-1] += f", {text}"
        else:
            lines[-1] += ","
            lines.append(indent + text)
    return lines


def document(patches, measured, out, held_out):
    """Returns series.json. measured: the Results of each driver, already written to the folder `out`. held_out: the hashes
    of the held-out programs."""
    def drivers(number):
        return [one.of_patch(out, number, held_out) for one in measured]
    return {"version": 1, "patches": [
        {"id": patch.id, "name": patch.name, "subject": patch.subject, "added": patch.added, "removed": patch.removed,
         "drivers": drivers(number)} for number, patch in enumerate(patches)], "together": drivers(len(patches))}


def table(found):
    """Returns the document as lines of text: for each patch and driver, the change of time, the helped and hurt shaders,
    and the other main numbers that changed."""
    lines = []
    for patch in found["patches"] + [{"name": "all patches", "drivers": found["together"]}]:
        gains = [driver["driver"] for driver in patch["drivers"] if driver["verdict"] == "gain"]
        lines.append(f"{patch['name']}: gains on {', '.join(gains) or 'no driver'}")
        for driver in patch["drivers"]:
            for split in ("all", "held_out"):
                sums = driver[split]
                if sums is None or not driver["touched"]:
                    continue
                numbers = {name: dict(number, name=name) for name, number in sums["numbers"].items()}
                time = numbers.get(estimate.TIME)
                text = f"  {driver['driver']:12} {split.replace('_', ' '):8} "
                text += f"{trial_figures.number_text(time)}; helped {sums['helped']} HURT {sums['hurt']} by more than 1%" \
                    if time else "no shaders"
                lines.append(text + (f"; loss: {driver['reason']}" if driver["reason"] and split == "all" else ""))
                lines += trial_figures.wrapped([trial_figures.number_text(number) for name, number in numbers.items()
                                                if number["main"] and name != estimate.TIME and
                                                (number["better"] or number["worse"])])
    return lines
