#!/usr/bin/env python3
"""Lists the rules of a database that match in an expression, with the shaders in which they save the most.

usage: find_rules.py EXPRESSION
The database is the server's or, without a server, the one that REWROUGHT_DATABASE names.
"""
import itertools
import sys

import rewrought


def main(expression: str) -> None:
    with rewrought.Client.from_environment() as client:
        for match in client.search_rules(expression):
            print("%s  %s" % (match.rule.id[:12], match.rule))
            print("    at %s, gives %s" % (match.node, match.result or "a program of " + match.rule.machine))
            for hit in itertools.islice(client.rule_hits(match.rule.id), 3):
                print("    saves %g cycles in %r of %r, lines %s" % (
                    hit.saved_cycles, hit.shader, hit.source, ", ".join(map(str, hit.lines))))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
