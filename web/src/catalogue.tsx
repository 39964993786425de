// Machines side by side, the corpus, and the runs.
import { useEffect, useState } from "preact/hooks";
import { type Run, RunState } from "../gen/proto/rewrought/v1/run_pb";
import type { ListMachinesResponse_Summary as Summary } from "../gen/server/rpc/catalogue_pb";
import { FactSource_Kind } from "../gen/proto/rewrought/v1/machine_pb";
import { go, Problem, Scroll, useAnswer, Waiting } from "./parts";
import { corpus, machines, number, problemOf, runs, runStateName, wasCancelled } from "./service";

const kColumns: [string, (one: Summary) => string | number][] = [
  ["Name", (one) => one.name],
  ["Family", (one) => `${one.family} ${one.generation}`],
  ["Instructions", (one) => one.instructions],
  ["Variants", (one) => one.variants],
  ["Modifiers", (one) => one.modifiers],
  ["Deviations", (one) => one.deviations],
  ["Costs documented", (one) => one.documented],
  ["Costs measured", (one) => one.measured],
  ["Costs guessed", (one) => one.guessed],
];

export function Machines({ query }: { query: URLSearchParams }) {
  const state = useAnswer("machines", (signal) => machines.listMachines({}, { signal }));
  const chosen = (query.get("id") ?? "").split(",").filter(Boolean);
  const toggle = (id: string) =>
    go("/machines", { id: (chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-3)).join(",") });
  return (
    <section>
      <h1>Machines</h1>
      <Waiting state={state} />
      <Scroll>
        <table>
          <thead><tr><th>Compare</th>{kColumns.map(([name]) => <th>{name}</th>)}</tr></thead>
          <tbody>
            {state.answer?.machines.map((one) => (
              <tr><th><label class="tick"><input type="checkbox" checked={chosen.includes(one.id)} onChange={() => toggle(one.id)} />{one.id}</label></th>
                {kColumns.map(([, value]) => <td class={typeof value(one) === "number" ? "n" : ""}>{value(one)}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <div class="cards">{chosen.map((id) => <MachineCard key={id} id={id} />)}</div>
    </section>
  );
}

function MachineCard({ id }: { id: string }) {
  const state = useAnswer(id, (signal) => machines.getMachine({ id }, { signal }));
  const machine = state.answer?.machine;
  const kind = (value?: FactSource_Kind) => (value === undefined ? "" : (FactSource_Kind[value] ?? "").toLowerCase());
  return (
    <article class="card">
      <h2>{id}</h2>
      <Waiting state={state} />
      {machine && <p>{machine.modes}</p>}
      {machine && <details open><summary>Costs ({machine.costs.length})</summary>
        <Scroll><table>
          <thead><tr><th>Class</th><th>Pipe</th><th class="n">Issue</th><th class="n">Latency</th><th class="n">Bytes</th><th>From</th></tr></thead>
          <tbody>{machine.costs.map((cost) => (
            <tr><th>{cost.id}</th><td>{cost.pipe}</td><td class="n">{cost.issueCycles}</td><td class="n">{cost.latency}</td><td class="n">{cost.bytes}</td>
              <td title={cost.issueSource?.text}>{kind(cost.issueSource?.kind)}</td></tr>))}</tbody>
        </table></Scroll></details>}
      {machine && <details><summary>Instructions ({machine.instructions.length})</summary>
        <p class="words">{machine.instructions.map((one) => <code>{one.mnemonic}</code>)}</p></details>}
      {machine && <details><summary>Modifiers ({machine.modifiers.length})</summary>
        <ul>{machine.modifiers.map((one) => <li><code>{one.id}</code> {one.meaning && <code>{one.meaning}</code>}</li>)}</ul></details>}
      {machine && <details><summary>Deviations ({machine.deviations.length})</summary>
        <ul>{machine.deviations.map((one) => <li><code>{one.op}</code>: {one.text} <span class="quiet">{one.witness}</span></li>)}</ul></details>}
    </article>
  );
}

export function Corpus() {
  const counts = useAnswer("counts", (signal) => corpus.getStatistics({}, { signal }));
  const top = useAnswer("top", (signal) => corpus.listFragments({ limit: 100 }, { signal }));
  return (
    <section>
      <h1>Corpus</h1>
      <Waiting state={counts} />
      {counts.answer && <dl class="facts">
        <dt>Sources</dt><dd>{number(counts.answer.sources)}</dd><dt>Shaders</dt><dd>{number(counts.answer.shaders)}</dd>
        <dt>Fragments</dt><dd>{number(counts.answer.fragments)}</dd><dt>Sites</dt><dd>{number(counts.answer.sites)}</dd></dl>}
      <h2>Fragments that most sources have</h2>
      <Waiting state={top} />
      <Scroll><table>
        <thead><tr><th>Fragment</th><th class="n">Sources</th><th class="n">Shaders</th><th class="n">Sites</th></tr></thead>
        <tbody>{top.answer?.fragments.map((one) => (
          <tr><td class="wide"><code>{one.text}</code></td><td class="n">{number(one.sources)}</td><td class="n">{number(one.shaders)}</td>
            <td class="n">{number(one.sites)}</td></tr>))}</tbody>
      </table></Scroll>
    </section>
  );
}

const kSteps = ["fragments", "enumerated", "distinct", "candidates", "refuted", "proved", "unknown", "general", "minimal"] as const;

export function Runs() {
  const state = useAnswer("runs", (signal) => runs.listRuns({ pageSize: 100 }, { signal }));
  return (
    <section>
      <h1>Runs</h1>
      <Waiting state={state} />
      {state.answer?.runs.length === 0 && <p class="quiet">No run is stored.</p>}
      {state.answer?.runs.map((run) => <RunCard key={run.id} first={run} />)}
    </section>
  );
}

// Follows a run that is not over.
function RunCard({ first }: { first: Run }) {
  const [run, setRun] = useState(first);
  const [problem, setProblem] = useState("");
  const live = run.state === RunState.RUNNING || run.state === RunState.QUEUED;
  useEffect(() => {
    if (!live) return;
    const abort = new AbortController();
    (async () => {
      try {
        for await (const answer of runs.watchRun({ id: first.id }, { signal: abort.signal })) if (answer.run) setRun(answer.run);
      } catch (error) {
        if (!wasCancelled(error)) setProblem(problemOf(error));
      }
    })();
    return () => abort.abort();
  }, [first.id, live]);
  const cancel = () => runs.cancelRun({ id: run.id }).catch((error) => setProblem(problemOf(error)));
  const most = Math.max(1, ...kSteps.map((step) => Number(run.funnel?.[step] ?? 0)));
  return (
    <article class="card run">
      <h2><code>{run.id}</code> {run.kind} <span class="mark">{runStateName(run.state)}</span></h2>
      <p class="quiet">{run.started} {run.ended && `to ${run.ended}`} {run.message}</p>
      <table>
        <tbody>{kSteps.map((step) => (
          <tr><th>{step}</th><td class="n">{number(run.funnel?.[step])}</td>
            <td><meter min={0} max={1} value={Math.log1p(Number(run.funnel?.[step] ?? 0)) / Math.log1p(most)} aria-label={`${step}, on a logarithmic scale`} /></td></tr>))}</tbody>
      </table>
      {problem && <Problem text={problem} />}
      {live && <button onClick={cancel}>Cancel</button>}
    </article>
  );
}
