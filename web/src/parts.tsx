// Small parts that several pages use.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type CaseVerdict, DenormMode, type InexactStatement, type Verdict } from "../gen/proto/rewrought/v1/proof_pb";
import { modeName, number, problemOf, tierName, verdictName, wasCancelled } from "./service";
import { withFloats } from "./value";

// Loads once per key; a newer key cancels the older call.
export function useAnswer<T>(key: string, load: (signal: AbortSignal) => Promise<T>) {
  const [state, setState] = useState<{ key: string; answer?: T; problem?: string }>({ key: "" });
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (answer) => setState({ key, answer }),
      (error) => wasCancelled(error) || setState({ key, problem: problemOf(error) }),
    );
    return () => abort.abort();
  }, [key]);
  return state.key === key ? state : { key, answer: undefined, problem: undefined };
}

// A list that is loaded page by page; another key starts it anew.
export function usePages<T>(key: string, load: (token: string, signal: AbortSignal) => Promise<{ rows: T[]; next: string }>) {
  const [state, setState] = useState<{ key: string; rows: T[]; next: string; busy: boolean; problem: string }>({ key: "", rows: [], next: "", busy: true, problem: "" });
  const abort = useRef<AbortController | null>(null);
  const add = async (token: string, before: T[]) => {
    abort.current?.abort();
    const mine = (abort.current = new AbortController());
    setState({ key, rows: before, next: "", busy: true, problem: "" });
    try {
      const page = await load(token, mine.signal);
      setState({ key, rows: [...before, ...page.rows], next: page.next, busy: false, problem: "" });
    } catch (error) {
      if (!mine.signal.aborted) setState({ key, rows: before, next: token, busy: false, problem: problemOf(error) });
    }
  };
  useEffect(() => {
    void add("", []);
    return () => abort.current?.abort();
  }, [key]);
  const mine = state.key === key;
  return {
    rows: mine ? state.rows : [], busy: !mine || state.busy, problem: mine ? state.problem : "",
    more: mine && state.next ? () => add(state.next, state.rows) : null,
  };
}

export function Waiting({ state }: { state: { answer?: unknown; problem?: string } }) {
  if (state.problem) return <Problem text={state.problem} />;
  return state.answer === undefined ? <p class="quiet" aria-busy="true">Loading…</p> : null;
}

export const Problem = ({ text }: { text: string }) => <p class="problem" role="alert">{text}</p>;

export const VerdictMark = ({ verdict }: { verdict: Verdict }) => (
  <span class={`mark ${verdictName(verdict)}`}>{verdictName(verdict)}</span>
);

export const Scroll = ({ children }: { children: ComponentChildren }) => <div class="scroll" tabIndex={0}>{children}</div>;

// By name, the root's last: maps come in no order.
const sizesOf = (one: CaseVerdict) =>
  Object.entries(one.sizes).sort(([a], [b]) => Number(a === "root") - Number(b === "root") || a.localeCompare(b));

// The cases of a verdict, one a row.
export function CaseTable({ cases }: { cases: CaseVerdict[] }) {
  return (
    <Scroll>
      <table>
        <thead>
          <tr><th>Verdict</th><th class="n">Width</th><th>Sizes</th><th>Denormals</th><th>Decided by</th><th>Confirmed by</th>
            <th>Witness or reason</th><th class="n">ms</th></tr>
        </thead>
        <tbody>
          {cases.map((one) => (
            <tr>
              <td><VerdictMark verdict={one.verdict} /></td>
              <td class="n">{one.width || ""}</td>
              <td><code>{sizesOf(one).map(([name, bits]) => `${name}:${bits}`).join(" ")}</code></td>
              <td>{modeName(one.mode)}</td>
              <td>{tierName(one.tier)}</td>
              <td>{one.confirmedBy.join(", ")}</td>
              <td class="wide">{one.witness ? <WitnessText one={one} /> : one.reason}</td>
              <td class="n">{one.ms.toFixed(1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function WitnessText({ one }: { one: CaseVerdict }) {
  const witness = one.witness!;
  // A rule without float operations has this mode.
  const value = one.mode === DenormMode.NONE ? (text: string) => text : withFloats;
  const inputs = Object.entries(witness.vars).sort(([a], [b]) => a.localeCompare(b)).map(([name, bits]) => `${name} = ${value(bits)}`).join(", ");
  return <span><code>{inputs || "any input"}</code>: the search side gives <code>{witness.search.map(value).join(" or ")}</code>, the
    replacement <code>{value(witness.replace)}</code></span>;
}

const ulp = (value: number | undefined) => (value === undefined ? "not measured" : number(value, 2));

// What is known of a rule with `~`, which changes rounding: a class apart from what is proved bit for bit.
export function Inexact({ statement, licensed }: { statement?: InexactStatement; licensed: boolean }) {
  if (!statement) return null;
  const special = Object.entries(statement.special).sort(([a], [b]) => a.localeCompare(b));
  return (
    <div class="inexact">
      <h3>Over the reals <VerdictMark verdict={statement.reals} /> {licensed ? "licensed" : "not licensed"}</h3>
      {statement.reason && <p class="quiet">{statement.reason}</p>}
      <Scroll><table>
        <thead><tr><th>Error in ULP, against MPFR</th><th class="n">Median</th><th class="n">Largest seen</th><th class="n">Bound</th></tr></thead>
        <tbody>
          <tr><th>Search side</th><td class="n">{ulp(statement.ulpTypicalBefore)}</td><td class="n">{ulp(statement.ulpBefore)}</td><td /></tr>
          <tr><th>Replacement</th><td class="n">{ulp(statement.ulpTypicalAfter)}</td><td class="n">{ulp(statement.ulpAfter)}</td>
            <td class="n">{statement.ulpBound === undefined ? "none found" : number(statement.ulpBound, 2)}</td></tr>
        </tbody>
      </table></Scroll>
      {special.length > 0 && <Scroll><table>
        <thead><tr><th>Input</th><th>What differs there, search side → replacement</th></tr></thead>
        <tbody>{special.map(([input, results]) => <tr><th>{input}</th><td class="wide"><code>{results}</code></td></tr>)}</tbody>
      </table></Scroll>}
    </div>
  );
}

// Certificates: what a proof rests on.
export function Certificates({ cases }: { cases: CaseVerdict[] }) {
  const certified = cases.filter((one) => one.certificate);
  if (!certified.length) return null;
  return (
    <details>
      <summary>Certificates ({certified.length})</summary>
      {certified.map((one) => {
        const certificate = one.certificate!;
        return (
          <div class="certificate">
            <dl>
              <dt>Case</dt><dd>{one.width} bits, {modeName(one.mode)}</dd>
              <dt>Kind</dt><dd>{tierName(certificate.kind)}</dd>
              <dt>Solver</dt><dd>{certificate.solver || "none was needed"}</dd>
              <dt>Lemmas</dt><dd>{certificate.lemmas.map((l) => `${l.name} (${l.instances})`).join(", ") || "none"}</dd>
              <dt>Query</dt><dd><code>{certificate.queryDigest}</code></dd>
              <dt>Semantics</dt><dd><code>{certificate.semanticsDigest}</code></dd>
            </dl>
            {certificate.query && <details><summary>SMT-LIB text</summary><pre>{certificate.query}</pre></details>}
          </div>
        );
      })}
    </details>
  );
}

// "2026-11-21T11:35:02.123456Z" for people, to the second.
export const when = (text: string) => text.replace("T", " ").replace(/\.\d+/, "").replace(/(Z|\+00:00)$/, " UTC");

// The parameters behind "?" of the hash.
export const go = (path: string, fields: Record<string, string> = {}) => {
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString();
  location.hash = query ? `${path}?${query}` : path;
};
