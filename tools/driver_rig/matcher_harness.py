#!/usr/bin/env python3
"""Applies rules to random shaders with the matcher of a Mesa tree, and compares the results before and after.

The tree's nir_algebraic.py generates a separate pass for each rule. The harness instantiates the search pattern of the
rule as random NIR with random flags, vectors, shared values, and literals, runs the pass, and evaluates both shaders
with the tree's constant folding. If the results differ, it prints a reduced shader and a witness. docs/driver_rig.md
defines which results count as different.

Exit status: 0 if no rule changed a result, 1 if a rule did, 2 if the harness failed or the tree rejected a rule.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "matcher"))
sys.dont_write_bytecode = True
import tree_objects  # noqa: E402

SOURCES = ["draw.c", "evaluate.c", "generate.c", "main.c", "program.c", "reduce.c"]
MODES = ["preserve", "flush", "any"]
# The kinds of differences, from strongest to weakest: in shaders in which every instruction preserves NaN, infinities,
# signed zeros, and denormals; in such shaders with other denormal modes; and in shaders whose instructions differ in
# their flags.
KINDS = ["all preserved", "denormals", "mixed flags"]
DIFFERENCES = os.path.join(FOLDER, "..", "..", "tests", "mesa", "oracle", "differences.txt")


def default_build(version):
    """Returns the folder in which the objects of a version of Mesa are cached."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "rewrought", "matcher", version)


def parse_arguments(arguments):
    """Parses the command line."""
    parser = argparse.ArgumentParser(
        prog="matcher_harness.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: tools/driver_rig/matcher_harness.py --tree mesa-trixie --rules packs/agx2/strict --jobs 4")
    parser.add_argument("--tree", required=True, metavar="MESA", help="a Mesa source tree (tools/debian_source.sh)")
    parser.add_argument("--rules", required=True, metavar="FILE_OR_PACK",
                        help="a pack folder, a pack's nir.py, a file with one (search, replace[, condition]) a line, or "
                             "FILE.jsonl, the output of rewrought audit --json, for the rules that are proved")
    parser.add_argument("--shaders", type=int, default=1000000, metavar="N",
                        help="the number of shaders for all rules together (default: 1,000,000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="the random seed (default: 1)")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), metavar="N",
                        help="the number of processes (default: 2)")
    parser.add_argument("--flags", choices=["mixed", "preserved"], default="mixed",
                        help="preserved: every instruction preserves NaN, infinities, and signed zeros; mixed: "
                             "instructions differ (default: mixed)")
    parser.add_argument("--denormals", default=",".join(MODES), metavar="A,B",
                        help="the modes of denormals: preserve, flush, any (default: all three)")
    parser.add_argument("--build", metavar="FOLDER",
                        help="where the tree's objects are kept (default: $XDG_CACHE_HOME/rewrought/matcher/VERSION)")
    parser.add_argument("--json", metavar="OUT", help="write the outcome of each rule to this file")
    args = parser.parse_args(arguments)
    for mode in args.denormals.split(","):
        if mode not in MODES:
            parser.error(f"--denormals: {mode!r} is not a mode; use preserve, flush, or any")
    return args


def write_rules(tree, rules, folder, version, excluded):
    """Writes the C code of the rules into the folder. Returns the C files and the outcome of each rule: its text, and
    either its number or the reason why it was rejected."""
    script = os.path.join(FOLDER, "matcher", "write_rules.py")
    nir = os.path.join(tree, "src/compiler/nir")
    command = [tree_objects.PYTHON, "-B", script, nir, rules, folder, DIFFERENCES, version] + excluded
    written = json.loads(tree_objects.run(command))
    return written["files"], written["rules"]


def compile_files(files, options, cache, jobs, headers):
    """Compiles C files and returns their objects, which are cached in `cache` under a hash of each file's text and the
    texts of the harness's headers.

    Raises BuildError with the compiler's output for the first file that does not compile.
    """
    objects, texts = [], []
    for name in headers:
        with open(os.path.join(FOLDER, "matcher", name), encoding="utf-8") as file:
            texts.append(file.read())
    for path in files:
        with open(path, encoding="utf-8") as file:
            key = hashlib.sha256(repr((options, texts, file.read())).encode()).hexdigest()
        objects.append(os.path.join(cache, key[:32] + ".o"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(tree_objects.compile_one, files, objects, [options] * len(files)))
    return objects


def build_harness(args, version, folder, own):
    """Builds the harness with the rules linked into it. Returns the program and the outcomes of the rules.

    `folder` caches objects between runs, and `own` is this run's folder. Omits rules that use a predicate or field that
    the tree lacks; the outcome of such a rule states the missing name.
    """
    archive = tree_objects.build_tree(args.tree, folder, args.jobs)
    dialect = tree_objects.dialect_of(args.tree)
    includes = tree_objects.include_flags(args.tree, folder) + ["-I" + os.path.join(FOLDER, "matcher")] + \
        [f'-DDIALECT_HEADER="{dialect}.h"']
    headers = ["harness.h", dialect + ".h"]
    cache, excluded = os.path.join(folder, "compiled"), []
    os.makedirs(cache, exist_ok=True)
    while True:
        files, outcomes = write_rules(args.tree, args.rules, own, version, excluded)
        try:
            options = includes + ["-O1", "-Werror=implicit-function-declaration"]
            objects = compile_files(files, options, cache, args.jobs, headers)
            break
        except tree_objects.BuildError as error:
            found = re.findall(r"error: [‘'](\w+)[’'] undeclared|has no member named [‘'](\w+)[’']", str(error))
            unknown = {one or other for one, other in found} - set(excluded)
            if not unknown:
                raise
            excluded += sorted(unknown)
    sources = [os.path.join(FOLDER, "matcher", name) for name in SOURCES + [dialect + ".c"]]
    objects += compile_files(sources, includes, cache, args.jobs, headers)
    program = os.path.join(own, "harness")
    tree_objects.run(["gcc", "-o", program] + objects + [archive, "-Wl,--gc-sections", "-lm", "-lpthread", "-lstdc++"] +
                     [f"-Wl,--defsym={name}=0" for name in tree_objects.UNCALLED])
    return program, outcomes


class Part:
    """One process of the harness. If a rule crashes the process, it restarts without the rule."""

    def __init__(self, program, args, number):
        modes = sum(1 << MODES.index(mode) for mode in args.denormals.split(","))
        self.command = [program, str(args.shaders), str(args.seed), str(number), str(args.jobs), args.flags, str(modes)]
        self.skipped, self.lines, self.stopped = [], [], False
        self.start()

    def stop(self):
        """Asks the process to end early and print its counts so far."""
        self.stopped = True
        self.process.send_signal(signal.SIGINT)

    def start(self):
        """Starts the process."""
        self.process = subprocess.Popen(["nice", "-n", "5"] + self.command + [str(one) for one in self.skipped],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")

    def finish(self):
        """Waits for the process to end, restarts it after crashes, and returns the objects that it printed."""
        while True:
            out, complaints = self.process.communicate()
            printed = [json.loads(line) for line in out.splitlines()]
            crashes = [one for one in printed if "crash" in one]
            for crash in crashes:
                crash["report"] = f"signal {crash['crash']} in the tree's code:\n{complaints[-2000:]}"
            if not crashes or self.stopped:
                return self.lines + printed
            self.lines += crashes
            self.skipped += [crash["rule"] for crash in crashes]
            self.start()


def collect(outcomes, printed):
    """Adds the counts and reports of all processes to the outcomes of the rules.

    If there are several reports on a rule, keeps the report of the strongest kind, and among those the report with the
    lowest shader number.
    """
    by_number = {one["number"]: one for one in outcomes if "number" in one}
    for line in printed:
        outcome = by_number[line["rule"]]
        if "shaders" in line:
            for name in ["shaders", "applied", "determined", "vectors"] + KINDS:
                outcome[name] = outcome.get(name, 0) + line[name]
        elif "report" in line:
            key = (KINDS.index(line["kind"]) if "kind" in line else -1, line["shader"])
            if "report" not in outcome or key < outcome["key"]:
                outcome.update(key=key, kind=line.get("kind", "crash"), shader=line["shader"], report=line["report"])
    for outcome in outcomes:
        outcome.pop("key", None)
        outcome["verdict"] = verdict_of(outcome)
    return outcomes


def verdict_of(outcome):
    """Returns the verdict of one rule. A rule that was never applied or compared has not passed."""
    if "rejected" in outcome:
        return "rejected"
    if "report" in outcome:
        return "crash" if outcome["kind"] == "crash" else f"differs ({outcome['kind']})"
    if not outcome.get("applied"):
        return "never applied"
    return "agrees" if outcome.get("determined") else "never determined"


def print_summary(outcomes, seconds, out):
    """Prints the reports of the rules that differ, then one line for each rule, then the totals."""
    for outcome in outcomes:
        if "report" in outcome:
            print(f"{outcome['verdict']}: {outcome['text']} (shader {outcome['shader']})", file=out)
            print(outcome["report"], file=out)
    for outcome in outcomes:
        differing = ", ".join(f"{outcome[kind]} with {kind}" for kind in KINDS if outcome.get(kind))
        counts = f"applied in {outcome.get('applied', 0)} of {outcome.get('shaders', 0)} shaders, " \
                 f"compared in {outcome.get('determined', 0)}" + (f"; differs in {differing}" if differing else "")
        print(f"{outcome['verdict']}: {outcome['text']}: {outcome.get('rejected', counts)}", file=out)
    shaders = sum(outcome.get("shaders", 0) for outcome in outcomes)
    verdicts = [outcome["verdict"] for outcome in outcomes]
    kinds = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in sorted(set(verdicts)))
    print(f"{len(outcomes)} rules: {kinds}; {shaders} shaders in {seconds:.1f} s", file=out)


def exit_status(outcomes):
    """Returns the exit status for the outcomes of all rules."""
    if any("report" in outcome for outcome in outcomes):
        return 1
    return 2 if any("rejected" in outcome for outcome in outcomes) else 0


def run_parts(program, args):
    """Runs the processes of the harness and returns the objects that they printed."""
    # The terminal also sends SIGINT to the processes, which then print their counts so far.
    parts = []

    def stop(*_):
        for part in parts:
            part.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    parts += [Part(program, args, number) for number in range(args.jobs)]
    return [line for part in parts for line in part.finish()]


def run_harness(args):
    """Builds and runs the harness. Returns the exit status."""
    version = tree_objects.version_of(args.tree)
    args.tree, args.rules = os.path.abspath(args.tree), os.path.abspath(args.rules)
    folder = os.path.abspath(args.build or default_build(version))
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run.", dir=folder) as own:
        print(f"matcher_harness: building the rules with the matcher of Mesa {version}", file=sys.stderr)
        program, outcomes = build_harness(args, version, folder, own)
        print(f"matcher_harness: applying {len(outcomes)} rules to {args.shaders} shaders; Ctrl-C prints the results so "
              "far", file=sys.stderr)
        start = time.time()
        printed = run_parts(program, args) if any("number" in outcome for outcome in outcomes) else []
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
    except KeyboardInterrupt:
        print("matcher_harness: stopped while building; finished objects are kept", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
