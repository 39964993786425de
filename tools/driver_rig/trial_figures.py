"""What a set of rules changes, by source: the figures of a trial (DriverTrial of proto/rewrought/v1/rule.proto)."""
import compare
import results

NAMES = ("instructions", "cycles")


def shaders_of(lines):
    """{results.KEY: numbers} of lines of results."""
    return {tuple(line[part] for part in results.KEY): line["numbers"] for line in lines if "problem" not in line}


def figures_of(numbers, before, after):
    """DriverTrial.Figures of each source: before and after as shaders_of has them; numbers: what the driver calls
    instructions and cycles. Sums are of the shaders that both have; the others of before are lost."""
    source_of, found = compare.sources(sorted({key[1] for key in before})), {}
    for key, old in before.items():
        one = found.setdefault(source_of[key[1]], dict.fromkeys(
            ("shaders", "helped", "hurt", "lost", "instructions", "cycles", "instructions_change", "cycles_change"), 0))
        new = after.get(key)
        if new is None:
            one["lost"] += 1
            continue
        changes = [new[number] - old[number] for number in numbers]
        one["shaders"] += 1
        one["helped"] += changes[0] < 0
        one["hurt"] += changes[0] > 0
        for name, number, change in zip(NAMES, numbers, changes):
            one[name] += old[number]
            one[name + "_change"] += change
    return [dict(one, source=source) for source, one in sorted(found.items())]


def set_line(numbers, split, name, figures):
    """One set on one split, as a line for people."""
    def total(of):
        return sum(one[of] for one in figures)
    text = f"{split:9} {name:10}"
    for number, of in list(zip(numbers, NAMES))[:len(set(numbers))]:
        old, change = total(of), total(of + "_change")
        text += f"  {number} {results.show(old)} -> {results.show(old + change)} ({100 * change / max(1e-9, old):+.2f}%)"
    lost = f"  LOST {total('lost')}" if total("lost") else ""
    return text + f"  helped {total('helped')} HURT {total('hurt')} of {total('shaders')}{lost}"
