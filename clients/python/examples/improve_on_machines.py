#!/usr/bin/env python3
"""Searches for the best code for an expression on several machines, and compares it with the drivers' own code.

usage: improve_on_machines.py SECONDS EXPRESSION MACHINE...
"""
import sys

import rewrought


def main(seconds: str, expression: str, *machines: str) -> None:
    with rewrought.Client.from_environment() as client:
        for machine in machines:
            with client.improve(expression, machine, time_limit=float(seconds)) as found:
                for program in found:  # the last one is the best
                    print("%s: a program with %g cycles" % (machine, program.cost.cycles), file=sys.stderr)
            print("%s: %g -> %g cycles, %d -> %d instructions, %s" % (
                machine, program.base.cycles, program.cost.cycles, program.base.instructions,
                program.cost.instructions, program.status))
            for instruction in program.instructions:
                print("    %s" % instruction)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
