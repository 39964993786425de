// The corpus: how much it holds, who uses a pattern, uploads, and the fragments that most sources have.
import { useState } from "preact/hooks";
import type { ListUsesResponse_Use as Use, UploadShadersResponse } from "../gen/proto/rewrought/v1/corpus_pb";
import { go, Problem, Scroll, useAnswer, usePages, Waiting } from "./parts";
import { corpus, number, problemOf } from "./service";

export function Corpus({ query }: { query: URLSearchParams }) {
  const [uploads, setUploads] = useState(0);
  const counts = useAnswer(`counts ${uploads}`, (signal) => corpus.getStatistics({}, { signal }));
  const top = useAnswer(`top ${uploads}`, (signal) => corpus.listFragments({ limit: 100 }, { signal }));
  const pattern = query.get("pattern") ?? "";
  return (
    <section>
      <h1>Corpus</h1>
      <Waiting state={counts} />
      {counts.answer && <dl class="tiles">
        {(["sources", "shaders", "fragments", "sites"] as const).map((name) => (
          <div><dt>{name}</dt><dd>{number(counts.answer![name])}</dd></div>))}</dl>}
      <h2>Who uses this pattern?</h2>
      <form class="filters" onSubmit={(event) => {
        event.preventDefault();
        go("/corpus", { pattern: new FormData(event.currentTarget as HTMLFormElement).get("pattern")!.toString() });
      }}>
        <label class="long">Pattern <input name="pattern" id="pattern" value={pattern} spellcheck={false} placeholder="('fadd', a, ('fneg', b))" /></label>
        <button>Search</button>
      </form>
      {pattern && <Uses key={pattern} pattern={pattern} />}
      <Upload onDone={() => setUploads(uploads + 1)} />
      <h2>Fragments that most sources have</h2>
      <Waiting state={top} />
      <Scroll><table hidden={!top.answer}>
        <thead><tr><th>Fragment</th><th class="n">Sources</th><th class="n">Shaders</th><th class="n">Sites</th></tr></thead>
        <tbody>{top.answer?.fragments.map((one) => (
          <tr><td class="wide"><a class="plain" href={`#/corpus?${new URLSearchParams({ pattern: one.text })}`}><code>{one.text}</code></a></td>
            <td class="n">{number(one.sources)}</td><td class="n">{number(one.shaders)}</td><td class="n">{number(one.sites)}</td></tr>))}</tbody>
      </table></Scroll>
    </section>
  );
}

// Lines of a list, the unknown ones left out.
export const lineList = (lines: number[]) => [...new Set(lines.filter((line) => line > 0))].join(", ");

function Uses({ pattern }: { pattern: string }) {
  const [found, setFound] = useState<bigint | null>(null);
  const pages = usePages<Use>(pattern, async (pageToken, signal) => {
    const page = await corpus.listUses({ pattern, pageSize: 100, pageToken }, { signal });
    setFound(page.fragments);
    return { rows: page.uses, next: page.nextPageToken };
  });
  return (
    <div id="uses">
      {pages.problem && <Problem text={pages.problem} />}
      <p class="quiet" role="status">{pages.busy ? "Searching…" : `${number(found ?? 0n)} fragments match; ${pages.rows.length}${pages.more ? " or more" : ""} uses`}</p>
      {pages.rows.length > 0 && <Scroll><table>
        <thead><tr><th>Shader</th><th>Source</th><th>As</th><th class="n">Times</th><th>Lines</th></tr></thead>
        <tbody>{pages.rows.map((use) => (
          <tr><td class="wide" title={use.digest}>{use.shader}</td><td>{use.source}{use.heldOut && <span class="quiet"> held out</span>}</td>
            <td class="wide"><code>{use.fragment}</code></td><td class="n">{number(use.count)}</td><td>{lineList(use.lines)}</td></tr>))}</tbody>
      </table></Scroll>}
      {pages.more && <button disabled={pages.busy} onClick={pages.more}>More</button>}
    </div>
  );
}

function Upload({ onDone }: { onDone: () => void }) {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [report, setReport] = useState<UploadShadersResponse | null>(null);
  const send = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setProblem("");
    setReport(null);
    setBusy(true);
    try {
      const chosen = form.getAll("files") as File[];
      const files = await Promise.all(chosen.map(async (file) => ({ name: file.name, content: new Uint8Array(await file.arrayBuffer()) })));
      setReport(await corpus.uploadShaders({ source: form.get("source")!.toString(), files }));
      onDone();
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  return (
    <details open>
      <summary>Upload shaders</summary>
      <form class="filters" id="upload" onSubmit={send}>
        <label>Source <input name="source" required maxlength={200} placeholder="mygame" /></label>
        <label class="long">SPIR-V, GLSL, .shader_test, NIR text <input name="files" type="file" multiple required /></label>
        <button disabled={busy}>{busy ? "Reading…" : "Upload"}</button>
      </form>
      {problem && <Problem text={problem} />}
      {report && <p role="status" id="uploaded">{number(report.shaders)} shaders, {number(report.added)} new, {number(report.skipped)} skipped;{" "}
        {number(report.distinct)} new fragments. {Object.entries(report.reasons).map(([why, count]) => `${why}: ${count}`).join("; ")}</p>}
    </details>
  );
}
