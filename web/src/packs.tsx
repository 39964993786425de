// Shows the list of packs, the form that builds a pack, and the selected pack.
import { durationMs } from "@bufbuild/protobuf/wkt";
import { useState } from "preact/hooks";
import type { BuildPackResponse } from "../gen/proto/rewrought/v1/pack_service_pb";
import { useAction, useAnswer, useMachines } from "./hooks";
import { hashOf } from "./logic/route";
import { number, when } from "./logic/words";
import { Pack } from "./pack";
import { formText, go, Options, Problem, Scroll, Waiting } from "./parts";
import { packs } from "./service";

export function Packs({ query }: { query: URLSearchParams }) {
  const [built, setBuilt] = useState(0);
  const state = useAnswer(`packs ${built}`, (signal) => packs.listPacks({ pageSize: 1000 }, { signal }));
  const name = query.get("name") ?? "";
  const list = state.answer?.packs ?? [];
  return (
    <section>
      <h1>Packs</h1>
      <Waiting state={state} />
      {state.answer && list.length === 0 && <p class="quiet">The folder contains no packs yet.</p>}
      {list.length > 0 && (
        <Scroll>
          <table>
            <thead>
              <tr>
                <th>Pack</th>
                <th>Machine</th>
                <th>Target</th>
                <th class="n">Rules</th>
                <th class="n">Omitted</th>
                <th class="n">Helped</th>
                <th class="n">HURT</th>
                <th>Written</th>
              </tr>
            </thead>
            <tbody>
              {list.map((one) => (
                <tr key={one.name} aria-selected={one.name === name}>
                  <th>
                    <a href={hashOf("/packs", { name: one.name })}>{one.name}</a>
                  </th>
                  <td>{one.machine}</td>
                  <td>{one.target}</td>
                  <td class="n">{number(one.rules)}</td>
                  <td class="n">{number(one.blocked)}</td>
                  <td class="n good">{number(one.helped)}</td>
                  <td class={`n ${one.hurt > 0n ? "bad" : ""}`}>{number(one.hurt)}</td>
                  <td class="nowrap">{when(one.modified)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <Build
        onDone={(pack) => {
          setBuilt((count) => count + 1);
          go("/packs", { name: pack });
        }}
      />
      {name && <Pack key={name} name={name} others={list.map((one) => one.name).filter((other) => other !== name)} />}
    </section>
  );
}

function Build({ onDone }: { onDone: (name: string) => void }) {
  const [progress, setProgress] = useState<BuildPackResponse | null>(null);
  const { busy, problem, run, stop } = useAction();
  const build = (event: Event) => {
    event.preventDefault();
    const machine = formText(event, "machine");
    setProgress(null);
    void run(async (signal) => {
      for await (const answer of packs.buildPack({ machine }, { signal })) {
        setProgress(answer);
        if (answer.pack) onDone(answer.pack.name);
      }
    });
  };
  return (
    <form class="filters" id="build" onSubmit={build}>
      <label>
        Build a pack for{" "}
        <select name="machine">
          <Options of={useMachines()} />
        </select>
      </label>
      <button type="submit" disabled={busy}>
        Build
      </button>
      {busy && (
        <button type="button" id="stop" onClick={stop}>
          Stop
        </button>
      )}
      {progress && !problem && (
        <p role="status">
          {progress.doing}, {(progress.elapsed ? durationMs(progress.elapsed) / 1000 : 0).toFixed(1)} s
          {progress.pack && `: ${progress.pack.name}, ${progress.findings.length || "no"} findings`}
        </p>
      )}
      {problem && <Problem text={problem} />}
    </form>
  );
}
