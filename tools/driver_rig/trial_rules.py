"""The rules of a trial: read from exported packs, numbered, and written as the pass that trial_pass.py describes.

A rule is what a pack has under one id: some tuples, which are switched together; but its form for stages that compute
positions (docs/passes.md, 4) is another.
"""
import os
import re

import rig
import trial_pass

PLACES = tuple(trial_pass.LIMITS)
POSITIONS = "info->stage == MESA_SHADER_VERTEX"  # begins the condition of a form for positions (emitter/nir/nir_rule.cc)
MATCH = (-1, "match")  # in a setting: its rules are only looked for
MET = "met"            # in place of a place, where rules are looked for: a shader met the rule's condition


class Rule:
    """id: of the pack; stages: "" or, of one with a form for positions, "STAGES_OTHER" or "STAGES_POSITIONS"; kind:
    strict or inexact; tuples: as nir_algebraic takes them; late: only fit for after_late; home: the place at which its
    pack applies it; texts: the tuples as the pack writes them; second: which of them are of the place's second pass;
    helpers: C that its pack's conditions call, by file."""

    def __init__(self, identity, kind, machine):
        self.id, self.kind, self.machine, self.stages = identity, kind, machine, ""
        self.tuples, self.texts, self.second, self.home, self.helpers = [], [], [], "", {}

    @property
    def late(self):
        return self.home == "after_late"

    @property
    def condition(self):
        """C that must hold for any of its tuples to be applied; empty if one needs nothing."""
        conditions = [made[2] if len(made) > 2 else "" for made in self.tuples]
        return " || ".join(dict.fromkeys(conditions)) if all(conditions) else ""


def read_pack(folder):
    """The rules of a pack's nir.py, in its order. Raises UserError with the file and line."""
    path = os.path.join(folder, "nir.py")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise rig.UserError(f"{path}: {error.strerror}; name a folder that `rewrought export --format nir` wrote") from error
    machine = re.search(r"measured on (\w+)\.$", text, re.M)
    end = text.find("\n# The C of these passes")
    if end < 0 or not machine:
        raise rig.UserError(f"{path}: not a file of `rewrought export --format nir`")
    names = {"__builtins__": {"float": float}}
    try:
        exec(compile(text[:end], path, "exec"), names)  # the pack is the user's own
    except Exception as error:  # pylint: disable=broad-except
        raise rig.UserError(f"{path}: {error}; export the pack again") from error
    homes, second = {}, set()
    for place in PLACES:
        behind = names.get("second_places", {}).get(place, [])
        second.update(map(id, behind))
        for rule in names["places"].get(place, []) + behind:
            homes.setdefault(id(rule), place)
    kind = "inexact" if os.path.basename(os.path.normpath(folder)) == "inexact" else "strict"
    rules, identity, tuples = {}, None, iter(names["rules"])
    for number, line in enumerate(text[:end].split("\n"), 1):
        if re.fullmatch(r"   # [0-9a-f]{64}", line):
            identity = line.split()[1]  # once for each pass
        elif line.startswith("   (("):
            if identity is None:
                raise rig.UserError(f"{path}:{number}: a tuple without an id before it")
            made = next(tuples)
            stages = "STAGES_POSITIONS" if len(made) > 2 and POSITIONS in made[2] else ""
            rule = rules.setdefault((identity, stages), Rule(identity, kind, machine[1]))
            rule.stages = stages
            rule.tuples.append(made)
            rule.texts.append(line.strip().rstrip(","))
            rule.second.append(id(rule.tuples[-1]) in second)
            rule.home = homes.get(id(rule.tuples[-1]), "")
            rule.helpers = names.get("helpers", {})
    if next(tuples, None) is not None:
        raise rig.UserError(f"{path}: more rules than lines; export the pack again")
    for (identity, stages), rule in rules.items():
        if not stages and (identity, "STAGES_POSITIONS") in rules:
            rule.stages = "STAGES_OTHER"
    return list(rules.values())


def read_packs(folders):
    """The rules of several packs and of the `inexact` folders below them, each text once, the first that has it."""
    rules, seen = [], set()
    for folder in folders:
        inexact = os.path.join(folder, "inexact")
        for part in [folder] + ([inexact] if os.path.isdir(inexact) else []):
            for rule in read_pack(part):
                key = (rule.machine, tuple(rule.texts))
                if key not in seen and rule.tuples:
                    seen.add(key)
                    rules.append(rule)
    return rules


def pass_text(rules):
    """The rule file of the trial's pass."""
    with open(os.path.join(rig.FOLDER, "trial_pass.py"), encoding="utf-8") as file:
        text = file.read()
    tuples = "".join(f"    {text},\n" for rule in rules for text in rule.texts)
    second = [number for number, behind in enumerate(behind for rule in rules for behind in rule.second) if behind]
    helpers = {file: text for rule in rules for file, text in rule.helpers.items()}
    return (f"{text}\n\nrules = [\n{tuples}]\nsecond = frozenset({second})\nhelpers = {helpers!r}\n\n"
            "if __name__ == '__main__':\n    main(rules, second, helpers)\n")


class Switches:
    """What RIG_RULES says of a setting, and which rule a tuple's number is."""

    def __init__(self, rules):
        self.first, self.owner = [], []
        for number, rule in enumerate(rules):
            self.first.append(len(self.owner))
            self.owner += [number] * len(rule.tuples)

    def text(self, setting):
        """setting: pairs (rule's number, place) that are on, or only looked for (MATCH)."""
        parts = [MATCH[1]] if MATCH in setting else []
        for place in PLACES:
            bits = 0
            for rule, at in setting:
                if at == place:
                    last = self.first[rule + 1] if rule + 1 < len(self.first) else len(self.owner)
                    bits |= (1 << last) - (1 << self.first[rule])
            if bits:
                parts.append(f"{place}:{f'{bits:x}'[::-1]}")  # the digit of the first rules comes first
        return ",".join(parts)

    def pairs(self, applied):
        """{(rule, place or MET): times} of the runner's "PLACE TUPLE TIMES" lines."""
        found = {}
        for line in applied:
            place, number, times = line.split()
            pair = (self.owner[int(number)], place)
            found[pair] = found.get(pair, 0) + int(times)
        return found
