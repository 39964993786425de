"""Compiles programs of a trial with rules switched on and off. Records every outcome in a file, so that nothing is
compiled twice.

A setting is a frozenset of pairs (rule's number, place); it includes trial_rules.MATCH if rules are only matched, not
applied. A program is compiled without the rules that are known not to touch it, so most settings of a program coincide
with an earlier one.
"""
import json
import os
import threading

import estimate
import rig
import supervisor


class Outcome:
    """A driver's results for a program. shaders: {(mode, stage, variant): numbers}. applied: {(rule, place):
    times}, or, if the setting includes MATCH, the number of matches. problem: None, "hang", "crash", or "compile" (the
    driver reported no numbers for any shader)."""

    def __init__(self, shaders, applied, problem):
        self.shaders, self.applied, self.problem = shaders, applied, problem

    def timed(self, row):
        """Returns the outcome with the estimate of time in the numbers. row: the driver's row of statistics.toml."""
        shaders = {key: estimate.with_time(row, numbers) for key, numbers in self.shaders.items()}
        return Outcome(shaders, self.applied, self.problem)


class Ledger:
    """All outcomes of one driver, stored in a file that grows by whole lines. Discards the file if it is from
    another build or other rules. The file contains the driver's numbers only, so that it stays valid if the estimate of
    time changes; the outcomes in memory contain the estimate. row: the driver's row of statistics.toml."""

    def __init__(self, path, head, row):
        self.path, self.row, self.known = path, row, {}
        self.lock = threading.Lock()
        if os.path.exists(path):
            with open(path, "rb") as file:
                lines = file.read().split(b"\n")[:-1]  # the last element is an incomplete line, or empty
            if lines and json.loads(lines[0]) == head:
                for line in lines[1:]:
                    self.take(json.loads(line))
                with open(path, "wb") as file:
                    file.write(b"".join(line + b"\n" for line in lines))
                self.file = open(path, "a", encoding="utf-8")
                return
        self.file = open(path, "w", encoding="utf-8")
        self.file.write(json.dumps(head) + "\n")
        self.file.flush()

    def close(self):
        self.file.close()

    def take(self, line):
        shaders = {tuple(key.split("/")): numbers for key, numbers in line["shaders"].items()}
        applied = {(int(rule), place): times for rule, place, times in line["applied"]}
        setting = frozenset((int(rule), place) for rule, place in line["on"])
        self.known[line["program"], line["hash"], setting] = Outcome(shaders, applied, line["problem"]).timed(self.row)

    def get(self, program, setting):
        return self.known.get((program.name, program.hash, setting))

    def put(self, program, setting, outcome):
        line = {"program": program.name, "hash": program.hash, "on": sorted(setting), "problem": outcome.problem,
                "applied": [[rule, place, times] for (rule, place), times in sorted(outcome.applied.items())],
                "shaders": {"/".join(key): numbers for key, numbers in sorted(outcome.shaders.items())}}
        with self.lock:
            self.known[program.name, program.hash, setting] = outcome.timed(self.row)
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()


class Bench:
    """Compiles with one driver that contains the trial's pass.

    start: () -> supervisor.Runner; switches: trial_rules.Switches or patch_series.Switches; reader: messages.Reader;
    say: reports progress.
    """

    def __init__(self, start, switches, reader, ledger, jobs, say):
        self.start, self.switches, self.reader, self.ledger, self.jobs, self.say = \
            start, switches, reader, ledger, jobs, say
        self.compiled = 0
        self.stop = threading.Event()
        self.failed = None

    def compile_all(self, wanted, what, until_bad=False):
        """Returns {(program, setting): Outcome} for the pairs `wanted`, which several crews compile in parallel. Raises
        RunnerFailed.

        until_bad: starts no further programs after a hang or crash, and returns only the finished outcomes.
        """
        wanted = list(dict.fromkeys(wanted))
        todo = [pair for pair in wanted if self.ledger.get(*pair) is None]
        done, total, bad = [0], len(todo), threading.Event()
        queue = iter(enumerate(todo))
        lock, crews = threading.Lock(), []

        def serve():
            crew = supervisor.Crew(self.start)
            crews.append(crew)
            try:
                while not self.stop.is_set() and not bad.is_set() and self.failed is None:
                    with lock:
                        number, pair = next(queue, (None, None))
                    if pair is None:
                        return
                    outcome = self.compile_one(crew, number, *pair)
                    if self.stop.is_set():
                        return
                    self.ledger.put(*pair, outcome)
                    if until_bad and outcome.problem in ("hang", "crash"):
                        bad.set()
                    with lock:
                        done[0] += 1
                        self.compiled += 1
                        self.say(what, done[0], total)
            except supervisor.RunnerFailed as error:
                self.failed = str(error)
            except Exception as error:  # pylint: disable=broad-except  # a bug in the trial, not in a driver
                self.failed = f"{type(error).__name__}: {error}"
            finally:
                crew.close()

        threads = [threading.Thread(target=serve, daemon=True) for _ in range(min(self.jobs, max(1, total)))]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self.stop.set()
            for crew in crews:
                crew.kill()  # a program in progress may never finish; the next trial compiles it again
            for thread in threads:
                thread.join(timeout=30)
            raise
        if self.failed is not None:
            raise supervisor.RunnerFailed(self.failed)
        outcomes = {pair: self.ledger.get(*pair) for pair in wanted}
        return {pair: outcome for pair, outcome in outcomes.items() if outcome is not None}

    def known(self, program, setting):
        """Returns the recorded Outcome, or None."""
        return self.ledger.get(program, setting)

    def compile_one(self, crew, number, program, setting):
        answers, problem, _ = crew.compile(number, program.inputs, self.switches.variables(setting))
        shaders, applied = {}, {}
        for answer in answers:
            if answer.get("error"):
                continue
            records, _ = self.reader.read(answer["messages"])
            for record in records:
                shaders[answer["mode"], record["stage"], record["variant"]] = record["numbers"]
            for pair, times in self.switches.pairs(answer.get("applied", [])).items():
                applied[pair] = applied.get(pair, 0) + times
        return Outcome(shaders, applied, problem or (None if shaders else "compile"))


def head_of(build, rules):
    """Returns the identity of the build and the rules, on which a ledger's outcomes depend."""
    return {"build": build, "rules": [[rule.id, rule.texts, rule.second] for rule in rules]}
