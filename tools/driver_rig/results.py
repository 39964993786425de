"""Reads and writes results files: one JSON object per line; the first line identifies the build.

A shader's line is {"driver", "program", "file", "hash", "mode", "api", "stage", "variant", "numbers"}. Two stages that
the driver compiled together have the stage "vertex+geometry". If there are no numbers, "problem" and "text" replace
the fields from "stage" to "numbers". Problems are "compile" (glslang or the driver's compiler rejects the shader),
"silent" (compiled without a message), "unread" (a message that statistics.toml does not describe), "unreadable",
"hang" and "crash".
"""
import json
import os
import threading

import rig

KEY = ("driver", "program", "mode", "stage", "variant")
MOST = 2**53  # sums of smaller numbers are exact or nearly exact


def sort_key(line):
    return tuple(line.get(name, "") for name in KEY) + (line.get("problem", ""), line.get("text", ""))


def wrong_with(line):
    """Returns the error in a parsed line, or None."""
    if not isinstance(line, dict):
        return "not a JSON object"
    if "problem" in line:
        texts = ("driver", "program", "hash", "mode", "problem")
    else:
        texts = KEY + ("hash", "file")
    for name in texts:
        if not isinstance(line.get(name), str):
            return f"\"{name}\" is not a string"
    if "problem" in line:
        return None
    if not isinstance(line.get("numbers"), dict):
        return "\"numbers\" is not an object"
    for name, value in line["numbers"].items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MOST:
            return f"{json.dumps(name)} is not a number from 0 to 2^53"  # also rejects NaN
    return None


def read(path):
    """Returns (head, lines) of a file. Ignores an incomplete last line, which a killed run leaves behind."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise rig.UserError(f"{path}: {error.strerror}") from error
    lines = []
    for number, text in enumerate(content[:content.rfind(b"\n") + 1].splitlines(), 1):
        try:
            lines.append(json.loads(text))
        except (ValueError, RecursionError) as error:  # also invalid UTF-8, and numbers with too many digits
            reason = getattr(error, "msg", None) or str(error)
            raise rig.UserError(f"{path}:{number}: not JSON ({reason}); remove the file or name another") from error
        if number > 1 and (wrong := wrong_with(lines[-1])):
            raise rig.UserError(f"{path}:{number}: {wrong}; tools/driver_rig/run does not write such lines, so "
                                "remove the file or name another")
    if not lines or not isinstance(lines[0], dict) or not isinstance(lines[0].get("build"), str):
        raise rig.UserError(f"{path}:1: not a results file of tools/driver_rig/run")
    return lines[0], lines[1:]


class File:
    """A growing results file. Writes all lines of a program at once, so that the file never contains part of a
    program."""

    def __init__(self, path, build):
        self.path = path
        self.lines = []
        self.lock = threading.Lock()
        if os.path.exists(path) and os.path.getsize(path):
            head, self.lines = read(path)
            if head["build"] != build:
                raise rig.UserError(f"{path} has results of another build of the drivers; use another --out or "
                                    "remove the file")
        self.head = {"build": build}
        self.rewrite()
        self.file = open(path, "a")
        self.done = {(line["driver"], line["program"], line["hash"]) for line in self.lines}

    def rewrite(self):
        """Rewrites the file with the lines sorted, so that two runs produce the same bytes."""
        self.lines.sort(key=sort_key)
        with open(self.path + ".new", "w") as file:
            for line in [self.head] + self.lines:
                file.write(json.dumps(line) + "\n")
        os.replace(self.path + ".new", self.path)

    def add(self, lines):
        with self.lock:
            self.lines += lines
            self.file.write("".join(json.dumps(line) + "\n" for line in lines))
            self.file.flush()

    def close(self):
        self.file.close()
        self.rewrite()


def lines_of(driver, program, answers, problem, words, reader):
    """Returns the lines of one program from the runner's answers and, if it hung or crashed, its problem and last
    words."""
    base = {"driver": driver, "program": program.name, "hash": program.hash}
    lines = []
    for answer in answers:
        one = dict(base, mode=answer["mode"])
        if "api" in answer:
            one["api"] = answer["api"]
        if answer.get("error"):
            kind = "unreadable" if answer["mode"] == "none" else "compile"
            alone = answer.get("stages", [])
            file = program.file_of(alone[0]) if len(alone) == 1 else program.name
            lines.append(dict(one, file=file, stage="+".join(alone), problem=kind, text=answer["error"].strip()))
            continue
        records, unread = reader.read(answer["messages"])
        for record in records:
            lines.append(dict(one, file=program.file_of(record["stage"]), **record))
        for text in unread:
            lines.append(dict(one, file=program.name, problem="unread", text=text))
        told = {stage for record in records for stage in record["stage"].split("+")}
        for stage in set(answer["stages"]) - told:
            lines.append(dict(one, file=program.file_of(stage), stage=stage, problem="silent", text=""))
    if problem is not None:
        lines.append(dict(base, mode="none", file=program.name, problem=problem, text=words))
    return lines


def lines_of_refused(driver, program, words):
    """Returns the line of a program that could not be translated for the driver."""
    return [{"driver": driver, "program": program.name, "hash": program.hash, "mode": "none", "file": program.name,
             "problem": "compile", "text": words}]


def totals(lines):
    """Returns {(driver, mode): {"shaders": n, "problems": {kind: n}, "numbers": {name: sum}}}, sorted."""
    found = {}
    for line in lines:
        one = found.setdefault((line["driver"], line["mode"]), {"shaders": 0, "problems": {}, "numbers": {}})
        if "problem" in line:
            one["problems"][line["problem"]] = one["problems"].get(line["problem"], 0) + 1
            continue
        one["shaders"] += 1
        for name, value in line["numbers"].items():
            one["numbers"][name] = one["numbers"].get(name, 0) + value
    return dict(sorted(found.items()))


def show(value):
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def print_totals(lines):
    for (driver, mode), one in totals(lines).items():
        problems = "".join(f", {count} {kind}" for kind, count in sorted(one["problems"].items()))
        print(f"{driver} {mode}: {one['shaders']} shaders{problems}")
        if one["numbers"]:
            print("  " + ", ".join(f"{name} {show(value)}" for name, value in one["numbers"].items()))
