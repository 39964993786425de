#!/usr/bin/env python3
"""Measures the benefit of a longer search and of more shaders. This is not a test: it runs for the given times plus ten
minutes.

usage: search_growth_benchmark.py REWROUGHT FOLDER MACHINE CORPUS [--tree MESA/src/compiler/nir]
           [--minutes 5,20,60] [--parts 8,4,2] [--threads N] [--held-out FILE]

CORPUS contains a folder for each source, as in ./demo's out/demo/corpus. Sources that FILE (tools/corpus/held_out.txt)
names are used only for measuring. First searches all other sources for the largest number of minutes, and reports the
savings of the rules found within each of the given times. Then, for each K in --parts, searches 1/K of the discovery
sources for the first of the times. FOLDER keeps the databases; finished searches are not repeated. Savings are the
model's cycles compared with the tuned baseline, summed over the rules that save any cycles.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(arguments):
    """Runs a command, whose progress stays visible, and returns its standard output. Exits the process if the command
    fails."""
    done = subprocess.run(arguments, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("search_growth_benchmark.py: '%s' failed with exit status %d" % (" ".join(arguments), done.returncode))
    return done.stdout


def objects(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


class Benchmark:
    def __init__(self, options):
        self.options = options
        with open(options.held_out, encoding="utf-8") as file:
            held_out = {line.strip() for line in file if line.strip() and not line.startswith("#")}
        sources = sorted(entry.name for entry in os.scandir(options.corpus)
                         # skips .npm, which contains the packages
                         if entry.is_dir() and not entry.name.startswith("."))
        self.held_out = [source for source in sources if source in held_out]
        self.discovery = [source for source in sources if source not in held_out]
        if not self.held_out or not self.discovery:
            sys.exit("search_growth_benchmark.py: %s needs sources to search and held-out ones" % options.corpus)

    def path(self, name):
        return os.path.join(self.options.folder, name)

    def harvest(self, db, source, *more):
        tree = ["--baseline", self.options.tree] if self.options.tree else []
        run([self.options.rewrought, "harvest", os.path.join(self.options.corpus, source), "--db", db, "--json",
             "--source", source, *more, *tree])

    def held_out_database(self):
        """Returns a corpus that contains only the held-out sources, on which all searches are measured."""
        db = self.path("held_out.db")
        if not os.path.exists(db):
            for source in self.held_out:
                self.harvest(self.path("begun.db"), source, "--held-out")
            os.rename(self.path("begun.db"), db)
        return db

    def search(self, part, seconds):
        """Searches 1/`part` of the discovery sources. Returns the database and the run's statistics."""
        db, told = self.path("part_%d.db" % part), self.path("part_%d.json" % part)
        if not os.path.exists(told):
            if os.path.exists(db):
                os.remove(db)
            shutil.copy(self.held_out_database(), db)
            for source in self.discovery:
                self.harvest(db, source, *(["--shard", "1/%d" % part] if part > 1 else []))
            threads = ["--threads", self.options.threads] if self.options.threads else []
            text = run([self.options.rewrought, "discover", "--db", db, "--machine", self.options.machine, "--seconds",
                        "%d" % seconds, "--json", *threads])
            with open(told, "w", encoding="utf-8") as file:
                file.write(text)
        with open(told, encoding="utf-8") as file:
            return db, objects(file.read())[-1]

    def saved(self, db):
        """Returns the cycles that the rules save on discovery and on held-out sources, and the number of rules by
        class."""
        rules = objects(run([self.options.rewrought, "rank", "--db", db, "--machine", self.options.machine, "--json"]))
        sums = [sum(max(0.0, rule[part]["tuned_cycles"]) for rule in rules) for part in ("discovery", "held_out")]
        return sums, sum(rule["class"] == "strict" for rule in rules), len(rules)

    def by_minute(self, db):
        """Returns the lines of `report` with the rules found by each minute."""
        report = run([self.options.rewrought, "report", "--db", db, "--machine", self.options.machine])
        return re.findall(r"^ *[\d.e+]+ min +\d+ rules .*", report, re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("rewrought", "folder", "machine", "corpus"):
        parser.add_argument(name)
    parser.add_argument("--tree")
    parser.add_argument("--minutes", default="5,20,60")
    parser.add_argument("--parts", default="8,4,2")
    parser.add_argument("--threads", help="threads per search (default: all cores)")
    parser.add_argument("--held-out", default=os.path.join(ROOT, "tools", "corpus", "held_out.txt"))
    options = parser.parse_args()
    minutes = sorted(int(minute) for minute in options.minutes.split(","))
    os.makedirs(options.folder, exist_ok=True)
    benchmark = Benchmark(options)
    db, statistics = benchmark.search(1, 60 * minutes[-1])
    saved, strict, rules = benchmark.saved(db)
    print("all of the corpus, %d min: %d fragments, %d strict and %d inexact rules, peak %d MiB" % (
        minutes[-1], statistics["fragments"], strict, rules - strict, statistics["peak_bytes"] >> 20))
    print("saved at the end: %.0f cycles on discovery sources, %.0f on held-out sources" % tuple(saved))
    print("\n".join(benchmark.by_minute(db)))
    for part in sorted((int(part) for part in options.parts.split(",") if part), reverse=True):
        db, statistics = benchmark.search(part, 60 * minutes[0])
        on_part, strict, rules = benchmark.saved(db)
        print("1/%d of the corpus, %d min: %d fragments, %d strict and %d inexact rules, peak %d MiB; saved on "
              "held-out sources %.0f cycles, %.0f %% of the savings of the whole corpus in %d min" % (
                  part, minutes[0], statistics["fragments"], strict, rules - strict, statistics["peak_bytes"] >> 20,
                  on_part[1], 100 * on_part[1] / saved[1] if saved[1] else 0, minutes[-1]), flush=True)


if __name__ == "__main__":
    main()
