"""Defines the results of `check`, `eval`, and `improve`.

Bit patterns are text in hexadecimal, padded to their size: "0x3f800000" has 32 bits. `bits_of` and `float_of` convert
them. Sizes and widths are in bits. Times are in milliseconds and are ignored when results are compared.
"""
from __future__ import annotations

import dataclasses
import enum
import struct
from collections.abc import Mapping

from ._decode import renamed


class Verdict(enum.StrEnum):
    """The verdict on a case or on a rule (docs/proof.md, section 1)."""

    PROVED = "proved"  # For all admitted inputs, the search side allows every result of the replacement.
    REFUTED = "refuted"  # The witness shows a result that the search side does not allow.
    UNKNOWN = "unknown"  # Neither proved nor refuted within the budget. Unknown never counts as proved.
    VACUOUS = "vacuous"  # No input satisfies the preconditions.
    UNSUPPORTED = "unsupported"  # The case cannot be encoded.
    ERROR = "error"  # For a whole rule: its text is malformed.
    INEXACT = "inexact"  # For a whole rule with `~`: not proved bit for bit, but equal over the reals.


class Tier(enum.StrEnum):
    """The method that decided a case, from cheapest to most expensive (docs/proof.md, section 2)."""

    CANONICAL = "canonical"
    VECTORS = "vectors"
    EXHAUSTIVE = "exhaustive"
    UNINTERPRETED = "uninterpreted"
    NATIVE = "native"
    SECOND_SOLVER = "second_solver"
    CASE_SPLIT = "case_split"
    INTEGERS = "integers"


class DenormMode(enum.StrEnum):
    """A device's treatment of denormals (docs/float_contract.md, section 3)."""

    ANY = "any"  # The device may flush or keep denormals.
    FLUSH = "flush"
    PRESERVE = "preserve"
    NONE = "none"  # The rule has no float operation. Only in results.


class Dialect(enum.StrEnum):
    """The versions of Mesa that give ops, flags, literals, and predicates their meaning (docs/nir26.md)."""

    NIR_25 = "nir-25"  # Mesa 22.3 to 25
    NIR_26 = "nir-26"  # Mesa 26.0 to 26.2


class AccuracyClass(enum.StrEnum):
    """Compares the errors of an inexact rule's replacement and of its search side."""

    NOT_LESS_ACCURATE = "not_less_accurate"  # Proved for every input.
    CANCELLING = "cancelling"  # For some input, the replacement loses digits that the search side keeps.
    UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True)
class Witness:
    """Inputs for which the search side does not allow the result of the replacement.

    `vars` maps each input to its bit pattern; docs/commands.md, section 3, describes the inputs that are no variables.
    `search` lists the allowed results, or contains just "nan" (any NaN) or "any". If `search_incomplete` is set, there
    may be more. `replace` contains the components of the result, separated by commas, and `replace_choices` the
    nondeterministic choices that lead to it, in order.
    """

    vars: Mapping[str, str]
    search: tuple[str, ...]
    replace: str
    replace_choices: tuple[int, ...]
    search_incomplete: bool

    def __str__(self) -> str:
        inputs = ", ".join("%s = %s" % item for item in sorted(self.vars.items()))
        allowed = " or ".join(self.search) + (" or others" if self.search_incomplete else "")
        return "%s%ssearch allows %s, replace gives %s" % (inputs, ": " if inputs else "", allowed, self.replace)


@dataclasses.dataclass(frozen=True)
class NodeValue:
    """The value of one node for a witness. `side` is "search" or "replace", `node` is text such as "n1 = fadd n0, a",
    `values` has one bit pattern for each component, and `index` numbers the nodes of a side in topological order."""

    side: str
    node: str
    values: tuple[str, ...]
    index: int


@dataclasses.dataclass(frozen=True)
class CaseVerdict:
    """The verdict on a rule for one assignment of sizes and one denormal mode.

    `width` is the size of the first variable whose size the rule leaves open, or of the root. `sizes` maps the
    variables and "root" to their sizes. `tier` is None if the case is undecided. `confirmed_by` names solvers that
    confirmed the proof, and `argued_lemmas` lists lemmas that no solver proves. `reason` explains an unknown or
    unsupported case. `explain` is filled only if check was called with explain=True. `ms` is the time of the proof.
    """

    width: int
    sizes: Mapping[str, int]
    mode: DenormMode
    status: Verdict = dataclasses.field(metadata=renamed("verdict"))
    tier: Tier | None
    confirmed_by: tuple[str, ...]
    reason: str
    witness: Witness | None
    explain: tuple[NodeValue, ...]
    argued_lemmas: tuple[str, ...]
    ms: float = dataclasses.field(compare=False)


@dataclasses.dataclass(frozen=True)
class AssumptionSet:
    """A minimal set of assumptions that makes a refuted rule provable. The elements are "n<i>:flag", where i numbers
    the op nodes of the search side in prefix order, and "variable:predicate"."""

    assumptions: tuple[str, ...]

    def __str__(self) -> str:
        return " and ".join(self.assumptions)


@dataclasses.dataclass(frozen=True)
class InexactStatement:
    """Describes a rule with `~` that is not proved bit for bit (docs/float_contract.md, section 5).

    `reals` is the verdict over the reals. Errors are in ULP, compared with MPFR: `ulp_bound` is a proved bound, and the
    others were measured. Growth is the factor by which the bound of the error grows. A number is None if it was not
    proved or not measured. `special` describes the differences for each kind of value, such as "nan" or "+inf".
    """

    reals: Verdict | None
    ulp_bound: float | None
    ulp_worst_before: float | None
    ulp_worst_after: float | None
    ulp_typical_before: float | None
    ulp_typical_after: float | None
    special: Mapping[str, str]
    reason: str
    accuracy_class: AccuracyClass | None
    growth_as_written: float | None
    growth_fused: float | None
    growth_unknown: str
    hardest_input: str


@dataclasses.dataclass(frozen=True)
class RuleError:
    """The reason that a rule's text is malformed. `column` counts from 1."""

    column: int
    message: str


@dataclasses.dataclass(frozen=True)
class RuleVerdict:
    """The verdict on one rule.

    `rule` is the rule in canonical form, and `line` is the line of the request's text in which it begins. `status` is
    ERROR if the text is malformed; `error` then gives the reason. `cases` has one entry for each assignment of sizes
    that typing allows, in each requested mode. `weakest` is filled only if check was called with infer=True, and is
    empty if the rule holds or if no assumptions were found. `assumes` lists unproved facts on which the verdict
    depends.
    """

    line: int
    rule: str
    status: Verdict = dataclasses.field(metadata=renamed("verdict"))
    cases: tuple[CaseVerdict, ...]
    weakest: tuple[AssumptionSet, ...]
    error: RuleError | None
    inexact: InexactStatement | None
    assumes: tuple[str, ...]
    dialect: Dialect | None
    ms: float = dataclasses.field(compare=False)

    @property
    def refuted_case(self) -> CaseVerdict | None:
        """Returns the first case with a witness, or None if there is none."""
        return next((case for case in self.cases if case.witness is not None), None)

    @property
    def counterexample(self) -> Witness | None:
        """Returns the witness of the first refuted case, or None if no case is refuted."""
        case = self.refuted_case
        return None if case is None else case.witness


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """The allowed results of an expression for one vector of inputs. `allowed` lists bit patterns, or contains just
    "nan" (any NaN) or "any". If `many` is set, there are more results than the listed ones."""

    allowed: tuple[str, ...]
    many: bool


@dataclasses.dataclass(frozen=True)
class ProgramCost:
    """The static cost of a program according to the machine's description. `cycles` are issue cycles, `latency` is in
    cycles along the critical path, and `bytes` is the code size."""

    instructions: int
    cycles: float
    latency: float
    bytes: int


@dataclasses.dataclass(frozen=True)
class Improvement:
    """A program that computes an expression. `base` is the cost of the machine's own selection. If `inexact` is set,
    the program is equal over the reals, but not proved bit for bit; `strict_status` is the verdict bit for bit.
    `instructions` are those of `program`, in order."""

    program: str
    cost: ProgramCost
    base: ProgramCost
    strict_status: Verdict = dataclasses.field(metadata=renamed("verdict"))
    id: str
    inexact: bool
    instructions: tuple[str, ...]

    @property
    def status(self) -> Verdict:
        """Returns PROVED, INEXACT if the program may be used only where rules with `~` may, or another verdict."""
        return Verdict.INEXACT if self.inexact else self.strict_status


_FORMATS = {16: ("e", "H"), 32: ("f", "I"), 64: ("d", "Q")}


def bits_of(value: float, width: int) -> str:
    """Returns the bit pattern of a float of 16, 32, or 64 bits: bits_of(1.0, 32) is "0x3f800000". Rounds to nearest
    even. Raises ValueError for another width, and OverflowError if the value is finite but too large."""
    if width not in _FORMATS:
        raise ValueError("%d is not the width of a float; use 16, 32 or 64" % width)
    as_float, as_int = _FORMATS[width]
    (pattern,) = struct.unpack("<" + as_int, struct.pack("<" + as_float, value))
    return "0x%0*x" % (width // 4, pattern)


def float_of(bits: str) -> float:
    """Returns the float with a bit pattern of 4, 8, or 16 digits: float_of("0x3f800000") is 1.0. Raises ValueError for
    other strings, such as "nan"."""
    digits = bits.removeprefix("0x")
    if digits == bits or 4 * len(digits) not in _FORMATS:
        raise ValueError("%r is not the bit pattern of a float of 16, 32 or 64 bits" % bits)
    as_float, as_int = _FORMATS[4 * len(digits)]
    (value,) = struct.unpack("<" + as_float, struct.pack("<" + as_int, int(digits, 16)))
    return float(value)
