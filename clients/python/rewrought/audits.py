"""Defines audits of the rules of a tree (docs/commands.md, section 11)."""
from __future__ import annotations

import dataclasses
import datetime
import enum
import os
from collections.abc import Callable, Iterable, Iterator

from ._connect import Transport
from ._decode import HANDLE, decode, enum_json
from ._pages import pages
from ._program import AuditProcess
from .errors import NotFound
from .verdicts import AssumptionSet, CaseVerdict, Dialect, Witness


class AuditClass(enum.StrEnum):
    """The class of a rule in an audit."""

    PROVED = "proved"
    INEXACT = "inexact"  # Refuted bit for bit, equal over the reals, and marked `~`.
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    VACUOUS = "vacuous"


@dataclasses.dataclass(frozen=True)
class AuditCount:
    """The number of rules of one class."""

    audit_class: AuditClass
    rules: int


@dataclasses.dataclass(frozen=True)
class AuditPass:
    """The counts of one algebraic pass of the tree."""

    name: str
    counts: tuple[AuditCount, ...]


@dataclasses.dataclass(frozen=True)
class Finding:
    """The result for one rule of the tree.

    `number` is its index in the audit, and `index` the one in its pass, both from 0. `condition` is C text; empty means
    always. `id` is stable as long as the rule does not change. `shadowed_by` is the rule that always preempts this one,
    as "file:line", or empty. `inexact` states whether the rule has `~`, and `lowering` whether it is a lowering that a
    back end requests. `was` is the class in the audit that `since` named, or "new", and empty without `since`.
    `waived` is the reason for a waiver, or empty.
    """

    number: int
    pass_: str
    index: int
    file: str
    line: int
    search: str
    replace: str
    condition: str
    audit_class: AuditClass
    id: str
    shadowed_by: str
    inexact: bool
    lowering: bool
    was: str
    waived: str
    note: str
    dialect: Dialect | None

    def __str__(self) -> str:
        """Returns the rule as text that `check` accepts."""
        condition = ", '%s'" % self.condition if self.condition else ""
        return "(%s, %s%s)" % (self.search, self.replace, condition)


@dataclasses.dataclass(frozen=True)
class FindingValue:
    """The value of a node for the witness of the case `cases[case_number]`; see NodeValue."""

    case_number: int
    side: str
    node: str
    values: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class FindingDetails:
    """A finding with its evidence.

    `weaker` lists preconditions that the proof does not need, and `weakest` sets of assumptions that make a refuted
    rule provable; the audit looks for them only on request. `verified_as` is the rule with the permissions that its
    condition grants. `suggested_fix` is a change that makes the rule provable, `reals` is the result over the reals,
    and `reproduce` is a shell command that reproduces the finding.
    """

    finding: Finding
    cases: tuple[CaseVerdict, ...]
    values: tuple[FindingValue, ...]
    weaker: tuple[str, ...]
    weakest: tuple[AssumptionSet, ...]
    verified_as: str
    suggested_fix: str
    reals: str
    reproduce: str

    @property
    def counterexample(self) -> Witness | None:
        """Returns the witness of the first refuted case, or None if no case is refuted."""
        return next((case.witness for case in self.cases if case.witness is not None), None)


@dataclasses.dataclass(frozen=True)
class Audit:
    """The result of an audit. `shadowed` counts rules that an earlier rule always preempts, and `unreadable` counts
    lines of the file that are not findings. The methods call the server that has the audit's file."""

    name: str
    modified: datetime.datetime = dataclasses.field(compare=False)
    rules: int
    shadowed: int
    unreadable: int
    counts: tuple[AuditCount, ...]
    passes: tuple[AuditPass, ...]
    _transport: Transport = dataclasses.field(repr=False, compare=False, metadata=HANDLE)

    def count(self, audit_class: AuditClass) -> int:
        """Returns the number of rules of a class."""
        return sum(one.rules for one in self.counts if one.audit_class is audit_class)

    def findings(self, classes: Iterable[AuditClass] = (), *, op: str = "", pass_name: str = "",
                 text: str = "") -> Iterator[Finding]:
        """Yields the findings that match all filters, in the order of the tree. Empty filters match all. `op` occurs on
        either side, and `text` in either side, the condition, the id, or "file:line"."""
        request = {"audit": self.name, "classes": [enum_json(one) for one in classes], "op": op, "pass": pass_name,
                   "text": text}
        return pages(self._transport, "AuditService/ListAuditFindings", request, "findings", Finding)

    def details(self, finding: Finding) -> FindingDetails:
        """Returns the evidence for a finding of this audit."""
        return decode(FindingDetails, self._transport.call("AuditService/GetAuditFinding",
                                                           {"audit": self.name, "number": finding.number}))


@dataclasses.dataclass(frozen=True)
class AuditProgress:
    """The progress of an audit: `done` of `rules` have a verdict."""

    done: int
    rules: int


class AuditRun:
    """An audit in progress.

    Iterating yields the progress, about every ten seconds. `result()` waits for the end. `close()`, which leaving a
    `with` block calls, stops the audit; its verdicts are stored, so the same audit resumes later.
    """

    def __init__(self, process: AuditProcess, name: str, transport: Transport, forget: Callable[[], None]) -> None:
        self._process = process
        self._name = name
        self._transport = transport
        self._forget = forget
        self._result: Audit | None = None

    @property
    def pid(self) -> int:
        """Returns the id of the process that runs the audit."""
        return self._process.process.pid

    def __iter__(self) -> Iterator[AuditProgress]:
        for done, rules in self._process.progress():
            yield AuditProgress(done, rules)

    def result(self) -> Audit:
        """Waits for the end and returns the audit. Raises Canceled if the audit was stopped, and InvalidArgument if an
        option or a file of the tree is wrong."""
        if self._result is None:
            size = self._process.finish()
            # The service lists no audits without rules.
            self._result = (find_audit(self._transport, self._name) if size > 0 else
                            Audit(self._name, datetime.datetime.now(datetime.timezone.utc), 0, 0, 0, (), (),
                                  self._transport))
        return self._result

    def close(self) -> None:
        """Stops the audit if it is in progress."""
        self._process.stop()
        self._forget()

    def __enter__(self) -> AuditRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def list_audits(transport: Transport) -> Iterator[Audit]:
    """Yields the audits of a server, sorted by name."""
    return pages(transport, "AuditService/ListAudits", {}, "audits", Audit, transport)


def find_audit(transport: Transport, name: str) -> Audit:
    """Returns the audit called `name`. Raises NotFound if the server does not have it."""
    for audit in list_audits(transport):
        if audit.name == name:
            return audit
    raise NotFound("no audit is called %r; audits() lists them" % name, "AuditService/ListAudits")


def audit_arguments(paths: Iterable[str | os.PathLike[str]], **options: object) -> list[str]:
    """Returns the arguments of `rewrought audit`. An option that is True has no value; false and empty options are
    omitted; lists are joined by commas."""
    arguments = [os.fspath(path) for path in paths]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(option)
        elif isinstance(value, (list, tuple)):
            arguments += [option, ",".join(str(one) for one in value)] if value else []
        elif value:
            arguments += [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return arguments
