// Shows the playground: a rule and its verdict, with the value of every node for a witness.
import { useEffect, useState } from "preact/hooks";
import type { CheckRuleResponse } from "../gen/proto/rewrought/v1/check_service_pb";
import { type RuleVerdict, Verdict } from "../gen/proto/rewrought/v1/proof_pb";
import { Sides } from "./dag";
import { useAction, useMachines } from "./hooks";
import { valuesOf } from "./logic/witness";
import { dialectName, dialectNamed, dialects } from "./logic/words";
import { go, Options, Problem, Share } from "./parts";
import { checks } from "./service";
import { VerdictDetails, VerdictLine } from "./verdict";

const kRule = "(('fadd', ('fneg', a), a), 0.0)";

export function Playground({ query }: { query: URLSearchParams }) {
  const [text, setText] = useState(query.get("rule") ?? kRule);
  const [machine, setMachine] = useState(query.get("machine") ?? "");
  const [dialect, setDialect] = useState(dialectNamed(query.get("dialect") ?? ""));
  const [answer, setAnswer] = useState<CheckRuleResponse | null>(null);
  const { busy, problem, run, stop } = useAction();
  const check = () =>
    run(async (signal) => {
      setAnswer(null);
      go("/play", { rule: text, machine, dialect: dialectName(dialect) });
      const request = { rule: text, machine, dialect, infer: true, withCertificates: true, explain: true };
      setAnswer(await checks.checkRule(request, { signal }));
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a rule in the URL is checked once
  useEffect(() => {
    if (query.get("rule")) void check();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    void check();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  };
  const verdict = answer?.verdict;
  return (
    <section>
      <h1>Playground</h1>
      <form onSubmit={submit}>
        <label class="block">
          Rule in Mesa's syntax
          <textarea
            id="rule"
            rows={3}
            spellcheck={false}
            value={text}
            onKeyDown={onKey}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <div class="filters">
          <label>
            Machine, if the replacement is a program
            <select value={machine} onChange={(event) => setMachine(event.currentTarget.value)}>
              <option value="">none</option>
              <Options of={useMachines()} />
            </select>
          </label>
          <label>
            Dialect
            <select
              id="dialect"
              value={dialectName(dialect)}
              onChange={(event) => setDialect(dialectNamed(event.currentTarget.value))}
            >
              <option value="">{machine ? "default (nir-25)" : "default (newest)"}</option>
              {dialects.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <button type="submit" id="check" disabled={busy}>
            Check (Ctrl+Enter)
          </button>
          {busy && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
        </div>
      </form>
      <Share />
      {problem && <Problem text={problem} />}
      {busy && (
        <p class="quiet" aria-busy="true">
          Proving…
        </p>
      )}
      <div aria-live="polite" id="verdict">
        {verdict && <Said verdict={verdict} />}
      </div>
      {answer && <Drawn answer={answer} />}
      {verdict && <VerdictDetails verdict={verdict} />}
    </section>
  );
}

// Draws both sides, at the sizes of the case that has a witness, or as written if there is no witness.
function Drawn({ answer }: { answer: CheckRuleResponse }) {
  const witness = answer.verdict?.cases.find((one) => one.witness && one.searchTerm);
  return (
    <Sides
      search={(witness ?? answer).searchTerm}
      replace={(witness ?? answer).replaceTerm}
      values={witness && { search: valuesOf(witness, "search"), replace: valuesOf(witness, "replace") }}
      captions={[witness ? "Search, for the witness" : "Search", "Replacement"]}
    />
  );
}

const Said = ({ verdict }: { verdict: RuleVerdict }) => (
  <>
    <p>
      <VerdictLine verdict={verdict} />
    </p>
    {verdict.error && <Problem text={`Column ${verdict.error.column}: ${verdict.error.message}`} />}
    {verdict.verdict !== Verdict.PROVED && verdict.weakest.length > 0 && (
      <p>
        It holds bit for bit under any of these assumptions:{" "}
        {verdict.weakest.map((set) => (
          <code class="choice" key={set.assumptions.join()}>
            {set.assumptions.join(", ")}
          </code>
        ))}
      </p>
    )}
  </>
);
