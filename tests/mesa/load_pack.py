#!/usr/bin/env python3
"""Loads a pack's nir.py with a Mesa tree's own nir_algebraic.py and renders its passes.

usage: load_pack.py MESA/src/compiler/nir PACK/nir.py     exit status 0: every rule was taken

What the generator does not check, and a C compiler would, is looked up in the tree's headers: predicates and the fields of
options in conditions. Each list that a driver would take is a pass of its own.
"""
import os
import re
import runpy
import sys



def main(arguments):
    nir, path = arguments
    sys.path.insert(0, nir)
    import nir_algebraic  # noqa: E402, the tree's

    pack = runpy.run_path(path)
    assert pack["rules"] == pack["main_rules"] + pack["late_rules"]
    helpers = open(os.path.join(nir, "nir_search_helpers.h"), encoding="utf-8").read()
    header = open(os.path.join(nir, "nir.h"), encoding="utf-8").read()
    failures = 0
    for name in ("main_rules", "late_rules"):
        if not pack[name]:
            continue
        # The generator ends the process when it refuses a rule, after naming all that it refuses.
        rendered = nir_algebraic.AlgebraicPass("rewrought_" + name, pack[name]).render()
        for field in re.findall(r"options->(\w+)", rendered):
            if not re.search(r"\b%s\b" % field, header):
                print("%s: no option %s" % (path, field))
                failures += 1
        conditions = "".join(re.findall(r"_cond\[\] = \{(.*?)\}", rendered, re.S))
        for predicate in re.findall(r"(?:is|no|only)_\w+|nsz|nnan|ninf", conditions):
            plain = re.search(r"^%s\(" % predicate, helpers, re.M)
            multiple = re.match(r"is_unsigned_multiple_of_(\d+)$", predicate)
            relation = re.match(r"is_(?:a_number_)?([lg][te]_zero|ne_zero)$", predicate)
            made = (multiple and "MULTIPLE(%s)" % multiple.group(1) in helpers) or (
                relation and "RELATION(%s)" % relation.group(1) in helpers)
            if not plain and not made:
                print("%s: no predicate %s" % (path, predicate))
                failures += 1
        print("%s: %s: %d rules taken, %d bytes of C" % (os.path.basename(os.path.dirname(path)), name, len(pack[name]),
                                                       len(rendered)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
