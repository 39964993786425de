#!/usr/bin/env python3
"""Checks all rules of a file and prints a table of the verdicts, for example as a step of CI.

usage: check_file.py FILE
Exit status: 1 if a rule is refuted, 2 if a rule is malformed, 3 if a rule is neither proved nor refuted, 0 otherwise.
"""
import collections
import sys

import rewrought
from rewrought import Verdict


def main(path: str) -> int:
    rules = rewrought.read_rules(path)
    counts: collections.Counter[Verdict] = collections.Counter()
    with rewrought.Client.from_environment() as client:
        for rule, verdict in zip(rules, client.check_all(rule.text for rule in rules)):
            counts[verdict.status] += 1
            print("line %3d  %-8s %s" % (rule.line, verdict.status, verdict.rule or rule.text))
            if verdict.error:
                print("          column %d: %s" % (verdict.error.column, verdict.error.message))
            if verdict.counterexample:
                print("          %s" % verdict.counterexample)
    print(", ".join("%d %s" % (counts[status], status) for status in Verdict if counts[status]))
    if counts[Verdict.ERROR]:
        return 2
    if counts[Verdict.REFUTED]:
        return 1
    return 3 if counts[Verdict.UNKNOWN] or counts[Verdict.UNSUPPORTED] else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
