#!/usr/bin/env python3
"""Measures how long a second night takes on an unchanged corpus, as a share of the first night's time. This is not a
test.

usage: second_night_benchmark.py REWROUGHT FOLDER MACHINE SHADERS... [--nights N]

Runs `rewrought nightly` N times (default 3) over the shaders into FOLDER, which must be empty or missing; each night
searches everything. Prints elapsed and CPU seconds including solvers, the steps that had nothing to do, and the
ratios.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import time


def night(program, config, environment):
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run([program, "nightly", config], check=False, env=environment, stdout=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit("second_night_benchmark.py: the night failed with exit status %d" % done.returncode)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.time() - begun, processor, json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rewrought")
    parser.add_argument("folder")
    parser.add_argument("machine")
    parser.add_argument("shaders", nargs="+")
    parser.add_argument("--nights", type=int, default=3)
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        sys.exit("second_night_benchmark.py: %s is not empty" % folder)
    config = os.path.join(folder, "night.textproto")
    with open(config, "w", encoding="utf-8") as file:
        for path in options.shaders:
            file.write('corpus { path: "%s" source: "%s" }\n' % (os.path.abspath(path), os.path.basename(path)))
        file.write('machines: "%s"\nexport_formats: "nir"\nexport_dir: "%s/packs"\ndb: "%s/night.db"\n'
                   'report_file: "%s/report.html"\n' % (options.machine, folder, folder, folder))
    environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"))
    first = None
    for number in range(1, options.nights + 1):
        clock, processor, told = night(options.rewrought, config, environment)
        first = first or (clock, processor)
        (machine,) = told["machines"]
        print("night %d: %.1f s, %.1f CPU s (%.2f %% and %.2f %% of the first); %d shaders, %d new, %d rules, "
              "%d new; unchanged: %s; ended by: %s" % (
                  number, clock, processor, 100 * clock / first[0], 100 * processor / first[1],
                  told["harvest"]["shaders"], told["harvest"]["new"], machine["rules"], len(machine["new"]),
                  ", ".join(machine.get("unchanged", [])) or "nothing", machine["ended_by"] or "nothing"), flush=True)


if __name__ == "__main__":
    main()
