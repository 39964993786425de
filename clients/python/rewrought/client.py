"""Defines Client, through which a program uses Rewrought."""
from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import ipaddress
import itertools
import os
import ssl
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence

from . import _program
from ._connect import Endpoint, Stream, Transport
from ._decode import decode, enum_json, format_duration
from ._pages import pages
from .audits import Audit, AuditRun, audit_arguments, find_audit, list_audits
from .errors import Canceled, NotFound
from .packs import BUILD_SECONDS, BuildProgress, Pack
from .rules import (DroppedPrecondition, Listing, Machine, Rule, RuleClass, RuleDetails, RuleHit, RuleMatch, RuleOrder,
                    RuleState)
from .verdicts import DenormMode, Dialect, Evaluation, Improvement, RuleVerdict

TIMEOUT = 70.0  # Seconds. The server itself ends a check after 60 s.
_VECTORS = 1000  # Vectors in one request; a request has at most 1 MiB.


@dataclasses.dataclass
class _Resources:
    """Holds everything that outlives a call, so that it can be released without the client."""

    transport: Transport
    servers: list[_program.LocalServer] = dataclasses.field(default_factory=list)
    transports: list[Transport] = dataclasses.field(default_factory=list)
    audits: set[AuditRun] = dataclasses.field(default_factory=set)

    def release(self) -> None:
        for transport in [self.transport, *self.transports]:
            transport.close()
        for run in list(self.audits):
            run.close()
        while self.servers:
            self.servers.pop().close()


class Client:
    """Calls a server, or starts the program `rewrought` if there is no server.

    With `server`, the client calls the HTTP port (not the gRPC port) of a `rewrought serve`. Without it, the client
    starts a server of its own on the loopback interface, which only this client can use, and stops it when the client
    is closed or the Python program ends in any way. Both return the same objects. A client is thread-safe.

        with rewrought.Client() as client:
            verdict = client.check("(('fadd', a, ('fneg', a)), 0.0)")
            print(verdict.status, verdict.counterexample)

    Every method that calls the server may raise: Unavailable if the server does not answer, Unauthenticated or
    PermissionDenied if the token does not suffice, InvalidArgument if the server rejects an argument,
    DeadlineExceeded after the timeout, ResourceExhausted if the call exceeds a quota until its timeout, and Canceled if
    the client is closed during the call.

    Args:
        server: HOST:PORT of the server's --http address. IPv6 addresses are written in brackets.
        token: the bearer token. Without TLS, it may be sent only to a loopback address.
        tls: use TLS, and trust the system's certificate authorities.
        tls_ca: PEM file of the authorities to trust instead; implies `tls`.
        tls_cert, tls_key: PEM files of the client's certificate and of its key, for mutual TLS; imply `tls`.
        binary: path of the program; by default $REWROUGHT, or `rewrought` on the PATH. Audits need it even if `server`
            is given.
        database: the database that the started server opens, read-only; by default an empty one.
        packs: folder of packs for the started server; built packs are stored in it. By default, a temporary folder.
        audits: folder of audits (output of `rewrought audit --json`) for the started server.
        timeout: limit of each call in seconds, unless the method has a limit of its own.

    Raises:
        ValueError: the arguments contradict each other, or `server` is not HOST:PORT.
        ProgramError: the program is missing or does not start.
    """

    def __init__(self, server: str | None = None, *, token: str | None = None, tls: bool = False,
                 tls_ca: str | os.PathLike[str] | None = None, tls_cert: str | os.PathLike[str] | None = None,
                 tls_key: str | os.PathLike[str] | None = None, binary: str | os.PathLike[str] | None = None,
                 database: str | os.PathLike[str] | None = None, packs: str | os.PathLike[str] | None = None,
                 audits: str | os.PathLike[str] | None = None, timeout: float = TIMEOUT) -> None:
        self._binary = None if binary is None else os.fspath(binary)
        self._timeout = timeout
        self._lock = threading.Lock()  # guards the start of the server for audits
        self._audit_server: tuple[Transport, str] | None = None  # with its folder of audits
        self._audit_numbers = itertools.count(1)
        if server is not None:
            if database is not None or packs is not None or audits is not None:
                raise ValueError("database, packs, and audits belong to a started server; omit them with server=")
            endpoint = _endpoint(server, token, tls, tls_ca, tls_cert, tls_key)
            self._resources = _Resources(Transport(endpoint, timeout))
        else:
            if token is not None or tls or tls_ca is not None or tls_cert is not None or tls_key is not None:
                raise ValueError("token and tls options require server=")
            paths = [None if path is None else os.path.abspath(path) for path in (database, packs, audits)]
            started = _program.LocalServer(_program.find_program(self._binary), *paths)
            self._resources = _Resources(Transport(started.endpoint, timeout), [started])
            if audits is None:
                self._audit_server = self._resources.transport, started.audits
        self._transport = self._resources.transport
        self._finalizer = weakref.finalize(self, self._resources.release)

    @classmethod
    def from_environment(cls, timeout: float = TIMEOUT) -> Client:
        """Returns a client that environment variables configure, so that a script runs with and without a server.

        REWROUGHT_SERVER, REWROUGHT_TOKEN_FILE, REWROUGHT_TLS (set to 1), REWROUGHT_TLS_CA, REWROUGHT_TLS_CERT, and
        REWROUGHT_TLS_KEY describe a server. Without REWROUGHT_SERVER, REWROUGHT_DATABASE, REWROUGHT_PACKS, and
        REWROUGHT_AUDITS describe the started one, and the others are ignored. REWROUGHT is the program.
        """
        def value(name: str) -> str | None:
            return os.environ.get("REWROUGHT_" + name) or None
        server, token_file = value("SERVER"), value("TOKEN_FILE")
        if server is None:
            return cls(database=value("DATABASE"), packs=value("PACKS"), audits=value("AUDITS"), timeout=timeout)
        token = None
        if token_file is not None:
            with open(token_file, encoding="utf-8") as file:
                token = file.read().strip()
        return cls(server, token=token, tls=value("TLS") == "1", tls_ca=value("TLS_CA"), tls_cert=value("TLS_CERT"),
                   tls_key=value("TLS_KEY"), timeout=timeout)

    def close(self) -> None:
        """Ends all calls and audits of this client with Canceled, and stops the started server."""
        self._finalizer()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Returns the process id of the started server, or None if there is none."""
        servers = self._resources.servers
        return servers[0].process.pid if servers else None

    # Checks.

    def check(self, rule: str, *, machine: str = "", widths: Sequence[int] = (), modes: Sequence[DenormMode] = (),
              dialect: Dialect | None = None, infer: bool = False, explain: bool = False,
              exact_literals: bool = False, time_limit: float | None = None) -> RuleVerdict:
        """Verifies one rule, as `rewrought check` does.

        A malformed rule is not an exception: its verdict is ERROR, with the reason in `error`.

        Args:
            rule: "(search, replace)" or "(search, replace, 'condition')" (docs/commands.md, section 2).
            machine: the machine's id, if the right side is a program of that machine.
            widths: the bit sizes to verify, from 1, 8, 16, 32, and 64; by default all that typing allows.
            modes: the denormal modes to verify; by default ANY.
            dialect: by default NIR_26, or NIR_25 with `machine`.
            infer: find the weakest assumptions under which a refuted rule holds (`weakest`); takes up to 10 s.
            explain: report the value of every node for each witness (`explain` of the cases).
            exact_literals: in NIR_25, a zero literal in the search side matches only the zero with its own sign.
            time_limit: limit in seconds, after which undecided cases are UNKNOWN; at most 60, the default.
        """
        return self._check(self._transport, rule, _check_request(machine, widths, modes, dialect, infer, explain,
                                                                 exact_literals, time_limit))

    def check_all(self, rules: Iterable[str], *, concurrency: int = 4, machine: str = "", widths: Sequence[int] = (),
                  modes: Sequence[DenormMode] = (), dialect: Dialect | None = None, infer: bool = False,
                  explain: bool = False, exact_literals: bool = False,
                  time_limit: float | None = None) -> Iterator[RuleVerdict]:
        """Verifies many rules with `concurrency` calls at a time. Yields the verdicts in the order of the rules.

        Takes a rule from `rules` only shortly before it is verified. Closing the iterator cancels the calls in
        progress. The other arguments are those of `check`.
        """
        request = _check_request(machine, widths, modes, dialect, infer, explain, exact_literals, time_limit)
        transport = self._transport.branch()
        waiting: collections.deque[concurrent.futures.Future[RuleVerdict]] = collections.deque()
        with concurrent.futures.ThreadPoolExecutor(max_workers=concurrency) as pool:
            try:
                for rule in rules:
                    waiting.append(pool.submit(self._check, transport, rule, request))
                    if len(waiting) >= 2 * concurrency:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for one in waiting:
                    one.cancel()
                transport.close()

    @staticmethod
    def _check(transport: Transport, rule: str, request: Mapping[str, object]) -> RuleVerdict:
        answer = transport.call("CheckService/CheckRule", {**request, "rule": rule})
        return decode(RuleVerdict, answer.get("verdict", {}))

    # Evaluation and improvement.

    def eval(self, text: str, vectors: Iterable[Mapping[str, str]], *, machine: str = "",
             mode: DenormMode = DenormMode.ANY, dialect: Dialect | None = None) -> list[Evaluation]:
        """Evaluates an expression, as `rewrought eval` does. Returns one result per vector.

        Args:
            text: a term, or a program of `machine`.
            vectors: the inputs. Each maps all variables to bit patterns such as "0x3f800000". If the term leaves the
                size of a variable open, the number of digits sets it.
            machine: the machine's id, if `text` is a program.
            mode: the treatment of denormals.
            dialect: by default NIR_26, or NIR_25 with `machine`.
        """
        request = {"text": text, "machine": machine, "mode": enum_json(mode),
                   **({} if dialect is None else {"dialect": enum_json(dialect)})}
        results: list[Evaluation] = []
        remaining = [{"values": dict(vector)} for vector in vectors]
        for first in range(0, max(1, len(remaining)), _VECTORS):  # without vectors, the server still parses the text
            answer = self._transport.call("EvalService/Evaluate",
                                          {**request, "vectors": remaining[first:first + _VECTORS]})
            results += [decode(Evaluation, one) for one in answer.get("results", ())]
        return results

    def improve(self, expression: str, machine: str, *, time_limit: float = 10.0) -> Stream[Improvement]:
        """Searches for cheaper programs for an expression, as `rewrought improve` does.

        Yields each program as soon as it is found. The first is the machine's own selection and the last is the best,
        so `improve(...).result()` returns the best. Closing the stream stops the search.

        Args:
            expression: a term such as "('inot', ('iand@32', a, b))".
            machine: the machine's id; `machines()` lists the ids.
            time_limit: limit of the search in seconds; at most 120.
        """
        request = {"expression": expression, "machine": machine, "timeLimit": format_duration(time_limit)}
        return self._transport.stream("ImproveService/Improve", request,
                                      lambda message: decode(Improvement, message), time_limit + self._timeout)

    # Audits.

    def audit(self, *paths: str | os.PathLike[str], back_ends: bool = False, modes: Sequence[DenormMode] = (),
              exact_literals: bool = False, suggest_fixes: bool = False, infer: bool = False,
              since: str | os.PathLike[str] | None = None, waivers: str | os.PathLike[str] | None = None,
              timeout_ms: int = 0, verdicts: str | os.PathLike[str] | None = None, again: bool = False,
              jobs: int = 0) -> AuditRun:
        """Starts an audit of a tree on this machine, as `rewrought audit` does.

        An audit reads local files, and python3 executes the tree's rule files. It therefore always runs on this
        machine, in a process of the program `rewrought`, even if the client uses a server elsewhere; the server's
        token, role, and quotas do not matter. `audits()` lists the audits that a server publishes.

        Args:
            paths: src/compiler/nir of a Mesa tree, or rule files in it.
            back_ends: also audit the tree's other files that import nir_algebraic.
            modes: the denormal modes to verify; by default ANY.
            exact_literals: as in `check`.
            suggest_fixes: look for changes that make refuted rules hold.
            infer: also find preconditions that proved rules do not need; implies `suggest_fixes`, and is slow.
            since: the output of an earlier `rewrought audit --json`; sets `Finding.was`.
            waivers: a file of accepted refuted rules; sets `Finding.waived`.
            timeout_ms: limit of each solver query in milliseconds; 0 means the default.
            verdicts: the file that stores the verdicts, by default rewrought.db.audit in the user's data folder.
            again: verify rules again if their stored verdict is UNKNOWN.
            jobs: the number of solver processes; 0 means one per core.

        Raises:
            ProgramError: the program is missing or does not start. `result()` of the run raises the other errors.
        """
        transport, folder = self._server_for_audits()
        name = "audit-%d.jsonl" % next(self._audit_numbers)
        arguments = audit_arguments(paths, back_ends=back_ends, modes=list(modes), suggest_fixes=suggest_fixes,
                                    literals="exact" if exact_literals else "", infer=infer, since=since,
                                    waivers=waivers, timeout_ms=timeout_ms, verdicts=verdicts, again=again, jobs=jobs)
        process = _program.AuditProcess(_program.find_program(self._binary), arguments, os.path.join(folder, name))
        audits = self._resources.audits
        run = AuditRun(process, name, transport, lambda: audits.discard(run))
        audits.add(run)
        return run

    def _server_for_audits(self) -> tuple[Transport, str]:
        """Returns a server on this machine, which reads the findings, so that they are the same objects as those of a
        published audit. Starts it if the client uses another one."""
        with self._lock:
            if not self._finalizer.alive:
                raise Canceled("the client is closed", "audit")
            if self._audit_server is None:
                started = _program.LocalServer(_program.find_program(self._binary), None, None, None)
                self._resources.servers.append(started)
                transport = Transport(started.endpoint, self._timeout)
                self._resources.transports.append(transport)
                self._audit_server = transport, started.audits
            return self._audit_server

    def audits(self) -> Iterator[Audit]:
        """Yields the audits that the server publishes, sorted by name. Raises FailedPrecondition if it has no
        folder."""
        return list_audits(self._transport)

    def published_audit(self, name: str) -> Audit:
        """Returns the audit that the server publishes as `name`. Raises NotFound if there is none."""
        return find_audit(self._transport, name)

    # Rules.

    def rules(self, *, machine: str = "", op: str = "", text: str = "", rule_class: RuleClass | None = None,
              states: Sequence[RuleState] = (), order: RuleOrder = RuleOrder.WORTH) -> Iterator[Rule]:
        """Yields the rules of the database that match all filters. Empty filters match all. `op` occurs in the search
        side, and `text` in the text of the rule."""
        request = {"machine": machine, "op": op, "text": text, "order": enum_json(order),
                   "states": [enum_json(state) for state in states],
                   **({} if rule_class is None else {"ruleClass": enum_json(rule_class)})}
        return pages(self._transport, "RuleService/ListRules", request, "rules", Rule)

    def rule(self, rule_id: str) -> RuleDetails:
        """Returns a rule with its proofs. Raises NotFound if no rule has the id."""
        return decode(RuleDetails, self._transport.call("RuleService/GetRule", {"id": rule_id}))

    def search_rules(self, expression: str, *, machine: str = "") -> Iterator[RuleMatch]:
        """Yields the rules that match somewhere in an expression such as "('fadd', a, ('fneg', b))"."""
        return pages(self._transport, "RuleService/SearchRules", {"expression": expression, "machine": machine},
                     "matches", RuleMatch)

    def rule_hits(self, rule_id: str) -> Iterator[RuleHit]:
        """Yields the shaders in which a rule applies, from the largest saving to the largest loss."""
        return pages(self._transport, "RuleService/ListRuleHits", {"id": rule_id}, "hits", RuleHit)

    def assembly(self, rule_id: str, machines: Sequence[str] = ()) -> tuple[Listing, ...]:
        """Returns the code of both sides of a rule for each machine; by default, for the rule's machine or for all."""
        answer = self._transport.call("RuleService/GetAssembly", {"id": rule_id, "machines": list(machines)})
        return tuple(decode(Listing, one) for one in answer.get("listings", ()))

    def drop_preconditions(self, rule_id: str, *, time_limit: float = 60.0) -> Stream[DroppedPrecondition]:
        """Yields, for each precondition of a rule, the verdict on the rule without it. `time_limit` limits the whole
        call, in seconds; the server's own limit of 60 s is the maximum."""
        return self._transport.stream("RuleService/DropPreconditions",
                                      {"id": rule_id, "timeLimit": format_duration(time_limit)},
                                      lambda message: decode(DroppedPrecondition, message),
                                      time_limit + self._timeout)

    # Packs and machines.

    def packs(self) -> Iterator[Pack]:
        """Yields the packs in the server's folder, sorted by name. Raises FailedPrecondition if it has no folder."""
        return pages(self._transport, "PackService/ListPacks", {}, "packs", Pack, self._transport)

    def pack(self, name: str) -> Pack:
        """Returns the pack called `name`. Raises NotFound if there is none."""
        for pack in self.packs():
            if pack.name == name:
                return pack
        raise NotFound("no pack is called %r; packs() lists them" % name, "PackService/ListPacks")

    def build_pack(self, machine: str, *, formats: Sequence[str] = ()) -> Stream[BuildProgress]:
        """Builds a pack from the rules of a machine and verifies it.

        Yields the progress; `build_pack(...).result().pack` is the pack. The same rules yield the same pack. Over HTTP,
        this call needs a token with the role admin, even on loopback addresses; a started server grants this role.

        Args:
            machine: the machine's id.
            formats: as in `export --format`; by default all.
        """
        return self._transport.stream("PackService/BuildPack", {"machine": machine, "formats": list(formats)},
                                      lambda message: decode(BuildProgress, message, self._transport), BUILD_SECONDS)

    def machines(self) -> Iterator[Machine]:
        """Yields the machines, sorted by id."""
        return pages(self._transport, "MachineService/ListMachines", {}, "machines", Machine)


def _check_request(machine: str, widths: Sequence[int], modes: Sequence[DenormMode], dialect: Dialect | None,
                   infer: bool, explain: bool, exact_literals: bool, time_limit: float | None) -> dict[str, object]:
    request: dict[str, object] = {"machine": machine, "widths": list(widths), "infer": infer, "explain": explain,
                                  "modes": [enum_json(mode) for mode in modes], "exactLiterals": exact_literals}
    if dialect is not None:
        request["dialect"] = enum_json(dialect)
    if time_limit is not None:
        request["timeLimit"] = format_duration(time_limit)
    return request


def _endpoint(server: str, token: str | None, tls: bool, tls_ca: str | os.PathLike[str] | None,
              tls_cert: str | os.PathLike[str] | None, tls_key: str | os.PathLike[str] | None) -> Endpoint:
    host, colon, port = server.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError("server=%r is not HOST:PORT, such as 127.0.0.1:8080" % server)
    if (tls_cert is None) != (tls_key is None):
        raise ValueError("tls_cert and tls_key require each other; pass both")
    context = None
    if tls or tls_ca is not None or tls_cert is not None:
        context = ssl.create_default_context(cafile=None if tls_ca is None else os.fspath(tls_ca))
        if tls_cert is not None and tls_key is not None:
            context.load_cert_chain(os.fspath(tls_cert), os.fspath(tls_key))
    if token is not None and context is None and not _is_loopback(host):
        raise ValueError("a token is sent to another machine only over TLS; pass tls=True or tls_ca=FILE")
    return Endpoint(host, int(port), token or "", context)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
