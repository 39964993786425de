// Verifies a pack and compares it with other packs.
import { useState } from "preact/hooks";
import type { DiffPacksResponse, VerifyPackResponse } from "../gen/proto/rewrought/v1/pack_service_pb";
import { useAction } from "./hooks";
import { number, provedAgain } from "./logic/words";
import { Mark, Options, Problem, Scroll } from "./parts";
import { packs } from "./service";

export function PackChecks({ name, others }: { name: string; others: string[] }) {
  const [verified, setVerified] = useState<VerifyPackResponse | null>(null);
  const [diff, setDiff] = useState<DiffPacksResponse | null>(null);
  const verifying = useAction();
  const comparing = useAction();
  const verify = () => {
    setVerified(null);
    void verifying.run(async (signal) => setVerified(await packs.verifyPack({ name }, { signal })));
  };
  const compare = (event: Event) => {
    const oldName = (event.currentTarget as HTMLSelectElement).value;
    const ask = async (signal: AbortSignal) => setDiff(await packs.diffPacks({ oldName, newName: name }, { signal }));
    if (oldName) void comparing.run(ask);
  };
  return (
    <>
      <div class="filters">
        <button type="button" id="verify" disabled={verifying.busy} onClick={verify}>
          Verify
        </button>
        {verifying.busy && (
          <>
            <span class="quiet" role="status" aria-busy="true">
              Proving every rule again; this may take minutes…
            </span>
            <button type="button" onClick={verifying.stop}>
              Stop
            </button>
          </>
        )}
        {others.length > 0 && (
          <label>
            Compare with{" "}
            <select onChange={compare}>
              <option value="">…</option>
              <Options of={others} />
            </select>
          </label>
        )}
      </div>
      {verifying.problem && <Problem text={verifying.problem} />}
      {comparing.problem && <Problem text={comparing.problem} />}
      {verified && (
        <>
          <p role="status" id="findings">
            {provedAgain(verified)}
          </p>
          <ul>
            {verified.findings.map((one, index) => (
              <li key={index}>
                <code>{one.entry || one.file}</code> {one.what}
              </li>
            ))}
          </ul>
        </>
      )}
      {diff && <Diff diff={diff} />}
    </>
  );
}

const Diff = ({ diff }: { diff: DiffPacksResponse }) => (
  <div id="diff">
    <h3>Differences ({number(diff.total)})</h3>
    <Scroll>
      <table>
        <thead>
          <tr>
            <th>What</th>
            <th>Before</th>
            <th>After</th>
          </tr>
        </thead>
        <tbody>
          {diff.differences.map((one, index) => (
            <tr key={index}>
              <td>
                <Mark name={one.kind} /> {one.what.join(", ")}
              </td>
              <td class="wide">{one.before && <code>{one.before}</code>}</td>
              <td class="wide">{one.after && <code>{one.after}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </div>
);
