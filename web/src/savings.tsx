// Shows the savings of a machine's rules over search time: a plot and its numbers.
import { useState } from "preact/hooks";
import type { SavingsStep } from "../gen/proto/rewrought/v1/run_service_pb";
import { useAnswer, useMachines } from "./hooks";
import { axisEnd, mostSaved, spanText, stepPath } from "./logic/savings";
import { number } from "./logic/words";
import { Options, Waiting } from "./parts";
import { runs } from "./service";

const kWidth = 620;
const kHeight = 260;
const kLeft = 80;
const kTop = 12;

export function Savings({ first }: { first: string }) {
  const [chosen, choose] = useState("");
  const all = useMachines();
  const machine = chosen || first || all[0] || "";
  const state = useAnswer(`savings ${machine}`, (signal) =>
    machine ? runs.getSavings({ machine }, { signal }) : Promise.resolve(undefined),
  );
  return (
    <section class="savings">
      <h2>Savings over search time</h2>
      <form class="filters">
        <label>
          Machine{" "}
          <select
            value={machine}
            onChange={(event) => choose(event.currentTarget.value)}
            aria-label="Machine of the plot"
          >
            <Options of={all} />
          </select>
        </label>
      </form>
      {machine && <Waiting state={state} />}
      {state.answer && state.answer.steps.length === 0 && <p class="quiet">No run has found a rule for {machine}.</p>}
      {state.answer && state.answer.steps.length > 0 && <Plot machine={machine} steps={state.answer.steps} />}
    </section>
  );
}

function Plot({ machine, steps }: { machine: string; steps: SavingsStep[] }) {
  const last = steps[steps.length - 1];
  const cycles = axisEnd(mostSaved(steps));
  const seconds = last.seconds > 0 ? last.seconds : 1;
  const box = { width: kWidth - kLeft - 12, height: kHeight - kTop - 34, seconds, cycles };
  const bottom = kTop + box.height;
  const said = `${number(last.rules)} rules save ${number(last.discoveryCycles)} cycles on the searched sources and ${number(last.heldOutCycles)} on the held-out sources after ${spanText(last.seconds)} of search`;
  return (
    <figure>
      <svg viewBox={`0 0 ${kWidth} ${kHeight}`} role="img" aria-label={`${machine}: ${said}`}>
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <g key={part}>
            <path class="grid" d={`M${kLeft} ${bottom - part * box.height}h${box.width}`} />
            <text x={kLeft - 6} y={bottom - part * box.height + 4} text-anchor="end">
              {number(part * cycles, 2)}
            </text>
            <text x={kLeft + part * box.width} y={bottom + 18} text-anchor={part === 1 ? "end" : "middle"}>
              {spanText(part * seconds)}
            </text>
          </g>
        ))}
        <g transform={`translate(${kLeft} ${kTop})`}>
          <path class="curve held-out" d={stepPath(steps, "heldOutCycles", box)} />
          <path class="curve discovery" d={stepPath(steps, "discoveryCycles", box)} />
        </g>
      </svg>
      <figcaption>
        Cycles saved relative to tuned baseline selection, over search time:{" "}
        <span class="discovery">on the searched sources</span>, <span class="held-out">on the held-out sources</span>.{" "}
        {said}.
      </figcaption>
    </figure>
  );
}
