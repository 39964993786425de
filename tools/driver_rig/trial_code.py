"""Shows a driver's code with and without a rule, for the smallest shader that the rule changes in the direction of its
total effect.

code.toml describes how drivers print code.
"""
import difflib
import re

import estimate
import rig
import supervisor

MOST_LINES, MOST_CHARACTERS = 600, 32768  # limits of one comparison
CONTEXT = 3  # lines of context around each change in an abbreviated comparison


class Printer:
    """Extracts the code of shaders from a driver's output. row is a row of code.toml."""

    def __init__(self, row):
        self.environment = row["environment"]
        self.begin, self.line = re.compile(row["begin"]), re.compile(row["line"])
        self.restart = re.compile(row.get("restart", "(?!)"))  # matches nothing by default
        self.end = re.compile(row["end"]) if "end" in row else re.compile("(?!)")
        self.cut = re.compile(row.get("cut", "(?!)"))

    def shaders(self, printed):
        """Returns the lines of code of each shader, in the order in which the driver printed them."""
        found, inside = [], False
        for text in printed.split("\n"):
            if self.begin.fullmatch(text):
                found.append([])
                inside = True
            elif inside and self.restart.fullmatch(text):
                found[-1] = []
            elif inside and self.end.fullmatch(text):
                inside = False
            elif inside and (match := self.line.fullmatch(text)):
                found[-1].append(self.cut.sub("", match[1]))
        return found


def printer_of(driver):
    """Returns the driver's Printer, or None if code.toml has no row for the driver."""
    for name, row in rig.load_table("code.toml").items():
        if driver.startswith(name):
            return Printer(row)
    return None


def compared(before, after):
    """Returns a unified diff of both listings without header lines, or "" if they are equal. Contains all lines if they
    fit, otherwise only CONTEXT lines around each change."""
    for context in (len(before) + len(after), CONTEXT):
        lines = [line for line in list(difflib.unified_diff(before, after, n=context, lineterm=""))[2:]
                 if context == CONTEXT or not line.startswith("@@")]
        if len(lines) <= MOST_LINES and sum(map(len, lines)) <= MOST_CHARACTERS:
            return "\n".join(lines)
    kept, size = [], 0
    for line in lines[:MOST_LINES]:
        size += len(line) + 1
        if size > MOST_CHARACTERS:
            break
        kept.append(line)
    return "\n".join(kept + [f"@@ {len(lines) - len(kept)} more lines @@"])


class Examples:
    """Finds the examples of one driver's trial. start: (variables) -> supervisor.Runner; choice: a
    trial_choice.Choice after choose(); switches: trial_rules.Switches; reader: messages.Reader."""

    def __init__(self, start, printer, choice, switches, reader):
        self.choice, self.switches, self.reader, self.printer = choice, switches, reader, printer
        self.crew = supervisor.Crew(lambda: start(dict(printer.environment, RIG_PRINTED="1")))
        self.printed = {}  # (program's name, setting) -> {(mode, stage, variant): lines of code}

    def close(self):
        self.crew.close()

    def code(self, program, setting):
        """Returns {(mode, stage, variant): lines of code}; omits shaders on which the driver now hangs or crashes."""
        known = self.printed.get((program.name, setting))
        if known is None:
            answers, _, _ = self.crew.compile(0, program.inputs, self.switches.variables(setting))
            known = {}
            for answer in answers:
                if answer.get("error"):
                    continue
                records, _ = self.reader.read(answer["messages"])
                shaders = self.printer.shaders(answer.get("printed", ""))
                for record, lines in zip(records[::-1], shaders[::-1]):  # the driver prints its internal shaders first
                    known[answer["mode"], record["stage"], record["variant"]] = lines
            self.printed[program.name, setting] = known
        return known

    def of(self, pair):
        """Returns the RuleTrial.Example (proto/rewrought/v1/rule.proto) of a rule at a place, or None if the rule changes
        neither time nor instructions in total or the driver prints no code."""
        effect, setting = self.choice.alone[pair], frozenset([pair])
        name = estimate.TIME if effect.time else self.choice.objective.instructions
        total = effect.totals.get(name, 0)
        found = []
        for program, before, after in self.choice.measured(pair):
            for key, old in before.shaders.items():
                new = after.shaders.get(key)
                if new is not None and (new[name] - old[name]) * total > 0:
                    found.append((old[name], key[0] != "alone", key, new[name], program))
        for old, _, key, new, program in sorted(found, key=lambda one: one[:3] + (one[4].name,))[:1]:
            text = compared(*(self.code(program, on).get(key, []) for on in (frozenset(), setting)))
            if text:
                return {"place": pair[1], "program": program.name, "shader": " ".join(filter(None, key)), "number": name,
                        "before": old, "after": new, "code": text}
        return None
