#!/usr/bin/env python3
"""Compares what the machines' descriptions say that drivers take (coverage) with the cases in those drivers' own source.

usage: check_coverage.py MESA DESCRIPTION...     exit status 0: they agree

Of each op that is TAKEN, OUTSIDE or MISSING at some size the driver's selector must have a case; an op that is LOWERED at
all sizes, or not named, must have none, but for those that the lists explain. Differences are printed.
"""
import os
import re
import sys

# A size of Booleans in a name says what they are behind nir_lower_bool_to_*; descriptions name ops as rules do.
SIZED_COMPARE = re.compile(r"^(feq|fneu|flt|fge|fequ|fneo|fltu|fgeu|ford|funord|ieq|ine|ilt|ige|ult|uge)(8|16|32)$")
# Made for image stores of V3D 7.1 alone; docs/decisions/ir.md says why the IR has no rows for them.
WITHOUT_A_ROW = {
    "f2snorm_16_v3d", "f2unorm_16_v3d", "pack_2x16_to_snorm_2x8_v3d", "pack_2x16_to_unorm_10_2_v3d",
    "pack_2x16_to_unorm_2x10_v3d", "pack_2x16_to_unorm_2x8_v3d", "pack_32_to_r11g11b10_v3d"}
SIZED_BOOL = re.compile(r"^b(8|16|32)(csel$|all_|any_)")


def plain(op):
    """The op's name with Booleans of one bit."""
    op = SIZED_BOOL.sub(lambda match: "b" + match.group(2), op)
    match = SIZED_COMPARE.match(op)
    return match.group(1) if match else op


def cases_of(text, name):
    """The ops that a selector has code for: labels before nothing but `unreachable` are none."""
    if name.endswith(".rs"):
        return set(re.findall(r"\bnir_op_(\w+)", text)) - {"info", "infos"}
    cases = set(re.findall(r"\[nir_op_(\w+)\]", text))
    for labels, rest in re.findall(r"((?:\s*case nir_op_\w+\s*:)+)\s*(\{?\s*[^;]{0,80})", text):
        if not re.match(r"\{?\s*(unreachable|assert\(!)", rest):
            cases |= set(re.findall(r"nir_op_(\w+)", labels))
    cases |= set(re.findall(r"\binstr->op == nir_op_(\w+)", text))
    return cases | set(re.findall(r"\b(?:UNOP|BINOP|TRIOP|QUADOP)\((\w+),", text))


def lists_of(description):
    """The ops of a description's coverage by fate, and its selector's file."""
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
        print(f"{machine}: no driver takes NIR")
        return 0
    with open(os.path.join(mesa, selector), encoding="utf-8") as file:
        cases = {plain(op) for op in cases_of(file.read(), selector)}
    taken = {plain(op) for kind in ("TAKEN", "OUTSIDE", "MISSING") for op in fates.get(kind, ())}
    named = taken | {plain(op) for op in fates.get("LOWERED", ())}
    faults = [f"{op}: no case in {selector}, and the description says that it is handed over" for op in taken - cases]
    faults += [f"{op}: a case in {selector}, and the description does not name it" for op in cases - named - WITHOUT_A_ROW - {"nop"}]
    for fault in sorted(faults):
        print(f"{machine}: {fault}")
    print(f"{machine}: {len(cases)} ops with a case, {len(taken)} of them handed over, {len(faults)} differences")
    return len(faults)


def main():
    mesa, descriptions = sys.argv[1], sys.argv[2:]
    sys.exit(1 if sum(check(mesa, description) for description in descriptions) else 0)


if __name__ == "__main__":
    main()
