// Shows an expression and the cheapest programs that are found for it, on several machines at the same time.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ImproveResponse } from "../gen/proto/rewrought/v1/improve_service_pb";
import { Verdict } from "../gen/proto/rewrought/v1/proof_pb";
import type { ProgramCost } from "../gen/proto/rewrought/v1/rule_pb";
import { Dag } from "./dag";
import { useAnswer, useMachines } from "./hooks";
import { type Found, firstOf, isProved, startedOn, withProgram, worthRounding } from "./logic/best";
import { problemOf, wasCancelled } from "./logic/errors";
import { listOf, toggled } from "./logic/route";
import { number, verdictName } from "./logic/words";
import { go, Mark, Problem, Share } from "./parts";
import { evals, improver } from "./service";

const kExpression = "('fmax', ('fmin', ('fadd', a, ('fneg', b)), 1.0), 0.0)";
const kMachines = ["intel_gen9", "agx_g13"];
const kSeconds = 10;

// Returns the state of a search on several machines: the results found so far, for each machine.
function useSearch() {
  const [found, setFound] = useState<Found[]>([]);
  const abort = useRef<AbortController | null>(null);
  const stop = () => abort.current?.abort();
  useEffect(() => () => abort.current?.abort(), []);
  const searchOn = async (machine: string, expression: string, signal: AbortSignal) => {
    const change = (next: (old: Found) => Found) =>
      setFound((all) => all.map((old) => (old.machine === machine ? next(old) : old)));
    let problem = "";
    try {
      for await (const one of improver.improve(
        { expression, machine, timeLimit: { seconds: BigInt(kSeconds) } },
        { signal },
      )) {
        change((old) => withProgram(old, one));
      }
    } catch (error) {
      problem = wasCancelled(error) ? "Stopped." : problemOf(error);
    }
    change((old) => ({ ...old, busy: false, problem }));
  };
  const start = (expression: string, machines: string[]) => {
    stop();
    const mine = new AbortController();
    abort.current = mine;
    setFound(machines.map(startedOn));
    for (const machine of machines) void searchOn(machine, expression, mine.signal);
  };
  return { found, start, stop };
}

export function Improve({ query }: { query: URLSearchParams }) {
  const [text, setText] = useState(query.get("expression") ?? kExpression);
  const [chosen, setChosen] = useState(query.has("machines") ? listOf(query, "machines") : kMachines);
  const [drawn, setDrawn] = useState(text);
  const { found, start, stop } = useSearch();
  const term = useAnswer(drawn, (signal) => evals.evaluate({ text: drawn }, { signal })).answer?.term;
  const search = () => {
    go("/improve", { expression: text, machines: chosen.join(",") });
    setDrawn(text);
    start(text, chosen);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an expression in the URL is searched once
  useEffect(() => {
    if (query.get("expression")) search();
  }, []);
  return (
    <section>
      <h1>Best code</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <label class="block">
          Expression
          <textarea
            id="expression"
            rows={2}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <fieldset>
          <legend>Machines (up to four)</legend>
          {useMachines().map((id) => (
            <label class="tick" key={id}>
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => setChosen(toggled(chosen, id, 4))} />
              {id}
            </label>
          ))}
        </fieldset>
        <p class="buttons">
          <button type="submit" id="improve" disabled={!chosen.length}>
            Search
          </button>{" "}
          {found.some((one) => one.busy) && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
        </p>
      </form>
      <Share />
      {term && <Dag term={term} label="expression" />}
      <div class="cards" id="found">
        {found.map((one) => (
          <Programs key={one.machine} found={one} />
        ))}
      </div>
    </section>
  );
}

function Programs({ found }: { found: Found }) {
  const best = firstOf(found);
  const rounding = worthRounding(found);
  return (
    <article class="card">
      <h2>{found.machine}</h2>
      {best && <Code found={best} />}
      {best && (
        <p>
          <Mark name={verdictName(best.verdict)} />{" "}
          {isProved(best) ? `the best of ${found.count} candidates` : "no candidate is proved; do not use this code"}
        </p>
      )}
      {rounding && (
        <>
          <h3>
            If rounding may change (<code>~</code>)
          </h3>
          <Code found={rounding} />
          <p>
            <Mark name={verdictName(Verdict.INEXACT)} /> equal over the reals, and about as accurate
          </p>
        </>
      )}
      {found.busy && (
        <p class="quiet" aria-busy="true">
          Searching…
        </p>
      )}
      {found.problem && <Problem text={found.problem} />}
      {!found.busy && !found.best && !found.problem && <p class="quiet">Nothing is cheaper than the tuned baseline.</p>}
    </article>
  );
}

const Code = ({ found }: { found: ImproveResponse }) => (
  <>
    <pre>{found.instructions.join("\n")}</pre>
    <table>
      <thead>
        <tr>
          <th />
          <th class="n">Instr.</th>
          <th class="n">Cycles</th>
          <th class="n">Latency</th>
          <th class="n">Bytes</th>
        </tr>
      </thead>
      <tbody>
        <CostRow name="Tuned baseline" cost={found.base} />
        <CostRow name="This" cost={found.cost} />
      </tbody>
    </table>
  </>
);

const CostRow = ({ name, cost }: { name: string; cost?: ProgramCost }) => (
  <tr>
    <th>{name}</th>
    <td class="n">{number(cost?.instructions)}</td>
    <td class="n">{number(cost?.cycles, 2)}</td>
    <td class="n">{number(cost?.latency, 1)}</td>
    <td class="n">{number(cost?.bytes)}</td>
  </tr>
);
