"""Computes the figures of a trial: the changes of all numbers that a set of rules causes, by source and stage
(DriverTrial in proto/rewrought/v1/rule.proto)."""
import compare
import estimate
import results

STAGE = results.KEY.index("stage")
COUNTS = ("shaders", "helped", "hurt", "lost", "gained", "loops_changed")
WIDTH = 120  # of a printed line


def shaders_of(lines, row):
    """Maps the results.KEY of each shader in lines of results to its numbers, including the estimate of time. row: the
    driver's row of statistics.toml."""
    return {tuple(line[part] for part in results.KEY): estimate.with_time(row, line["numbers"])
            for line in lines if "problem" not in line}


def figures_of(row, before, after):
    """Returns the DriverTrial.Figures of each source and stage. before and after come from shaders_of; row is the
    driver's row of statistics.toml. As in compare.py, sums include only shaders that are in both and have the same number
    of loops. Shaders that are only in `before` count as lost, and those that are only in `after` as gained."""
    keys = sorted(before.keys() | after.keys())
    source_of, found = compare.sources(sorted({key[1] for key in keys})), {}
    for key in keys:
        old, new = before.get(key), after.get(key)
        one = found.setdefault((source_of[key[1]], key[STAGE]), dict.fromkeys(COUNTS, 0) | {"numbers": {}})
        if old is None or new is None:
            one["gained" if old is None else "lost"] += 1
        elif new.get("loops") != old.get("loops"):
            one["loops_changed"] += 1
        else:
            add_shader(row, old, new, one)
    return [dict(one, source=source, stage=stage, numbers=ordered(row, one["numbers"]))
            for (source, stage), one in sorted(found.items())]


def add_shader(row, old, new, one):
    one["shaders"] += 1
    one["helped"] += estimate.is_helped(old[estimate.TIME], new[estimate.TIME])
    one["hurt"] += estimate.is_hurt(old[estimate.TIME], new[estimate.TIME])
    for name in (name for name in old if name in new):
        high = name in row.get("better_high", ())
        number = one["numbers"].setdefault(name, {"name": name, "before": 0, "change": 0, "better": 0, "worse": 0,
                                                  "better_high": high})
        which = compare.sign((old[name], new[name]), high)
        number["before"] += old[name]
        number["change"] += new[name] - old[name]
        number["better"] += which == "helped"
        number["worse"] += which == "hurt"


def ordered(row, numbers):
    """Returns the numbers as a list of DriverNumber, the main ones first."""
    main = compare.main_numbers(row, numbers)
    return [dict(numbers[name], main=name in main) for name in main + [name for name in numbers if name not in main]]


def sums_of(figures):
    """Returns the sums over all sources and stages: the counts, and the numbers by name."""
    found = {name: sum(one[name] for one in figures) for name in COUNTS}
    numbers = {}
    for number in (number for one in figures for number in one["numbers"]):
        total = numbers.setdefault(number["name"], dict(number, before=0, change=0, better=0, worse=0))
        for part in ("before", "change", "better", "worse"):
            total[part] += number[part]
    return dict(found, numbers=numbers)


def percent(change, before):
    return f"{100 * change / before:+.2f}%" if before else "new" if change else "+0.00%"


def parts_text(figures, part):
    """Returns the change of time in each stage or source, "vertex -1.00% of 50  fragment -0.50% of 800", or "" if there
    is only one."""
    sums = {}
    for one in figures:
        for number in one["numbers"]:
            if number["name"] == estimate.TIME:
                before, change = sums.get(one[part], (0, 0))
                sums[one[part]] = before + number["before"], change + number["change"]
    return "  ".join(f"{name} {percent(change, before)} of {results.show(before)}"
                     for name, (before, change) in sorted(sums.items(), reverse=True)) if len(sums) > 1 else ""


def number_text(number):
    """Returns text such as "nops 200 -> 210 (+5.00%; 3 better, 9 worse)"."""
    before, change = number["before"], number["change"]
    return (f"{number['name']} {results.show(before)} -> {results.show(before + change)} ({percent(change, before)}; "
            f"{number['better']} better, {number['worse']} worse)")


def set_lines(split, name, figures):
    """Returns the lines to print for one set on one split: the time, the other main numbers that changed, and the time of
    each stage if there are several."""
    sums = sums_of(figures)
    numbers = sums["numbers"]
    text = f"{split:9} {name:10}" + (f"  {number_text(numbers[estimate.TIME])}" if numbers else "")
    text += f"  by more than {100 * estimate.NOTICEABLE:g}%: helped {sums['helped']} HURT {sums['hurt']} of {sums['shaders']}"
    for what, label in (("lost", "LOST"), ("gained", "GAINED")):
        text += f"  {label} {sums[what]}" if sums[what] else ""
    text += f"  loops changed in {sums['loops_changed']} more" if sums["loops_changed"] else ""
    lines = [text] + wrapped([number_text(number) for number in numbers.values() if number["main"] and
                              number["name"] != estimate.TIME and (number["better"] or number["worse"])])
    stages = parts_text(figures, "stage")
    return lines + ([f"{'':6}time by stage: {stages}"] if stages else [])


def wrapped(texts):
    """Returns indented lines with these strings."""
    lines = []
    for text in texts:
        if lines and len(lines[-1]) + 2 + len(text) <= WIDTH:
            lines[-1] += f"  {text}"
        else:
            lines.append(f"{'':6}{text}")
    return lines


def no_time_text(no_time, instructions):
    """Returns the reason why a rule saves no time: its change of time and of instructions, and the other numbers that got
    worse. no_time: RuleTrial.NoTime in proto/rewrought/v1/rule.proto; instructions: the driver's name for them."""
    changes = {number["name"]: number for number in no_time["numbers"]}

    def text(name):
        return f"{name} {changes[name]['change'] if name in changes else 0:+.10g}"
    worse = [text(name) for name, number in changes.items() if name not in (estimate.TIME, instructions) and
             number["change"] and (number["change"] < 0) == number["better_high"]]
    return f"{text(estimate.TIME)}, {text(instructions)} at {no_time['place']}; " + \
        (f"worse: {', '.join(worse)}" if worse else "no other number gets worse")
