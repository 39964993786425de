// Runs: started, watched with their funnel as it fills, cancelled and resumed.
import { useEffect, useState } from "preact/hooks";
import { type Run, RunState } from "../gen/proto/rewrought/v1/run_pb";
import { Problem, Scroll, useAnswer, Waiting, when } from "./parts";
import { machines, number, problemOf, runs, runStateName, wasCancelled } from "./service";

const kSteps = ["fragments", "enumerated", "distinct", "candidates", "refuted", "proved", "unknown", "general", "minimal"] as const;

export function Runs() {
  const [started, setStarted] = useState<Run[]>([]);
  const state = useAnswer("runs", (signal) => runs.listRuns({ pageSize: 100 }, { signal }));
  const [older, setOlder] = useState<Run[]>([]);
  const [token, setToken] = useState<string | null>(null);
  const next = token ?? state.answer?.nextPageToken;
  const more = async () => {
    const page = await runs.listRuns({ pageSize: 100, pageToken: next });
    setOlder([...older, ...page.runs]);
    setToken(page.nextPageToken);
  };
  const listed = [...started, ...(state.answer?.runs ?? []), ...older];
  return (
    <section>
      <h1>Runs</h1>
      <StartForm onStart={(run) => setStarted([run, ...started])} />
      <Waiting state={state} />
      {state.answer && listed.length === 0 && <p class="quiet">No run is stored.</p>}
      {listed.map((run) => <RunCard key={run.id} first={run} />)}
      {next && <button onClick={more}>More</button>}
    </section>
  );
}

function StartForm({ onStart }: { onStart: (run: Run) => void }) {
  const [problem, setProblem] = useState("");
  const list = useAnswer("machines", (signal) => machines.listMachines({}, { signal }));
  const start = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setProblem("");
    try {
      const config = { machines: [form.get("machine")!.toString()], budget: { seconds: Number(form.get("seconds")) } };
      const answer = await runs.startRun({ config, requestId: crypto.randomUUID() });
      if (answer.run) onStart(answer.run);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <details>
      <summary>Start a run</summary>
      <form class="filters" onSubmit={start}>
        <label>Machine <select name="machine">{list.answer?.machines.map((one) => <option>{one.id}</option>)}</select></label>
        <label>Seconds <input name="seconds" type="number" min="1" max="86400" value="60" /></label>
        <button>Start</button>
      </form>
      {problem && <Problem text={problem} />}
    </details>
  );
}

// Ids of runs that a server made; only those can be stopped and resumed from here.
const isOurs = (run: Run) => run.id.startsWith("serve-");

// A process that is killed leaves its run as it was.
const kSilence = 15 * 60 * 1000;
const isSilent = (run: Run) => run.state === RunState.RUNNING && !!run.updated && Date.now() - Date.parse(run.updated) > kSilence;

const isOver = (run: Run) => run.state !== RunState.RUNNING && run.state !== RunState.QUEUED;

// Follows a run that is not over.
function RunCard({ first }: { first: Run }) {
  const [run, setRun] = useState(first);
  const [problem, setProblem] = useState("");
  const live = !isOver(run);
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
  const act = async (action: () => Promise<{ run?: Run }>) => {
    setProblem("");
    try {
      const answer = await action();
      if (answer.run) setRun(answer.run);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const most = Math.max(1, ...kSteps.map((step) => Number(run.funnel?.[step] ?? 0)));
  const resumable = [RunState.CANCELLED, RunState.FAILED, RunState.PAUSED].includes(run.state);
  return (
    <article class="card run" aria-live={live ? "polite" : undefined}>
      <h2><code>{run.id}</code> {run.kind} <span class={`mark ${runStateName(run.state)}`}>{runStateName(run.state)}</span></h2>
      <p class="quiet">{run.config?.machines.join(", ")} {when(run.started)} {run.ended && `to ${when(run.ended)}`} {run.message}</p>
      {isSilent(run) && <p class="doubt">No news since {when(run.updated)}: its process may have been killed. Started again, it goes on.</p>}
      {run.state === RunState.PAUSED && !isOurs(run) && <p class="quiet">The command that made it goes on with it when it is started again.</p>}
      <Scroll><table class="funnel">
        <tbody>{kSteps.map((step) => (
          <tr><th>{step}</th><td class="n">{number(run.funnel?.[step] ?? 0)}</td>
            <td><meter min={0} max={1} value={Math.log1p(Number(run.funnel?.[step] ?? 0)) / Math.log1p(most)} aria-label={`${step}, on a logarithmic scale`} /></td></tr>))}</tbody>
      </table></Scroll>
      <p class="quiet">{number(run.funnel?.seconds ?? 0, 1)} s, {number(Number(run.funnel?.peakBytes ?? 0) / 2 ** 20)} MiB at most</p>
      {run.newRules.length > 0 && <details><summary>New rules ({run.newRules.length})</summary>
        <p class="words">{run.newRules.slice(0, 200).map((id) => <a href={`#/rule/${id}`}><code>{id.slice(0, 12)}</code></a>)}</p></details>}
      {problem && <Problem text={problem} />}
      {live && isOurs(run) && <button onClick={() => act(() => runs.cancelRun({ id: run.id }))}>Cancel</button>}
      {resumable && isOurs(run) && <button onClick={() => act(() => runs.resumeRun({ id: run.id }))}>Resume</button>}
    </article>
  );
}
