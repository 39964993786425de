"""Compares results files and produces one JSON document, which compare_text.py and compare_page.py print.

The first file, A, is compared with each other file; then B with C, C with D, and so on.
  {"version": 1, "files": [{"file", "build"}], "notes": [text], "comparisons": [comparison]}
  comparison  {"before", "after": index into files, "notes": [text], "drivers": [driver]}
  driver      {"driver", "mode", "time": the formula of the number "time" (estimate.py), or "" if there is no such number;
              "shared": programs compiled in both, "loops_changed": the number of them
              whose loop count differs (only "loops" is compared for these, because their other numbers mislead),
              "lost", "gained": [{"program", "stage", "variant", "file", "reason"}], "other_text": the same without
              reason; "numbers": [number], the main ones first; "changed": [shader]}
  number      {"name", "main": true for the most important ones, "better": "low" or "high", "total",
              "affected": [before, after, % or null from 0], "helped", "hurt": spread, "confidence": {"value", "percent": [low, high]} or
              null for fewer than four changes, "verdict": "helped", "hurt", "inconclusive" or null without confidence,
              "why": reason for inconclusive, "sources": [{"source", "shaders", "total", "helped", "hurt": how many}],
              "kept": null with A; for C with B {"helped", "hurt": [shaders that both help against A, only C, only B]}}
  spread      {"count", "abs", "rel": {"min", "max", "mean", "median"} or null if count is 0 or the number counts
              spills or fills}; rel is in %, and a change from 0 counts as 0
  shader      {"program", "file", "stage", "variant", "source", "loops_changed", "numbers": {name: [before, after]}}
"reason" is the problem recorded in the file without the shader ("hang", "compile", ...), "not run" if that file has no
line for the program with this driver, or "no such variant". "source" is the first component in which the names of
programs differ. The rules for Student's t, the minimum of four changes, loops, changes from 0, spills and fills are
those of report.py in Mesa's shader-db, so that both print the same numbers. Two rules differ: statistics.toml defines
which direction is better, and the estimate of time that is computed from the other numbers comes first.
"""
import glob
import math
import os
import statistics

import estimate
import results
import rig
import student_t

KEY = results.KEY + ("hash",)
FEWEST = 4  # the minimum number of changes for a confidence interval
WITHOUT_SPREAD = ("spills", "fills")


class Side:
    """The shaders of one results file, or of all files that match a pattern (for example one per driver)."""

    def __init__(self, name, rows):
        """Adds the estimate of time to the numbers of each shader. rows: driver -> its row of statistics.toml. Raises
        rig.UserError if no file matches, if a file is not a results file, or if a shader occurs twice."""
        self.name, self.rows, self.builds, self.notes = name, rows, {}, []
        self.shaders, self.problems, self.drivers, self.programs = {}, {}, set(), set()
        self.keys = {}  # (driver, mode) -> keys of shaders
        for path in [name] if os.path.exists(name) else sorted(glob.glob(name)) or [name]:
            head, lines = results.read(path)
            self.builds[head["build"]] = None
            if ends_in_half_a_line(path):
                self.notes.append(f"{path} ends in an incomplete line because its run was stopped; "
                                  "resume it with the same --out")
            self.add(path, lines)

    def add(self, path, lines):
        for number, line in enumerate(lines, 2):
            self.drivers.add(line["driver"])
            self.programs.add((line["driver"], line["program"], line["hash"]))
            if "problem" in line:
                self.problems.setdefault((line["driver"], line["program"], line["hash"]), []).append(line)
                continue
            key = tuple(line[name] for name in KEY)
            if key in self.shaders:
                raise rig.UserError(f"{path}:{number}: duplicate shader ({' '.join(key[:-1])}); "
                                    "write the file again with tools/driver_rig/run --out")
            self.shaders[key] = dict(line, numbers=estimate.with_time(self.rows.get(line["driver"], {}), line["numbers"]))
            self.keys.setdefault((key[0], key[2]), set()).add(key)

    def reason_without(self, key):
        """Returns the reason why this file does not contain the shader."""
        driver, program, mode, stage, _, text = key
        for line in self.problems.get((driver, program, text), []):
            if line["mode"] in (mode, "none") and stage in (line.get("stage") or stage).split("+"):
                return line["problem"]
        return "no such variant" if (driver, program, text) in self.programs else "not run"


def ends_in_half_a_line(path):
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"


def percent(before, after):
    return 100 * (after - before) / before if before else None


def total(pairs):
    before, after = (math.fsum(values) for values in zip(*pairs)) if pairs else (0, 0)
    before, after = (int(value) if value == int(value) else value for value in (before, after))
    return [before, after, percent(before, after)]


def summary(values):
    return {"min": min(values), "max": max(values), "mean": statistics.fmean(values), "median": statistics.median(values)}


def relative(pair):
    return percent(*pair) or 0


def spread(name, pairs):
    """Returns statistics of the changes of the shaders that improved, or of those that got worse."""
    one = {"count": len(pairs), "abs": None, "rel": None}
    if pairs and name not in WITHOUT_SPREAD:
        one["abs"] = summary([abs(after - before) for before, after in pairs])
        one["rel"] = summary([abs(relative(pair)) for pair in pairs])
    return one


def interval(values):
    """Returns the 95 % confidence interval of the mean, by Student's t."""
    mean = statistics.fmean(values)
    error = student_t.half_width(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return [mean - error, mean + error]


def verdict(confidence, high):
    """Returns a pair: "helped", "hurt" or "inconclusive", and the reason if the result is inconclusive."""
    value, share = confidence["value"], confidence["percent"]
    for name, (low, top) in (("value", value), ("%-change", share)):
        if low < 0 < top:
            return "inconclusive", f"{name} mean confidence interval includes 0"
    if (value[0] < 0) != (share[0] < 0):
        return "inconclusive", "value mean confidence interval and %-change mean confidence interval disagree"
    return "helped" if (value[0] < 0) != high else "hurt", None


def sign(pair, high):
    """Returns "helped" or "hurt", or None for an unchanged pair."""
    return None if pair[0] == pair[1] else "helped" if (pair[1] > pair[0]) == high else "hurt"


def compare_number(name, pairs, high, source_of):
    """Compares one number of one driver. pairs: {key: (before, after)}."""
    changed, by_source = {"helped": [], "hurt": []}, {}
    for key, pair in pairs.items():
        which = sign(pair, high)
        source = by_source.setdefault(source_of[key[1]], {"pairs": [], "helped": 0, "hurt": 0})
        source["pairs"].append(pair)
        if which:
            changed[which].append(pair)
            source[which] += 1
    affected = changed["helped"] + changed["hurt"]
    one = {"name": name, "main": False, "better": "high" if high else "low", "total": total(list(pairs.values())),
           "affected": total(affected)}
    one.update({which: spread(name, of) for which, of in changed.items()})
    one.update(confidence=None, verdict=None, why=None, kept=None)
    if len(affected) >= FEWEST and name not in WITHOUT_SPREAD:
        one["confidence"] = {"value": interval([after - before for before, after in affected]),
                             "percent": interval([relative(pair) for pair in affected])}
        one["verdict"], one["why"] = verdict(one["confidence"], high)
    one["sources"] = [{"source": name, "shaders": len(of["pairs"]), "total": total(of["pairs"]), "helped": of["helped"],
                       "hurt": of["hurt"]} for name, of in sorted(by_source.items())]
    return one


def named(line):
    return {name: line[name] for name in ("program", "file", "stage", "variant")}


class Comparison:
    """A comparison of two files. If both have been compared with a third file, that file is the origin."""

    def __init__(self, before, after, origin=None):
        self.before, self.after, self.origin = before, after, origin

    def pairs(self, name, keys):
        """Returns {key: (before, after)} of one number for the shaders that have it in both files."""
        found = {}
        for key in keys:
            old, new = self.before.shaders[key]["numbers"], self.after.shaders[key]["numbers"]
            if name in old and name in new:
                found[key] = (old[name], new[name])
        return found

    def other_loops(self, keys):
        """Returns the keys of the shaders whose number of loops differs between the files."""
        return {key for key in keys if self.before.shaders[key]["numbers"].get("loops") !=
                self.after.shaders[key]["numbers"].get("loops")}

    def missing(self, driver, mode):
        """Returns the document's lost, gained and other_text."""
        old, new = (side.keys.get((driver, mode), set()) for side in (self.before, self.after))
        other = {key[:-1] for key in old - new} & {key[:-1] for key in new - old}
        found = {"other_text": [named(self.before.shaders[key]) for key in sorted(old - new) if key[:-1] in other]}
        for label, keys, has, lacks in (("lost", old - new, self.before, self.after),
                                        ("gained", new - old, self.after, self.before)):
            found[label] = [dict(named(has.shaders[key]), reason=lacks.reason_without(key))
                            for key in sorted(keys) if key[:-1] not in other]
        return found

    def kept(self, keys, ignore_loops):
        """Returns a function that counts, for a number, the shaders that both files, or only one of them, help or hurt
        compared with the origin."""
        keys = [key for key in keys if key in self.origin.shaders]
        first, second = (Comparison(self.origin, side) for side in (self.before, self.after))
        same_loops = set(keys) if ignore_loops else set(keys) - first.other_loops(keys) - second.other_loops(keys)

        def of_number(name, high):
            pairs = [of.pairs(name, keys if name == "loops" else same_loops) for of in (first, second)]
            found = {}
            for which in ("helped", "hurt"):
                one, two = ({key for key, pair in of.items() if sign(pair, high) == which} for of in pairs)
                found[which] = [len(one & two), len(two - one), len(one - two)]
            return found
        return of_number

    def driver(self, driver, mode, row, source_of, options):
        """Returns the document's entry for a driver. row is the driver's row of statistics.toml."""
        keys = sorted(self.before.keys.get((driver, mode), set()) & self.after.keys.get((driver, mode), set()))
        old, new = self.before.shaders, self.after.shaders
        loops = set() if options["ignore_loops"] else self.other_loops(keys)
        same_loops = [key for key in keys if key not in loops]
        kept = self.kept(keys, options["ignore_loops"]) if self.origin else lambda name, high: None
        names = {name: None for key in keys for name in old[key]["numbers"] if name in new[key]["numbers"]}
        entry = {"driver": driver, "mode": mode, "time": estimate.formula(row) if estimate.TIME in names else "",
                 "shared": len(keys), "loops_changed": len(loops), **self.missing(driver, mode), "numbers": [],
                 "changed": []}
        main = main_numbers(row, names)
        for name in main + [name for name in names if name not in main]:
            if options["measurements"] and name not in options["measurements"]:
                continue
            high = name in row.get("better_high", ())
            pairs = self.pairs(name, keys if name == "loops" else same_loops)
            number = compare_number(name, pairs, high, source_of)
            number.update(main=name in main, kept=kept(name, high))
            entry["numbers"].append(number)
        for key in keys:
            numbers = {name: [value, new[key]["numbers"][name]] for name, value in old[key]["numbers"].items()
                       if name in new[key]["numbers"]}
            if any(pair[0] != pair[1] for pair in numbers.values()):
                entry["changed"].append(dict(named(old[key]), source=source_of[key[1]], loops_changed=key in loops,
                                             numbers=numbers))
        return entry

    def notes(self):
        before, after = self.before.drivers, self.after.drivers
        return [f"only in {side.name}: {', '.join(sorted(drivers))}"
                for side, drivers in ((self.before, before - after), (self.after, after - before)) if drivers]


def main_numbers(row, names):
    """Returns the main numbers among names: the estimate of time, and the numbers that the row of statistics.toml names.
    If there are none, returns the driver's first number."""
    found = [name for name in [estimate.TIME] + row.get("main", []) if name in names]
    return found or list(names)[:1]


def rows_of(drivers):
    """Returns {driver: its row of statistics.toml} for rows of drivers.toml."""
    table = rig.load_table("statistics.toml")
    return {driver["name"]: table[driver["statistics"]] for driver in drivers}


def sources(programs):
    """Returns {program: its source}: the first component of each name after the folders that all names share."""
    folders = [name.split("/")[:-1] for name in programs]
    common = len(os.path.commonprefix(folders))
    return {name: parts[common] if len(parts) > common else parts[-1] if parts else "." for name, parts in
            zip(programs, folders)}


def chosen(wanted, sides):
    """Returns the numbers with these names, ignoring case; "instructions" also selects "inst"."""
    there = {name for side in sides for line in side.shaders.values() for name in line["numbers"]}
    meant = {name: {one for one in there if one.lower() in (name.lower(), "inst" if name.lower() == "instructions" else "")}
             for name in wanted}
    unknown = [name for name, found in meant.items() if not found]
    if unknown:
        raise rig.UserError(f"no measurement {', '.join(unknown)}; the files have {', '.join(sorted(there))}")
    return set().union(*meant.values())


def document(paths, drivers, ignore_loops=False, measurements=()):
    """Compares two or more results files or file patterns. drivers: the rows of drivers.toml. Raises rig.UserError."""
    rows = rows_of(drivers)
    sides = [Side(path, rows) for path in paths]
    options = {"ignore_loops": ignore_loops, "measurements": chosen(measurements, sides)}
    source_of = sources(sorted({key[1] for side in sides for key in side.shaders}))
    found = {"version": 1, "files": [{"file": side.name, "build": ", ".join(side.builds)} for side in sides],
             "notes": [note for side in sides for note in side.notes], "comparisons": []}
    for before, after in [(0, last) for last in range(1, len(sides))] + [(at, at + 1) for at in range(1, len(sides) - 1)]:
        one = Comparison(sides[before], sides[after], sides[0] if before else None)
        modes = {(key[0], key[2]) for side in (one.before, one.after) for key in side.shaders}
        shared = one.before.drivers & one.after.drivers
        found["comparisons"].append({
            "before": before, "after": after, "notes": one.notes(),
            "drivers": [one.driver(driver, mode, rows.get(driver, {}), source_of, options)
                        for driver, mode in sorted(modes) if driver in shared]})
    return found
