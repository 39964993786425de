"""Defines the rules of a database, their evidence, and their measurements.

Savings are sums over the sites in the shaders, weighted by loop depth: instructions, and issue cycles of the machine's
description. Negative savings are losses.
"""
from __future__ import annotations

import dataclasses
import enum

from .verdicts import CaseVerdict, DenormMode, InexactStatement, ProgramCost, RuleVerdict


class RuleClass(enum.StrEnum):
    """Whether a rule changes rounding."""

    STRICT = "strict"  # Proved bit for bit.
    INEXACT = "inexact"  # `~`: equal over the reals; Rule.inexact states the error.


class RuleState(enum.StrEnum):
    """The state of a rule after the last run."""

    NEW = "new"
    KEPT = "kept"
    LOST = "lost"  # No longer found or no longer proved.
    WAIVED = "waived"  # Accepted or muted by a maintainer, with a reason.
    REFUTED = "refuted"  # Proved in an earlier run, but refuted now.
    DERIVED = "derived"  # Proved, but other rules achieve the same result.


class RuleOrder(enum.StrEnum):
    """The order of a list of rules."""

    WORTH = "worth"  # Cycles saved over the tuned baseline on held-out sources, descending.
    ID = "id"


class CorpusSplit(enum.StrEnum):
    """The part of the corpus from which a number comes."""

    DISCOVERY = "discovery"
    HELD_OUT = "held_out"


class NodeFlag(enum.StrEnum):
    """A flag of an op node."""

    EXACT = "exact"
    INEXACT = "inexact"
    NO_SIGNED_ZERO = "nsz"
    NO_NAN = "nnan"
    NO_INF = "ninf"


class Stages(enum.StrEnum):
    """The form of a rule that a trial measured, if the rule has a separate form for stages that compute positions."""

    OTHER = "other"
    POSITIONS = "positions"


@dataclasses.dataclass(frozen=True)
class ConstantCondition:
    """The condition on the constant `name`, which is "c" for `#c`. An empty condition admits any value."""

    name: str
    condition: str


@dataclasses.dataclass(frozen=True)
class Precondition:
    """A predicate on the variable `node`, such as "is_not_negative"."""

    node: str
    predicate: str


@dataclasses.dataclass(frozen=True)
class Generalisation:
    """The cases in which a rule is valid. `widths` are the proved widths of the result in bits, and `modes` the proved
    denormal modes. `generalised_from` is the id of the rule from which this one was generalized, or empty."""

    constants: tuple[ConstantCondition, ...]
    widths: tuple[int, ...]
    preconditions: tuple[Precondition, ...]
    modes: tuple[DenormMode, ...]
    generalised_from: str


@dataclasses.dataclass(frozen=True)
class Provenance:
    """The origin of a rule: the id of a run, and the digest of a fragment. `created` is a time in RFC 3339, in UTC."""

    run: str
    fragment: str
    semantics_digest: str
    search_digest: str
    created: str


@dataclasses.dataclass(frozen=True)
class RuleMeasurement:
    """The savings of a rule on one part of the corpus, relative to one instruction per op (naive), and relative to the
    tuned baseline selection (tuned)."""

    split: CorpusSplit
    hits: int
    shaders: int
    sources: int
    naive_saved_instructions: float
    naive_saved_cycles: float
    tuned_saved_instructions: float
    tuned_saved_cycles: float


@dataclasses.dataclass(frozen=True)
class DriverNumber:
    """The change of a number that a driver reports, such as "nops". `before` is the sum over all shaders, and `better`
    and `worse` count shaders. If `better_high` is set, larger numbers are better."""

    name: str
    before: float
    change: float
    better: int
    worse: int
    better_high: bool
    main: bool


@dataclasses.dataclass(frozen=True)
class TrialEffect:
    """The effect of a rule on the affected shaders, extrapolated from a sample; negative for savings. `helped` and
    `hurt` count shaders whose time changes by more than 1%, and `lost` counts programs that no longer compile."""

    instructions: float
    helped: int
    hurt: int
    lost: int
    time: float
    faster: int
    slower: int


@dataclasses.dataclass(frozen=True)
class TrialPlace:
    """The results for one place at which a driver can call a pass (docs/passes.md)."""

    name: str
    programs: int
    alone: TrialEffect
    in_set: TrialEffect
    chosen: bool
    stages: Stages | None
    applied: int


@dataclasses.dataclass(frozen=True)
class TrialExample:
    """The code of the smallest shader that shows the effect of a rule. `code` is a unified diff without headers."""

    place: str
    program: str
    shader: str
    before: float
    after: float
    number: str
    code: str


@dataclasses.dataclass(frozen=True)
class NoTime:
    """The reason why a rule that saves instructions saves no time."""

    place: str
    numbers: tuple[DriverNumber, ...]


@dataclasses.dataclass(frozen=True)
class ModelledEffect:
    """The effect of a rule at one place according to a machine's cost model; negative for savings."""

    place: str
    instructions: float
    applied: int


@dataclasses.dataclass(frozen=True)
class RuleTrial:
    """The effect of a rule on a real compiler, measured by `rewrought trial`. `instructions` and `time` are sums over
    all programs of the trial, without any rules. `problem` is the reason for excluding the rule, or empty."""

    driver: str
    build: str
    places: tuple[TrialPlace, ...]
    problem: str
    instructions: float
    example: TrialExample | None
    unmet: str
    modelled: tuple[ModelledEffect, ...]
    time: float
    no_time: NoTime | None


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule of a database or of a pack.

    `id` is stable across runs. `machine` is empty for a rule between NIR terms; otherwise, the right side may be a
    `program` of this machine, and `replace` is then empty. `condition` is C text over `options->…`, and empty means
    always. `reason` explains the states WAIVED, LOST, and REFUTED.
    """

    id: str
    machine: str
    search: str
    replace: str
    program: str
    condition: str
    flags: tuple[NodeFlag, ...]
    rule_class: RuleClass | None
    state: RuleState | None
    ops: tuple[str, ...]
    generalisation: Generalisation | None
    provenance: Provenance | None
    inexact: InexactStatement | None
    measurements: tuple[RuleMeasurement, ...]
    cost: ProgramCost
    base_cost: ProgramCost
    reason: str
    trials: tuple[RuleTrial, ...]

    def __str__(self) -> str:
        """Returns the rule as text that `check` accepts."""
        return "(%s, %s)" % (self.search, self.replace or "[%s]" % self.program)


@dataclasses.dataclass(frozen=True)
class RuleDetails:
    """A rule with the proofs that the database contains. If `verified_here` is not set, the server's installation has
    not verified these proofs; use check to prove the rule again."""

    rule: Rule
    proofs: tuple[CaseVerdict, ...]
    verified_here: bool


@dataclasses.dataclass(frozen=True)
class RuleMatch:
    """A rule that matches in an expression. `node` is the matched node; "n0" is the root, and others follow in prefix
    order. `result` is the rewritten expression, or empty if the right side is a program."""

    rule: Rule
    node: str
    result: str


@dataclasses.dataclass(frozen=True)
class RuleHit:
    """A shader in which a rule applies. `digest` is the SHA-256 of the shader, and `lines` are the first few lines with
    hits, from 1."""

    shader: str
    source: str
    digest: str
    hits: int
    saved_instructions: float
    saved_cycles: float
    lines: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Listing:
    """The code of a rule's sides on one machine, one text per instruction. `problem` is the reason that a side is
    missing, or empty."""

    machine: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    before_cost: ProgramCost | None
    after_cost: ProgramCost | None
    problem: str


@dataclasses.dataclass(frozen=True)
class DroppedPrecondition:
    """The verdict on a rule without one of its preconditions, such as "a: is_not_negative". If the verdict is PROVED,
    the precondition is unnecessary; otherwise, the counterexample shows why it is needed."""

    precondition: str
    verdict: RuleVerdict


@dataclasses.dataclass(frozen=True)
class Machine:
    """A summary of a machine. `documented`, `measured`, and `guessed` count its costs by kind of source."""

    id: str
    name: str
    family: str
    generation: str
    instructions: int
    variants: int
    modifiers: int
    deviations: int
    documented: int
    measured: int
    guessed: int
    modes: str
