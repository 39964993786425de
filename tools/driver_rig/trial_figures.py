"""Computes the figures of a trial: the changes of a set of rules by source and stage (DriverTrial in
proto/rewrought/v1/rule.proto)."""
import compare
import results

STAGE = results.KEY.index("stage")
NAMES = ("instructions", "cycles")


def shaders_of(lines):
    """Maps the results.KEY of each shader in lines of results to its numbers."""
    return {tuple(line[part] for part in results.KEY): line["numbers"] for line in lines if "problem" not in line}


def figures_of(numbers, before, after):
    """Returns the DriverTrial.Figures of each source and stage. before and after come from shaders_of; numbers are
    the driver's names for instructions and cycles. As in compare.py, sums include only shaders that are in both and
    have the same number of loops. Shaders that are only in `before` count as lost."""
    source_of, found = compare.sources(sorted({key[1] for key in before})), {}
    for key, old in before.items():
        one = found.setdefault((source_of[key[1]], key[STAGE]), dict.fromkeys(
            ("shaders", "helped", "hurt", "lost", "loops_changed", "instructions", "cycles", "instructions_change",
             "cycles_change"), 0))
        new = after.get(key)
        if new is None:
            one["lost"] += 1
            continue
        if new.get("loops") != old.get("loops"):
            one["loops_changed"] += 1
            continue
        changes = [new[number] - old[number] for number in numbers]
        one["shaders"] += 1
        one["helped"] += changes[0] < 0
        one["hurt"] += changes[0] > 0
        for name, number, change in zip(NAMES, numbers, changes):
            one[name] += old[number]
            one[name + "_change"] += change
    return [dict(one, source=source, stage=stage) for (source, stage), one in sorted(found.items())]


def stages_text(figures):
    """Returns the change of instructions in each stage, "vertex -1.00%  fragment -0.50%", or "" if there is only
    one stage."""
    sums = {}
    for one in figures:
        before, change = sums.get(one["stage"], (0, 0))
        sums[one["stage"]] = before + one["instructions"], change + one["instructions_change"]
    return "  ".join(f"{stage} {100 * change / max(1e-9, before):+.2f}% of {results.show(before)}"
                     for stage, (before, change) in sorted(sums.items(), reverse=True)) if len(sums) > 1 else ""


def set_line(numbers, split, name, figures):
    """Returns the line to print for one set on one split, and a second line with the stages if there are several."""
    def total(of):
        return sum(one[of] for one in figures)
    text = f"{split:9} {name:10}"
    for number, of in list(zip(numbers, NAMES))[:len(set(numbers))]:
        old, change = total(of), total(of + "_change")
        text += f"  {number} {results.show(old)} -> {results.show(old + change)} ({100 * change / max(1e-9, old):+.2f}%)"
    lost = f"  LOST {total('lost')}" if total("lost") else ""
    lost += f"  loops changed in {total('loops_changed')} more" if total("loops_changed") else ""
    stages = stages_text(figures)
    return (text + f"  helped {total('helped')} HURT {total('hurt')} of {total('shaders')}{lost}" +
            (f"\n{'':22}{numbers[0]} by stage: {stages}" if stages else ""))
