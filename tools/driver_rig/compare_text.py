"""Prints the comparisons of compare.py as text, in the format of shader-db's report.py, which Mesa's reviewers know.

The output differs from report.py's in four points: the estimate of time comes first; the median is exact, whereas
report.py drops the fraction; names follow LOST and GAINED; and unchanged numbers are not shown.
"""
import collections

MOST_NAMES = 20  # of lost and of gained shaders, each


def clean(text):
    """Returns a name from a results file with control characters and unencodable characters escaped."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text)


def shown(name):
    """Returns a number's name as reviewers know it."""
    return "instructions" if name == "inst" else clean(name)


def show_number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def show_percent(value):
    """Formats a percentage."""
    return "<.01%" if 0 < abs(value) < 0.01 else f"{value:.2f}%"


def change(total):
    before, after, share = total
    # Like report.py, print no share if either number is 0.
    return f"{show_number(before)} -> {show_number(after)}" + (f" ({show_percent(share)})" if before and after else "")


def spread_lines(label, one, other):
    if one["abs"] is None or not (one["count"] > 2 or other["count"]):
        return []
    size, share = one["abs"], one["rel"]
    head = "helped stats ({})" if label == "helped" else "HURT stats ({})  "
    return [head.format("abs") + f" min: {show_number(size['min'])} max: {show_number(size['max'])} "
            f"x\u0304: {size['mean']:.2f} x\u0303: {show_number(size['median'])}",
            head.format("rel") + f" min: {show_percent(share['min'])} max: {show_percent(share['max'])} "
            f"x\u0304: {show_percent(share['mean'])} x\u0303: {show_percent(share['median'])}"]


def confidence_lines(number):
    if number["confidence"] is None:
        return []
    name = shown(number["name"])
    (low, high), (low_share, high_share) = number["confidence"]["value"], number["confidence"]["percent"]
    ending = {"helped": f"{name[:1].upper()}{name[1:]} are helped.", "hurt": f"{name[:1].upper()}{name[1:]} are HURT.",
              "inconclusive": f"Inconclusive result ({number['why']})."}
    return [f"95% mean confidence interval for {name} value: {low:.2f} {high:.2f}",
            f"95% mean confidence interval for {name} %-change: {show_percent(low_share)} {show_percent(high_share)}",
            ending[number["verdict"]]]


def kept_lines(number, first):
    """Returns lines that show whether B and C helped and hurt the same shaders, compared with the first file."""
    if number["kept"] is None or not any(sum(counts) for counts in number["kept"].values()):
        return []
    return [f"{label} against {first}: {both} in both, {new} new, {gone} no longer"
            for label, (both, new, gone) in (("helped", number["kept"]["helped"]), ("HURT", number["kept"]["hurt"]))]


def number_lines(number, first):
    name, helped, hurt = shown(number["name"]), number["helped"], number["hurt"]
    return [f"total {name} in shared programs: {change(number['total'])}",
            f"{name} in affected programs: {change(number['affected'])}",
            f"helped: {helped['count']}", f"HURT: {hurt['count']}",
            *spread_lines("helped", helped, hurt), *spread_lines("HURT", hurt, helped),
            *confidence_lines(number), *kept_lines(number, first), ""]


def shader_name(shader):
    return clean(" ".join(filter(None, (shader["file"], shader["stage"], shader["variant"]))))


def missing_lines(driver):
    text = []
    for label, key in (("LOST:   ", "lost"), ("GAINED: ", "gained")):
        text += [f"{label}{shader_name(shader)} ({shader['reason']})" for shader in driver[key][:MOST_NAMES]]
        if len(driver[key]) > MOST_NAMES:
            text.append(f"{label}... and {len(driver[key]) - MOST_NAMES} more")
    if text:
        text.append("")
    for label, key, side in (("LOST:   ", "lost", "after"), ("GAINED: ", "gained", "before")):
        reasons = collections.Counter(shader["reason"] for shader in driver[key])
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        text.append(f"{label}{len(driver[key])}" + (f" ({side}: {why})" if why else ""))
    if driver["other_text"]:
        text.append(f"Changed text, not compared: {len(driver['other_text'])} "
                    f"({', '.join(map(shader_name, driver['other_text'][:5]))}"
                    f"{', ...' if len(driver['other_text']) > 5 else ''})")
    return text + [""]


def driver_lines(driver, first):
    text = [f"{clean(driver['driver'])} {clean(driver['mode'])}: {driver['shared']} shared programs"]
    if driver["time"]:
        text.append(f"time = {driver['time']}")
    text.append("")
    if driver["loops_changed"]:
        text += [f"{driver['loops_changed']} programs have a different number of loops; their other numbers are not "
                 "compared (use --ignore-loops to compare them)", ""]
    changed = [number for number in driver["numbers"] if number["helped"]["count"] + number["hurt"]["count"]]
    for number in changed:
        text += number_lines(number, first)
    if not changed:
        text += ["No changes.", ""]
    return text + missing_lines(driver)


def lines(document):
    """Returns the document of compare.py as lines of text."""
    files = [clean(file["file"]) for file in document["files"]]
    text = [f"note: {clean(note)}" for note in document["notes"]]
    for comparison in document["comparisons"]:
        text += [f"{files[comparison['before']]} -> {files[comparison['after']]}"]
        text += [f"note: {clean(note)}" for note in comparison["notes"]] + [""]
        for driver in comparison["drivers"]:
            text += driver_lines(driver, files[0])
        if not comparison["drivers"]:
            text += ["The files have no driver in common.", ""]
    return text
