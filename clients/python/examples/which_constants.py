#!/usr/bin/env python3
"""Finds the values of a constant for which a rule holds.

usage: which_constants.py RULE FIRST LAST     RULE contains the text {N} in place of the constant
example: which_constants.py "(('ushr@32', ('ishl', a, {N}), {N}), ('extract_u8', a, 0))" 0 63
"""
import sys

import rewrought
from rewrought import Verdict


def main(template: str, first: str, last: str) -> None:
    values = range(int(first), int(last) + 1)
    with rewrought.Client.from_environment() as client:
        verdicts = client.check_all((template.replace("{N}", str(value)) for value in values), concurrency=8)
        by_value = dict(zip(values, verdicts))
    proved = [value for value, verdict in by_value.items() if verdict.status is Verdict.PROVED]
    print("proved for %s" % (", ".join(map(str, proved)) or "no value"))
    for value, verdict in by_value.items():
        if verdict.status not in (Verdict.PROVED, Verdict.REFUTED):
            print("%d: %s" % (value, verdict.status))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
