"""The effect of switched-on rules on shaders, in the numbers that the driver reports. Trials minimize the estimate of
time (estimate.py)."""
import estimate


class Objective:
    """The numbers of a trial, from a driver's row of statistics.toml. watched contains the numbers that effects record:
    the estimate of time, instructions, and the numbers that reports show or whose totals must not get worse."""

    def __init__(self, row):
        self.row, self.instructions = row, row["instructions"]
        self.keep, self.high = tuple(row.get("keep", ())), frozenset(row.get("better_high", ()))
        self.watched = list(dict.fromkeys([estimate.TIME, self.instructions, *row.get("main", ()), *self.keep]))

    def loss(self, name, change):
        """Returns the change of a number, with the sign changed if more of the number is better."""
        return -change if name in self.high else change


class Effect:
    """The effect of a setting on some programs. totals maps the objective's watched numbers to their change over all
    shaders. changes maps the key (program, mode, stage, variant) of each changed shader to its changes by number.
    helped and hurt are sets of such keys: shaders that become noticeably faster or slower (estimate.NOTICEABLE); hurt
    also contains variants that are no longer compiled. faster and slower count the shaders whose time changes by any
    amount. lost lists programs that lost a whole stage. As in compare.py, a shader whose number of loops changed counts
    only for lost."""

    def __init__(self, objective):
        self.objective, self.totals, self.changes = objective, {}, {}
        self.helped, self.hurt, self.lost = set(), set(), []

    @property
    def time(self):
        return self.totals.get(estimate.TIME, 0)

    @property
    def instructions(self):
        return self.totals.get(self.objective.instructions, 0)

    @property
    def faster(self):
        return len(self.improved(estimate.TIME))

    @property
    def slower(self):
        return len(self.worsened(estimate.TIME))

    def improved(self, name):
        """Returns the keys of the shaders in which this number gets better."""
        return {key for key, of in self.changes.items() if self.objective.loss(name, of.get(name, 0)) < 0}

    def worsened(self, name):
        """Returns the keys of the shaders in which this number gets worse."""
        return {key for key, of in self.changes.items() if self.objective.loss(name, of.get(name, 0)) > 0}

    def loss_in(self, name, programs):
        """Returns by how much the total of this number gets worse in these programs."""
        return sum(self.objective.loss(name, of.get(name, 0)) for key, of in self.changes.items() if key[0] in programs)

    def add(self, program, before, after):
        """Adds the effect on a program, given its Outcomes (trial_measure.py) without and with the setting."""
        if after.problem and not before.problem:
            self.lost.append(program.name)
            return
        stages = {key[:2] for key in after.shaders}
        for key, old in before.shaders.items():
            new = after.shaders.get(key)
            if new is None and key[:2] in stages:
                self.hurt.add((program.name,) + key)  # one of several variants, such as SIMD16
            elif new is None:
                self.lost.append(program.name)
            elif new.get("loops") == old.get("loops"):
                self.add_shader((program.name,) + key, old, new)

    def add_shader(self, key, old, new):
        changes = {name: new[name] - old[name] for name in self.objective.watched if name in old and name in new}
        changes = {name: change for name, change in changes.items() if change}
        if not changes:
            return
        self.changes[key] = changes
        for name, change in changes.items():
            self.totals[name] = self.totals.get(name, 0) + change
        if estimate.is_helped(old[estimate.TIME], new[estimate.TIME]):
            self.helped.add(key)
        if estimate.is_hurt(old[estimate.TIME], new[estimate.TIME]):
            self.hurt.add(key)

    def minus(self, other):
        """Returns the difference from the effect of another setting on the same programs. Only this effect's programs
        count as lost."""
        found = Effect(self.objective)
        for key in self.changes.keys() | other.changes.keys():
            mine, others = self.changes.get(key, {}), other.changes.get(key, {})
            changes = {name: mine.get(name, 0) - others.get(name, 0) for name in mine.keys() | others.keys()}
            found.changes[key] = {name: change for name, change in changes.items() if change}
        for name in self.totals.keys() | other.totals.keys():
            found.totals[name] = self.totals.get(name, 0) - other.totals.get(name, 0)
        found.helped, found.hurt, found.lost = self.helped - other.helped, self.hurt - other.hurt, self.lost
        return found

    def scaled(self, factor):
        """Multiplies the totals by a factor, to extrapolate from a sample of programs. Returns the effect."""
        self.totals = {name: change * factor for name, change in self.totals.items()}
        return self

    def message(self):
        """Returns the effect as RuleTrial.Effect (proto/rewrought/v1/rule.proto)."""
        return {"time": self.time, "instructions": self.instructions, "helped": len(self.helped), "hurt": len(self.hurt),
                "faster": self.faster, "slower": self.slower, "lost": len(self.lost)}

    def numbers(self, before):
        """Returns the watched numbers that changed as a list of DriverNumber (proto/rewrought/v1/rule.proto). before
        maps each number to its total over all programs without rules."""
        return [{"name": name, "before": before.get(name, 0), "change": self.totals[name], "better": len(self.improved(name)),
                 "worse": len(self.worsened(name)), "better_high": name in self.objective.high}
                for name in self.objective.watched if self.totals.get(name)]
