#!/usr/bin/env python3
"""Finds the weakest flags and predicates under which the refuted rules of a file hold.

Use it to replace `~` or a whole class of flags with only the flags that a rule needs. Each line of the output is one
alternative. "n0:nsz" is the flag nsz of the root of the search side, and "a:is_a_number" a predicate of a variable.

usage: weakest_flags.py FILE
"""
import sys

import rewrought
from rewrought import Verdict


def main(path: str) -> None:
    rules = rewrought.read_rules(path)
    with rewrought.Client.from_environment() as client:
        for verdict in client.check_all((rule.text for rule in rules), infer=True):
            if verdict.status is not Verdict.REFUTED:
                continue
            print(verdict.rule)
            for assumptions in verdict.weakest:
                print("    holds with %s" % assumptions)
            if not verdict.weakest:
                print("    no flags make it hold")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
