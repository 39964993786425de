"""Two files of results side by side, in the form that reviewers of Mesa's compilers read: totals, helped, HURT."""
import statistics

import results
import rig


def shaders(lines):
    return {tuple(line[name] for name in results.KEY): line for line in lines if "problem" not in line}


def percent(before, after):
    return f" ({100 * (after - before) / before:+.2f}%)" if before else ""


def change(before, after):
    show = results.show
    return f"{show(before)} -> {show(after)}{percent(before, after)}"


def better_high(drivers):
    """{driver: names of numbers of which more is better}, for the rows of drivers.toml."""
    table = rig.load_table("statistics.toml")
    return {row["name"]: set(table[row["statistics"]].get("better_high", [])) for row in drivers}


def spread(label, changes):
    """min, max, mean and median of the absolute and relative changes of shaders that got better, or worse."""
    sizes = sorted(abs(after - before) for before, after in changes)
    shares = sorted(100 * abs(after - before) / before for before, after in changes if before)
    text = f"{label}: {len(changes)}"
    for name, values, unit in (("abs", sizes, ""), ("rel", shares, "%")):
        if values:
            text += (f"; {name} min {values[0]:.2f}{unit} max {values[-1]:.2f}{unit} mean {statistics.fmean(values):.2f}"
                     f"{unit} median {statistics.median(values):.2f}{unit}")
    return text


def confidence(name, pairs):
    """The 95 % confidence interval of the mean change of affected shaders, taken as normal; none for fewer than ten."""
    text = []
    for label, changes in ((f"{name} value", [after - before for before, after in pairs]),
                           (f"{name} %-change", [100 * (after - before) / before for before, after in pairs if before])):
        if len(changes) < 10:
            continue
        mean, error = statistics.fmean(changes), 1.96 * statistics.stdev(changes) / len(changes) ** 0.5
        verdict = "is inconclusive" if abs(mean) <= error else "has one sign"
        text.append(f"95% mean confidence interval for {label}: {mean - error:.2f} {mean + error:.2f} ({verdict})")
    return text


def compare_number(name, pairs, more_is_better):
    """Lines on one number of one driver: nothing if no shader changed."""
    changed = [(before, after) for before, after in pairs if before != after]
    if not changed:
        return []
    helped = [pair for pair in changed if (pair[1] > pair[0]) == more_is_better]
    hurt = [pair for pair in changed if (pair[1] > pair[0]) != more_is_better]
    text = [f"total {name} in shared shaders: {change(*map(sum, zip(*pairs)))}",
            f"{name} in affected shaders: {change(*map(sum, zip(*changed)))}", spread("helped", helped)]
    return text + [spread("HURT", hurt)] + confidence(name, changed) + [""]


def compare(before, after, drivers):
    """The report on two lists of lines. drivers: the rows of drivers.toml."""
    old, new = shaders(before), shaders(after)
    high = better_high(drivers)
    text = []
    for driver, mode in sorted({(key[0], key[2]) for key in list(old) + list(new)}):
        mine = lambda keys: sorted(key for key in keys if (key[0], key[2]) == (driver, mode))  # noqa: E731
        both, lost, gained = mine(old.keys() & new.keys()), mine(old.keys() - new.keys()), mine(new.keys() - old.keys())
        shared = [key for key in both if old[key]["hash"] == new[key]["hash"]]
        other = [key for key in both if old[key]["hash"] != new[key]["hash"]]
        text.append(f"{driver} {mode}: {len(shared)} shared shaders")
        size = len(text)
        names = {name: None for key in shared for name in old[key]["numbers"] if name in new[key]["numbers"]}
        for name in names:
            pairs = [(old[key]["numbers"][name], new[key]["numbers"][name]) for key in shared
                     if name in old[key]["numbers"] and name in new[key]["numbers"]]
            text += compare_number(name, pairs, name in high.get(driver, ()))
        if len(text) == size:
            text += ["no change", ""]
        for label, keys in (("LOST", lost), ("GAINED", gained), ("of another text, not compared", other)):
            if keys:
                named = ", ".join(" ".join(filter(None, (key[1],) + key[3:])) for key in keys[:5])
                text[-1:] = [f"{label}: {len(keys)} ({named}{', ...' if len(keys) > 5 else ''})", ""]
    return text
