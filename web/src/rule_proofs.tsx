// Verifies a stored rule again, both as is and without each of its preconditions in turn.
import { useState } from "preact/hooks";
import { Dialect, type RuleVerdict } from "../gen/proto/rewrought/v1/proof_pb";
import type { RewriteRule } from "../gen/proto/rewrought/v1/rule_pb";
import type { DropPreconditionsResponse } from "../gen/proto/rewrought/v1/rule_service_pb";
import { useAction } from "./hooks";
import { hashOf } from "./logic/route";
import { dialectName, ruleText, verdictName } from "./logic/words";
import { Mark, Problem } from "./parts";
import { checks, rules } from "./service";
import { CaseTable, VerdictDetails, VerdictLine } from "./verdict";

export function ProveAgain({ rule }: { rule: RewriteRule }) {
  const [verdict, setVerdict] = useState<RuleVerdict | null>(null);
  const { busy, problem, run } = useAction();
  const prove = () =>
    run(async (signal) => {
      const modes = rule.generalisation?.modes ?? [];
      const widths = rule.generalisation?.widths.filter((width) => width) ?? [];
      // Discovery proves its rules in this dialect.
      const request = {
        rule: ruleText(rule),
        machine: rule.machine,
        dialect: Dialect.NIR_25,
        modes,
        widths,
        withCertificates: true,
      };
      setVerdict((await checks.checkRule(request, { signal })).verdict ?? null);
    });
  return (
    <div>
      <p class="buttons">
        <button type="button" id="prove" disabled={busy} onClick={prove}>
          {busy ? "Proving…" : "Prove again"}
        </button>{" "}
        <a
          href={hashOf("/play", { rule: ruleText(rule), machine: rule.machine, dialect: dialectName(Dialect.NIR_25) })}
        >
          Open in the playground
        </a>
      </p>
      {problem && <Problem text={problem} />}
      {verdict && (
        <div id="again">
          <p>
            Now: <VerdictLine verdict={verdict} /> {verdict.error?.message}
          </p>
          <VerdictDetails verdict={verdict} />
        </div>
      )}
    </div>
  );
}

// Verifies the rule without each of its preconditions in turn. A witness shows why the precondition is needed.
export function Dropped({ id }: { id: string }) {
  const [answers, setAnswers] = useState<DropPreconditionsResponse[] | null>(null);
  const { busy, problem, run } = useAction();
  const drop = () =>
    run(async (signal) => {
      setAnswers([]);
      for await (const answer of rules.dropPreconditions({ id }, { signal })) {
        setAnswers((got) => [...(got ?? []), answer]);
      }
    });
  return (
    <>
      <h2>Without its preconditions</h2>
      <button type="button" id="drop" disabled={busy} onClick={drop}>
        {busy ? "Verifying…" : "Drop each in turn"}
      </button>
      {problem && <Problem text={problem} />}
      {!busy && !problem && answers?.length === 0 && <p class="quiet">The rule has no preconditions.</p>}
      {answers?.map((one) => (
        <Without key={one.precondition} answer={one} />
      ))}
    </>
  );
}

function Without({ answer }: { answer: DropPreconditionsResponse }) {
  const verdict = answer.verdict!;
  const shown = verdict.cases.find((one) => one.witness) ?? verdict.cases[0];
  return (
    <article class="card dropped">
      <h3>
        without <code>{answer.precondition}</code> <Mark name={verdictName(verdict.verdict)} />
      </h3>
      {verdict.error && <p class="quiet">{verdict.error.message}</p>}
      {shown && <CaseTable cases={[shown]} />}
    </article>
  );
}
