#!/usr/bin/env python3
"""Compares the coverage lists of the machine descriptions with the cases in the drivers' own source.

usage: check_coverage.py MESA DESCRIPTION...     exit status 0 if they agree

If an op is TAKEN, OUTSIDE or MISSING at some size, the driver's selector must have a case for it. If an op is LOWERED
at all sizes, or not listed, the selector must not have a case, except for the ops in the lists below. Prints all
differences.
"""
import os
import re
import sys

# Op names with a Boolean size exist only after nir_lower_bool_to_*; descriptions use the names that rules use.
SIZED_COMPARE = re.compile(r"^(feq|fneu|flt|fge|fequ|fneo|fltu|fgeu|ford|funord|ieq|ine|ilt|ige|ult|uge)(8|16|32)$")
# These ops exist only for image stores of V3D 7.1; docs/decisions/ir.md explains why the IR has no rows for them.
WITHOUT_A_ROW = {
    "f2snorm_16_v3d", "f2unorm_16_v3d", "pack_2x16_to_snorm_2x8_v3d", "pack_2x16_to_unorm_10_2_v3d",
    "pack_2x16_to_unorm_2x10_v3d", "pack_2x16_to_unorm_2x8_v3d", "pack_32_to_r11g11b10_v3d"}
SIZED_BOOL = re.compile(r"^b(8|16|32)(csel$|all_|any_)")


def plain(op):
    """Returns the op's name with 1-bit Booleans."""
    op = SIZED_BOOL.sub(lambda match: "b" + match.group(2), op)
    match = SIZED_COMPARE.match(op)
    return match.group(1) if match else op


def cases_of(text, name):
    """Returns the ops for which a selector has code; ignores labels that are followed only by `unreachable`."""
    if name.endswith(".rs"):
        return set(re.findall(r"\bnir_op_(\w+)", text)) - {"info", "infos"}
    cases = set(re.findall(r"\[nir_op_(\w+)\]", text))
    for labels, rest in re.findall(r"((?:\s*case nir_op_\w+\s*:)+)\s*(\{?\s*[^;]{0,80})", text):
        if not re.match(r"\{?\s*(unreachable|assert\(!)", rest):
            cases |= set(re.findall(r"nir_op_(\w+)", labels))
    cases |= set(re.findall(r"\binstr->op == nir_op_(\w+)", text))
    return cases | set(re.findall(r"\b(?:UNOP|BINOP|TRIOP|QUADOP)\((\w+),", text))


def lists_of(description):
    """Returns the ops in a description's coverage, grouped by fate, and the file that contains the driver's
    selector."""
    with open(description, encoding="utf-8") as file:
        text = file.read()
    coverage = text[text.index("\ncoverage {"):]
    selector = re.search(r'selector: "([^"]*)"', coverage)
    fates = {}
    for fate in coverage.split("\n  fates {")[1:]:
        kind = re.search(r"fate: (\w+)", fate).group(1)
        for ops in re.findall(r'ops:((?:\s*"[^"]*")+)', fate):
            fates.setdefault(kind, set()).update(" ".join(re.findall(r'"([^"]*)"', ops)).split())
    return selector.group(1) if selector else "", fates


def check(mesa, description):
    selector, fates = lists_of(description)
    machine = os.path.basename(description).removesuffix(".textproto")
    if not selector:
        print(f"{machine}: no driver accepts NIR")
        return 0
    with open(os.path.join(mesa, selector), encoding="utf-8") as file:
        cases = {plain(op) for op in cases_of(file.read(), selector)}
    taken = {plain(op) for kind in ("TAKEN", "OUTSIDE", "MISSING") for op in fates.get(kind, ())}
    named = taken | {plain(op) for op in fates.get("LOWERED", ())}
    faults = [f"{op}: no case in {selector}, but the description lists it as accepted" for op in taken - cases]
    faults += [f"{op}: a case in {selector}, but the description does not list it" for op in cases - named - WITHOUT_A_ROW - {"nop"}]
    for fault in sorted(faults):
        print(f"{machine}: {fault}")
    print(f"{machine}: {len(cases)} ops with a case, {len(taken)} of them accepted, {len(faults)} differences")
    return len(faults)


def main():
    mesa, descriptions = sys.argv[1], sys.argv[2:]
    sys.exit(1 if sum(check(mesa, description) for description in descriptions) else 0)


if __name__ == "__main__":
    main()
