// Packs: built, checked, compared and downloaded, with what they do to each source.
import { useEffect, useRef, useState } from "preact/hooks";
import type { PackEntry } from "../gen/proto/rewrought/v1/pack_pb";
import type { BuildPackResponse, DiffPacksResponse, VerifyPackResponse } from "../gen/proto/rewrought/v1/packs_pb";
import { CorpusSplit } from "../gen/proto/rewrought/v1/rule_pb";
import { go, Problem, Scroll, useAnswer, usePages, Waiting } from "./parts";
import { machines, number, packs, problemOf, wasCancelled } from "./service";

export function Packs({ query }: { query: URLSearchParams }) {
  const [built, setBuilt] = useState(0);
  const state = useAnswer(`packs ${built}`, (signal) => packs.listPacks({ pageSize: 1000 }, { signal }));
  const name = query.get("name") ?? "";
  const names = state.answer?.packs.map((one) => one.name) ?? [];
  return (
    <section>
      <h1>Packs</h1>
      <Waiting state={state} />
      {state.answer && names.length === 0 && <p class="quiet">The folder holds no pack yet.</p>}
      {names.length > 0 && <Scroll><table>
        <thead><tr><th>Pack</th><th>Machine</th><th>Target</th><th class="n">Rules</th><th class="n">Left out</th><th class="n">Helped</th><th class="n">HURT</th><th>Written</th></tr></thead>
        <tbody>{state.answer!.packs.map((one) => (
          <tr aria-selected={one.name === name}><th><a href={`#/packs?${new URLSearchParams({ name: one.name })}`}>{one.name}</a></th>
            <td>{one.machine}</td><td>{one.target}</td><td class="n">{number(one.rules)}</td><td class="n">{number(one.blocked)}</td>
            <td class="n good">{number(one.helped)}</td><td class={`n ${one.hurt > 0n ? "bad" : ""}`}>{number(one.hurt)}</td>
            <td class="nowrap">{one.modified.replace("T", " ").replace("Z", "")}</td></tr>))}</tbody>
      </table></Scroll>}
      <Build onDone={(pack) => { setBuilt(built + 1); go("/packs", { name: pack }); }} />
      {name && <Pack key={name} name={name} names={names} />}
    </section>
  );
}

function Build({ onDone }: { onDone: (name: string) => void }) {
  const list = useAnswer("machines", (signal) => machines.listMachines({}, { signal }));
  const [progress, setProgress] = useState<BuildPackResponse | null>(null);
  const [problem, setProblem] = useState("");
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const build = async (event: Event) => {
    event.preventDefault();
    setProblem("");
    const mine = (abort.current = new AbortController());
    try {
      const machine = new FormData(event.currentTarget as HTMLFormElement).get("machine")!.toString();
      for await (const answer of packs.buildPack({ machine }, { signal: mine.signal })) {
        setProgress(answer);
        if (answer.pack) onDone(answer.pack.name);
      }
    } catch (error) {
      setProgress(null);
      setProblem(wasCancelled(error) ? "Stopped." : problemOf(error));
    }
  };
  return (
    <form class="filters" id="build" onSubmit={build}>
      <label>Build a pack for <select name="machine">{list.answer?.machines.map((one) => <option>{one.id}</option>)}</select></label>
      <button disabled={progress !== null && !progress.pack}>Build</button>
      {progress && !progress.pack && <button type="button" id="stop" onClick={() => abort.current?.abort()}>Stop</button>}
      {progress && <p role="status">{progress.doing}, {progress.seconds.toFixed(1)} s{progress.pack && `: ${progress.pack.name}, ${progress.findings.length || "no"} findings`}</p>}
      {problem && <Problem text={problem} />}
    </form>
  );
}

// Saves a file of a pack; the browser keeps the pieces until it is whole.
async function download(name: string, file: string) {
  const pieces: BlobPart[] = [];
  for await (const answer of packs.downloadPackFile({ name, file })) pieces.push(new Uint8Array(answer.content));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(pieces, { type: "application/octet-stream" }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function Pack({ name, names }: { name: string; names: string[] }) {
  const state = useAnswer(name, (signal) => packs.getPack({ name }, { signal }));
  const [findings, setFindings] = useState<VerifyPackResponse | null>(null);
  const [diff, setDiff] = useState<DiffPacksResponse | null>(null);
  const [problem, setProblem] = useState("");
  const guard = async (work: () => Promise<void>) => {
    setProblem("");
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const manifest = state.answer?.manifest;
  const files = manifest ? [...manifest.files.map((one) => one.name), "manifest.json"] : [];
  return (
    <article>
      <h2>{name}</h2>
      <Waiting state={state} />
      {problem && <Problem text={problem} />}
      {manifest && <>
        <dl class="facts">
          <dt>Digest</dt><dd><code>{manifest.digest}</code></dd>
          <dt>Semantics</dt><dd><code>{manifest.semanticsVersion}</code></dd>
          <dt>Solvers</dt><dd>{manifest.solverVersions.join(", ") || "not named"}</dd>
          <dt>Corpus</dt><dd>{number(manifest.corpus?.shaders)} shaders; held out: {manifest.corpus?.heldOutSources.join(", ") || "none"}</dd>
          <dt>Files</dt><dd class="words">{files.map((file) => <button class="link" onClick={() => guard(() => download(name, file))}>{file}</button>)}</dd>
        </dl>
        <div class="filters">
          <button id="verify" onClick={() => guard(async () => setFindings(await packs.verifyPack({ name })))}>Verify</button>
          {names.length > 1 && <label>Compare with <select onChange={(event) => {
            const oldName = event.currentTarget.value;
            if (oldName) void guard(async () => setDiff(await packs.diffPacks({ oldName, newName: name })));
          }}><option value="">…</option>{names.filter((other) => other !== name).map((other) => <option>{other}</option>)}</select></label>}
        </div>
        {findings && <p role="status" id="findings">{findings.findings.length === 0 ? "Nothing is wrong with it." : `${findings.findings.length} findings`}</p>}
        {findings && <ul>{findings.findings.map((one) => <li><code>{one.entry || one.file}</code> {one.what}</li>)}</ul>}
        {diff && <Diff diff={diff} />}
        <h3>What it does to each source</h3>
        <p class="quiet">Sums over its sites, against strong base selection; a site in a loop counts as often as the loop is taken to run.</p>
        <Scroll><table>
          <thead><tr><th>Source</th><th>Split</th><th class="n">Shaders</th><th class="n">Helped</th><th class="n">HURT</th>
            <th class="n">Instructions saved</th><th class="n">Cycles saved</th><th>Hurt most</th></tr></thead>
          <tbody>{manifest.effects.map((row) => (
            <tr><th>{row.source}</th><td>{row.split === CorpusSplit.HELD_OUT ? "held out" : "discovery"}</td><td class="n">{number(row.shaders)}</td>
              <td class="n good">{number(row.helped)}</td><td class={`n ${row.hurt > 0n ? "bad" : ""}`}>{number(row.hurt)}</td>
              <Saved by={row.instructionsSaved} /><Saved by={row.cyclesSaved} />
              <td class="wide">{row.worstShader}</td></tr>))}</tbody>
        </table></Scroll>
        <Entries name={name} />
        {state.answer!.blocked.length > 0 && <details><summary>Left out ({state.answer!.blocked.length})</summary>
          <Scroll><table><thead><tr><th>Rule</th><th>Why</th></tr></thead><tbody>{state.answer!.blocked.map((one) => (
            <tr><td class="wide"><a class="plain" href={`#/rule/${one.id}`}><code>{one.rule}</code></a></td><td class="wide">{one.reason}</td></tr>))}</tbody></table></Scroll></details>}
      </>}
    </article>
  );
}

const Saved = ({ by }: { by: number }) => <td class={`n ${by > 0 ? "good" : by < 0 ? "bad" : ""}`}>{number(by, 1)}</td>;

function Diff({ diff }: { diff: DiffPacksResponse }) {
  return (
    <div id="diff">
      <h3>Differences ({number(diff.total)})</h3>
      <Scroll><table>
        <thead><tr><th>What</th><th>Before</th><th>After</th></tr></thead>
        <tbody>{diff.differences.map((one) => (
          <tr><td><span class="mark">{one.kind}</span> {one.what.join(", ")}</td>
            <td class="wide">{one.before && <code>{one.before}</code>}</td><td class="wide">{one.after && <code>{one.after}</code>}</td></tr>))}</tbody>
      </table></Scroll>
    </div>
  );
}

function Entries({ name }: { name: string }) {
  const pages = usePages<PackEntry>(name, async (pageToken, signal) => {
    const page = await packs.listPackEntries({ name, pageSize: 100, pageToken }, { signal });
    return { rows: page.entries, next: page.nextPageToken };
  });
  return (
    <>
      <h3>Rules, in the order in which they are tried</h3>
      {pages.problem && <Problem text={pages.problem} />}
      <Scroll><table class="rules">
        <thead><tr><th class="n">#</th><th>Rule</th><th class="n">Cases</th><th>Confirmed by</th><th class="n">Mutants refuted</th></tr></thead>
        <tbody>{pages.rows.map((entry, index) => (
          <tr><td class="n">{index + 1}</td>
            <td class="wide"><a class="rule" href={`#/rule/${entry.rule?.id}`}><code>{entry.rule?.search}</code> <span class="arrow">→</span> <code>{entry.rule?.replace || entry.rule?.program}</code></a></td>
            <td class="n">{entry.proofs.length}</td><td class="wide">{[...new Set(entry.confirmations.map((one) => one.by))].join(", ")}</td>
            <td class="n">{number(entry.mutants?.refuted ?? 0)}</td></tr>))}</tbody>
      </table></Scroll>
      {pages.more && <button disabled={pages.busy} onClick={pages.more}>More</button>}
    </>
  );
}
