"""Prints every expanded rule of Mesa's nir_algebraic files as JSON lines on standard output.

usage: import_mesa_rules.py [--text COPY] NIR_DIR FILE...

NIR_DIR is the tree's src/compiler/nir. Each FILE is executed as the build executes it, but in its own process and with
a recorder in place of AlgebraicPass. With --text, executes the text in COPY instead of the text of FILE. The tree is not
changed. Each line is one object:
  {"rule": true, "file", "pass", "index", "line", "search", "replace", "condition", "status", "reason"}
                                                        status: of the rule's test; reason: why the rule cannot be read
  {"file", "line", "reason"}                            a file that cannot be read, or only in part
  {"file", "passes": N, "rules": N}                     the end of a readable file
  {"file", "opcodes": {NAME: [BITS...]}, "dialect"}     source sizes (0: open) of the opcodes that fix any size;
                                                        "nir-26" if the opcodes list their preserve bits, else "nir-25"
"""
import ast
import json
import math
import os
import re
import subprocess
import sys
import traceback
import types

SECONDS_PER_FILE = 120
sys.dont_write_bytecode = True


class Located(tuple):
    """A tuple that records its source line and otherwise behaves like any tuple."""
    line = 0


def located(line, value):
    result = Located(value)
    result.line = line
    return result


class IgnoreExact:
    """The result of nir_algebraic.ignore_exact(op, ...)."""

    def __init__(self, expression):
        self.expression = expression
        self.line = 0


def located_all(line, values):
    """Sets the line of each rule without a line to the line of the call that created the rule."""
    if isinstance(values, list):
        values[:] = [located(line, value) if type(value) is tuple else value for value in values]
    return values


class MarkTuples(ast.NodeTransformer):
    """Wraps every tuple display, and every list that is added to another list, in a call that records its line."""

    @staticmethod
    def wrap(function, node):
        call = ast.Call(func=ast.Name(id=function, ctx=ast.Load()), args=[ast.Constant(value=node.lineno), node], keywords=[])
        return ast.copy_location(call, node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "extend" and len(node.args) == 1:
            node.args[0] = self.wrap("_rewrought_located_all", node.args[0])
        return node

    def visit_List(self, node):
        self.generic_visit(node)
        for item in node.elts:
            if isinstance(item, ast.Starred) and isinstance(node.ctx, ast.Load):
                item.value = self.wrap("_rewrought_located_all", item.value)
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Add):
            for side in ("left", "right"):
                if isinstance(getattr(node, side), ast.Call):
                    setattr(node, side, self.wrap("_rewrought_located_all", getattr(node, side)))
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        node.value = self.wrap("_rewrought_located_all", node.value)
        return node

    def visit_Tuple(self, node):
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or any(isinstance(item, ast.Starred) for item in node.elts):
            return node
        return self.wrap("_rewrought_located", node)


class Unreadable(Exception):
    pass


def spell(value):
    """Returns the value as part of a rule's text."""
    if isinstance(value, IgnoreExact):
        return "ignore_exact" + spell(tuple(value.expression))
    if isinstance(value, bytes):
        value = value.decode("utf-8")
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(spell(part) for part in value) + ")"
    if isinstance(value, float) and not math.isfinite(value):
        return "'nan'" if math.isnan(value) else "'inf'" if value > 0 else "'-inf'"
    if isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise Unreadable("a value of type %s cannot be part of a rule" % type(value).__name__)


def line_of(rule):
    """Returns the line of the rule's tuple, or of its first part whose line is known, or 0 if there is none."""
    line = getattr(rule, "line", 0)
    if line or not isinstance(rule, (tuple, list)):
        return line
    return next((found for found in map(line_of, rule) if found), 0)


def emit(value):
    sys.__stdout__.write(json.dumps(value) + "\n")


class Recorder:
    """Replaces nir_algebraic.AlgebraicPass. Records the rules and renders nothing."""
    file = ""
    passes = 0
    rules = 0

    def __init__(self, pass_name, transforms, *_, **__):
        Recorder.passes += 1
        for index, rule in enumerate(transforms):
            Recorder.rules += 1
            emit(self.describe(pass_name, index, rule))

    @staticmethod
    def describe(pass_name, index, rule):
        entry = {"rule": True, "file": Recorder.file, "pass": pass_name, "index": index, "line": line_of(rule),
                 "search": "", "replace": "", "condition": "", "status": "", "reason": ""}
        try:
            if not isinstance(rule, (tuple, list)) or len(rule) < 2:
                raise Unreadable("a rule is a tuple (search, replace[, condition]), not a %s" % type(rule).__name__)
            entry["search"] = spell(rule[0])
            entry["replace"] = spell(rule[1])
            condition = rule[2] if len(rule) > 2 else True
            if isinstance(condition, bytes):
                condition = condition.decode("utf-8")
            if isinstance(condition, str):
                entry["condition"] = " ".join(condition.split())
            elif condition is not True:
                raise Unreadable("the condition is of type %s, not text" % type(condition).__name__)
            if len(rule) > 3:
                entry["status"] = getattr(rule[3], "name", str(rule[3]))
        except Unreadable as error:
            entry["reason"] = str(error)
        return entry

    def __getattr__(self, name):
        # Mesa's files print the results of a pass's render methods, of which later versions have more.
        if name.startswith("render"):
            return lambda *_, **__: ""
        raise AttributeError(name)


def stand_in_for_mako():
    """Replaces Mako if it is not installed. Nothing is rendered."""
    try:
        import mako.template  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        package, template = types.ModuleType("mako"), types.ModuleType("mako.template")
        template.Template = lambda *_, **__: None
        package.template = template
        sys.modules["mako"], sys.modules["mako.template"] = package, template


def answer_arguments(nir_dir):
    """Makes argparse return the arguments that the build passes: the import path, and the null device for output."""
    import argparse  # pylint: disable=import-outside-toplevel

    def parse(self, *_, **__):
        values = {}
        for action in self._actions:
            if "path" in action.dest or "import" in action.dest:
                values[action.dest] = nir_dir
            elif "out" in action.dest:
                values[action.dest] = os.devnull
            elif action.default is not argparse.SUPPRESS:
                values[action.dest] = action.default
        return argparse.Namespace(**values)

    argparse.ArgumentParser.parse_args = parse
    argparse.ArgumentParser.parse_known_args = lambda self, *_, **__: (parse(self), [])


def describe_opcodes():
    """Returns the sizes that the tree's opcodes fix for their sources, and the dialect that the opcodes imply."""
    try:
        import nir_opcodes  # pylint: disable=import-error,import-outside-toplevel
    except ImportError:
        return {"opcodes": {}, "dialect": "nir-25"}
    sizes = {name: [int(re.search(r"\d*$", kind).group() or 0) for kind in opcode.input_types]
             for name, opcode in nir_opcodes.opcodes.items()}
    has_preserve_bits = any(hasattr(opcode, "valid_fp_math_ctrl") for opcode in nir_opcodes.opcodes.values())
    return {"opcodes": {name: bits for name, bits in sizes.items() if any(bits)},
            "dialect": "nir-26" if has_preserve_bits else "nir-25"}


def run_file(nir_dir, file, text):
    """Executes the rule file `file`, whose text is in the file `text`, in this process."""
    Recorder.file = file
    sys.path[0:0] = [os.path.dirname(os.path.abspath(file)), nir_dir]
    sys.argv = [file]
    sys.stdout = open(os.devnull, "w", encoding="utf-8")
    try:
        with open(text, encoding="utf-8") as source:
            tree = ast.parse(source.read(), file)
        code = compile(ast.fix_missing_locations(MarkTuples().visit(tree)), file, "exec")
        stand_in_for_mako()
        import nir_algebraic  # pylint: disable=import-error,import-outside-toplevel
        nir_algebraic.AlgebraicPass = Recorder
        nir_algebraic.ignore_exact = lambda *expression: IgnoreExact(expression)
        emit({"file": file, **describe_opcodes()})
        answer_arguments(nir_dir)
        exec(code, {"__name__": "__main__", "__file__": file, "_rewrought_located": located,
                    "_rewrought_located_all": located_all})
    except SystemExit as error:
        if error.code not in (None, 0):
            emit({"file": file, "line": 0, "reason": "the file ends with sys.exit(%r)" % (error.code,)})
            return
    except SyntaxError as error:
        emit({"file": file, "line": error.lineno or 0, "reason": "%s: %s" % (type(error).__name__, error.msg)})
        return
    except BaseException as error:  # pylint: disable=broad-except
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        emit({"file": file, "line": frames[-1].lineno if frames else 0,
              "reason": "%s: %s" % (type(error).__name__, error)})
        return
    if Recorder.passes == 0:
        emit({"file": file, "line": 0, "reason": "the file creates no AlgebraicPass"})
    else:
        emit({"file": file, "passes": Recorder.passes, "rules": Recorder.rules})


def main(arguments):
    if len(arguments) >= 4 and arguments[0] == "--run":
        run_file(arguments[1], arguments[2], arguments[3])
        return 0
    text = None
    if len(arguments) > 2 and arguments[0] == "--text":
        text, arguments = arguments[1], arguments[2:]
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    again = [sys.executable, os.path.abspath(__file__)]
    for file in arguments[1:]:
        try:
            done = subprocess.run(again + ["--run", arguments[0], file, text or file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=SECONDS_PER_FILE, check=False)
        except subprocess.TimeoutExpired:
            emit({"file": file, "line": 0, "reason": "takes more than %d s to run" % SECONDS_PER_FILE})
            continue
        sys.__stdout__.write(done.stdout.decode("utf-8", "replace"))
        if done.returncode != 0:
            message = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
            emit({"file": file, "line": 0, "reason": "ended with %d: %s" % (done.returncode, message)})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
