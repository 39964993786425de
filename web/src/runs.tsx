// Shows runs with live statistics, and starts, cancels, and resumes runs.
import { useEffect, useState } from "preact/hooks";
import type { Run } from "../gen/proto/rewrought/v1/run_pb";
import { RunState } from "../gen/proto/rewrought/v1/run_pb";
import { useAction, useMachines, usePages } from "./hooks";
import { problemOf, wasCancelled } from "./logic/errors";
import { barOf, isOurs, isOver, isResumable, isSilent, kSteps } from "./logic/run";
import { number, runStateName, when } from "./logic/words";
import { formText, Mark, More, Options, Problem, Scroll } from "./parts";
import { Savings } from "./savings";
import { runs } from "./service";

export function Runs() {
  const [started, setStarted] = useState<Run[]>([]);
  const pages = usePages<Run>("runs", async (pageToken, signal) => {
    const page = await runs.listRuns({ pageSize: 100, pageToken }, { signal });
    return { rows: page.runs, next: page.nextPageToken };
  });
  const listed = [...started, ...pages.rows];
  return (
    <section>
      <h1>Runs</h1>
      <StartForm onStart={(run) => setStarted([run, ...started])} />
      {(listed.length > 0 || !pages.busy) && <Savings first={listed[0]?.config?.machines[0] ?? ""} />}
      {pages.problem && <Problem text={pages.problem} />}
      {listed.length === 0 && !pages.problem && (
        <p class="quiet" aria-busy={pages.busy}>
          {pages.busy ? "Loading…" : "No runs are stored."}
        </p>
      )}
      {listed.map((run) => (
        <RunCard key={run.id} first={run} />
      ))}
      <More pages={pages} />
    </section>
  );
}

function StartForm({ onStart }: { onStart: (run: Run) => void }) {
  const { busy, problem, run } = useAction();
  const start = (event: Event) => {
    event.preventDefault();
    const config = { machines: [formText(event, "machine")], budget: { seconds: Number(formText(event, "seconds")) } };
    void run(async (signal) => {
      const answer = await runs.startRun({ config, requestId: crypto.randomUUID() }, { signal });
      if (answer.run) onStart(answer.run);
    });
  };
  return (
    <details>
      <summary>Start a run</summary>
      <form class="filters" onSubmit={start}>
        <label>
          Machine{" "}
          <select name="machine">
            <Options of={useMachines()} />
          </select>
        </label>
        <label>
          Seconds <input name="seconds" type="number" min="1" max="86400" value="60" />
        </label>
        <button type="submit" disabled={busy}>
          Start
        </button>
      </form>
      {problem && <Problem text={problem} />}
    </details>
  );
}

// Returns the run, and keeps it current until it has ended. `changed` sets a newer state.
function useRun(first: Run) {
  const [run, changed] = useState(first);
  const [problem, setProblem] = useState("");
  const live = !isOver(run);
  useEffect(() => {
    if (!live) return;
    const abort = new AbortController();
    const watch = async () => {
      try {
        for await (const answer of runs.watchRun({ id: first.id }, { signal: abort.signal })) {
          if (answer.run) changed(answer.run);
        }
      } catch (error) {
        if (!wasCancelled(error)) setProblem(problemOf(error));
      }
    };
    void watch();
    return () => abort.abort();
  }, [first.id, live]);
  return { run, live, changed, problem };
}

function RunCard({ first }: { first: Run }) {
  const { run, live, changed, problem } = useRun(first);
  const action = useAction();
  const act = (call: (request: { id: string }) => Promise<{ run?: Run }>) =>
    action.run(async () => {
      const answer = await call({ id: run.id });
      if (answer.run) changed(answer.run);
    });
  return (
    <article class="card run" aria-live={live ? "polite" : undefined}>
      <h2>
        <code>{run.id}</code> {run.kind} <Mark name={runStateName(run.state)} />
      </h2>
      <p class="quiet">
        {run.config?.machines.join(", ")} {when(run.started)} {run.ended && `to ${when(run.ended)}`} {run.message}
      </p>
      {isSilent(run, Date.now()) && (
        <p class="doubt">
          No update since {when(run.updated)}: the process may have been killed. Start it again to resume the run.
        </p>
      )}
      {run.state === RunState.PAUSED && !isOurs(run) && (
        <p class="quiet">Run the command that created this run again to resume it.</p>
      )}
      <Statistics run={run} />
      {run.newRules.length > 0 && (
        <details>
          <summary>New rules ({run.newRules.length})</summary>
          <p class="words">
            {run.newRules.slice(0, 200).map((id) => (
              <a key={id} href={`#/rule/${id}`}>
                <code>{id.slice(0, 12)}</code>
              </a>
            ))}
          </p>
        </details>
      )}
      {(problem || action.problem) && <Problem text={problem || action.problem} />}
      {live && isOurs(run) && (
        <button type="button" onClick={() => act(runs.cancelRun)}>
          Cancel
        </button>
      )}
      {isResumable(run) && (
        <button type="button" onClick={() => act(runs.resumeRun)}>
          Resume
        </button>
      )}
    </article>
  );
}

function Statistics({ run }: { run: Run }) {
  const counts = kSteps.map((step) => ({ step, count: Number(run.statistics?.[step] ?? 0) }));
  const most = Math.max(...counts.map(({ count }) => count));
  return (
    <>
      <Scroll>
        <table class="statistics">
          <tbody>
            {counts.map(({ step, count }) => (
              <tr key={step}>
                <th>{step}</th>
                <td class="n">{number(count)}</td>
                <td>
                  <meter min={0} max={1} value={barOf(count, most)} aria-label={`${step}, on a logarithmic scale`} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="quiet">
        {number(run.statistics?.seconds ?? 0, 1)} s, {number(Number(run.statistics?.peakBytes ?? 0) / 2 ** 20)} MiB at
        most
      </p>
    </>
  );
}
