#!/usr/bin/env python3
"""Applies rules to random shaders with the matcher of a Mesa tree, and compares the results before and after.

Each rule gets a pass of its own, made by the tree's nir_algebraic.py. The harness instantiates the rule's search pattern
as random NIR with random flags, vectors, shared values, and literals, runs the pass, and evaluates both shaders with the
tree's constant folding. A rule that changes a result is printed with a reduced shader and a witness. docs/driver_rig.md
states what counts as a difference.

exit status: 0: no rule changed a result; 1: a rule did; 2: the harness could not run, or the tree rejected a rule.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "matcher"))
sys.dont_write_bytecode = True
import tree_objects  # noqa: E402

SOURCES = ["evaluate.c", "generate.c", "main.c", "program.c", "reduce.c"]
DIFFERENCES = os.path.join(FOLDER, "..", "..", "tests", "mesa", "oracle", "differences.txt")


def default_build(version):
    """Returns the folder in which the objects of a version of Mesa are cached."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "rewrought", "matcher", version)


def parse_arguments(arguments):
    """Parses the command line."""
    parser = argparse.ArgumentParser(
        prog="matcher_harness.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: tools/driver_rig/matcher_harness.py --tree mesa-trixie --rules packs/agx2/strict --shaders 1000000")
    parser.add_argument("--tree", required=True, metavar="MESA", help="a Mesa source tree (tools/debian_source.sh)")
    parser.add_argument("--rules", required=True, metavar="FILE_OR_PACK",
                        help="a pack folder, a pack's nir.py, or a file with one (search, replace[, condition]) a line")
    parser.add_argument("--shaders", type=int, default=1000000, metavar="N", help="default: 1,000,000 for all rules together")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="default: 1")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), metavar="N", help="processes, default: 2")
    parser.add_argument("--build", metavar="FOLDER",
                        help="where the tree's objects are kept (default: $XDG_CACHE_HOME/rewrought/matcher/VERSION)")
    parser.add_argument("--json", metavar="OUT", help="write the outcome of each rule to this file")
    return parser.parse_args(arguments)


def write_rules(tree, rules, out, version, excluded):
    """Writes the C of the rules and returns the outcome of each: its text, and its number or why it was rejected."""
    script = os.path.join(FOLDER, "matcher", "write_rules.py")
    return json.loads(tree_objects.run(
        [tree_objects.PYTHON, "-B", script, os.path.join(tree, "src/compiler/nir"), rules, out, DIFFERENCES, version] + excluded))


def build_harness(args, version, folder):
    """Builds the harness with the rules linked into it. Returns the program and the outcomes of the rules.

    A rule that names a predicate or field that the tree lacks is left out, and its outcome states the name.
    """
    archive = tree_objects.build_tree(args.tree, folder, args.jobs)
    includes = tree_objects.include_flags(args.tree, folder) + ["-I" + os.path.join(FOLDER, "matcher")]
    own = os.path.join(folder, f"run.{os.getpid()}")
    os.makedirs(own, exist_ok=True)
    source, excluded = os.path.join(own, "rules.c"), []
    while True:
        outcomes = write_rules(args.tree, args.rules, source, version, excluded)
        try:
            run = tree_objects.COMPILER + ["-std=gnu11"] + tree_objects.FLAGS + ["-O1"] + includes
            tree_objects.run(run + ["-Werror=implicit-function-declaration", "-c", source, "-o", os.path.join(own, "rules.o")])
            break
        except tree_objects.BuildError as error:
            unknown = set(re.findall(r"error: [‘'](\w+)[’'] undeclared", str(error))) - set(excluded)
            unknown |= set(re.findall(r"has no member named [‘'](\w+)[’']", str(error))) - set(excluded)
            if not unknown:
                raise
            excluded += sorted(unknown)
    objects = [os.path.join(own, "rules.o")]
    for name in SOURCES:
        objects.append(os.path.join(own, name + ".o"))
        tree_objects.compile_one(os.path.join(FOLDER, "matcher", name), objects[-1], includes)
    program = os.path.join(own, "harness")
    tree_objects.run(["gcc", "-o", program] + objects + [archive, "-Wl,--gc-sections", "-lm", "-lpthread", "-lstdc++"] +
                     [f"-Wl,--defsym={name}=0" for name in tree_objects.UNCALLED])
    return program, outcomes


class Part:
    """One process of the harness, which is started again without a rule that crashed it."""

    def __init__(self, program, args, number):
        self.command = [program, str(args.shaders), str(args.seed), str(number), str(args.jobs)]
        self.skipped, self.lines = [], []
        self.start()

    def start(self):
        """Starts the process."""
        self.process = subprocess.Popen(["nice", "-n", "5"] + self.command + [str(one) for one in self.skipped],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")

    def finish(self):
        """Waits for the end, restarting after crashes, and returns the objects that the process printed."""
        while True:
            out, complaints = self.process.communicate()
            printed = [json.loads(line) for line in out.splitlines()]
            crashes = [one for one in printed if "crash" in one]
            for crash in crashes:
                crash["report"] = f"signal {crash['crash']} in the tree's code:\n{complaints[-2000:]}"
            if not crashes:
                return self.lines + printed
            self.lines += crashes
            self.skipped += [crash["rule"] for crash in crashes]
            self.start()


def collect(outcomes, printed):
    """Adds the counts and reports of all processes to the outcomes of the rules."""
    by_number = {one["number"]: one for one in outcomes if "number" in one}
    for line in printed:
        outcome = by_number[line["rule"]]
        if "shaders" in line:
            for name in ("shaders", "applied", "determined", "vectors", "failures"):
                outcome[name] = outcome.get(name, 0) + line[name]
        elif "report" in line and ("shader" not in outcome or line["shader"] < outcome["shader"]):
            outcome["shader"], outcome["report"] = line["shader"], line["report"]
            outcome["crashed"] = "crash" in line
    for outcome in outcomes:
        outcome["verdict"] = verdict_of(outcome)
    return outcomes


def verdict_of(outcome):
    """Returns the verdict of one rule. A rule that was never applied or compared has not passed."""
    if "rejected" in outcome:
        return "rejected"
    if outcome.get("crashed"):
        return "crash"
    if outcome.get("failures"):
        return "differs"
    if not outcome.get("applied"):
        return "never applied"
    if outcome["inexact"]:
        return "not compared"
    return "agrees" if outcome.get("determined") else "never determined"


def print_summary(outcomes, seconds, out):
    """Prints the reports of the rules that differ, then one line for each rule, then the totals."""
    for outcome in outcomes:
        if outcome["verdict"] in ("differs", "crash"):
            print(f"{outcome['verdict']}: {outcome['text']} (shader {outcome['shader']})\n{outcome['report']}", file=out)
    for outcome in outcomes:
        counts = f"applied {outcome.get('applied', 0)} of {outcome.get('shaders', 0)}, " \
                 f"compared {outcome.get('determined', 0)}, differs {outcome.get('failures', 0)}"
        print(f"{outcome['verdict']}: {outcome['text']}: {outcome.get('rejected', counts)}", file=out)
    shaders = sum(outcome.get("shaders", 0) for outcome in outcomes)
    verdicts = [outcome["verdict"] for outcome in outcomes]
    kinds = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in sorted(set(verdicts)))
    print(f"{len(outcomes)} rules: {kinds}; {shaders} shaders in {seconds:.1f} s", file=out)


def exit_status(outcomes):
    """Returns the exit status for the outcomes of all rules."""
    verdicts = {outcome["verdict"] for outcome in outcomes}
    return 1 if verdicts & {"differs", "crash"} else 2 if "rejected" in verdicts else 0


def run_harness(args):
    """Builds and runs the harness. Returns the exit status."""
    version = tree_objects.version_of(args.tree)
    args.tree = os.path.abspath(args.tree)
    folder = os.path.abspath(args.build or default_build(version))
    program, outcomes = build_harness(args, version, folder)
    start = time.time()
    printed = []
    if any("number" in outcome for outcome in outcomes):
        # The processes get SIGINT from the terminal, too, and print their counts so far.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        parts = [Part(program, args, number) for number in range(args.jobs)]
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: [part.process.send_signal(signal.SIGINT) for part in parts])
        for part in parts:
            printed += part.finish()
    collect(outcomes, printed)
    print_summary(outcomes, time.time() - start, sys.stdout)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"mesa": version, "seed": args.seed, "rules": outcomes}, file, indent=1)
            file.write("\n")
    return exit_status(outcomes)


def main(arguments):
    """Runs the command line and returns the exit status."""
    args = parse_arguments(arguments)
    try:
        return run_harness(args)
    except (tree_objects.BuildError, OSError) as error:
        print(f"matcher_harness: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
