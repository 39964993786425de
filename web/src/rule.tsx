// Shows one rule: drawings of both sides, savings, proofs, and sites.
import { useState } from "preact/hooks";
import type { ProgramCost, RewriteRule } from "../gen/proto/rewrought/v1/rule_pb";
import { Sides } from "./dag";
import { useAnswer, usePages } from "./hooks";
import { hashOf } from "./logic/route";
import {
  className,
  lineList,
  modeName,
  number,
  share,
  splitName,
  stagesName,
  stateName,
  trialVerdict,
  when,
} from "./logic/words";
import { More, Problem, Scroll, Waiting } from "./parts";
import { Dropped, ProveAgain } from "./rule_proofs";
import { rules } from "./service";
import { CaseTable, Certificates, Inexact } from "./verdict";

export function Rule({ id }: { id: string }) {
  const state = useAnswer(id, (signal) => rules.getRule({ id }, { signal }));
  const rule = state.answer?.rule;
  const proofs = state.answer?.proofs ?? [];
  return (
    <section>
      <h1>
        Rule <code class="id">{id.slice(0, 12)}</code>
      </h1>
      <Waiting state={state} />
      {rule && (
        <>
          <Sides
            search={rule.searchTerm}
            replace={rule.replaceTerm}
            captions={["Before", "After"]}
            texts={[rule.search, rule.replace || rule.program]}
          />
          <Facts rule={rule} />
          <Assembly rule={rule} />
          <Savings rule={rule} />
          <Trials rule={rule} />
          <h2>Proofs</h2>
          <p id="verified-here" class="quiet">
            {state.answer?.verifiedHere
              ? "This installation verified the rule itself."
              : "The proofs come from the database; this installation has not verified the rule. Prove it again below."}
          </p>
          <Inexact statement={rule.inexact} />
          {rule.inexact && <h3>Bit for bit</h3>}
          <CaseTable cases={proofs} />
          <Certificates cases={proofs} />
          <ProveAgain rule={rule} />
          <Dropped key={id} id={id} />
          <Sites id={id} />
        </>
      )}
    </section>
  );
}

function Facts({ rule }: { rule: RewriteRule }) {
  const general = rule.generalisation;
  const conditions = [
    ...(general?.preconditions ?? []).map((one) => `${one.node}: ${one.predicate}`),
    ...(general?.constants ?? []).filter((one) => one.condition).map((one) => `#${one.name}: ${one.condition}`),
  ];
  return (
    <dl class="facts">
      <dt>Machine</dt>
      <dd>{rule.machine ? <a href={hashOf("/machines", { id: rule.machine })}>{rule.machine}</a> : "any"}</dd>
      <dt>State</dt>
      <dd>
        {stateName(rule.state)}
        {rule.reason && `: ${rule.reason}`}
      </dd>
      <dt>Class</dt>
      <dd>{className(rule.ruleClass)}</dd>
      <dt>Condition</dt>
      <dd>{rule.condition ? <code>{rule.condition}</code> : "always"}</dd>
      <dt>Preconditions</dt>
      <dd>{conditions.length ? <code>{conditions.join(", ")}</code> : "none"}</dd>
      <dt>Widths</dt>
      <dd>{general?.widths.join(", ")}</dd>
      <dt>Denormals</dt>
      <dd>{general?.modes.map(modeName).join(", ")}</dd>
      <dt>Found</dt>
      <dd>
        {when(rule.provenance?.created ?? "")} in run <code>{rule.provenance?.run}</code>
      </dd>
    </dl>
  );
}

// Shows the stored rule's cost and the code of both sides on each machine.
function Assembly({ rule }: { rule: RewriteRule }) {
  const [all, setAll] = useState(false);
  const own = rule.machine && !all ? [rule.machine] : []; // an empty list means all machines
  const state = useAnswer(`${rule.id} ${own}`, (signal) =>
    rules.getAssembly({ id: rule.id, machines: own }, { signal }),
  );
  return (
    <>
      <h2>Code before and after</h2>
      <Waiting state={state} />
      {state.answer && (
        <p class="quiet">
          Before: the tuned baseline, which folds modifiers and immediates as a driver does
          {state.answer.sizes && `, at ${state.answer.sizes}`}.
        </p>
      )}
      <div class="listings">
        {state.answer?.listings.map((one) => (
          <article class="card" key={one.machine}>
            <h3>{one.machine}</h3>
            {one.problem && <p class="quiet">{one.problem}</p>}
            <div class="pair">
              <Listing name="Before" lines={one.before} cost={one.beforeCost} />
              <Listing name="After" lines={one.after} cost={one.afterCost} />
            </div>
          </article>
        ))}
      </div>
      {!rule.program && rule.machine && !all && (
        <button type="button" id="all-machines" onClick={() => setAll(true)}>
          Show all machines
        </button>
      )}
    </>
  );
}

const costText = (cost: ProgramCost) =>
  `${number(cost.instructions)} instr., ${number(cost.cycles, 2)} cycles, ` +
  `latency ${number(cost.latency, 1)}, ${number(cost.bytes)} bytes`;

const Listing = ({ name, lines, cost }: { name: string; lines: string[]; cost?: ProgramCost }) => (
  <figure>
    <figcaption>
      {name}
      {cost && `: ${costText(cost)}`}
    </figcaption>
    <pre>{lines.length ? lines.join("\n") : "no instructions (at most a move)"}</pre>
  </figure>
);

function Savings({ rule }: { rule: RewriteRule }) {
  if (!rule.measurements.length) return null;
  return (
    <>
      <h2>Savings on the corpus</h2>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>Shaders</th>
              <th class="n">Hits</th>
              <th class="n">Shaders</th>
              <th class="n">Sources</th>
              <th class="n">Instr., naive baseline</th>
              <th class="n">Cycles, naive baseline</th>
              <th class="n">Instr., tuned baseline</th>
              <th class="n">Cycles, tuned baseline</th>
            </tr>
          </thead>
          <tbody>
            {rule.measurements.map((measured) => (
              <tr key={measured.split}>
                <th>{splitName(measured.split)}</th>
                <td class="n">{number(measured.hits)}</td>
                <td class="n">{number(measured.shaders)}</td>
                <td class="n">{number(measured.sources)}</td>
                <td class="n">{number(measured.naiveSavedInstructions, 1)}</td>
                <td class="n">{number(measured.naiveSavedCycles, 1)}</td>
                <td class="n">{number(measured.tunedSavedInstructions, 1)}</td>
                <td class="n">{number(measured.tunedSavedCycles, 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

// Shows how much each driver gains from the rule at each place, both alone and together with the rules chosen for the
// driver.
function Trials({ rule }: { rule: RewriteRule }) {
  if (!rule.trials.length) return null;
  return (
    <>
      <h2>Measured on drivers</h2>
      <p class="quiet">
        Changes in time and instructions on discovery sources, in percent. Negative values are savings. Time is an
        estimate that is computed from the numbers of the driver's own compiler.
      </p>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>Driver</th>
              <th>Called</th>
              <th class="n">Programs</th>
              <th class="n">Time, alone</th>
              <th class="n">Instr., alone</th>
              <th class="n">Time, with chosen rules</th>
              <th class="n">Instr., with chosen rules</th>
              <th>Verdict</th>
            </tr>
          </thead>
          <tbody>
            {rule.trials.flatMap((trial) =>
              trial.problem || trial.unmet
                ? [
                    <tr key={trial.driver}>
                      <th>{trial.driver}</th>
                      <td colSpan={7}>
                        {trial.problem ? `omitted: ${trial.problem}` : `never applied: no shader met ${trial.unmet}`}
                      </td>
                    </tr>,
                  ]
                : trial.places.map((place) => (
                    <tr key={trial.driver + place.name + place.stages}>
                      <th>{trial.driver}</th>
                      <td>{[place.name, stagesName(place.stages)].filter(Boolean).join(", ")}</td>
                      <td class="n">{number(place.programs)}</td>
                      <td class="n">{share(place.alone?.time, trial.time)}</td>
                      <td class="n">{share(place.alone?.instructions, trial.instructions)}</td>
                      <td class="n">{share(place.inSet?.time, trial.time)}</td>
                      <td class="n">{share(place.inSet?.instructions, trial.instructions)}</td>
                      <td>{trialVerdict(trial, place)}</td>
                    </tr>
                  )),
            )}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

function Sites({ id }: { id: string }) {
  const pages = usePages(id, async (pageToken, signal) => {
    const page = await rules.listRuleHits({ id, pageSize: 50, pageToken }, { signal });
    return { rows: page.hits, next: page.nextPageToken };
  });
  const hasLines = pages.rows.some((hit) => lineList(hit.lines));
  return (
    <>
      <h2>Sites</h2>
      {pages.problem && <Problem text={pages.problem} />}
      {pages.rows.length === 0 && !pages.problem && (
        <p class="quiet">{pages.busy ? "Loading…" : "No sites are stored."}</p>
      )}
      {pages.rows.length > 0 && (
        <>
          <p class="quiet">
            Savings relative to the tuned baseline. A site in a loop is weighted by the assumed iteration count.
            {!hasLines && " These shaders were read from binaries without source lines."}
          </p>
          <Scroll>
            <table>
              <thead>
                <tr>
                  <th>Shader</th>
                  <th>Source</th>
                  <th class="n">Hits</th>
                  <th class="n">Instructions saved</th>
                  <th class="n">Cycles saved</th>
                  {hasLines && <th>Lines</th>}
                </tr>
              </thead>
              <tbody>
                {pages.rows.map((hit, index) => (
                  <tr key={index} class={hit.savedCycles < 0 ? "hurt" : ""}>
                    <td class="wide" title={hit.digest}>
                      {hit.shader}
                    </td>
                    <td>{hit.source}</td>
                    <td class="n">{number(hit.hits)}</td>
                    <td class="n">{number(hit.savedInstructions, 1)}</td>
                    <td class="n">{number(hit.savedCycles, 1)}</td>
                    {hasLines && <td>{lineList(hit.lines)}</td>}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </>
      )}
      <More pages={pages} />
    </>
  );
}
