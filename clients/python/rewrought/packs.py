"""Defines packs: ordered, minimal, terminating sets of rules for one machine or driver, with their evidence."""
from __future__ import annotations

import dataclasses
import datetime
import enum
from collections.abc import Iterator

from ._connect import Stream, Transport, bytes_of
from ._decode import HANDLE, decode
from ._pages import pages
from .rules import CorpusSplit, Rule
from .verdicts import CaseVerdict

# Seconds. The server's own limit is ten minutes; a verification may first wait for another one.
VERIFY_SECONDS = 1300.0
BUILD_SECONDS = 3600.0


class Axis(enum.StrEnum):
    """The respect in which a confirmation is independent of the proof."""

    SOLVER = "solver"  # Another solver on the same query, or an exhaustive test at that width.
    ENCODING = "encoding"  # Test vectors, evaluated by an oracle that does not use the op rows.


@dataclasses.dataclass(frozen=True)
class Confirmation:
    """An independent check of a rule. `vectors` is the number of test vectors."""

    axis: Axis
    by: str
    vectors: int


@dataclasses.dataclass(frozen=True)
class MutantCounts:
    """The number of verdicts on a rule's mutants, which test the verifier, not the rule."""

    refuted: int
    equivalent: int
    undecided: int


@dataclasses.dataclass(frozen=True)
class PackEntry:
    """A rule of a pack, with its evidence. `table_bytes` are the bytes that the entry adds to the driver's tables. The
    other fields state where drivers call the rule (docs/passes.md)."""

    rule: Rule
    proofs: tuple[CaseVerdict, ...]
    confirmations: tuple[Confirmation, ...]
    mutants: MutantCounts | None
    table_bytes: int
    late: bool
    places: tuple[str, ...]
    all_stages: bool
    second_pass: bool
    for_positions: bool
    position_places: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class PackFile:
    """A file of a pack. `name` is relative to the pack's folder, and `digest` is the SHA-256 of the content."""

    name: str
    digest: str
    bytes: int


@dataclasses.dataclass(frozen=True)
class CorpusSummary:
    """The shaders on which a pack was measured."""

    digest: str
    shaders: int
    discovery_sources: tuple[str, ...]
    held_out_sources: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class PackWaiver:
    """A maintainer's decision to accept or mute a rule or a deviation."""

    subject: str
    reason: str
    by: str


@dataclasses.dataclass(frozen=True)
class EffectRow:
    """The effect of a whole pack on one source. Savings are relative to tuned baseline selection; losses are
    negative."""

    source: str
    split: CorpusSplit
    shaders: int
    helped: int
    hurt: int
    worst_shader: str
    instructions_saved: float
    cycles_saved: float


@dataclasses.dataclass(frozen=True)
class PackManifest:
    """The manifest of a pack. `digest` is the SHA-256 of the entries' canonical text. `driver` is the driver whose
    trial chose the rules, or empty."""

    machine: str
    digest: str
    semantics_version: str
    corpus: CorpusSummary
    solver_versions: tuple[str, ...]
    waivers: tuple[PackWaiver, ...]
    effects: tuple[EffectRow, ...]
    uncovered_ops: tuple[str, ...]
    wishes: tuple[str, ...]
    files: tuple[PackFile, ...]
    driver: str


@dataclasses.dataclass(frozen=True)
class BlockedRule:
    """A rule that is not in a pack, and the reason."""

    id: str
    rule: str
    reason: str


@dataclasses.dataclass(frozen=True)
class PackFinding:
    """A problem in a pack. `entry` is a rule's id, or empty for the whole pack."""

    entry: str
    file: str
    what: str


@dataclasses.dataclass(frozen=True)
class PackVerification:
    """The result of proving a pack again. `findings` lists the first 1,000 of `total` problems. It is empty if the
    files are consistent and every rule was proved again. `queries` counts the queries to both solvers."""

    findings: tuple[PackFinding, ...]
    total: int
    rules: int
    rules_proved: int
    cases: int
    queries: int


@dataclasses.dataclass(frozen=True)
class VerificationProgress:
    """The progress of a verification: `rules_done` of `rules` are finished. Only the last message has a result."""

    rules_done: int
    rules: int
    result: PackVerification | None


@dataclasses.dataclass(frozen=True)
class PackDifference:
    """A difference between two packs. `kind` is "pack", "added", "changed", "moved", or "lost"."""

    kind: str
    entry: str
    old_entry: str
    what: tuple[str, ...]
    before: str
    after: str


@dataclasses.dataclass(frozen=True)
class Pack:
    """A pack in the server's folder. `name` is unique there. `shaders`, `helped`, and `hurt` count shaders, the last
    two in held-out sources. The methods call the server."""

    name: str
    machine: str
    digest: str
    target: str
    rules: int
    blocked: int
    shaders: int
    helped: int
    hurt: int
    modified: datetime.datetime = dataclasses.field(compare=False)
    _transport: Transport = dataclasses.field(repr=False, compare=False, metadata=HANDLE)

    def manifest(self) -> PackManifest:
        """Returns the manifest, which lists the files and the effects."""
        answer = self._transport.call("PackService/GetPack", {"name": self.name})
        return decode(PackManifest, answer.get("manifest", {}))

    def blocked_rules(self) -> tuple[BlockedRule, ...]:
        """Returns the first 1,000 rules of the machine that are not in the pack."""
        answer = self._transport.call("PackService/GetPack", {"name": self.name})
        return tuple(decode(BlockedRule, one) for one in answer.get("blocked", ()))

    def entries(self) -> Iterator[PackEntry]:
        """Yields the rules in the order in which selectors try them."""
        return pages(self._transport, "PackService/ListPackEntries", {"name": self.name}, "entries", PackEntry)

    def verify(self, timeout: float = VERIFY_SECONDS) -> Stream[VerificationProgress]:
        """Proves every rule again with both solvers, and checks that all files agree.

        Yields the progress; `verify().result().result` is the verification. The server verifies one pack and one rule
        at a time. Raises DeadlineExceeded after the server's limit of ten minutes; for larger packs, use `rewrought
        pack verify`, which has no limit.
        """
        return self._transport.stream("PackService/WatchPackVerification", {"name": self.name},
                                      lambda message: decode(VerificationProgress, message), timeout)

    def differences(self, newer: Pack) -> tuple[PackDifference, ...]:
        """Returns the first 1,000 differences between this pack and `newer`, a pack of the same server."""
        answer = self._transport.call("PackService/DiffPacks", {"oldName": self.name, "newName": newer.name})
        return tuple(decode(PackDifference, one) for one in answer.get("differences", ()))

    def read(self, file: str) -> bytes:
        """Returns the content of a file that the manifest names, or of "manifest.json". Raises NotFound for others."""
        with self._transport.stream("PackService/DownloadPackFile", {"name": self.name, "file": file},
                                    lambda message: bytes_of(str(message.get("content", "")))) as pieces:
            return b"".join(pieces)


@dataclasses.dataclass(frozen=True)
class BuildProgress:
    """The progress of building a pack. `doing` is "waiting", "building", "checking", or "done". Only the last message
    has a `pack`, and the findings of its verification."""

    doing: str
    elapsed: datetime.timedelta = dataclasses.field(compare=False)
    pack: Pack | None
    findings: tuple[str, ...]
