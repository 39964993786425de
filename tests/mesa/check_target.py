#!/usr/bin/env python3
"""Compares the facts about a Mesa version in emitter/targets, and the rules that the emitter rejects, with Mesa's
sources.

usage: check_target.py MESA/src/compiler/nir TARGET REPORT     exit status 0 if they agree

REPORT is the output of emitter/testing/print_sample_main. Prints all differences.
"""
import os
import re
import subprocess
import sys

import tree_facts

# Maps rules that the emitter rejects because of Mesa's generator or matcher to whether the generator rejects them too.
# If it does not, only the emitter can keep them out of packs. If the value is a version, the generators before that
# version accept the rule.
REFUSED = {
    "(('fadd', 'a1', 'b'), 'b')": True,  # variable names contain only letters
    "(('fadd', 'a', 'b(is_odd)(is_nan)'), 'a')": True,
    # Only one predicate is allowed; 22.3 leaves the error to the C compiler.
    "(('fadd(is_used_once,is_used_by_if)', 'a', 'b'), 'a')": "mesa-25.0",
    "(('~fadd', 'a', 'b'), ('~!fadd', 'a', 'b'))": True,
    "(('fadd', 'a'), 'a')": True,  # fadd has two sources
    "(('no_such_op', 'a'), 'a')": True,
    "(('fadd', 'a', 'b'), 'c')": True,  # the search side does not bind c
    "('a', 'b')": True,  # the search side is not an op
    "(('i2f@32', 'a'), 'a')": True,  # the context determines the size of conversions
    "(('usub_borrow', 'a', 'b'), ('b2i@32', ('ult', 'a', 'b')))": True,
    "(('bcsel', 'a', 'b', 0), ('iand', 'a', 'b'))": True,  # the replacement would narrow the sizes of the search side
    "(('fadd', 'a', float('nan')), 'a')": False,  # never matches
    "(('iand(no_such_predicate)', 'a', 'b'), ('iand', 'b', 'a'))": False,  # the C compiler would reject it
    "(('iadd', 'a', 'b.y'), ('iadd', 'b', 'a'))": False,  # has no meaning
}


def generator_refuses(nir, rule):
    program = "import sys; sys.path.insert(0, %r); import nir_algebraic; nir_algebraic.AlgebraicPass('x', [%s]).render()"
    done = subprocess.run([sys.executable, "-B", "-c", program % (nir, rule)], capture_output=True, text=True)
    return done.returncode != 0


def facts_of(nir):
    """Returns functions that test whether the tree has an op, a predicate or an option."""
    sys.path.insert(0, nir)
    import nir_opcodes  # noqa: E402, the tree's own module

    predicates, options = tree_facts.predicates(nir), tree_facts.option_fields(nir)
    return {
        "op": lambda name: name in nir_opcodes.opcodes,
        "predicate": lambda name: name in predicates,
        "option": lambda name: name in options,
    }


def blocked_for_a_reason(has, nir, rule, reason):
    """Returns whether the tree confirms the reason for a rejection, or None if the reason is not about the tree."""
    match = re.search(r"has no (op|predicate) (\w+)", reason)
    if match:
        return not has[match.group(1)](match.group(2))
    match = re.search(r"has no mark (\w+)", reason)
    if match:
        with open(os.path.join(nir, "nir_algebraic.py"), encoding="utf-8") as file:
            return "'%s'" % match.group(1) not in file.read()
    return None


def main(arguments):
    nir, target, report = arguments
    has = facts_of(nir)
    failures = checked = refusals = 0
    with open(report, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    for kind, of_target, *rest in lines:
        if of_target != target or kind == "target":
            continue
        if kind == "blocked":
            confirmed = blocked_for_a_reason(has, nir, *rest)
            print("blocked: %s: %s%s" % (rest[0], rest[1], "" if confirmed is None else "; the tree agrees" if confirmed
                                          else "; THE TREE DOES NOT"))
            refusals += confirmed is True
            failures += confirmed is False
        else:
            checked += 1
            if has[kind](rest[0]) != (rest[1] == "1"):
                print("%s %s: the target file says %s, the tree disagrees" % (kind, rest[0], rest[1]))
                failures += 1
    for rule, refuses in REFUSED.items():
        checked += 1
        refuses = refuses is True or refuses is not False and target >= refuses
        if generator_refuses(nir, rule) != refuses:
            print("%s: the generator %s it" % (rule, "accepts" if refuses else "rejects"))
            failures += 1
    print("%s: %d facts compared, %d rejections confirmed, %d differences" % (target, checked, refusals, failures))
    if target == "mesa-22.3" and not refusals:
        print("no rejection was checked; the sample pack should contain some")
        failures += 1
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
