#!/usr/bin/env python3
"""Evaluates an expression for given inputs, in each denormal mode.

usage: evaluate.py EXPRESSION NAME=VALUE...     VALUE is a 32-bit float, or a bit pattern such as 0x7f800001
example: evaluate.py "('fadd', a, b)" a=1e-40 b=-0.0
"""
import sys

import rewrought
from rewrought import DenormMode


def bits(value: str) -> str:
    return value if value.startswith("0x") else rewrought.bits_of(float(value), 32)


def text(result: str) -> str:
    return "%s (%g)" % (result, rewrought.float_of(result)) if result.startswith("0x") else result


def main(expression: str, *inputs: str) -> None:
    vector = {name: bits(value) for name, value in (one.split("=", 1) for one in inputs)}
    with rewrought.Client.from_environment() as client:
        for mode in (DenormMode.ANY, DenormMode.PRESERVE, DenormMode.FLUSH):
            (result,) = client.eval(expression, [vector], mode=mode)
            print("%-8s %s%s" % (mode, " or ".join(map(text, result.allowed)), " …" if result.many else ""))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
