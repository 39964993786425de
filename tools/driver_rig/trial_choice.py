"""Chooses the rules of a trial that a driver should have, and the places where it should call them, from the numbers
that the driver's compiler reports.

The score of a setting is the percentage of time that it saves over all programs, according to the driver's estimate of
time (estimate.py). Between settings with the same score, the one with fewer instructions is better. A setting that
loses a program (the driver hangs, crashes or rejects it) scores minus infinity. A rule must also add a minimum to the
score, because every rule has to be reviewed and takes space in the driver's tables. The totals of numbers that the
estimate does not include, such as waves and spills, must not get worse (`keep` in statistics.toml), and no source of
shaders may become slower in total. A rule that gains in one source and loses in another is not likely to gain in a
third one.
"""
import hashlib
import math

import compare
import estimate
import trial_effect
import trial_rules

LEAST_OF_SOURCE = 50  # a source with this many shaders has its own limit on hurt shaders
SOURCE_SHARE = 2  # the limit of one source, as a multiple of the limit for all shaders
CHANCE = 0.05  # a source's hurt shaders are excused if the probability of at least as many exceeds this
FASTER_FOR_SLOWER = 2  # a rule must make more than this many shaders faster for each that it makes slower
SAMPLE = 48  # the number of touched programs to compile with a rule alone, or with a set without it
PROBE = 192  # the number of programs to compile before deciding that a driver does not have a place
ROUNDS = 6


def is_chance(count, of, share):
    """Returns whether at least `count` of `of` shaders are likely to be hurt by chance, if each one is hurt with
    probability `share`."""
    if not 0 < share < 1:
        return share >= 1 or count == 0
    below, term = 0.0, of * math.log1p(-share)  # the logarithm of the term, which may be too small for a float
    for k in range(count):
        below += math.exp(term)
        term += math.log((of - k) / (k + 1) * share / (1 - share))
    return 1 - below > CHANCE


class Choice:
    """Chooses the rules of one driver. bench compiles programs (trial_measure.Bench); rules is a list of
    trial_rules.Rule, and tried the numbers of the candidates among them. objective is a trial_effect.Objective. places
    are those where the driver may call a pass. say receives progress messages. least is the minimum that a rule must
    add to the score."""

    def __init__(self, bench, rules, tried, programs, objective, places, say, least=0.0):
        self.tried, self.least = tried, least
        self.bench, self.rules, self.objective, self.places, self.say = bench, rules, objective, places, say
        self.problems = {}  # rule's number -> text
        self.dropped = set()  # pairs that exceeded a limit of the set
        self.unmet = set()  # rules whose condition was checked but never fulfilled
        self.touched = {}   # (rule, place) -> {program's name}
        self.alone = {}     # (rule, place) -> Effect
        self.in_set = {}  # chosen (rule, place) -> Effect of the rule within the set
        nothing = frozenset()
        outcomes = bench.compile_all([(program, nothing) for program in programs], "baseline")
        self.before = {program.name: outcomes[program, nothing] for program in programs}
        self.programs = {program.name: program for program in programs if not self.before[program.name].problem}
        shaders = [numbers for name in self.programs for numbers in self.before[name].shaders.values()]
        self.shaders = len(shaders)
        self.source_of = compare.sources(sorted(self.programs))
        self.of_source = {}  # source -> number of shaders
        for name in self.programs:
            source = self.source_of[name]
            self.of_source[source] = self.of_source.get(source, 0) + len(self.before[name].shaders)
        self.total = {name: sum(numbers.get(name, 0) for numbers in shaders) for name in objective.watched}

    def score(self, effect):
        """Returns the percentage of time that the effect saves."""
        return float("-inf") if effect.lost else -100 * effect.time / max(1e-9, self.total[estimate.TIME])

    def rank(self, effect):
        """Returns a key that is larger for better effects: by time and, if the time is the same, by instructions."""
        return self.score(effect), -effect.instructions

    def allowed(self, rule, place):
        return rule not in self.problems and (place == "after_late" or not self.rules[rule].late)

    def of(self, setting, name):
        """Returns the part of the setting that may change the program."""
        return frozenset(pair for pair in setting if name in self.touched.get(pair, ()))

    def measure(self, settings, what):
        """Returns the Effect of each setting on its programs. settings is a list of (setting, names of programs)."""
        wanted = [[(self.programs[name], self.of(setting, name)) for name in names] for setting, names in settings]
        outcomes = self.bench.compile_all([pair for pairs in wanted for pair in pairs], what)
        effects = []
        for pairs in wanted:
            effect = trial_effect.Effect(self.objective)
            for program, part in pairs:
                outcome = outcomes[program, part]
                if outcome.problem in ("hang", "crash"):
                    self.blame(program, part)
                effect.add(program, self.before[program.name], outcome)
            effects.append(effect)
        return effects

    def blame(self, program, setting):
        """Finds a rule that makes the driver hang or crash on the program, and excludes it."""
        def problem_of(pairs):
            pair = (program, frozenset(pairs))
            return self.bench.compile_all([pair], "finding the rule that hangs or crashes")[pair].problem
        guilty = sorted(pair for pair in setting if pair[0] not in self.problems)
        if problem_of(guilty) not in ("hang", "crash"):
            return
        size = len(guilty)
        while size > 1:  # drop as many pairs as possible, half of the rest at a time
            size = (size + 1) // 2
            for begin in range(len(guilty) - 1 - (len(guilty) - 1) % size, -1, -size):
                rest = guilty[:begin] + guilty[begin + size:]
                if rest and problem_of(rest) in ("hang", "crash"):
                    guilty = rest
        rule, others = guilty[-1][0], sorted({rule for rule, _ in guilty[:-1]} - {guilty[-1][0]})
        beside = "".join(f" beside {self.rules[other].id[:12]}" for other in others)
        self.problems[rule] = f"{problem_of(guilty)} on {program.name}{beside}"
        self.say(f"rule {self.rules[rule].id[:12]} is excluded: {self.problems[rule]}: {self.rules[rule].texts[0]}")

    def find_touched(self):
        """Finds the programs that each rule touches. Applies all rules together at each place, so that rules also see
        each other's results. Also finds the programs that each rule matches, because another rule may have been applied
        first."""
        order = [self.programs[name] for name in self.some(self.programs, len(self.programs))]
        first, rest = order[:PROBE], order[PROBE:]
        sought, met = set(), set()
        for place in self.places:
            group = {rule for rule in self.tried if self.allowed(rule, place)}
            found = self.apply_all(group, place, first)
            if not found:
                continue  # the driver does not call a pass at this place
            self.apply_all(group, place, rest)
            looked_for = frozenset((rule, place) for rule in group if self.allowed(rule, place)) | {trial_rules.MATCH}
            outcomes = self.bench.compile_all([(program, looked_for) for program in order], f"matches at {place}")
            self.note_touched(outcomes)
            sought |= {rule for rule, _ in looked_for}
            met |= {rule for outcome in outcomes.values() for rule, at in outcome.applied if at == trial_rules.MET}
        self.unmet = {rule for rule in sought - met if rule >= 0 and self.rules[rule].condition}

    def apply_all(self, group, place, programs):
        """Returns the rules of the group that are applied in some of the programs. Excludes rules that make the driver
        hang or crash."""
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
            if len(self.problems) == known:  # no rule is to blame, so compile the remaining programs anyway
                outcomes = self.bench.compile_all([(program, setting) for program in programs], f"rules at {place}")
                break
        return {rule for rule, _ in self.note_touched(outcomes)}

    def note_touched(self, outcomes):
        """Records the programs to which rules were applied, and returns the pairs (rule, place) that were applied."""
        found = set()
        for (program, _), outcome in outcomes.items():
            for pair in outcome.applied:
                if pair[1] != trial_rules.MET:
                    self.touched.setdefault(pair, set()).add(program.name)
                    found.add(pair)
        return found

    def some(self, names, most=None):
        """Returns at most `most` (by default SAMPLE) of these programs; the selection is deterministic."""
        return sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:most or SAMPLE]

    def measure_alone(self):
        pairs = [pair for pair in sorted(self.touched) if self.allowed(*pair)]
        samples = [self.some(self.touched[pair]) for pair in pairs]
        effects = self.measure([(frozenset([pair]), names) for pair, names in zip(pairs, samples)], "each rule alone")
        for pair, names, effect in zip(pairs, samples, effects):
            self.alone[pair] = effect.scaled(len(self.touched[pair]) / len(names))

    def applied(self, pair):
        """Returns how often the rule alone is applied at this place, extrapolated from the sample."""
        names = self.some(self.touched[pair])
        outcomes = [self.bench.known(self.programs[name], frozenset([pair])) for name in names]
        times = sum(outcome.applied.get(pair, 0) for outcome in outcomes if outcome is not None)
        return round(times * len(self.touched[pair]) / len(names))

    def measured(self, pair):
        """Yields (program, Outcome without rules, Outcome with this rule alone) for the programs that measure_alone
        compiled."""
        for name in self.some(self.touched[pair]):
            program = self.programs[name]
            outcome = self.bench.known(program, frozenset([pair]))
            if outcome is not None:
                yield program, self.before[name], outcome

    def all_touched(self, setting):
        return sorted(set().union(*(self.touched.get(pair, ()) for pair in setting)))

    def without_each(self, setting):
        """Returns {pair: Effect of the setting minus the Effect of the setting without the pair}, from a sample of
        the programs that the pair touches."""
        pairs = sorted(setting)
        samples = [self.some(self.touched[pair]) for pair in pairs]
        whole = self.measure([(setting, names) for names in samples], "the set")
        less = self.measure([(setting - {pair}, names) for pair, names in zip(pairs, samples)], "the set without each")
        return {pair: with_it.minus(without).scaled(len(self.touched[pair]) / len(names))
                for pair, names, with_it, without in zip(pairs, samples, whole, less)}

    def prune(self, setting):
        """Drops pairs that add too little to the set's score. Also drops pairs that make too many shaders slower for
        the number that they make faster, because their gain is due to chance. Repeats this until nothing is dropped, at
        most ROUNDS times."""
        for _ in range(ROUNDS):
            setting = frozenset(pair for pair in setting if pair[0] not in self.problems)
            self.in_set = self.without_each(setting)
            useless, busy = [], set()
            for pair in sorted(setting, key=lambda pair: (self.rank(self.in_set[pair]), pair)):
                worth, effect = self.score(self.in_set[pair]), self.in_set[pair]
                chance = effect.slower * FASTER_FOR_SLOWER > effect.faster
                if worth > self.least and not chance:
                    continue
                # Of two pairs that replace each other, drop only one.
                if worth < 0 or chance or not busy & self.touched[pair]:
                    useless.append(pair)
                    busy |= self.touched[pair]
            if not useless:
                break
            setting -= set(useless)
        return setting

    def extend(self, setting):
        """Adds pairs that save time both alone and in addition to the set: other rules, and other places of the same
        rules. Omits pairs that exceeded a limit."""
        pairs = [pair for pair in sorted(self.alone) if pair not in setting | self.dropped and self.allowed(*pair) and
                 self.score(self.alone[pair]) > 0]
        samples = [self.some(self.touched[pair]) for pair in pairs]
        before = self.measure([(setting, names) for names in samples], "the set")
        after = self.measure([(setting | {pair}, names) for pair, names in zip(pairs, samples)], "the set and one more")
        scales = [len(self.touched[pair]) / len(names) for pair, names in zip(pairs, samples)]
        return setting | {pair for pair, scale, old, new in zip(pairs, scales, before, after)
                          if (self.score(new) - self.score(old)) * scale > self.least}

    def settle(self, setting, hurt_share):
        """Returns the largest acceptable part of the setting when all programs are compiled with it. Removing rules
        lets others apply where they did not apply before; this method records such programs for `of`."""
        while True:
            pairs = [(program, setting) for program in self.programs.values()]
            outcomes = self.bench.compile_all(pairs, "the set on every program")
            for (program, _), outcome in outcomes.items():
                if outcome.problem in ("hang", "crash"):
                    self.blame(program, setting)
            self.note_touched(outcomes)
            kept = frozenset(pair for pair in setting if pair[0] not in self.problems)
            kept = self.lose_nothing(self.keep_totals(self.limit_hurt(kept, hurt_share)))
            if kept == setting:
                return setting
            self.dropped |= setting - kept
            setting = kept

    def too_many(self, hurt, share):
        """Returns all hurt shaders if they exceed this share of all shaders. Otherwise, returns the hurt shaders of
        each source in which SOURCE_SHARE times the share does not explain their number, so that untouched sources
        cannot hide one source's losses."""
        found = set(hurt) if len(hurt) > share * self.shaders else set()
        for source, shaders in self.of_source.items():
            own = {key for key in hurt if self.source_of[key[0]] == source}
            if shaders >= LEAST_OF_SOURCE and not is_chance(len(own), shaders, SOURCE_SHARE * share):
                found |= own
        return found

    def guilty_of(self, setting, hurt):
        """Returns {pair: number of these shaders, or of a sample of them, that are not hurt without the pair}. Omits
        pairs whose number is 0."""
        names = self.some({key[0] for key in hurt})
        pairs = sorted(setting)
        touched = [[name for name in names if name in self.touched.get(pair, ())] for pair in pairs]
        effects = self.measure([(setting - {pair}, own) for pair, own in zip(pairs, touched)],
                               "finding the rules that hurt")
        spared = {pair: len({key for key in hurt - effect.hurt if key[0] in own})
                  for pair, own, effect in zip(pairs, touched, effects)}
        return {pair: count for pair, count in spared.items() if count}

    def limit_hurt(self, setting, share):
        """Removes the pairs that hurt the most shaders relative to their gain, until at most this share of all shaders,
        and of each source's shaders, is hurt."""
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

    def losses(self, effect):
        """Returns (number, programs) for each total that is worse than without rules: the numbers to keep, such as
        waves and spills, over all programs, and the time of each source."""
        wanted = [(name, self.programs.keys()) for name in self.objective.keep]
        wanted += [(estimate.TIME, {name for name in self.programs if self.source_of[name] == source})
                   for source in sorted(self.of_source)]
        return [(number, names) for number, names in wanted if effect.loss_in(number, names) > 0]

    def keep_totals(self, setting):
        """Removes the pairs that cause the most of a loss relative to their gain, until no total is worse than without
        rules (losses)."""
        while setting:
            effect = self.measure([(setting, self.all_touched(setting))], "the set")[0]
            lost = self.losses(effect)
            if not lost:
                return setting
            relief = self.relief_of(setting, effect, *lost[0])
            if not relief.keys() <= self.in_set.keys():
                self.in_set = self.without_each(setting)
            setting -= {min(relief, key=lambda pair: (self.score(self.in_set[pair]) / relief[pair], pair))}
        return setting

    def relief_of(self, setting, effect, number, programs):
        """Returns {pair: the part of the loss that is avoided without the pair}, for a sample of those of these
        programs in which the number gets worse. Omits pairs that avoid nothing, unless no single pair avoids
        anything."""
        names = self.some({key[0] for key in effect.worsened(number)} & programs)
        pairs = sorted(setting)
        touched = [[name for name in names if name in self.touched.get(pair, ())] for pair in pairs]
        effects = self.measure([(setting - {pair}, own) for pair, own in zip(pairs, touched)],
                               f"finding the rules that cost {number}")
        relief = {pair: effect.loss_in(number, set(own)) - without.loss_in(number, set(own))
                  for pair, own, without in zip(pairs, touched, effects)}
        return {pair: avoided for pair, avoided in relief.items() if avoided > 0} or \
            {pair: 1 for pair, own in zip(pairs, touched) if own}

    def lose_nothing(self, setting):
        """Removes pairs until the driver compiles every stage of every program that it compiles without rules."""
        while setting:
            effect = self.measure([(setting, self.all_touched(setting))], "the set")[0]
            if not effect.lost:
                return setting
            name = effect.lost[0]
            guilty = sorted(self.of(setting, name), key=lambda pair: (self.rank(self.in_set[pair]), pair)
                            if pair in self.in_set else ((0, 0), pair))
            without = self.measure([(setting - {pair}, [name]) for pair in guilty],
                                   f"finding the rules that lose {name}")
            saving = [pair for pair, one in zip(guilty, without) if not one.lost]
            setting -= {(saving or guilty)[0]}
        return setting

    def choose(self, hurt_share):
        """Returns the setting with the highest score that satisfies the limits."""
        self.find_touched()
        self.measure_alone()
        best = {}
        for pair, effect in sorted(self.alone.items()):
            worth = self.rank(effect)
            if self.allowed(*pair) and self.score(effect) > 0 and worth > best.get(pair[0], ((0, 0), None))[0]:
                best[pair[0]] = (worth, pair)
        setting = self.prune(frozenset(pair for _, pair in best.values()))
        setting = self.settle(self.prune(self.extend(setting)), hurt_share)
        for _ in range(ROUNDS):  # a rule that exceeds a limit at one place may be acceptable at another
            more = self.settle(self.prune(self.extend(setting)), hurt_share) if self.dropped else setting
            if self.score_of(more) <= self.score_of(setting):
                break
            setting = more
        self.in_set = self.without_each(setting)  # settle may have removed rules, or tried another setting
        return setting

    def score_of(self, setting):
        """Returns the score of a setting on all programs that it touches."""
        return self.score(self.measure([(setting, self.all_touched(setting))], "the set")[0])

    def saves_no_time(self, numbers):
        """Returns the pair and the Effect with which the rule made of these forms, applied alone, saves the most
        instructions, or None if it saves none, or if it saves time at some place."""
        effects = {pair: effect for pair, effect in self.alone.items() if pair[0] in numbers and not effect.lost}
        if not effects or min(effect.time for effect in effects.values()) < 0:
            return None
        pair = min(effects, key=lambda pair: (effects[pair].instructions, effects[pair].time, pair))
        return (pair, effects[pair]) if effects[pair].instructions < 0 else None
