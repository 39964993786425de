"""Generates the C code of the rules that the matcher harness runs, with the nir_algebraic.py of a Mesa tree.

usage: write_rules.py NIR_FOLDER RULES OUT_FOLDER DIFFERENCES VERSION [EXCLUDED_WORD...]    (requires mako)

RULES is a pack folder, a pack's nir.py, the output of `rewrought audit --json` (NAME.jsonl), of which only proved rules
are used, or a text file with one tuple per line. Each rule gets a separate pass, so that each difference has a single
cause. Writes table.c and several files of passes, which compile faster than one large file. Prints a JSON object with
the C files and, for each rule, its text, its id if the rule is from a pack or an audit, and the reason if the generator
rejects the rule.
"""
import contextlib
import io
import json
import os
import re
import runpy
import string
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pack_text  # noqa: E402

RULES_A_FILE = 48
# An op whose reason in differences.txt contains one of these phrases is folded accurately enough to compare two
# shaders.
USABLE = ("approximated", "signalling", "NaN's sign")


def audited_rules(path):
    """Returns the proved rules in the output of `rewrought audit --json`, each as a tuple and its id."""
    rules = []
    with open(path, encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row.get("class") != "proved":
                continue
            sides = [re.sub(r"'(-?(?:inf|nan))'", r"float('\1')", row[side]) for side in ("search", "replace")]
            rule = eval(f"({sides[0]}, {sides[1]})", {"__builtins__": {"float": float}})  # pylint: disable=eval-used
            rules.append((rule + (row["condition"],) if row["condition"] else rule, row["id"]))
    return rules


def read_rules(path, nir_algebraic):
    """Returns the tuples of a file or pack, and the pack's C code by file name."""
    if os.path.isdir(path):
        path = os.path.join(path, "nir.py")
    if path.endswith(".py"):
        pack = runpy.run_path(path)
        return list(pack["rules"]), pack.get("helpers", {})
    if path.endswith(".jsonl"):
        return [rule for rule, _ in audited_rules(path)], {}
    names = {letter: letter for letter in string.ascii_lowercase}
    # Mesa up to 25 has ignore_exact, and Mesa 26 has the test statuses of rules.
    for name in ("ignore_exact", "TestStatus"):
        if hasattr(nir_algebraic, name):
            names[name] = getattr(nir_algebraic, name)
    rules = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.strip().rstrip(",")
            if not text or text.startswith("#"):
                continue
            try:
                rules.append(eval(text, {"__builtins__": {"float": float}}, names))  # pylint: disable=eval-used
            except Exception as error:  # pylint: disable=broad-except
                sys.exit(f"{path}:{number}: {error}; write one tuple (search, replace[, condition]) a line")
    return rules, {}


def read_ids(path, count):
    """Returns the ids of the `count` rules of a pack or audit, in order, or only None for a rule file."""
    if os.path.isdir(path):
        path = os.path.join(path, "nir.py")
    if path.endswith(".jsonl"):
        return [identity for _, identity in audited_rules(path)]
    if not path.endswith(".py"):
        return [None] * count
    with open(path, encoding="utf-8") as file:
        ids = [identity for _, identity, _ in pack_text.tuples_with_ids(file.read())]
    if len(ids) != count:
        sys.exit(f"{path}: {count} rules, but {len(ids)} lines with a rule; export the pack again")
    return ids


def is_inexact(search, opcodes, inherited=False):
    """Returns whether the rule requires that an instruction is not exact.

    In Mesa 26, `~` also applies to all nodes below, and it has no effect on an op that cannot be exact.
    """
    text, sources = (search[0], search[1:]) if isinstance(search, tuple) else \
        (getattr(search, "opcode", None), getattr(search, "sources", []))
    if not isinstance(text, str):
        return False
    marked = inherited or text.startswith("~")
    row = opcodes.get(re.split(r"[@(.]", text.lstrip("~!"))[0])
    valid = getattr(row, "valid_fp_math_ctrl", "exact")
    return (marked and "exact" in valid) or \
        any(is_inexact(source, opcodes, marked and hasattr(row, "valid_fp_math_ctrl")) for source in sources)


def shader_condition(condition):
    """Returns the condition without the parts that test compiler options, which the harness assumes to be true."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(condition):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and condition.startswith("&&", index):
            parts.append(condition[start:index])
            start = index + 2
    parts.append(condition[start:])
    kept = [part.strip() for part in parts if "options->" not in part]
    return " && ".join(kept) or "true"


def misfolded(path, version):
    """Returns the ops of differences.txt whose folding in this version of Mesa is too inaccurate to test a rule."""
    names, series = set(), ".".join(version.split(".")[:2])
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, rest = line.partition(" ")
            of, _, reason = rest.partition(" ")
            if not line.startswith("#") and (of == "all" or series in of.split(",")) and not any(word in reason for word in USABLE):
                names.add(name.strip())
    return sorted(names - {""})


def render(nir_algebraic, number, rule):
    """Returns the C code of a pass with only this rule, and the rule's row in the harness's table. Raises ValueError if
    the generator rejects the rule."""
    name = f"harness_pass_{number}"
    condition = shader_condition(rule[2]) if len(rule) > 2 and isinstance(rule[2], str) else "true"
    complaints = io.StringIO()
    with contextlib.redirect_stderr(complaints):
        try:
            one = nir_algebraic.AlgebraicPass(name, [(rule[0], rule[1], condition)])
            text = one.render()
        except SystemExit:
            lines = [line for line in complaints.getvalue().strip().splitlines() if line.strip()]
            raise ValueError(lines[-1] if lines else "the generator rejects it") from None
        except Exception as error:  # pylint: disable=broad-except
            raise ValueError(f"{type(error).__name__}: {error}") from None
    search = one.xforms[0].search.array_index
    inexact = "true" if is_inexact(rule[0], nir_algebraic.opcodes) else "false"
    return text, f"   {{{{pass}}, &{name}_table, {search}, {inexact}}},"


def pass_text(number, helpers):
    """Returns the C code of a function that runs a rule's pass like a pack with these helpers, and the function's
    name."""
    name, text = f"harness_pass_{number}", ""
    if "positions.c" in helpers:
        text += f"\nstatic bool {name}_forgetting(nir_shader *shader) {{ bool progress = {name}(shader); " \
                "forget_positions(); return progress; }\n"
        name += "_forgetting"
    if "sharing.c" in helpers:
        text += f"\nstatic bool {name}_with_cse(nir_shader *shader) {{ return run_with_cse(shader, {name}); }}\n"
        name += "_with_cse"
    return text, name


def write_table(folder, files, names):
    """Writes table.c, which lists the rules of all files of passes, and the ops that the tree misfolds."""
    with open(os.path.join(folder, "table.c"), "w", encoding="utf-8") as file:
        file.write('#include "harness.h"\n')
        for number, rows in enumerate(files):
            file.write(f"extern const struct rule harness_rules_{number}[{len(rows)}];\n"
                       f"void harness_before_pass_{number}(void);\n")
        file.write("const struct rule *const harness_files[] = {" +
                   "".join(f"harness_rules_{number}, " for number in range(len(files))) + "0};\n")
        file.write(f"const unsigned harness_rules_a_file = {RULES_A_FILE};\n")
        file.write(f"const unsigned harness_rule_count = {sum(map(len, files))};\n")
        file.write("void harness_before_pass(void) {" +
                   "".join(f" harness_before_pass_{number}();" for number in range(len(files))) + " }\n")
        file.write("const char *const harness_misfolded[] = {" + "".join(f'"{name}", ' for name in names) + "0};\n")


def write_passes(folder, number, texts, rows, helpers):
    """Writes one file of passes and returns its path."""
    path = os.path.join(folder, f"passes_{number}.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write('#include "harness.h"\n#include "util/bitset.h"\n' + "\n".join(helpers.values()) + "\n".join(texts))
        file.write(f"\nconst struct rule harness_rules_{number}[] = {{\n" + "\n".join(rows) + "\n};\n")
        file.write(f"void harness_before_pass_{number}(void) {{" +
                   (" shared_left = 4096;" if "sharing.c" in helpers else "") + " }\n")
    return path


def main(nir_folder, path, folder, differences, version, *excluded):
    """Writes the C files and prints the outcome of each rule."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, nir_folder)
    import nir_algebraic  # pylint: disable=import-error,import-outside-toplevel
    rules, helpers = read_rules(path, nir_algebraic)
    texts, rows, outcomes = [], [], []
    for rule, identity in zip(rules, read_ids(path, len(rules))):
        outcome = {"text": repr(rule)}
        if identity:
            outcome["id"] = identity
        outcomes.append(outcome)
        unknown = [word for word in excluded if re.search(rf"\b{word}\b", repr(rule))]
        if unknown:
            outcome["rejected"] = f"this tree has no {unknown[0]}"
            continue
        number = len(rows)
        try:
            text, row = render(nir_algebraic, number, rule)
        except ValueError as error:
            outcome["rejected"] = str(error)
            continue
        wrapper, name = pass_text(number, helpers)
        texts.append(text + wrapper)
        rows.append(row.replace("{pass}", name))
        outcome["number"] = number
        outcome["inexact"] = is_inexact(rule[0], nir_algebraic.opcodes)
    starts = range(0, len(rows), RULES_A_FILE)
    files = [write_passes(folder, number, texts[start:start + RULES_A_FILE], rows[start:start + RULES_A_FILE], helpers)
             for number, start in enumerate(starts)]
    write_table(folder, [rows[start:start + RULES_A_FILE] for start in starts], misfolded(differences, version))
    json.dump({"files": files + [os.path.join(folder, "table.c")], "rules": outcomes}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
