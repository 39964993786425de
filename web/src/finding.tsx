// Shows one rule of an audit, with its witness and the suggested fix.
import { Fragment } from "preact";
import type { AuditFinding, GetAuditFindingResponse } from "../gen/proto/rewrought/v1/audit_service_pb";
import { useAnswer } from "./hooks";
import { hashOf } from "./logic/route";
import { auditClassName, dialectName } from "./logic/words";
import { Mark, Scroll, Waiting } from "./parts";
import { audits } from "./service";
import { CaseTable } from "./verdict";

interface Props {
  audit: string;
  number: string; // index of the finding in the audit
  back: string; // URL of the list of findings
}

export function Finding({ audit, number, back }: Props) {
  const request = { audit, number: BigInt(/^\d+$/.test(number) ? number : 0) };
  const state = useAnswer(audit + number, (signal) => audits.getAuditFinding(request, { signal }));
  const finding = state.answer?.finding;
  return (
    <article id="finding">
      <p>
        <a href={back}>All findings</a>
      </p>
      <Waiting state={state} />
      {finding && <Shown answer={state.answer!} finding={finding} />}
    </article>
  );
}

interface ShownProps {
  answer: GetAuditFindingResponse;
  finding: AuditFinding;
}

const Shown = ({ answer, finding }: ShownProps) => (
  <>
    <h2>
      <Mark name={auditClassName(finding.auditClass)} /> {finding.file}:{finding.line.toString()}
    </h2>
    <pre>{`(${finding.search},\n ${finding.replace}${finding.condition ? `,\n '${finding.condition}'` : ""})`}</pre>
    <Details answer={answer} finding={finding} />
    <Values answer={answer} />
    <CaseTable cases={answer.cases} />
    <h3>Reproduce</h3>
    <pre>{answer.reproduce}</pre>
    <p>
      <a
        href={hashOf("/play", {
          rule: answer.verifiedAs || `(${finding.search}, ${finding.replace})`,
          dialect: dialectName(finding.dialect),
        })}
      >
        Open in the playground
      </a>
    </p>
  </>
);

function Details({ answer, finding }: ShownProps) {
  const rows: [string, string][] = [
    ["Pass", `${finding.pass}, rule ${finding.index}`],
    ["Id", finding.id],
    ["Shadowed by", finding.shadowedBy],
    ["Previously", finding.was],
    ["Waived", finding.waived],
    ["Note", finding.note],
    ["Verified as", answer.verifiedAs],
    ["Over the reals", answer.reals],
    ["Also holds without", answer.weaker.join(", ")],
    ["Would hold with", answer.weakest.map((set) => set.assumptions.join(" and ")).join("; or ")],
    ["Suggested fix", answer.suggestedFix],
  ];
  return (
    <dl class="facts">
      {rows
        .filter(([, text]) => text)
        .map(([name, text]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

function Values({ answer }: { answer: GetAuditFindingResponse }) {
  if (!answer.values.length) return null;
  const first = answer.values[0].caseNumber;
  const shown = answer.values.filter((one) => one.caseNumber === first);
  return (
    <>
      <h3>Values of all nodes for the witness</h3>
      <div class="sides">
        {["search", "replace"].map((side) => (
          <Scroll key={side}>
            <table>
              <thead>
                <tr>
                  <th>{side}</th>
                  <th>Allowed values</th>
                </tr>
              </thead>
              <tbody>
                {shown
                  .filter((one) => one.side === side)
                  .map((one) => (
                    <tr key={one.node}>
                      <td>
                        <code>{one.node}</code>
                      </td>
                      <td>
                        <code>{one.values.join(" or ")}</code>
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </Scroll>
        ))}
      </div>
    </>
  );
}
