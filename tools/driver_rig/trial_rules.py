"""Reads the rules of a trial from exported packs, numbers them, and writes them as the pass of trial_pass.py.

A rule consists of all tuples that a pack lists under one id; they are switched together. The form of a rule for stages
that compute positions (docs/passes.md, 4) is a separate rule.
"""
import os
import re

import pack_text
import rig
import trial_pass

PLACES = tuple(trial_pass.LIMITS)
# The start of the condition of a rule's form for positions (emitter/nir/nir_rule.cc).
POSITIONS = "info->stage == MESA_SHADER_VERTEX"
MATCH = (-1, "match")  # as part of a setting: rules are matched, not applied
MET = "met"  # replaces the place if rules are only matched and a shader fulfilled the rule's condition


class Rule:
    """id: from the pack. stages: "STAGES_OTHER" or "STAGES_POSITIONS" for a rule with a form for positions,
    otherwise "". kind: strict or inexact. tuples: for nir_algebraic. late: whether the rule is only allowed at
    after_late. home: the place where the pack applies it. texts: the tuples as the pack writes them. second: the
    tuples in the place's second pass. helpers: C code that the pack's conditions call, by file."""

    def __init__(self, identity, kind, machine):
        self.id, self.kind, self.machine, self.stages = identity, kind, machine, ""
        self.tuples, self.texts, self.second, self.home, self.helpers = [], [], [], "", {}

    @property
    def late(self):
        return self.home == "after_late"

    @property
    def condition(self):
        """Returns the C condition under which any of the tuples may be applied, or "" if a tuple has no condition."""
        conditions = [made[2] if len(made) > 2 else "" for made in self.tuples]
        return " || ".join(dict.fromkeys(conditions)) if all(conditions) else ""


def read_pack(folder):
    """Returns the rules of a pack's nir.py in order. Raises UserError with the file and line."""
    path = os.path.join(folder, "nir.py")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise rig.UserError(f"{path}: {error.strerror}; pass a folder that `rewrought export --format nir` wrote") from error
    machine = re.search(r"measured on (\w+)\.$", text, re.M)
    end = text.find(pack_text.CODE)
    if end < 0 or not machine:
        raise rig.UserError(f"{path}: not a file from `rewrought export --format nir`")
    names = {"__builtins__": {"float": float}}
    try:
        exec(compile(text[:end], path, "exec"), names)  # the pack is the user's own file, so executing it is safe
    except Exception as error:  # pylint: disable=broad-except
        raise rig.UserError(f"{path}: {error}; export the pack again") from error
    homes, second = {}, set()
    for place in PLACES:
        behind = names.get("second_places", {}).get(place, [])
        second.update(map(id, behind))
        for rule in names["places"].get(place, []) + behind:
            homes.setdefault(id(rule), place)
    kind = "inexact" if os.path.basename(os.path.normpath(folder)) == "inexact" else "strict"
    rules, tuples = {}, iter(names["rules"])
    for number, identity, line in pack_text.tuples_with_ids(text):
        if identity is None:
            raise rig.UserError(f"{path}:{number}: a tuple without an id in `ids`")
        made = next(tuples)
        stages = "STAGES_POSITIONS" if len(made) > 2 and POSITIONS in made[2] else ""
        rule = rules.setdefault((identity, stages), Rule(identity, kind, machine[1]))
        rule.stages = stages
        rule.tuples.append(made)
        rule.texts.append(line)
        rule.second.append(id(rule.tuples[-1]) in second)
        rule.home = homes.get(id(rule.tuples[-1]), "")
        rule.helpers = names.get("helpers", {})
    if next(tuples, None) is not None:
        raise rig.UserError(f"{path}: more rules than lines in the file; export the pack again")
    for (identity, stages), rule in rules.items():
        if not stages and (identity, "STAGES_POSITIONS") in rules:
            rule.stages = "STAGES_OTHER"
    return list(rules.values())


def read_packs(folders):
    """Returns the rules of several packs and of their `inexact` subfolders. A rule text that several packs contain is
    used only once."""
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
    """Returns the rule file of the trial's pass."""
    with open(os.path.join(rig.FOLDER, "trial_pass.py"), encoding="utf-8") as file:
        text = file.read()
    tuples = "".join(f"    {text},\n" for rule in rules for text in rule.texts)
    second = [number for number, behind in enumerate(behind for rule in rules for behind in rule.second) if behind]
    helpers = {file: text for rule in rules for file, text in rule.helpers.items()}
    return (f"{text}\n\nrules = [\n{tuples}]\nsecond = frozenset({second})\nhelpers = {helpers!r}\n\n"
            "if __name__ == '__main__':\n    main(rules, second, helpers)\n")


class Switches:
    """Converts settings to RIG_RULES, and the numbers of tuples to rules."""

    def __init__(self, rules):
        self.first, self.owner = [], []
        for number, rule in enumerate(rules):
            self.first.append(len(self.owner))
            self.owner += [number] * len(rule.tuples)

    def text(self, setting):
        """Returns RIG_RULES for a setting, a set of pairs (rule's number, place) that may include MATCH."""
        parts = [MATCH[1]] if MATCH in setting else []
        for place in PLACES:
            bits = 0
            for rule, at in setting:
                if at == place:
                    last = self.first[rule + 1] if rule + 1 < len(self.first) else len(self.owner)
                    bits |= (1 << last) - (1 << self.first[rule])
            if bits:
                parts.append(f"{place}:{f'{bits:x}'[::-1]}")  # the first digit switches the first rules
        return ",".join(parts)

    def variables(self, setting):
        """Returns the environment variables that select a setting."""
        return {"RIG_RULES": self.text(setting)}

    def pairs(self, applied):
        """Parses the runner's lines "PLACE TUPLE TIMES" into {(rule, place or MET): times}."""
        found = {}
        for line in applied:
            place, number, times = line.split()
            pair = (self.owner[int(number)], place)
            found[pair] = found.get(pair, 0) + int(times)
        return found
