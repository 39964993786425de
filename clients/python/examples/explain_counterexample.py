#!/usr/bin/env python3
"""Explains why a rule is wrong: prints the value of every node of both sides for a counterexample.

usage: explain_counterexample.py RULE
Exit status: 1 if the rule is refuted, 0 otherwise.
"""
import sys

import rewrought


def with_float(bits: str) -> str:
    """Adds the value of a float to its bit pattern."""
    try:
        return "%s (%g)" % (bits, rewrought.float_of(bits))
    except ValueError:
        return bits


def main(rule: str) -> int:
    with rewrought.Client.from_environment() as client:
        verdict = client.check(rule, explain=True)
    print("%s: %s" % (verdict.rule, verdict.status))
    case = verdict.refuted_case
    if case is None or case.witness is None:
        return 0
    print("at %d bits, denormals: %s" % (case.width, case.mode))
    for name, value in sorted(case.witness.vars.items()):
        print("    %-8s %-28s %s" % ("input", name, with_float(value)))
    for node in case.explain:
        print("    %-8s %-28s %s" % (node.side, node.node, ", ".join(map(with_float, node.values))))
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
