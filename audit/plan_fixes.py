"""Plans patches that correct the refuted rules of a Mesa tree, and prints them as JSON lines on standard output.

usage: plan_fixes.py SOURCE AUDIT [--causes CAUSES] [--lines N,N...] [--without N,N...]

SOURCE is the tree's folder src, and AUDIT the output of `rewrought audit --suggest-fixes --json`. CAUSES is a TOML file
that groups lines of the tree's rule files into commits:

    [[cause]]
    title = "Shifts by -32"
    subject = "require at most 32 bits for shifts by -32"   # the title by default
    text = "Why the rules are wrong."
    lines = [4050, 4052]
    suggest = true                        # whether to use the audit's suggestions; true by default
    file = "compiler/nir/other.py"        # the file of the first refuted rule by default
    [[cause.edit]]                        # for rules that code creates, or if there is a better correction
    line = 4050
    before = "('ishl', a, -32)"           # occurs once in the statement or tuple that begins at the line
    after = "('ishl', 'a@32', -32)"
    [[cause.edit]]
    line = 4052
    remove = true                         # removes the tuple that begins at the line, and a comment after it

Without CAUSES, each line with a suggestion is a commit. --lines restricts the plan to these lines, and --without omits
lines. SOURCE is not changed. Each output line is one object:
  {"commit": {"subject", "text", "file", "lines", "ids", "content", "diff"}}
                                          file: relative to SOURCE; lines: before the first commit; ids: of the refuted
                                          rules; content: the file after this and all previous commits
  {"skipped": {"file", "line", "reason"}}     a line whose rules are not corrected
  {"error": TEXT}                             nothing can be planned
"""
import argparse
import ast
import collections
import difflib
import json
import os
import re
import struct
import sys
import textwrap
import tomllib

SUBJECT_PREFIX = "nir/opt_algebraic: "
COLUMNS = 72       # of a commit message
EXAMPLES = 4       # the greatest number of wrong results that a commit message shows
VARIABLE = re.compile(r"'([a-z])'")
FORMATS = {16: "<e", 32: "<f", 64: "<d"}
STRING = re.compile(r"(~?)([^@(]*)(@\w+)?(?:\((.*)\))?\Z", re.S)  # inexact, name, size, flags or predicate


class Problem(Exception):
    """An edit or a file that cannot be used."""


def is_fault(rule):
    """Returns whether the rule should hold: the tree expects it to pass, and no driver has to request it."""
    return (rule["class"] == "refuted" and rule["test_status"] in ("", "PASS") and not rule["lowering"]
            and "refuted at 1 bit only" not in rule.get("note", ""))


class Edits:
    """Replacements of parts of a file."""

    def __init__(self, text):
        self.text = text
        lines = text.split("\n")
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line.encode("utf-8")) + 1)
        self.parts = []  # (begin, end, replacement), in bytes

    def offset(self, line, column):
        return self.starts[line - 1] + column

    def span(self, node):
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def source(self, begin, end):
        return self.text.encode("utf-8")[begin:end].decode("utf-8")

    def replace(self, begin, end, replacement):
        if any(begin < other_end and other_begin < end for other_begin, other_end, _ in self.parts):
            raise Problem("two edits overlap")
        self.parts.append((begin, end, replacement))

    def result(self):
        data, done, pieces = self.text.encode("utf-8"), 0, []
        for begin, end, replacement in sorted(self.parts):
            pieces += [data[done:begin], replacement.encode("utf-8")]
            done = end
        return b"".join(pieces + [data[done:]]).decode("utf-8")


def corrected_name(old, new):
    """Returns the op or variable `old` with the markings that `new` has. Keeps a size that only `old` names."""
    old_parts, new_parts = STRING.match(old), STRING.match(new)
    inexact, name, size, in_parentheses = new_parts.groups()
    size = size or old_parts.group(3) or ""
    return f"{inexact}{name}{size}" + (f"({in_parentheses})" if in_parentheses else "")


def spell(expression):
    """Returns an expression as the tree's files write it."""
    if isinstance(expression, tuple):
        return "(" + ", ".join(map(spell, expression)) + ("," if len(expression) == 1 else "") + ")"
    return repr(expression)


def matches(node, value):
    """Returns whether the source `node` is written out as `value`. A name may denote any variable."""
    if isinstance(node, ast.Tuple):
        return isinstance(value, tuple) and len(node.elts) == len(value) and all(map(matches, node.elts, value))
    if isinstance(node, ast.Name):
        return isinstance(value, str)
    try:
        return ast.literal_eval(node) == value
    except ValueError:
        return False


def rewrite(edits, node, old, new):
    """Adds the edits that turn `old`, which `node` spells, into `new`."""
    if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        for part in zip(node.elts, old, new):
            rewrite(edits, *part)
        return
    if isinstance(old, str) and isinstance(new, str):
        new = corrected_name(old, new)
    if old != new:
        edits.replace(*edits.span(node), spell(new))


def tuples_at(tree, line, search):
    """Returns the tuples (search, replacement, ...) that begin at the line and spell the search side."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Tuple) and node.lineno == line
            and len(node.elts) >= 2 and matches(node.elts[0], search)]


def proved_sizes(rule, variable):
    """Returns the sizes of the variable at which all cases are proved."""
    verdicts = collections.defaultdict(list)
    for case in rule["cases"]:
        verdicts[case["sizes"].get(variable)].append(case["verdict"])
    return sorted(size for size, found in verdicts.items() if size and set(found) == {"proved"})


def with_size(text, variable, size):
    """Returns the source text of a rule in which the first use of the variable names the size."""
    use = re.compile(rf"'{variable}'|\b{variable}\b")
    return use.sub(f"'{variable}@{size}'", text, count=1)


def apply_suggestion(edits, tree, rule):
    """Adds the edits that apply the audit's suggestion. Raises Problem if code creates the rule."""
    fix = rule.get("suggested_fix")
    if not fix or fix["verdict"] not in ("proved", "inexact"):
        raise Problem("the audit suggests no correction")
    search = read_side(rule["search"])
    found = tuples_at(tree, rule["line"], search)
    if len(found) != 1:
        raise Problem("the rule is created by code; describe the edit in --causes")
    begin, end = edits.span(found[0])
    size = re.fullmatch(r"only (\w+)@\d+", fix["change"])
    if size:
        text = edits.source(begin, end)
        indent = " " * found[0].col_offset
        variants = [with_size(text, size.group(1), bits) for bits in proved_sizes(rule, size.group(1)) if bits > 1]
        edits.replace(begin, end, f",\n{indent}".join(variants))
        return
    new_search, new_replace = read_side(fix["rule"])
    rewrite(edits, found[0].elts[0], search, new_search)
    rewrite(edits, found[0].elts[1], read_side(rule["replace"]), new_replace)


def remove_tuple(edits, tree, line):
    """Adds the edit that removes the lines of the tuple that begins at the line."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Tuple) and node.lineno == line]
    if not found:
        raise Problem(f"no tuple begins at line {line}")
    outer = max(found, key=lambda node: edits.span(node)[1] - edits.span(node)[0])
    begin, end = edits.offset(line, 0), edits.starts[outer.end_lineno]
    before, after = edits.source(begin, edits.span(outer)[0]), edits.source(edits.span(outer)[1], end)
    if before.strip() or not re.fullmatch(r",?\s*(#.*)?\s*", after):
        raise Problem(f"line {line} contains more than the tuple")
    edits.replace(begin, end, "")


def apply_edit(edits, tree, edit):
    """Adds the edit that a cause describes."""
    if edit.get("remove"):
        return remove_tuple(edits, tree, edit["line"])
    line, before = edit["line"], edit["before"]
    ends = [node.end_lineno for node in ast.walk(tree) if getattr(node, "lineno", 0) == line]
    if not ends:
        raise Problem(f"nothing begins at line {line}")
    begin, end = edits.offset(line, 0), edits.starts[max(ends)]
    where = [found.start() for found in re.finditer(re.escape(before), edits.source(begin, end))]
    if len(where) != 1:
        raise Problem(f"line {line}: the text to replace occurs {len(where)} times, not once: {before}")
    start = begin + len(edits.source(begin, end)[:where[0]].encode("utf-8"))
    return edits.replace(start, start + len(before.encode("utf-8")), edit["after"])


def read_side(text):
    """Returns one side of a rule as a tuple, a string, or a number."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise Problem(f"{text}: {error}") from error


def op_name(expression):
    """Returns the op of a tuple without its markings, or "" for a variable or a constant."""
    return STRING.match(expression[0]).group(2).lstrip("!") if isinstance(expression, tuple) else ""


def reads_floats(op):
    return op.startswith("f") and not op.startswith("find")


def returns_float(op):
    return (reads_floats(op) and not re.match(r"f2[iub]|flt|fge|feq|fneu|f\w*_n\b", op)) or re.search(r"2f(16|32|64)?$", op)


def float_variables(expression):
    """Returns the names of the variables that float ops read."""
    if not isinstance(expression, tuple):
        return set()
    own = {STRING.match(part).group(2).lstrip("#") for part in expression[1:] if isinstance(part, str)}
    return (own if reads_floats(op_name(expression)) else set()).union(*map(float_variables, expression[1:]))


def shown(bits, width, is_float):
    """Returns a value as text: its bits, followed by the number if it is a float."""
    if not isinstance(bits, str):
        return json.dumps(bits)
    if not is_float or width not in FORMATS or not bits.startswith("0x"):
        return bits
    number = struct.unpack(FORMATS[width], int(bits, 16).to_bytes(width // 8, "little"))[0]
    return f"{bits} ({number:.9g})"


def example_of(rule):
    """Returns the rule, inputs at which it is wrong, and the results of both sides."""
    refuted = [case for case in rule["cases"] if case["verdict"] == "refuted" and "witness" in case]
    case = next((case for case in refuted if case["width"] == 32), refuted[0])
    search, replace = read_side(rule["search"]), read_side(rule["replace"])
    floats = float_variables(search) | float_variables(replace)
    witness, sizes = case["witness"], case["sizes"]
    inputs = ", ".join(f"{name} = {shown(value, sizes.get(name, 0), name in floats)}"
                       for name, value in witness["vars"].items() if not name.startswith("root_") and name in sizes)
    is_float, width = returns_float(op_name(search)), sizes.get("root", 0)
    allowed = " or ".join(shown(value, width, is_float) for value in witness["search"])
    text = VARIABLE.sub(r"\1", f"({rule['search']}, {rule['replace']})")
    return (f"    {text}\n      at {case['width']} bits with {inputs}:\n"
            f"      search side {allowed}, replacement {shown(witness['replace'], width, is_float)}")


def message_of(cause, rules):
    """Returns the text of a commit's message: the cause, and examples of wrong results."""
    parts = [textwrap.fill(" ".join(part.split()), COLUMNS, break_long_words=False, break_on_hyphens=False)
             for part in cause.get("text", "").strip().split("\n\n")]
    parts.append("Wrong results:")
    parts += [example_of(rule) for rule in rules[:EXAMPLES]]
    if len(rules) > EXAMPLES:
        parts.append(f"{len(rules) - EXAMPLES} more rules are wrong in the same way.")
    return "\n\n".join(part for part in parts if part)


def default_causes(rules):
    """Returns one cause for each line with a suggestion."""
    causes = {}
    for rule in rules:
        if rule.get("suggested_fix"):
            op = op_name(read_side(rule["search"]))
            causes.setdefault((rule["file"], rule["line"]), {
                "subject": f"correct a rule for {op} ({rule['suggested_fix']['change']})", "lines": [rule["line"]],
                "file": rule["file"]})
    return list(causes.values())


class Plan:
    """Applies causes to the files of a tree, one after the other."""

    def __init__(self, source, rules):
        self.source = source
        self.faults = collections.defaultdict(list)  # by file and line
        for rule in rules:
            self.faults[rule["file"], rule["line"]].append(rule)
        self.edits = {}  # by file: the edits of the commits so far
        self.texts = {}  # by file: the text after these commits

    def file_of(self, cause):
        """Returns the file that the cause names, or else that of its first refuted rule."""
        if "file" in cause:
            return cause["file"]
        return next((file for line in cause["lines"] for file, at in self.faults if at == line), None)

    def correct(self, file, tree, line, cause):
        """Adds the edits of one line. Raises Problem if there are none."""
        faults = self.faults[file, line]
        edit = next((edit for edit in cause.get("edit", []) if edit["line"] == line), None)
        if edit:
            apply_edit(self.edits[file], tree, edit)
        elif not cause.get("suggest", True):
            raise Problem("the cause describes no edit of this line")
        elif len(faults) != 1:
            raise Problem(f"the line has {len(faults)} refuted rules; describe the edit in a file for --causes")
        else:
            apply_suggestion(self.edits[file], tree, faults[0])

    def commit(self, cause):
        """Yields the commit for a cause, and the lines that are skipped."""
        file = self.file_of(cause)
        if file is None:
            yield {"skipped": {"file": "", "line": cause["lines"][0], "reason": "the audit refutes no rule of this line"}}
            return
        if file not in self.edits:
            with open(os.path.join(self.source, file), encoding="utf-8") as original:
                self.texts[file] = original.read()
            self.edits[file] = Edits(self.texts[file])
        tree, corrected = ast.parse(self.edits[file].text), []
        for line in cause["lines"]:
            try:
                self.correct(file, tree, line, cause)
                corrected.append(line)
            except Problem as problem:
                yield {"skipped": {"file": file, "line": line, "reason": str(problem)}}
        before, content = self.texts[file], self.edits[file].result()
        if content == before:
            return
        name = f"src/{file}"
        diff = "".join(difflib.unified_diff(before.splitlines(True), content.splitlines(True), f"a/{name}", f"b/{name}"))
        rules = [rule for line in corrected for rule in self.faults[file, line]]
        yield {"commit": {"subject": SUBJECT_PREFIX + cause.get("subject", cause.get("title", "")),
                          "text": message_of(cause, rules), "file": file, "lines": corrected, "content": content,
                          "ids": sorted({rule["id"] for rule in rules}),
                          "diff": f"diff --git a/{name} b/{name}\n{diff}"}}
        self.texts[file] = content


def line_list(text):
    return [int(line) for line in text.split(",")] if text else []


def read_faults(path):
    with open(path, encoding="utf-8") as lines:
        rules = [json.loads(line) for line in lines]
    if not rules or not all("class" in rule and "search" in rule for rule in rules):
        raise Problem(f"{path}: not the output of `rewrought audit --json`")
    return [rule for rule in rules if is_fault(rule)]


def read_causes(path):
    with open(path, "rb") as file:
        try:
            causes = tomllib.load(file)["cause"]
            for cause in causes:
                missing = [key for key in ("title", "lines") if key not in cause]
                for edit in cause.get("edit", []):
                    keys = ("line",) if edit.get("remove") else ("line", "before", "after")
                    missing += [key for key in keys if key not in edit]
                if missing:
                    raise Problem(f"{path}: a cause or an edit has no {missing[0]}")
        except tomllib.TOMLDecodeError as error:
            raise Problem(f"{path}: {error}") from error
        except KeyError as error:
            raise Problem(f"{path}: there is no {error}") from error
    return causes


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("source")
    parser.add_argument("audit")
    parser.add_argument("--causes")
    parser.add_argument("--lines", type=line_list, default=[])
    parser.add_argument("--without", type=line_list, default=[])
    options = parser.parse_args(arguments)
    try:
        faults = read_faults(options.audit)
        causes = default_causes(faults)
        if options.causes:
            causes = read_causes(options.causes)
        plan = Plan(options.source, faults)
        for cause in causes:
            lines = [line for line in cause["lines"]
                     if line not in options.without and (not options.lines or line in options.lines)]
            for one in plan.commit(dict(cause, lines=lines)) if lines else ():
                print(json.dumps(one))
    except (OSError, ValueError, Problem) as error:
        print(json.dumps({"error": str(error)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
