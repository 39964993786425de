"""Plans patches that correct the refuted rules of a Mesa tree, or that add rules to it, and prints them as JSON lines on
standard output.

usage: plan_patches.py SOURCE --fix AUDIT [--causes CAUSES] [--lines N,N...] [--without FILE:N...]
       plan_patches.py SOURCE --add PROPOSALS [--without SUBJECT...]

SOURCE is the tree's folder src. PROPOSALS is a TOML file with one commit per proposal:

    [[proposal]]
    subject = "factor common operands out of bcsel"
    reason = "Where the pattern comes from."
    file = "compiler/nir/nir_opt_algebraic.py"   # the default
    component = "nir/opt_algebraic"              # the prefix of the commit's subject; by default, from the file name
    [[proposal.insert]]
    after = "   (('bcsel', ('inot', a), b, c), ('bcsel', a, c, b)),"   # a line that occurs once
    rules = '''
       (('bcsel', a, ...), ...),
    '''
    [[proposal.insert]]
    replaces = "   (('idiv', a, ...), ...),"                # instead of "after": a line that the rules replace
    rules = "..."
    [[proposal.insert]]
    list = "optimizations"                    # instead of "after": a list
    rules = "..."                             # statements such as "optimizations += [...]", which follow the list's last one
    [proposal.explained]                                     # losses for drivers, explained for the reviewers
    elk-hsw = "Why this driver loses."

AUDIT is the output of `rewrought audit --suggest-fixes --json`. CAUSES is a TOML file that groups lines of the tree's rule
files into commits:

    [[cause]]
    title = "Shifts by -32"
    subject = "require at most 32 bits for shifts by -32"   # the title by default
    text = "Why the rules are wrong."
    message = "The text of the commit."   # the text by default
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
import bisect
import collections
import difflib
import json
import os
import re
import struct
import sys
import textwrap
import tomllib

COLUMNS = 72       # of a commit message
EXAMPLES = 4       # the greatest number of wrong results that a commit message shows
ADDING_METHODS = ("append", "extend")  # of a list
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
        self.data = text.encode("utf-8")
        self.starts = [0]  # the offset of each line, and of the end of the file
        for line in self.data.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.parts = []  # (begin, end, replacement), in bytes

    def offset(self, line, column):
        return self.starts[line - 1] + column

    def span(self, node):
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def source(self, begin, end):
        return self.data[begin:end].decode("utf-8")

    def add(self, parts):
        """Adds all of these edits. Raises Problem, and adds none, if two edits overlap."""
        spans = sorted(part[:2] for part in self.parts + parts)
        if any(end > begin for (_, end), (begin, _) in zip(spans, spans[1:])):
            raise Problem("two edits overlap")
        self.parts += parts

    def result(self):
        done, pieces = 0, []
        for begin, end, replacement in sorted(self.parts, key=lambda part: part[:2]):
            pieces += [self.data[done:begin], replacement.encode("utf-8")]
            done = end
        return b"".join(pieces + [self.data[done:]]).decode("utf-8")


def with_size(text, size):
    """Returns an op or a variable with another size, such as "@32" or None, and its other markings."""
    inexact, name, _, marks = STRING.match(text).groups()
    return f"{inexact}{name}{size or ''}" + (f"({marks})" if marks else "")


def corrected_name(old, new):
    """Returns the op or variable `old` with the markings that `new` has. Keeps a size that only `old` names."""
    return with_size(new, STRING.match(new).group(3) or STRING.match(old).group(3))


def spell(expression):
    """Returns an expression as the tree's files write it."""
    if isinstance(expression, tuple):
        return "(" + ", ".join(map(spell, expression)) + ("," if len(expression) == 1 else "") + ")"
    return repr(expression)


class File:
    """The syntax tree of a rule file, and the variables that it binds to text, as in `a = 'a'`."""

    def __init__(self, text):
        self.tree = ast.parse(text)
        stores = collections.Counter(node.id for node in ast.walk(self.tree)
                                     if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        self.variables = {}
        for statement in self.tree.body:
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            names, values = statement.targets[0], statement.value
            pairs = zip(names.elts, values.elts) if isinstance(names, ast.Tuple) and isinstance(values, ast.Tuple) \
                else [(names, values)]
            for name, value in pairs:
                if isinstance(name, ast.Name) and stores[name.id] == 1 and isinstance(value, ast.Constant):
                    self.variables[name.id] = value.value

    def matches(self, node, value):
        """Returns whether the source `node` is written out as `value`, with constants and variables."""
        if isinstance(node, ast.Tuple):
            return isinstance(value, tuple) and len(node.elts) == len(value) and all(map(self.matches, node.elts, value))
        if isinstance(node, ast.Name):
            return isinstance(value, str) and self.variables.get(node.id) == value
        try:
            found = ast.literal_eval(node)
        except ValueError:
            return False
        return type(found) is type(value) and found == value

    def rules_at(self, line, search, replace):
        """Returns the tuples (search, replacement, ...) that begin at the line and spell the rule."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Tuple) and node.lineno == line
                and len(node.elts) >= 2 and self.matches(node.elts[0], search) and self.matches(node.elts[1], replace)]


def rewrites(edits, node, old, new):
    """Returns the edits that turn `old`, which `node` spells, into `new`."""
    if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        return [edit for part in zip(node.elts, old, new) for edit in rewrites(edits, *part)]
    if isinstance(old, str) and isinstance(new, str):
        new = corrected_name(old, new)
    return [] if old == new else [(*edits.span(node), spell(new))]


def first_use(node, value, variable):
    """Returns the source node of the first use of a variable in an expression, and its text, or None."""
    if isinstance(value, tuple):
        found = (first_use(*part, variable) for part in list(zip(node.elts, value))[1:])
        return next((use for use in found if use), None)
    is_use = isinstance(value, str) and STRING.match(value).group(2).lstrip("#") == variable
    return (node, value) if is_use else None


def proved_sizes(rule, variable):
    """Returns the sizes of the variable at which all cases are proved."""
    verdicts = collections.defaultdict(list)
    for case in rule["cases"]:
        verdicts[case["sizes"].get(variable)].append(case["verdict"])
    return sorted(size for size, found in verdicts.items() if size and set(found) == {"proved"})


def one_per_size(edits, tuple_node, search, rule, variable):
    """Returns the edit that replaces the rule with one rule for each size of the variable at which it is proved."""
    use = first_use(tuple_node.elts[0], search, variable)
    sizes = proved_sizes(rule, variable)
    if not use or not sizes:
        raise Problem(f"the rule has no use of {variable} that can name a size")
    begin, end = edits.span(tuple_node)
    use_begin, use_end = edits.span(use[0])
    variants = [edits.source(begin, use_begin) + repr(with_size(use[1], f"@{size}")) + edits.source(use_end, end)
                for size in sizes]
    return begin, end, (",\n" + " " * tuple_node.col_offset).join(variants)


def suggested_edits(edits, file, rule):
    """Returns the edits that apply the audit's suggestion. Raises Problem if code creates the rule."""
    fix = rule.get("suggested_fix")
    if not fix or fix["verdict"] not in ("proved", "inexact"):
        raise Problem("the audit suggests no correction")
    search, replace = read_side(rule["search"]), read_side(rule["replace"])
    found = file.rules_at(rule["line"], search, replace)
    if len(found) != 1:
        raise Problem("code creates the rule; describe the edit in a file for --causes")
    size = re.fullmatch(r"only (\w+)@\d+", fix["change"])
    if size:
        return [one_per_size(edits, found[0], search, rule, size.group(1))]
    new_search, new_replace = read_side(fix["rule"])
    return rewrites(edits, found[0].elts[0], search, new_search) + rewrites(edits, found[0].elts[1], replace, new_replace)


def removal(edits, file, line):
    """Returns the edit that removes the lines of the tuple that begins at the line."""
    found = [node for node in ast.walk(file.tree) if isinstance(node, ast.Tuple) and node.lineno == line]
    if not found:
        raise Problem("no tuple begins at the line")
    outer = max(found, key=lambda node: edits.span(node)[1] - edits.span(node)[0])
    begin, end = edits.offset(line, 0), edits.starts[outer.end_lineno]
    before, after = edits.source(begin, edits.span(outer)[0]), edits.source(edits.span(outer)[1], end)
    if before.strip() or not re.fullmatch(r",?\s*(#.*)?\s*", after):
        raise Problem("the line contains more than the tuple")
    return begin, end, ""


def described_edit(edits, file, edit):
    """Returns the edit that a cause describes."""
    if edit.get("remove"):
        return removal(edits, file, edit["line"])
    line, before = edit["line"], edit["before"]
    ends = [node.end_lineno for node in ast.walk(file.tree) if getattr(node, "lineno", 0) == line]
    if not ends:
        raise Problem("nothing begins at the line")
    begin, text = edits.offset(line, 0), edits.source(edits.offset(line, 0), edits.starts[max(ends)])
    where = [found.start() for found in re.finditer(re.escape(before), text)]
    if len(where) != 1:
        raise Problem(f"the text to replace occurs {len(where)} times, not once: {before}")
    start = begin + len(text[:where[0]].encode("utf-8"))
    return start, start + len(before.encode("utf-8")), edit["after"]


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
    allowed = [witness["search"]] if isinstance(witness["search"], str) else witness["search"]
    allowed = " or ".join(shown(value, width, is_float) for value in allowed)
    text = VARIABLE.sub(r"\1", f"({rule['search']}, {rule['replace']})")
    return (f"    {text}\n      at {case['width']} bits with {inputs}:\n"
            f"      search side {allowed}, replacement {shown(witness['replace'], width, is_float)}")


def message_of(cause, rules):
    """Returns the text of a commit's message: the cause, and examples of wrong results."""
    parts = [textwrap.fill(" ".join(part.split()), COLUMNS, break_long_words=False, break_on_hyphens=False)
             for part in cause.get("message", cause.get("text", "")).strip().split("\n\n")]
    parts.append("Wrong results:" if rules else "")
    parts += [example_of(rule) for rule in rules[:EXAMPLES]]
    if len(rules) > EXAMPLES:
        parts.append(f"{len(rules) - EXAMPLES} more rules are wrong in the same way.")
    text = "\n\n".join(part for part in parts if part)
    if re.search(r"^(---|diff |Index: )", text, re.M):
        raise Problem("git would not read a message with a line that starts with '---', 'diff ', or 'Index: '")
    return text


def default_causes(rules):
    """Returns one cause for each line with a suggestion."""
    causes = {}
    for rule in rules:
        if rule.get("suggested_fix"):
            op = re.match(r"\('[~!]?(\w+)", rule["search"])
            causes.setdefault((rule["file"], rule["line"]), {
                "title": f"correct a rule for {op.group(1) if op else rule['search']}", "lines": [rule["line"]],
                "file": rule["file"]})
    return list(causes.values())


def extends(statement, name):
    """Returns whether a statement of the module, or a statement within it, assigns to the list or extends it."""
    for node in ast.walk(statement):
        targets = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ADDING_METHODS:
            targets = [node.func.value]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return True
    return False


def insertion(edits, file, insert):
    """Returns the edit that inserts rules after a line that occurs once or after a list, or that replaces a line."""
    rules = insert["rules"].strip("\n") + "\n"
    if "list" in insert:
        ends = [statement.end_lineno for statement in file.tree.body if extends(statement, insert["list"])]
        if not ends:
            raise Problem(f"the file has no list {insert['list']}")
        end = edits.starts[ends[-1]]
        return end, end, "\n" + rules
    wanted = insert["replaces"] if "replaces" in insert else insert["after"]
    found = [number for number, line in enumerate(edits.data.decode("utf-8").split("\n"), 1) if line == wanted]
    if len(found) != 1:
        raise Problem(f"the line at which to insert rules occurs {len(found)} times, not once: {wanted}")
    begin, end = edits.starts[found[0] - 1], edits.starts[found[0]]
    return begin if "replaces" in insert else end, end, rules


class Plan:
    """Applies causes or proposals to the files of a tree, one after the other."""

    def __init__(self, source, rules=()):
        self.source = source
        self.faults = collections.defaultdict(list)  # by file and line
        for rule in rules:
            self.faults[rule["file"], rule["line"]].append(rule)
        self.files = {}  # by name: the File
        self.edits = {}  # by name: the edits of the commits so far
        self.texts = {}  # by name: the text after these commits

    def file_of(self, cause):
        """Returns the file that the cause names, or else that of its first refuted rule."""
        if "file" in cause:
            return cause["file"]
        return next((file for line in cause["lines"] for file, at in self.faults if at == line), None)

    def open(self, name):
        if name in self.edits:
            return
        with open(os.path.join(self.source, name), encoding="utf-8", newline="") as original:
            text = original.read()
        if "\r" in text or not text.endswith("\n"):
            raise Problem(f"{name}: git could not apply a patch; the file must end with a newline and have no CR")
        self.texts[name], self.edits[name], self.files[name] = text, Edits(text), File(text)

    def correct(self, name, line, cause):
        """Adds the edits of one line. Raises Problem if there are none."""
        faults, edits, file = self.faults[name, line], self.edits[name], self.files[name]
        described = [edit for edit in cause.get("edit", []) if edit["line"] == line]
        if described:
            edits.add([described_edit(edits, file, edit) for edit in described])
        elif not cause.get("suggest", True):
            raise Problem("the cause describes no edit of this line")
        elif len(faults) != 1:
            raise Problem(f"the line has {len(faults)} refuted rules; describe the edit in a file for --causes")
        else:
            edits.add(suggested_edits(edits, file, faults[0]))

    def commit(self, cause):
        """Yields the commit for a cause, and the lines that are skipped."""
        name = self.file_of(cause)
        if name is None:
            yield {"skipped": {"file": "", "line": cause["lines"][0], "reason": "the audit refutes no rule of this line"}}
            return
        self.open(name)
        corrected = []
        for line in cause["lines"]:
            try:
                self.correct(name, line, cause)
                corrected.append(line)
            except Problem as problem:
                yield {"skipped": {"file": name, "line": line, "reason": str(problem)}}
        rules = [rule for line in corrected for rule in self.faults[name, line]]
        if self.edits[name].result() != self.texts[name]:
            subject = subject_of(name, cause.get("subject", cause["title"]))
            yield self.commit_of(name, subject, message_of(cause, rules), corrected,
                                 sorted({rule["id"] for rule in rules}))

    def add(self, proposal):
        """Returns the commit of a proposal."""
        name = proposal["file"]
        self.open(name)
        edits = [insertion(self.edits[name], self.files[name], insert) for insert in proposal["insert"]]
        self.edits[name].add(edits)
        lines = [bisect.bisect_left(self.edits[name].starts, end) for _, end, _ in edits]
        text = message_of({"text": proposal["reason"]}, [])
        commit = self.commit_of(name, proposed_subject(proposal), text, lines, [])
        commit["commit"].update(replaces=any("replaces" in insert for insert in proposal["insert"]),
                                explained=proposal.get("explained", {}))
        return commit

    def commit_of(self, name, subject, text, lines, ids):
        """Returns the commit that consists of the file's edits since the last commit."""
        before, content = self.texts[name], self.edits[name].result()
        path = f"src/{name}"
        diff = "".join(difflib.unified_diff(lines_of(before), lines_of(content), f"a/{path}", f"b/{path}"))
        self.texts[name] = content
        return {"commit": {"subject": subject, "text": text, "file": name, "lines": lines, "content": content,
                           "ids": ids, "diff": f"diff --git a/{path} b/{path}\n{diff}"}}


def lines_of(text):
    """Splits text that ends with a newline at the places where git splits it."""
    return [line + "\n" for line in text.split("\n")[:-1]]


def subject_of(name, subject, component=""):
    """Returns the subject of a commit to a rule file, prefixed with the component or, by default, with a name
    derived from the file name, such as "nir/opt_algebraic" or "ir3_nir_trig"."""
    stem = os.path.splitext(os.path.basename(name))[0]
    prefix = "nir/" + stem.removeprefix("nir_") if name.startswith("compiler/nir/") else stem
    return f"{component or prefix}: {subject}"


def proposed_subject(proposal):
    return subject_of(proposal["file"], proposal["subject"], proposal.get("component", ""))


def read_faults(path):
    try:
        with open(path, encoding="utf-8") as lines:
            rules = [json.loads(line) for line in lines]
    except ValueError as error:
        raise Problem(f"{path}: {error}") from error
    if not rules or not all(isinstance(rule, dict) and "class" in rule and "search" in rule for rule in rules):
        raise Problem(f"{path}: not the output of `rewrought audit --json`")
    return [rule for rule in rules if is_fault(rule)]


def check_keys(path, entry, required, optional):
    """Raises Problem if an entry of a TOML file lacks a key, has an unknown one, or has a value of another type."""
    kinds = {**required, **optional}
    for key in required:
        if key not in entry:
            raise Problem(f"{path}: an entry has no {key}: {entry}")
    for key, value in entry.items():
        if key not in kinds:
            raise Problem(f"{path}: {key} is not a key here; use one of {', '.join(kinds)}")
        if not isinstance(value, kinds[key]):
            raise Problem(f"{path}: {key} must be of type {kinds[key].__name__}: {value}")


def read_entries(path, kind):
    """Returns the entries [[kind]] of a TOML file."""
    with open(path, "rb") as file:
        try:
            entries = tomllib.load(file).get(kind)
        except tomllib.TOMLDecodeError as error:
            raise Problem(f"{path}: {error}") from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Problem(f"{path}: there is no [[{kind}]]")
    return entries


def read_proposals(path):
    proposals = read_entries(path, "proposal")
    for proposal in proposals:
        proposal.setdefault("file", "compiler/nir/nir_opt_algebraic.py")
        check_keys(path, proposal, {"subject": str, "reason": str, "insert": list},
                   {"file": str, "component": str, "explained": dict})
        for insert in proposal["insert"]:
            place = next((key for key in ("replaces", "list") if key in insert), "after")
            check_keys(path, insert, {place: str, "rules": str}, {})
    return proposals


def read_causes(path):
    causes = read_entries(path, "cause")
    for cause in causes:
        check_keys(path, cause, {"title": str, "lines": list},
                   {"subject": str, "text": str, "message": str, "suggest": bool, "file": str, "edit": list})
        if not cause["lines"] or not all(isinstance(line, int) for line in cause["lines"]):
            raise Problem(f"{path}: lines must be numbers: {cause['lines']}")
        for edit in cause.get("edit", []):
            texts = {} if edit.get("remove") else {"before": str, "after": str}
            check_keys(path, edit, {"line": int, **texts}, {"remove": bool})
            if edit["line"] not in cause["lines"]:
                raise Problem(f"{path}: an edit names line {edit['line']}, which is not among the lines of '{cause['title']}'")
    return causes


def plan_fixes(options):
    """Yields the output for the faults of an audit."""
    faults = read_faults(options.fix)
    causes = read_causes(options.causes) if options.causes else default_causes(faults)
    plan, planned = Plan(options.source, faults), set()
    for cause in causes:
        name = plan.file_of(cause)
        lines = [line for line in cause["lines"]
                 if f"{name}:{line}" not in options.without and (not options.lines or line in options.lines)]
        planned |= set(cause["lines"])
        if lines:
            yield from plan.commit(dict(cause, lines=lines))
    for line in sorted(set(options.lines) - planned):
        yield {"skipped": {"file": "", "line": line, "reason": "no cause and no suggestion names this line"}}


def plan_additions(options):
    """Yields the output for the proposals of a file."""
    plan = Plan(options.source)
    for proposal in read_proposals(options.add):
        if proposed_subject(proposal) not in options.without:
            yield plan.add(proposal)


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("source")
    parser.add_argument("--fix")
    parser.add_argument("--add")
    parser.add_argument("--causes")
    parser.add_argument("--lines", type=lambda text: [int(line) for line in text.split(",")], default=[])
    parser.add_argument("--without", action="append", default=[])
    options = parser.parse_args(arguments)
    try:
        for one in plan_additions(options) if options.add else plan_fixes(options):
            print(json.dumps(one))
    except SyntaxError as error:
        print(json.dumps({"error": f"a rule file has a syntax error at line {error.lineno}: {error.msg}"}))
    except (OSError, Problem) as error:
        print(json.dumps({"error": str(error)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
