"""Reads a series of patches for a Mesa tree and determines which rules each patch adds and removes, so that one build
can contain all patches, each switched on or off (series_pass.py).

Every patch is measured alone, against the tree without any patch. So a patch must not change rules of an earlier patch,
and it may only change rule files of nir_algebraic.
"""
import difflib
import email
import email.policy
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import rig

NIR = "src/compiler/nir"
PLACE = "series"  # in the lines that report matches
MATCH = frozenset({(-1, "match")})  # the setting in which no patch is active and matches are reported
IMPORTER = os.path.normpath(os.path.join(rig.FOLDER, "..", "..", "audit", "import_mesa_rules.py"))


class Patch:
    """name: the name of its file; subject: the subject of the commit; diff: its text from the first "diff --git" on; id:
    from id_of; files: the files that it changes, relative to the tree's root; added, removed: numbers of rules."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        with open(path, "rb") as file:
            message = email.message_from_binary_file(file, policy=email.policy.default)
        self.subject = re.sub(r"^\[PATCH[^]]*\] *", "", " ".join(str(message["subject"] or self.name).split()))
        body = message.get_payload(decode=True).decode("utf-8", "replace")
        found = re.search(r"^diff --git .*?(?=^-- $|\Z)", body, re.M | re.S)
        if not found:
            raise rig.UserError(f"{path}: not a patch from git format-patch")
        self.diff = found[0]
        self.id = id_of(self.diff)
        self.files = re.findall(r"^\+\+\+ b/(\S+)", self.diff, re.M)
        self.added = self.removed = 0
        for name in self.files:
            if not name.endswith(".py") or os.path.basename(name) == "nir_algebraic.py" or ".." in name.split("/"):
                raise rig.UserError(f"{path}: changes {name}, but only rule files of nir_algebraic can be measured")


def id_of(diff):
    """Returns the id of a patch with this diff, as in audit/measured_patches.h."""
    text, context = [], ""
    for line in diff.split("\n"):
        if line.startswith("@@"):
            context = ""
        elif re.match(r" \s*[^\s#]", line):
            context = line
        elif re.match(r"[+-]\s*[^\s#]", line):
            text += [context, line] if context else [line]
            context = ""
    return hashlib.sha256("".join(line + "\n" for line in text).encode()).hexdigest()[:16]


def read(folder):
    """Returns the patches of a folder, sorted by name. Raises rig.UserError."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".patch")) if os.path.isdir(folder) else []
    if not names:
        raise rig.UserError(f"{folder} contains no *.patch files; write some with rewrought propose or git format-patch")
    return [Patch(os.path.join(folder, name)) for name in names]


def rules_of(tree, file):
    """Returns {pass: its rules} of a rule file. A rule is a tuple (search, replace, condition, status) of strings."""
    done = subprocess.run([sys.executable, IMPORTER, os.path.join(tree, NIR), os.path.join(tree, file)], text=True,
                          capture_output=True, check=False)
    passes = {}
    for line in done.stdout.splitlines():
        entry = json.loads(line)
        if entry.get("reason"):
            raise rig.UserError(f"{file}:{entry.get('line', 0)}: {entry['reason']}")
        if entry.get("rule"):
            rule = tuple(entry[key] for key in ("search", "replace", "condition", "status"))
            passes.setdefault(entry["pass"], []).append(rule)
    if done.returncode or not passes:
        raise rig.UserError(f"{file}: no rules can be read: {done.stderr.strip()[-500:]}")
    return passes


def setting_of(*numbers):
    """Returns the setting in which only these patches are active."""
    return frozenset((number, PLACE) for number in numbers)


class Switches:
    """Converts settings (trial_measure.py) to environment variables, and the runner's lines to pairs."""

    @staticmethod
    def variables(setting):
        active = "".join(f"{number}," for number, place in sorted(setting) if place == PLACE)
        return {"RIG_PATCHES": "match" if setting == MATCH else f",{active}" if active else ""}

    @staticmethod
    def pairs(applied):
        """Parses the runner's lines "series PATCH TIMES" into {(patch, PLACE): times}."""
        found = {}
        for line in applied:
            place, number, times = line.split()
            found[int(number), place] = int(times)
        return found


class Pass:
    """The rules of one pass before and after the patches applied so far. present: (origin, place, patch, rule) in order.
    The origin is the index of a rule of the unpatched tree, or None for a rule that a patch added. The place is an index
    in the unpatched tree: that of the rule itself or, for an added rule, of the rule that it replaces or follows. It is -1
    if the added rule comes first. removed: maps the index of a rule of the unpatched tree to the patch that removes it."""

    def __init__(self, rules):
        self.present = [(index, index, 0, rule) for index, rule in enumerate(rules)]
        self.removed = {}

    @property
    def added(self):
        """Returns triples (index, patch, rule), sorted by the index before which the rule belongs."""
        return sorted(((place + 1, patch, rule) for origin, place, patch, rule in self.present if origin is None),
                      key=lambda entry: entry[0])

    def apply(self, number, patch, rules):
        """Records how the patch changes the rules."""
        before = [rule for _, _, _, rule in self.present]
        result = []
        for kind, first, last, start, end in difflib.SequenceMatcher(None, before, rules, False).get_opcodes():
            if kind == "equal":
                result += self.present[first:last]
                continue
            for origin, _, _, rule in self.present[first:last]:
                if origin is None:
                    raise rig.UserError(f"{patch.path}: changes a rule that an earlier patch adds: {rule[0]}; "
                                        "combine the two patches")
                self.removed[origin] = number
                patch.removed += 1
            place = self.present[last - 1][1] if last else -1
            patch.added += end - start
            result += [(None, place, number, rule) for rule in rules[start:end]]
        self.present = result


def changes(tree, patches):
    """Returns {pass: Pass} for the passes that the patches change, and counts the rules of each patch. Raises
    rig.UserError if a patch does not apply to the tree or cannot be read."""
    passes, known = {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted({os.path.dirname(file) for patch in patches for file in patch.files} | {NIR}):
            copy_scripts(os.path.join(tree, name), os.path.join(scratch, name))
        for number, patch in enumerate(patches, 1):
            for file in set(patch.files) - set(known):
                known[file] = {name: Pass(rules) for name, rules in rules_of(scratch, file).items()}
            applied = subprocess.run(["git", "apply", "-p1", "-"], cwd=scratch, input=patch.diff.encode(),
                                     capture_output=True, check=False)
            if applied.returncode:
                raise rig.UserError(f"{patch.path} does not apply: {applied.stderr.decode(errors='replace').strip()}")
            for file in patch.files:
                for name, rules in rules_of(scratch, file).items():
                    known[file].setdefault(name, Pass([])).apply(number, patch, rules)
            if not patch.added + patch.removed:
                raise rig.UserError(f"{patch.path}: changes no rule")
        for one in known.values():
            passes.update({name: found for name, found in one.items() if found.added or found.removed})
    return passes


def copy_scripts(folder, target):
    os.makedirs(target, exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith(".py"):
            shutil.copyfile(os.path.join(folder, name), os.path.join(target, name))


def literal(rule):
    """Returns a rule as an expression for the namespace of nir_algebraic.py."""
    search, replace, condition, status = rule
    parts = [re.sub(r"'(-?inf|nan)'", r"float('\1')", text) for text in (search, replace)]
    if condition or status:
        parts.append(repr(condition) if condition else "True")
    if status:
        parts.append(f"TestStatus.{status}")
    return f"({', '.join(parts)})"


def text_of(passes):
    """Returns the code to append to nir_algebraic.py."""
    with open(os.path.join(rig.FOLDER, "series_pass.py"), encoding="utf-8") as file:
        text = file.read()
    entries = []
    for name, one in sorted(passes.items()):
        added = "".join(f"        ({index}, {number}, {literal(rule)}),\n" for index, number, rule in one.added)
        entries.append(f"    {name!r}: ([\n{added}    ], {one.removed!r}),\n")
    return f"\n\n{text}\nrig_changes.update({{\n{''.join(entries)}}})\n"
