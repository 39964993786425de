// The audit of a driver tree: every rule that it ships, by class, op, pass and text, and one with its witness.
import { useState } from "preact/hooks";
import { AuditClass, type Audit, type AuditFinding, type GetAuditFindingResponse } from "../gen/proto/rewrought/v1/audits_pb";
import { CaseTable, go, Problem, Scroll, useAnswer, usePages, Waiting } from "./parts";
import { auditClassName, audits, number } from "./service";

const kClasses = [AuditClass.REFUTED, AuditClass.UNKNOWN, AuditClass.UNSUPPORTED, AuditClass.LICENSED, AuditClass.PROVED, AuditClass.VACUOUS];
const countOf = (counts: Audit["counts"], value: AuditClass) => counts.find((one) => one.auditClass === value)?.rules ?? 0n;

export function Audits({ query }: { query: URLSearchParams }) {
  const state = useAnswer("audits", (signal) => audits.listAudits({ pageSize: 1000 }, { signal }));
  const list = state.answer?.audits ?? [];
  const audit = list.find((one) => one.name === query.get("audit")) ?? list[0];
  const number_ = query.get("rule");
  return (
    <section>
      <h1>Audit</h1>
      <Waiting state={state} />
      {state.answer && !audit && <p class="quiet">The folder holds no audit; <code>rewrought audit TREE --json</code> writes one.</p>}
      {audit && number_ !== null && <Finding key={audit.name + number_} audit={audit.name} number_={number_} query={query} />}
      {audit && number_ === null && <>
        <Filters query={query} audit={audit} names={list.map((one) => one.name)} />
        <Findings query={query} audit={audit} />
        <Passes audit={audit} />
      </>}
    </section>
  );
}

const fieldsOf = (query: URLSearchParams) => Object.fromEntries([...query].filter(([name]) => name !== "rule"));

function Filters({ query, audit, names }: { query: URLSearchParams; audit: Audit; names: string[] }) {
  const set = (name: string, value: string) => go("/audits", { ...fieldsOf(query), [name]: value });
  const change = (name: string) => (event: Event) => set(name, (event.currentTarget as HTMLInputElement).value.trim());
  const chosen = (query.get("class") ?? "").split(",").filter(Boolean).map(Number);
  const toggle = (value: AuditClass) =>
    set("class", (chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]).join(","));
  return (
    <>
      <div class="chips" role="group" aria-label="Classes">{kClasses.map((value) => (
        <button class={`chip ${auditClassName(value)}`} aria-pressed={chosen.includes(value)} onClick={() => toggle(value)}>
          {auditClassName(value)} <b>{number(countOf(audit.counts, value))}</b></button>))}
        <span class="quiet">{number(audit.rules)} rules, {number(audit.shadowed)} shadowed{audit.unreadable > 0n && `, ${number(audit.unreadable)} lines unreadable`}</span></div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>Audit <select value={audit.name} onChange={change("audit")}>{names.map((name) => <option>{name}</option>)}</select></label>
        <label>Pass <select value={query.get("pass") ?? ""} onChange={change("pass")}><option value="">all</option>{audit.passes.map((one) => <option>{one.name}</option>)}</select></label>
        <label>Op <input name="op" value={query.get("op") ?? ""} onChange={change("op")} spellcheck={false} /></label>
        <label class="long">Text, file:line or id <input id="search" name="text" value={query.get("text") ?? ""} onChange={change("text")} spellcheck={false} /></label>
      </form>
    </>
  );
}

function Findings({ query, audit }: { query: URLSearchParams; audit: Audit }) {
  const [total, setTotal] = useState(0n);
  const fields = fieldsOf(query);
  const classes = (fields.class ?? "").split(",").filter(Boolean).map(Number);
  const key = `${audit.name} ${new URLSearchParams(fields)}`;
  const pages = usePages<AuditFinding>(key, async (pageToken, signal) => {
    const filters = { audit: audit.name, classes, op: fields.op ?? "", pass: fields.pass ?? "", text: fields.text ?? "" };
    const page = await audits.listAuditFindings({ ...filters, pageSize: 100, pageToken }, { signal });
    setTotal(page.total);
    return { rows: page.findings, next: page.nextPageToken };
  });
  return (
    <>
      {pages.problem && <Problem text={pages.problem} />}
      <p class="quiet" role="status">{pages.busy && pages.rows.length === 0 ? "Loading…" : `${number(total)} rules, ${pages.rows.length} shown`}</p>
      <Scroll><table class="rules">
        <thead><tr><th>Class</th><th>Rule</th><th>Pass</th><th>Where</th></tr></thead>
        <tbody>{pages.rows.map((one) => (
          <tr><td><span class={`mark ${auditClassName(one.auditClass)}`}>{auditClassName(one.auditClass)}</span>
              {one.lowering && <div class="quiet">lowering</div>}{one.waived && <div class="quiet">waived</div>}{one.shadowedBy && <div class="quiet">shadowed</div>}</td>
            <td class="wide"><a class="rule" href={`#/audits?${new URLSearchParams({ ...fields, audit: audit.name, rule: String(one.number) })}`}>
              <code>{one.search}</code> <span class="arrow">→</span> <code>{one.replace}</code></a>
              {one.condition && <div class="quiet">if <code>{one.condition}</code></div>}</td>
            <td>{one.pass}</td><td>{one.file.split("/").pop()}:{one.line.toString()}</td></tr>))}</tbody>
      </table></Scroll>
      {pages.more && <button disabled={pages.busy} onClick={pages.more}>More</button>}
    </>
  );
}

function Passes({ audit }: { audit: Audit }) {
  return (
    <details>
      <summary>By pass ({audit.passes.length})</summary>
      <Scroll><table>
        <thead><tr><th>Pass</th>{kClasses.map((value) => <th class="n">{auditClassName(value)}</th>)}</tr></thead>
        <tbody>{audit.passes.map((pass) => (
          <tr><th>{pass.name}</th>{kClasses.map((value) => <td class="n">{number(countOf(pass.counts, value))}</td>)}</tr>))}</tbody>
      </table></Scroll>
    </details>
  );
}

function Finding({ audit, number_, query }: { audit: string; number_: string; query: URLSearchParams }) {
  const state = useAnswer(audit + number_, (signal) => audits.getAuditFinding({ audit, number: BigInt(/^\d+$/.test(number_) ? number_ : 0) }, { signal }));
  const finding = state.answer?.finding;
  return (
    <article id="finding">
      <p><a href={`#/audits?${new URLSearchParams(fieldsOf(query))}`}>All findings</a></p>
      <Waiting state={state} />
      {finding && <>
        <h2><span class={`mark ${auditClassName(finding.auditClass)}`}>{auditClassName(finding.auditClass)}</span> {finding.file}:{finding.line.toString()}</h2>
        <pre>{`(${finding.search},\n ${finding.replace}${finding.condition ? `,\n '${finding.condition}'` : ""})`}</pre>
        <Details answer={state.answer!} finding={finding} />
        <Values answer={state.answer!} />
        <CaseTable cases={state.answer!.cases} />
        <h3>See for yourself</h3>
        <pre>{state.answer!.reproduce}</pre>
        <p><a href={`#/play?${new URLSearchParams({ rule: state.answer!.judgedAs || `(${finding.search}, ${finding.replace})` })}`}>Open in the playground</a></p>
      </>}
    </article>
  );
}

function Details({ answer, finding }: { answer: GetAuditFindingResponse; finding: AuditFinding }) {
  const rows: [string, string][] = [
    ["Pass", `${finding.pass}, rule ${finding.index}`], ["Id", finding.id], ["Shadowed by", finding.shadowedBy], ["Was", finding.was],
    ["Waived", finding.waived], ["Note", finding.note], ["Judged as", answer.judgedAs], ["Over the reals", answer.reals],
    ["Also holds without", answer.weaker.join(", ")], ["Would hold with", answer.weakest.map((set) => set.assumptions.join(" and ")).join("; or ")],
    ["Mend", answer.mend],
  ];
  return <dl class="facts">{rows.filter(([, text]) => text).map(([name, text]) => <><dt>{name}</dt><dd>{text}</dd></>)}</dl>;
}

// Each node's value on the first witness.
function Values({ answer }: { answer: GetAuditFindingResponse }) {
  if (!answer.values.length) return null;
  const first = answer.values[0].caseNumber;
  return (
    <>
      <h3>Every node on the witness</h3>
      <div class="sides">{["search", "replace"].map((side) => (
        <Scroll><table><thead><tr><th>{side}</th><th>Allowed values</th></tr></thead>
          <tbody>{answer.values.filter((one) => one.side === side && one.caseNumber === first).map((one) => (
            <tr><td><code>{one.node}</code></td><td><code>{one.values.join(" or ")}</code></td></tr>))}</tbody></table></Scroll>))}</div>
    </>
  );
}
