"""Chooses which rules of a trial a driver should have, and where it should call them, by what its compiler says.

The score of a setting is the percentage of instructions that it saves over all programs, and half the percentage of
cycles. A program that is lost (hangs, crashes, is refused) is never worth it. Nor is a rule, which somebody has to read
and tables have to hold, if it adds less to the score than it must.
"""
import hashlib
import math

import compare
import trial_rules

CYCLES_WEIGHT = 0.5
LEAST_OF_SOURCE = 50  # shaders of a source whose share of hurt ones is bounded by itself
SOURCE_SHARE = 2  # times the share of all
CHANCE = 0.05  # so likely a source has as many hurt, or more, if each is with the probability of its share
SHORTER_FOR_LONGER = 2  # so many times as many shaders as it lengthens beside the others a rule must shorten
SAMPLE = 48  # programs on which a rule alone, or a set without it, is compiled, of those that it touches
PROBE = 192  # programs that tell whether a driver has a place
ROUNDS = 6


def is_chance(count, of, share):
    """Whether `count` or more of `of` shaders are no surprise if each is hurt with the probability `share`."""
    if not 0 < share < 1:
        return share >= 1 or count == 0
    below, term = 0.0, of * math.log1p(-share)  # the term's logarithm: it may be too small for a float
    for k in range(count):
        below += math.exp(term)
        term += math.log((of - k) / (k + 1) * share / (1 - share))
    return 1 - below > CHANCE


class Effect:
    """What a setting changes in some programs: sums over their shaders; which shaders are helped and hurt (in
    instructions, or a variant that is no longer compiled), by keys (program, mode, stage, variant), and by how many
    instructions; programs of which a whole stage is lost. Shaders with another number of loops are in none of these but
    the last, as in compare.py. shorter, longer: how many shaders get so by one pair of a set (without_each)."""

    def __init__(self):
        self.instructions = self.cycles = self.shorter = self.longer = 0
        self.helped, self.hurt, self.lost, self.changes = set(), set(), [], {}

    def add(self, program, before, after, names):
        if after.problem and not before.problem:
            self.lost.append(program.name)
            return
        stages = {key[:2] for key in after.shaders}
        for key, old in before.shaders.items():
            new = after.shaders.get(key)
            if new is None and key[:2] in stages:
                self.hurt.add((program.name,) + key)  # one variant (SIMD16) of several
                continue
            if new is None:
                self.lost.append(program.name)
                continue
            if new.get("loops") != old.get("loops"):
                continue
            change = new[names[0]] - old[names[0]]
            self.instructions += change
            self.cycles += new[names[1]] - old[names[1]]
            if change:
                self.changes[(program.name,) + key] = change
                (self.helped if change < 0 else self.hurt).add((program.name,) + key)

    def scaled(self, factor):
        self.instructions *= factor
        self.cycles *= factor
        return self


class Choice:
    """One driver. bench: compile_all (trial_measure.Bench); rules: trial_rules.Rule, of which the numbers tried are
    meant; names: of the numbers (instructions, cycles); places: at which the driver may call a pass; say: takes a line
    of text; least: what a rule must add to the score."""

    def __init__(self, bench, rules, tried, programs, names, places, say, least=0.0):
        self.tried, self.least = tried, least
        self.bench, self.rules, self.names, self.places, self.say = bench, rules, names, places, say
        self.problems = {}  # rule's number -> text
        self.unmet = set()  # rules whose condition no shader met, wherever they were looked for
        self.touched = {}   # (rule, place) -> {program's name}
        self.alone = {}     # (rule, place) -> Effect
        self.in_set = {}    # (rule, place) of the chosen -> Effect of leaving it out
        nothing = frozenset()
        outcomes = bench.compile_all([(program, nothing) for program in programs], "baseline")
        self.before = {program.name: outcomes[program, nothing] for program in programs}
        self.programs = {program.name: program for program in programs if not self.before[program.name].problem}
        shaders = [numbers for name in self.programs for numbers in self.before[name].shaders.values()]
        self.shaders = len(shaders)
        self.source_of = compare.sources(sorted(self.programs))
        self.of_source = {}  # source -> how many shaders
        for name in self.programs:
            source = self.source_of[name]
            self.of_source[source] = self.of_source.get(source, 0) + len(self.before[name].shaders)
        self.total = [max(1e-9, sum(numbers[name] for numbers in shaders)) for name in names]

    def score(self, effect):
        if effect.lost:
            return float("-inf")
        return -100 * (effect.instructions / self.total[0] + CYCLES_WEIGHT * effect.cycles / self.total[1])

    def allowed(self, rule, place):
        return rule not in self.problems and (place == "after_late" or not self.rules[rule].late)

    def of(self, setting, name):
        """The part of the setting that may do something to the program."""
        return frozenset(pair for pair in setting if name in self.touched.get(pair, ()))

    def measure(self, settings, what):
        """Effects of settings, each on its programs: settings is a list of (setting, names of programs)."""
        wanted = [[(self.programs[name], self.of(setting, name)) for name in names] for setting, names in settings]
        outcomes = self.bench.compile_all([pair for pairs in wanted for pair in pairs], what)
        effects = []
        for pairs in wanted:
            effect = Effect()
            for program, part in pairs:
                outcome = outcomes[program, part]
                if outcome.problem in ("hang", "crash"):
                    self.blame(program, part)
                effect.add(program, self.before[program.name], outcome, self.names)
            effects.append(effect)
        return effects

    def blame(self, program, setting):
        """Finds a rule without which the driver does not hang or crash on the program, and takes it out."""
        def problem_of(pairs):
            pair = (program, frozenset(pairs))
            return self.bench.compile_all([pair], "which rule hangs or crashes")[pair].problem
        guilty = sorted(pair for pair in setting if pair[0] not in self.problems)
        if problem_of(guilty) not in ("hang", "crash"):
            return
        size = len(guilty)
        while size > 1:  # leave out as much as can be, half of the rest at a time
            size = (size + 1) // 2
            for begin in range(len(guilty) - 1 - (len(guilty) - 1) % size, -1, -size):
                rest = guilty[:begin] + guilty[begin + size:]
                if rest and problem_of(rest) in ("hang", "crash"):
                    guilty = rest
        rule, others = guilty[-1][0], sorted({rule for rule, _ in guilty[:-1]} - {guilty[-1][0]})
        beside = "".join(f" beside {self.rules[other].id[:12]}" for other in others)
        self.problems[rule] = f"{problem_of(guilty)} on {program.name}{beside}"
        self.say(f"rule {self.rules[rule].id[:12]} is left out: {self.problems[rule]}: {self.rules[rule].texts[0]}")

    def find_touched(self):
        """Which rules touch which programs: all at once at each place, which also applies them to what others make; and
        what each matches, since another may have been there first."""
        order = [self.programs[name] for name in self.some(self.programs, len(self.programs))]
        first, rest = order[:PROBE], order[PROBE:]
        sought, met = set(), set()
        for place in self.places:
            group = {rule for rule in self.tried if self.allowed(rule, place)}
            found = self.apply_all(group, place, first)
            if not found:
                continue  # the driver has no such place
            self.apply_all(group, place, rest)
            looked_for = frozenset((rule, place) for rule in group if self.allowed(rule, place)) | {trial_rules.MATCH}
            outcomes = self.bench.compile_all([(program, looked_for) for program in order], f"matches at {place}")
            self.note_touched(outcomes)
            sought |= {rule for rule, _ in looked_for}
            met |= {rule for outcome in outcomes.values() for rule, at in outcome.applied if at == trial_rules.MET}
        self.unmet = {rule for rule in sought - met if rule >= 0 and self.rules[rule].condition}

    def apply_all(self, group, place, programs):
        """The rules of the group that are applied in some of the programs. Those that hang or crash are left out."""
        while True:
            setting = frozenset((rule, place) for rule in group if self.allowed(rule, place))
            outcomes = self.bench.compile_all([(program, setting) for program in programs], f"rules at {place}",
                                              until_bad=True)
            bad = [program for (program, _), outcome in outcomes.items() if outcome.problem in ("hang", "crash")]
            known = len(self.problems)
            if bad:
                self.blame(bad[0], setting)
            if len(self.problems) == known and len(outcomes) == len(programs):
                break
            if len(self.problems) == known:  # nobody is to blame: the others all the same
                outcomes = self.bench.compile_all([(program, setting) for program in programs], f"rules at {place}")
                break
        return {rule for rule, _ in self.note_touched(outcomes)}

    def note_touched(self, outcomes):
        """Takes down which programs rules were applied to; the pairs that were."""
        found = set()
        for (program, _), outcome in outcomes.items():
            for pair in outcome.applied:
                if pair[1] != trial_rules.MET:
                    self.touched.setdefault(pair, set()).add(program.name)
                    found.add(pair)
        return found

    def some(self, names, most=None):
        """At most SAMPLE of these programs, always the same."""
        return sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:most or SAMPLE]

    def measure_alone(self):
        pairs = [pair for pair in sorted(self.touched) if self.allowed(*pair)]
        samples = [self.some(self.touched[pair]) for pair in pairs]
        effects = self.measure([(frozenset([pair]), names) for pair, names in zip(pairs, samples)], "each rule alone")
        for pair, names, effect in zip(pairs, samples, effects):
            self.alone[pair] = effect.scaled(len(self.touched[pair]) / len(names))

    def applied(self, pair):
        """How often the rule is applied there alone: on the sample, scaled up."""
        names = self.some(self.touched[pair])
        outcomes = [self.bench.known(self.programs[name], frozenset([pair])) for name in names]
        times = sum(outcome.applied.get(pair, 0) for outcome in outcomes if outcome is not None)
        return round(times * len(self.touched[pair]) / len(names))

    def measured(self, pair):
        """(program, Outcome without rules, Outcome with this one alone) of the programs that measure_alone has taken."""
        for name in self.some(self.touched[pair]):
            program = self.programs[name]
            outcome = self.bench.known(program, frozenset([pair]))
            if outcome is not None:
                yield program, self.before[name], outcome

    def all_touched(self, setting):
        return sorted(set().union(*(self.touched.get(pair, ()) for pair in setting)))

    def without_each(self, setting):
        """{pair: Effect of the setting less that of the setting without the pair}, on a sample of what it touches."""
        pairs = sorted(setting)
        samples = [self.some(self.touched[pair]) for pair in pairs]
        whole = self.measure([(setting, names) for names in samples], "the set")
        less = self.measure([(setting - {pair}, names) for pair, names in zip(pairs, samples)], "the set without each")
        effects = {}
        for pair, names, with_it, without in zip(pairs, samples, whole, less):
            effect = Effect()
            effect.instructions, effect.cycles = \
                with_it.instructions - without.instructions, with_it.cycles - without.cycles
            effect.helped, effect.hurt = with_it.helped - without.helped, with_it.hurt - without.hurt
            effect.lost = with_it.lost
            differences = [with_it.changes.get(key, 0) - without.changes.get(key, 0)
                           for key in with_it.changes.keys() | without.changes.keys()]
            effect.shorter, effect.longer = sum(one < 0 for one in differences), sum(one > 0 for one in differences)
            effects[pair] = effect.scaled(len(self.touched[pair]) / len(names))
        return effects

    def prune(self, setting):
        """Leaves out what the set is hardly better with, and what lengthens many shaders for those that it shortens: what
        that gains is chance. As often as it finds something."""
        for _ in range(ROUNDS):
            setting = frozenset(pair for pair in setting if pair[0] not in self.problems)
            self.in_set = self.without_each(setting)
            useless, busy = [], set()
            for pair in sorted(setting, key=lambda pair: (self.score(self.in_set[pair]), pair)):
                worth, effect = self.score(self.in_set[pair]), self.in_set[pair]
                chance = effect.longer * SHORTER_FOR_LONGER > effect.shorter
                if worth > self.least and not chance:
                    continue
                # Of two that do each other's work, one stays.
                if worth < 0 or chance or not busy & self.touched[pair]:
                    useless.append(pair)
                    busy |= self.touched[pair]
            if not useless:
                break
            setting -= set(useless)
        return setting

    def extend(self, setting):
        """Adds what alone is good and still is beside the set: other rules, and other places of the same."""
        pairs = [pair for pair in sorted(self.alone) if pair not in setting and self.allowed(*pair) and
                 self.score(self.alone[pair]) > 0]
        samples = [self.some(self.touched[pair]) for pair in pairs]
        before = self.measure([(setting, names) for names in samples], "the set")
        after = self.measure([(setting | {pair}, names) for pair, names in zip(pairs, samples)], "the set and one more")
        scales = [len(self.touched[pair]) / len(names) for pair, names in zip(pairs, samples)]
        return setting | {pair for pair, scale, old, new in zip(pairs, scales, before, after)
                          if (self.score(new) - self.score(old)) * scale > self.least}

    def settle(self, setting, hurt_share):
        """What may stay of the setting when it is compiled whole, on every program: without some rules others are applied
        where they were not before, which `of` knows from here on."""
        while True:
            pairs = [(program, setting) for program in self.programs.values()]
            outcomes = self.bench.compile_all(pairs, "the set on every program")
            for (program, _), outcome in outcomes.items():
                if outcome.problem in ("hang", "crash"):
                    self.blame(program, setting)
            self.note_touched(outcomes)
            kept = frozenset(pair for pair in setting if pair[0] not in self.problems)
            kept = self.lose_nothing(self.limit_hurt(kept, hurt_share))
            if kept == setting:
                return setting
            setting = kept

    def too_many(self, hurt, share):
        """Those of the shaders hurt that are more than this share of all, or of a source of which more are than
        SOURCE_SHARE times that share explains: what one source bears must not be hidden by others that are not touched."""
        found = set(hurt) if len(hurt) > share * self.shaders else set()
        for source, shaders in self.of_source.items():
            own = {key for key in hurt if self.source_of[key[0]] == source}
            if shaders >= LEAST_OF_SOURCE and not is_chance(len(own), shaders, SOURCE_SHARE * share):
                found |= own
        return found

    def guilty_of(self, setting, hurt):
        """{pair: how many of these shaders, or of a sample of them, are not hurt without it}, where there are any."""
        names = self.some({key[0] for key in hurt})
        pairs = sorted(setting)
        touched = [[name for name in names if name in self.touched.get(pair, ())] for pair in pairs]
        effects = self.measure([(setting - {pair}, own) for pair, own in zip(pairs, touched)], "what hurts")
        spared = {pair: len({key for key in hurt - effect.hurt if key[0] in own})
                  for pair, own, effect in zip(pairs, touched, effects)}
        return {pair: count for pair, count in spared.items() if count}

    def limit_hurt(self, setting, share):
        """Leaves out what hurts most for what it gives, until at most this share of all shaders, and of each source's, is
        hurt."""
        while setting:
            effect = self.measure([(setting, self.all_touched(setting))], "the set")[0]
            hurt = self.too_many(effect.hurt, share)
            guilty = self.guilty_of(setting, hurt) if hurt else {}
            if not guilty:
                return setting
            if not guilty.keys() <= self.in_set.keys():
                self.in_set = self.without_each(setting)
            setting -= {min(guilty, key=lambda pair: (self.score(self.in_set[pair]) / guilty[pair], pair))}
        return setting

    def lose_nothing(self, setting):
        """Leaves rules out until the driver compiles every stage of every program that it did without them."""
        while setting:
            effect = self.measure([(setting, self.all_touched(setting))], "the set")[0]
            if not effect.lost:
                return setting
            name = effect.lost[0]
            guilty = sorted(self.of(setting, name), key=lambda pair: (self.score(self.in_set[pair]), pair)
                            if pair in self.in_set else (0, pair))
            without = self.measure([(setting - {pair}, [name]) for pair in guilty], f"what loses {name}")
            saving = [pair for pair, one in zip(guilty, without) if not one.lost]
            setting -= {(saving or guilty)[0]}
        return setting

    def choose(self, hurt_share):
        """The setting that gives most."""
        self.find_touched()
        self.measure_alone()
        best = {}
        for pair, effect in sorted(self.alone.items()):
            worth = self.score(effect)
            if self.allowed(*pair) and worth > 0 and worth > best.get(pair[0], (0, None))[0]:
                best[pair[0]] = (worth, pair)
        setting = self.prune(frozenset(pair for _, pair in best.values()))
        setting = self.prune(self.extend(setting))
        return self.settle(setting, hurt_share)
