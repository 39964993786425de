// A pack verified, and compared with others.
import { useState } from "preact/hooks";
import type { DiffPacksResponse, VerifyPackResponse } from "../gen/proto/rewrought/v1/pack_service_pb";
import { useAction } from "./hooks";
import { number } from "./logic/words";
import { Mark, Options, Problem, Scroll } from "./parts";
import { packs } from "./service";

export function PackChecks({ name, others }: { name: string; others: string[] }) {
  const [verified, setVerified] = useState<VerifyPackResponse | null>(null);
  const [diff, setDiff] = useState<DiffPacksResponse | null>(null);
  const { problem, run } = useAction();
  const verify = () => run(async (signal) => setVerified(await packs.verifyPack({ name }, { signal })));
  const compare = (event: Event) => {
    const oldName = (event.currentTarget as HTMLSelectElement).value;
    if (oldName) void run(async (signal) => setDiff(await packs.diffPacks({ oldName, newName: name }, { signal })));
  };
  return (
    <>
      <div class="filters">
        <button type="button" id="verify" onClick={verify}>
          Verify
        </button>
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
      {problem && <Problem text={problem} />}
      {verified && (
        <>
          <p role="status" id="findings">
            {verified.findings.length ? `${verified.findings.length} findings` : "Nothing is wrong with it."}
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
