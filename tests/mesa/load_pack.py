#!/usr/bin/env python3
"""Loads a pack's nir.py with the nir_algebraic.py of a Mesa tree, renders its passes, and compares the figures in the
pack's manifest with those of the generator, separately for the rules of the first passes and of the second passes.

usage: load_pack.py MESA/src/compiler/nir PACK/nir.py     exit status 0 if every rule was accepted

The generator does not check predicates and the option fields in conditions. This script looks them up in the tree's
headers and in the pack's own C code.
"""
import json
import os
import re
import runpy
import sys

import tree_facts



def figures_differ(nir_algebraic, path, passes):
    """Returns how many figures in the manifest next to `path` differ from the generator's. Each list in `passes` is one
    pass."""
    passes = [rules for rules in passes if rules]
    if not passes:
        return 0
    with open(os.path.join(os.path.dirname(path), "manifest.json"), encoding="utf-8") as manifest:
        said = json.load(manifest)["pass"]
    made = [nir_algebraic.AlgebraicPass("all_rules_%d" % number, rules) for number, rules in enumerate(passes)]
    entries = sum(len(table) for one in made for table in one.automaton.table.values())
    size = sum(len(one.render()) for one in made)
    wrong = 0
    for what, ours, theirs, tolerance in (("tuples", said["tuples"], sum(map(len, passes)), 0),
                                          ("states", said["states"], sum(len(one.automaton.states) for one in made), 0),
                                          ("table entries", said["table_entries"], entries, 0),
                                          ("bytes of C", said["c_bytes"], size, size // 4)):
        if abs(ours - theirs) > tolerance:
            print("%s: the manifest says %d %s, the generator produced %d" % (path, ours, what, theirs))
            wrong += 1
    return wrong


def main(arguments):
    nir, path = arguments
    sys.path.insert(0, nir)
    import nir_algebraic  # noqa: E402, the tree's

    pack = runpy.run_path(path)
    lists = [(name, rules) for name, rules in pack["places"].items()] + \
        [("second_" + name, rules) for name, rules in pack["second_places"].items()]
    assert sorted(map(str, pack["rules"])) == sorted(str(rule) for _, rules in lists for rule in rules)
    second = {id(rule) for rules in pack["second_places"].values() for rule in rules}
    predicates, options = tree_facts.predicates(nir), tree_facts.option_fields(nir)
    brought = "".join(pack.get("helpers", {}).values())
    failures = figures_differ(nir_algebraic, path, [[rule for rule in pack["rules"] if (id(rule) in second) == behind]
                                                    for behind in (False, True)])
    for name, rules in lists:
        if not rules:
            continue
        # The generator exits the process after naming all rules that it rejects.
        rendered = nir_algebraic.AlgebraicPass("rewrought_" + name, rules).render()
        for field in re.findall(r"options->(\w+)", rendered):
            if field not in options:
                print("%s: no option %s" % (path, field))
                failures += 1
        conditions = "".join(re.findall(r"_cond\[\] = \{(.*?)\}", rendered, re.S))
        for predicate in re.findall(r"(?:is|no|only)_\w+|nsz|nnan|ninf", conditions):
            if predicate not in predicates and not re.search(r"\bbool %s\(" % predicate, brought):
                print("%s: no predicate %s" % (path, predicate))
                failures += 1
        print("%s: %s: %d rules accepted, %d bytes of C" % (os.path.basename(os.path.dirname(path)), name, len(rules),
                                                       len(rendered)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
