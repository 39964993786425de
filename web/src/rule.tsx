// One rule: both sides drawn, what it saves, what proves it, where it fires.
import { useEffect, useState } from "preact/hooks";
import type { RuleVerdict } from "../gen/proto/rewrought/v1/proof_pb";
import type { ProgramCost, RewriteRule } from "../gen/proto/rewrought/v1/rule_pb";
import { CorpusSplit } from "../gen/proto/rewrought/v1/rule_pb";
import type { DropPreconditionsResponse, ListRuleHitsResponse_Hit as Hit } from "../gen/proto/rewrought/v1/services_pb";
import { lineList } from "./corpus";
import { Dag } from "./dag";
import { readExpression, readProgram } from "./expression";
import { CaseTable, Certificates, Inexact, Problem, Scroll, useAnswer, VerdictMark, Waiting, when } from "./parts";
import { checks, className, modeName, number, problemOf, rules, ruleText, stateName, wasCancelled } from "./service";

export function Rule({ id }: { id: string }) {
  const state = useAnswer(id, (signal) => rules.getRule({ id }, { signal }));
  const rule = state.answer?.rule;
  return (
    <section>
      <h1>Rule <code class="id">{id.slice(0, 12)}</code></h1>
      <Waiting state={state} />
      {rule && <Sides rule={rule} />}
      {rule && <Facts rule={rule} />}
      {rule && <Assembly rule={rule} />}
      {rule && <Savings rule={rule} />}
      {rule && <h2>Proofs</h2>}
      {rule?.inexact && <Inexact statement={rule.inexact} licensed />}
      {rule?.inexact && <h3>Bit for bit</h3>}
      {rule && <CaseTable cases={state.answer!.proofs} />}
      {rule && <Certificates cases={state.answer!.proofs} />}
      {rule && <ProveAgain rule={rule} />}
      {rule && <Dropped key={id} id={id} />}
      {rule && <Sites id={rule.id} />}
    </section>
  );
}

function Sides({ rule }: { rule: RewriteRule }) {
  const search = readExpression(rule.search);
  const replace = rule.replace ? readExpression(rule.replace) : null;
  return (
    <div class="sides">
      <figure><figcaption>Before</figcaption><Scroll>{search && <Dag root={search} label="search side" named />}</Scroll>
        <pre>{rule.search}</pre></figure>
      <figure><figcaption>After</figcaption><Scroll>{replace && <Dag root={replace} label="replacement" />}</Scroll>
        <pre>{rule.replace || readProgram(rule.program).join("\n")}</pre></figure>
    </div>
  );
}

function Facts({ rule }: { rule: RewriteRule }) {
  const general = rule.generalisation;
  const conditions = [
    ...(general?.preconditions ?? []).map((p) => `${p.node}: ${p.predicate}`),
    ...(general?.constants ?? []).filter((c) => c.condition).map((c) => `#${c.name}: ${c.condition}`),
  ];
  return (
    <dl class="facts">
      <dt>Machine</dt><dd>{rule.machine ? <a href={`#/machines?id=${encodeURIComponent(rule.machine)}`}>{rule.machine}</a> : "any"}</dd>
      <dt>State</dt><dd>{stateName(rule.state)}{rule.reason && `: ${rule.reason}`}</dd>
      <dt>Class</dt><dd>{className(rule.ruleClass)}</dd>
      <dt>Condition</dt><dd>{rule.condition ? <code>{rule.condition}</code> : "always"}</dd>
      <dt>Preconditions</dt><dd>{conditions.length ? <code>{conditions.join(", ")}</code> : "none"}</dd>
      <dt>Widths</dt><dd>{general?.widths.join(", ")}</dd>
      <dt>Denormals</dt><dd>{general?.modes.map(modeName).join(", ")}</dd>
      <dt>Found</dt><dd>{when(rule.provenance?.created ?? "")} in run <code>{rule.provenance?.run}</code></dd>
    </dl>
  );
}

// The stored rule's cost and, on each machine, the code of both sides.
function Assembly({ rule }: { rule: RewriteRule }) {
  const state = useAnswer(rule.id, (signal) => rules.getAssembly({ id: rule.id, machines: rule.machine ? [rule.machine] : [] }, { signal }));
  const [all, setAll] = useState(false);
  const more = useAnswer(all ? `all ${rule.id}` : "", async (signal) => (all ? rules.getAssembly({ id: rule.id }, { signal }) : null));
  const listings = (all && more.answer?.listings) || state.answer?.listings || [];
  return (
    <>
      <h2>Code before and after</h2>
      <Waiting state={state} />
      {state.answer && <p class="quiet">Before: what the machine's own selection gives, modifiers and immediates folded{state.answer.sizes && `, at ${state.answer.sizes}`}.</p>}
      <div class="listings">{listings.map((one) => (
        <article class="card"><h3>{one.machine}</h3>
          {one.problem && <p class="quiet">{one.problem}</p>}
          <div class="pair">
            <Listing name="Before" lines={one.before} cost={one.beforeCost} />
            <Listing name="After" lines={one.after} cost={one.afterCost} />
          </div>
        </article>))}</div>
      {!rule.program && rule.machine && !all && <button id="all-machines" onClick={() => setAll(true)}>On all machines</button>}
    </>
  );
}

const Listing = ({ name, lines, cost }: { name: string; lines: string[]; cost?: ProgramCost }) => (
  <figure><figcaption>{name}{cost && `: ${number(cost.instructions)} instr., ${number(cost.cycles, 2)} cycles, latency ${number(cost.latency, 1)}, ${number(cost.bytes)} bytes`}</figcaption>
    <pre>{lines.length ? lines.join("\n") : "nothing: a move at most"}</pre></figure>
);

function Savings({ rule }: { rule: RewriteRule }) {
  if (!rule.measurements.length) return null;
  return (
    <>
      <h2>Saved on the corpus</h2>
      <Scroll>
        <table>
          <thead><tr><th>Shaders</th><th class="n">Hits</th><th class="n">Shaders</th><th class="n">Sources</th>
            <th class="n">Instr., plain base</th><th class="n">Cycles, plain base</th>
            <th class="n">Instr., strong base</th><th class="n">Cycles, strong base</th></tr></thead>
          <tbody>
            {rule.measurements.map((m) => (
              <tr><th>{m.split === CorpusSplit.HELD_OUT ? "held out" : "discovery"}</th>
                <td class="n">{number(m.hits)}</td><td class="n">{number(m.shaders)}</td><td class="n">{number(m.sources)}</td>
                <td class="n">{number(m.baseSavedInstructions, 1)}</td><td class="n">{number(m.baseSavedCycles, 1)}</td>
                <td class="n">{number(m.strongSavedInstructions, 1)}</td><td class="n">{number(m.strongSavedCycles, 1)}</td></tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

function ProveAgain({ rule }: { rule: RewriteRule }) {
  const [verdict, setVerdict] = useState<RuleVerdict | null>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const prove = async () => {
    setBusy(true);
    setProblem("");
    try {
      const modes = rule.generalisation?.modes ?? [];
      const widths = rule.generalisation?.widths.filter((width) => width) ?? [];
      const request = { rule: ruleText(rule), machine: rule.machine, modes, widths, withCertificates: true };
      setVerdict((await checks.checkRule(request)).verdict ?? null);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  return (
    <div>
      <p class="buttons"><button id="prove" disabled={busy} onClick={prove}>{busy ? "Proving…" : "Prove again"}</button>{" "}
        <a href={`#/play?${new URLSearchParams({ rule: ruleText(rule), machine: rule.machine })}`}>Open in the playground</a></p>
      {problem && <Problem text={problem} />}
      {verdict && <div id="again"><p>Now: <VerdictMark verdict={verdict.verdict} />{verdict.licensed && " bit for bit, licensed: equal over the reals,"} in {verdict.ms.toFixed(0)} ms {verdict.error?.message}</p>
        <Inexact statement={verdict.inexact} licensed={verdict.licensed} />
        <CaseTable cases={verdict.cases} />
        <Certificates cases={verdict.cases} /></div>}
    </div>
  );
}

// The rule without each of its preconditions: the witness shows what it is there for.
function Dropped({ id }: { id: string }) {
  const [answers, setAnswers] = useState<DropPreconditionsResponse[]>([]);
  const [state, setState] = useState<"" | "busy" | "done">("");
  const [problem, setProblem] = useState("");
  const [abort] = useState(() => new AbortController());
  useEffect(() => () => abort.abort(), []);
  const judge = async () => {
    setState("busy");
    setProblem("");
    setAnswers([]);
    try {
      const got: DropPreconditionsResponse[] = [];
      for await (const answer of rules.dropPreconditions({ id }, { signal: abort.signal })) setAnswers([...got, answer]), got.push(answer);
      setState("done");
    } catch (error) {
      if (wasCancelled(error)) return;
      setState("");
      setProblem(problemOf(error));
    }
  };
  return (
    <>
      <h2>Without its preconditions</h2>
      <button id="drop" disabled={state === "busy"} onClick={judge}>{state === "busy" ? "Judging…" : "Drop each one"}</button>
      {problem && <Problem text={problem} />}
      {state === "done" && answers.length === 0 && <p class="quiet">The rule has none.</p>}
      {answers.map((one) => {
        const verdict = one.verdict!;
        const refuted = verdict.cases.find((c) => c.witness) ?? verdict.cases[0];
        return (
          <article class="card dropped"><h3>without <code>{one.precondition}</code> <VerdictMark verdict={verdict.verdict} /></h3>
            {verdict.error && <p class="quiet">{verdict.error.message}</p>}
            {refuted && <CaseTable cases={[refuted]} />}</article>);
      })}
    </>
  );
}

function Sites({ id }: { id: string }) {
  const [all, setAll] = useState<Hit[]>([]);
  const [token, setToken] = useState<string | null>(null);
  const first = useAnswer(id, (signal) => rules.listRuleHits({ id, pageSize: 50 }, { signal }));
  const more = async () => {
    const page = await rules.listRuleHits({ id, pageSize: 50, pageToken: token ?? first.answer!.nextPageToken });
    setAll([...all, ...page.hits]);
    setToken(page.nextPageToken);
  };
  const hits = [...(first.answer?.hits ?? []), ...all];
  const next = token ?? first.answer?.nextPageToken;
  const hasLines = hits.some((hit) => lineList(hit.lines));
  if (first.answer && hits.length === 0) return <><h2>Sites</h2><p class="quiet">None is stored.</p></>;
  return (
    <>
      <h2>Sites</h2>
      <Waiting state={first} />
      {hits.length > 0 && <p class="quiet">Savings against strong base selection; a site in a loop counts as often as the loop is taken to run.
        {!hasLines && " These shaders were read from binaries, which name no source lines."}</p>}
      <Scroll>
        <table hidden={hits.length === 0}>
          <thead><tr><th>Shader</th><th>Source</th><th class="n">Hits</th><th class="n">Instructions saved</th><th class="n">Cycles saved</th>{hasLines && <th>Lines</th>}</tr></thead>
          <tbody>
            {hits.map((hit) => (
              <tr class={hit.savedCycles < 0 ? "hurt" : ""}>
                <td class="wide" title={hit.digest}>{hit.shader}</td><td>{hit.source}</td><td class="n">{number(hit.hits)}</td>
                <td class="n">{number(hit.savedInstructions, 1)}</td><td class="n">{number(hit.savedCycles, 1)}</td>
                {hasLines && <td>{lineList(hit.lines)}</td>}</tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {next && <button onClick={more}>More</button>}
    </>
  );
}
