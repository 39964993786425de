// Shows the corpus: its size, the uses of a pattern, uploads, and the fragments that occur in the most sources.
import { useState } from "preact/hooks";
import type { UploadShadersResponse, ListUsesResponse_Use as Use } from "../gen/proto/rewrought/v1/corpus_service_pb";
import { useAction, useAnswer, usePages } from "./hooks";
import { hashOf } from "./logic/route";
import { lineList, number } from "./logic/words";
import { formText, go, More, Problem, Scroll, Waiting } from "./parts";
import { corpus } from "./service";

export function Corpus({ query }: { query: URLSearchParams }) {
  const [uploads, setUploads] = useState(0);
  const counts = useAnswer(`counts ${uploads}`, (signal) => corpus.getStatistics({}, { signal }));
  const pattern = query.get("pattern") ?? "";
  return (
    <section>
      <h1>Corpus</h1>
      <Waiting state={counts} />
      {counts.answer && (
        <dl class="tiles">
          {(["sources", "shaders", "fragments", "sites"] as const).map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{number(counts.answer?.[name])}</dd>
            </div>
          ))}
        </dl>
      )}
      <h2>Uses of a pattern</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          go("/corpus", { pattern: formText(event, "pattern") });
        }}
      >
        <label class="long">
          Pattern{" "}
          <input
            name="pattern"
            id="pattern"
            value={pattern}
            spellcheck={false}
            placeholder="('fadd', a, ('fneg', b))"
          />
        </label>
        <button type="submit">Search</button>
      </form>
      {pattern && <Uses key={pattern} pattern={pattern} />}
      <Upload onDone={() => setUploads((count) => count + 1)} />
      <TopFragments uploads={uploads} />
    </section>
  );
}

function TopFragments({ uploads }: { uploads: number }) {
  const top = useAnswer(`top ${uploads}`, (signal) => corpus.listFragments({ pageSize: 100 }, { signal }));
  return (
    <>
      <h2>Fragments shared by the most sources</h2>
      <Waiting state={top} />
      <Scroll>
        <table hidden={!top.answer}>
          <thead>
            <tr>
              <th>Fragment</th>
              <th class="n">Sources</th>
              <th class="n">Shaders</th>
              <th class="n">Sites</th>
            </tr>
          </thead>
          <tbody>
            {top.answer?.fragments.map((one) => (
              <tr key={one.digest}>
                <td class="wide">
                  <a class="plain" href={hashOf("/corpus", { pattern: one.text })}>
                    <code>{one.text}</code>
                  </a>
                </td>
                <td class="n">{number(one.sources)}</td>
                <td class="n">{number(one.shaders)}</td>
                <td class="n">{number(one.sites)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

function Uses({ pattern }: { pattern: string }) {
  const pages = usePages<Use>(pattern, async (pageToken, signal) => {
    const page = await corpus.listUses({ pattern, pageSize: 100, pageToken }, { signal });
    return { rows: page.uses, next: page.nextPageToken, total: page.fragments };
  });
  const found = `${number(pages.total ?? 0n)} fragments match; ${pages.rows.length}${pages.more ? " or more" : ""} uses`;
  return (
    <div id="uses">
      {pages.problem && <Problem text={pages.problem} />}
      <p class="quiet" role="status">
        {pages.busy ? "Searching…" : found}
      </p>
      {pages.rows.length > 0 && (
        <Scroll>
          <table>
            <thead>
              <tr>
                <th>Shader</th>
                <th>Source</th>
                <th>As</th>
                <th class="n">Times</th>
                <th>Lines</th>
              </tr>
            </thead>
            <tbody>
              {pages.rows.map((use, index) => (
                <tr key={index}>
                  <td class="wide" title={use.digest}>
                    {use.shader}
                  </td>
                  <td>
                    {use.source}
                    {use.heldOut && <span class="quiet"> held out</span>}
                  </td>
                  <td class="wide">
                    <code>{use.fragment}</code>
                  </td>
                  <td class="n">{number(use.count)}</td>
                  <td>{lineList(use.lines)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <More pages={pages} />
    </div>
  );
}

const contentOf = async (file: File) => ({ name: file.name, content: new Uint8Array(await file.arrayBuffer()) });

function Upload({ onDone }: { onDone: () => void }) {
  const [report, setReport] = useState<UploadShadersResponse | null>(null);
  const { busy, problem, run } = useAction();
  const send = (event: Event) => {
    event.preventDefault();
    const source = formText(event, "source");
    const chosen = new FormData(event.currentTarget as HTMLFormElement).getAll("files") as File[];
    setReport(null);
    void run(async (signal) => {
      const files = await Promise.all(chosen.map(contentOf));
      setReport(await corpus.uploadShaders({ source, files }, { signal }));
      onDone();
    });
  };
  return (
    <details open>
      <summary>Upload shaders</summary>
      <form class="filters" id="upload" onSubmit={send}>
        <label>
          Source <input name="source" required maxlength={200} placeholder="mygame" />
        </label>
        <label class="long">
          SPIR-V, GLSL, .shader_test, NIR text <input name="files" type="file" multiple required />
        </label>
        <button type="submit" disabled={busy}>
          {busy ? "Reading…" : "Upload"}
        </button>
      </form>
      {problem && <Problem text={problem} />}
      {report && (
        <p role="status" id="uploaded">
          {number(report.shaders)} shaders, {number(report.added)} new, {number(report.skipped)} skipped;{" "}
          {number(report.distinct)} new fragments.{" "}
          {Object.entries(report.reasons)
            .map(([why, count]) => `${why}: ${count}`)
            .join("; ")}
        </p>
      )}
    </details>
  );
}
