// Shows the audit of a driver tree: all of the tree's rules, filtered by class, op, pass, and text.
import { type Audit, AuditClass, type AuditFinding } from "../gen/proto/rewrought/v1/audit_service_pb";
import { Finding } from "./finding";
import { useAnswer, usePages } from "./hooks";
import { hashOf, listOf, toggled } from "./logic/route";
import { auditClassName, number } from "./logic/words";
import { Arrow, go, Mark, More, Options, Problem, Scroll, Waiting } from "./parts";
import { audits } from "./service";

const kClasses = [
  AuditClass.REFUTED,
  AuditClass.UNKNOWN,
  AuditClass.UNSUPPORTED,
  AuditClass.INEXACT,
  AuditClass.PROVED,
  AuditClass.VACUOUS,
];
const countOf = (counts: Audit["counts"], value: AuditClass) =>
  counts.find((one) => one.auditClass === value)?.rules ?? 0n;

export function Audits({ query }: { query: URLSearchParams }) {
  const state = useAnswer("audits", (signal) => audits.listAudits({ pageSize: 1000 }, { signal }));
  const list = state.answer?.audits ?? [];
  const audit = list.find((one) => one.name === query.get("audit")) ?? list[0];
  const { rule, ...fields } = Object.fromEntries(query);
  return (
    <section>
      <h1>Audit</h1>
      <Waiting state={state} />
      {state.answer && !audit && (
        <p class="quiet">
          The folder contains no audits; <code>rewrought audit TREE --json</code> writes one.
        </p>
      )}
      {audit && rule !== undefined && (
        <Finding key={audit.name + rule} audit={audit.name} number={rule} back={hashOf("/audits", fields)} />
      )}
      {audit && rule === undefined && (
        <>
          <Filters query={query} audit={audit} names={list.map((one) => one.name)} />
          <Findings query={query} audit={audit} />
          <Passes audit={audit} />
        </>
      )}
    </section>
  );
}

function Filters({ query, audit, names }: { query: URLSearchParams; audit: Audit; names: string[] }) {
  const set = (name: string, value: string) => go("/audits", { ...Object.fromEntries(query), [name]: value });
  const bind = (name: string, value = query.get(name) ?? "") => ({
    value,
    onChange: (event: Event) => set(name, (event.currentTarget as HTMLInputElement).value.trim()),
  });
  const chosen = listOf(query, "class").map(Number);
  return (
    <>
      <fieldset class="chips" aria-label="Classes">
        {kClasses.map((value) => (
          <button
            type="button"
            key={value}
            class={`chip ${auditClassName(value)}`}
            aria-pressed={chosen.includes(value)}
            onClick={() => set("class", toggled(chosen, value).join(","))}
          >
            {auditClassName(value)} <b>{number(countOf(audit.counts, value))}</b>
          </button>
        ))}
        <span class="quiet">
          {number(audit.rules)} rules, {number(audit.shadowed)} shadowed
          {audit.unreadable > 0n && `, ${number(audit.unreadable)} lines unreadable`}
        </span>
      </fieldset>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Audit{" "}
          <select {...bind("audit", audit.name)}>
            <Options of={names} />
          </select>
        </label>
        <label>
          Pass{" "}
          <select {...bind("pass")}>
            <option value="">all</option>
            <Options of={audit.passes.map((one) => one.name)} />
          </select>
        </label>
        <label>
          Op <input name="op" spellcheck={false} {...bind("op")} />
        </label>
        <label class="long">
          Text, file:line or id <input id="search" name="text" spellcheck={false} {...bind("text")} />
        </label>
      </form>
    </>
  );
}

function Findings({ query, audit }: { query: URLSearchParams; audit: Audit }) {
  const fields = { ...Object.fromEntries(query), audit: audit.name };
  const pages = usePages<AuditFinding>(hashOf("", fields), async (pageToken, signal) => {
    const field = (name: string) => query.get(name) ?? "";
    const filters = { audit: audit.name, op: field("op"), pass: field("pass"), text: field("text") };
    const classes = listOf(query, "class").map(Number);
    const page = await audits.listAuditFindings({ ...filters, classes, pageSize: 100, pageToken }, { signal });
    return { rows: page.findings, next: page.nextPageToken, total: page.total };
  });
  return (
    <>
      {pages.problem && <Problem text={pages.problem} />}
      <p class="quiet" role="status">
        {pages.busy && pages.rows.length === 0
          ? "Loading…"
          : `${number(pages.total ?? 0n)} rules, ${pages.rows.length} shown`}
      </p>
      <Scroll>
        <table class="rules">
          <thead>
            <tr>
              <th>Class</th>
              <th>Rule</th>
              <th>Pass</th>
              <th>Where</th>
            </tr>
          </thead>
          <tbody>
            {pages.rows.map((one) => (
              <FindingRow
                key={one.number}
                finding={one}
                href={hashOf("/audits", { ...fields, rule: `${one.number}` })}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
      <More pages={pages} />
    </>
  );
}

const FindingRow = ({ finding, href }: { finding: AuditFinding; href: string }) => (
  <tr>
    <td>
      <Mark name={auditClassName(finding.auditClass)} />
      {finding.lowering && <div class="quiet">lowering</div>}
      {finding.waived && <div class="quiet">waived</div>}
      {finding.shadowedBy && <div class="quiet">shadowed</div>}
    </td>
    <td class="wide">
      <a class="rule" href={href}>
        <code>{finding.search}</code> <Arrow /> <code>{finding.replace}</code>
      </a>
      {finding.condition && (
        <div class="quiet">
          if <code>{finding.condition}</code>
        </div>
      )}
    </td>
    <td>{finding.pass}</td>
    <td>
      {finding.file.split("/").pop()}:{finding.line.toString()}
    </td>
  </tr>
);

const Passes = ({ audit }: { audit: Audit }) => (
  <details>
    <summary>By pass ({audit.passes.length})</summary>
    <Scroll>
      <table>
        <thead>
          <tr>
            <th>Pass</th>
            {kClasses.map((value) => (
              <th class="n" key={value}>
                {auditClassName(value)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {audit.passes.map((pass) => (
            <tr key={pass.name}>
              <th>{pass.name}</th>
              {kClasses.map((value) => (
                <td class="n" key={value}>
                  {number(countOf(pass.counts, value))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </details>
);
