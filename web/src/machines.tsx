// Shows the page that compares machines.
import { FactSource_Kind, type Machine } from "../gen/proto/rewrought/v1/machine_pb";
import type { ListMachinesResponse_Summary as Summary } from "../gen/proto/rewrought/v1/machine_service_pb";
import { useAnswer } from "./hooks";
import { listOf, toggled } from "./logic/route";
import { go, Scroll, Waiting } from "./parts";
import { machines } from "./service";

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
  const state = useAnswer("machines", (signal) => machines.listMachines({ pageSize: 1000 }, { signal }));
  const chosen = listOf(query, "id");
  const toggle = (id: string) => go("/machines", { id: toggled(chosen, id, 3).join(",") });
  return (
    <section>
      <h1>Machines</h1>
      <Waiting state={state} />
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>Compare</th>
              {kColumns.map(([name]) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {state.answer?.machines.map((one) => (
              <tr key={one.id}>
                <th>
                  <label class="tick">
                    <input type="checkbox" checked={chosen.includes(one.id)} onChange={() => toggle(one.id)} />
                    {one.id}
                  </label>
                </th>
                {kColumns.map(([name, value]) => (
                  <td key={name} class={typeof value(one) === "number" ? "n" : ""}>
                    {value(one)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <div class="cards">
        {chosen.map((id) => (
          <MachineCard key={id} id={id} />
        ))}
      </div>
    </section>
  );
}

function MachineCard({ id }: { id: string }) {
  const state = useAnswer(id, (signal) => machines.getMachine({ id }, { signal }));
  const machine = state.answer?.machine;
  return (
    <article class="card">
      <h2>{id}</h2>
      <Waiting state={state} />
      {machine && <Described machine={machine} />}
    </article>
  );
}

const kindName = (kind?: FactSource_Kind) => (kind === undefined ? "" : (FactSource_Kind[kind] ?? "").toLowerCase());

const Described = ({ machine }: { machine: Machine }) => (
  <>
    <p>{machine.modes}</p>
    <details open>
      <summary>Costs ({machine.costs.length})</summary>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>Class</th>
              <th>Pipe</th>
              <th class="n">Issue</th>
              <th class="n">Latency</th>
              <th class="n">Bytes</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {machine.costs.map((cost) => (
              <tr key={cost.id}>
                <th>{cost.id}</th>
                <td>{cost.pipe}</td>
                <td class="n">{cost.issueCycles}</td>
                <td class="n">{cost.latency}</td>
                <td class="n">{cost.bytes}</td>
                <td title={cost.issueSource?.text}>{kindName(cost.issueSource?.kind)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
    <details>
      <summary>Instructions ({machine.instructions.length})</summary>
      <p class="words">
        {machine.instructions.map((one) => (
          <code key={one.mnemonic}>{one.mnemonic}</code>
        ))}
      </p>
    </details>
    <details>
      <summary>Modifiers ({machine.modifiers.length})</summary>
      <ul>
        {machine.modifiers.map((one, index) => (
          <li key={index}>
            <code>{one.id}</code> {one.meaning && <code>{one.meaning}</code>}
          </li>
        ))}
      </ul>
    </details>
    <details>
      <summary>Deviations ({machine.deviations.length})</summary>
      <ul>
        {machine.deviations.map((one, index) => (
          <li key={index}>
            <code>{one.op}</code>: {one.text} <span class="quiet">{one.witness}</span>
          </li>
        ))}
      </ul>
    </details>
  </>
);
