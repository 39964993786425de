// Shows one pack: its files, its effect on each source, and its rules.
import type { PackEntry, PackManifest } from "../gen/proto/rewrought/v1/pack_pb";
import type { GetPackResponse } from "../gen/proto/rewrought/v1/pack_service_pb";
import { useAction, useAnswer, usePages } from "./hooks";
import { number, splitName } from "./logic/words";
import { PackChecks } from "./pack_checks";
import { Arrow, More, Problem, Saved, Scroll, Waiting } from "./parts";
import { packs } from "./service";

export function Pack({ name, others }: { name: string; others: string[] }) {
  const state = useAnswer(name, (signal) => packs.getPack({ name }, { signal }));
  const manifest = state.answer?.manifest;
  return (
    <article>
      <h2>{name}</h2>
      <Waiting state={state} />
      {manifest && (
        <>
          <Facts name={name} manifest={manifest} />
          <PackChecks name={name} others={others} />
          <Effects manifest={manifest} />
          <Entries name={name} />
          <LeftOut answer={state.answer!} />
        </>
      )}
    </article>
  );
}

// Saves a file of a pack. The browser buffers the pieces until the file is complete.
async function download(name: string, file: string, signal: AbortSignal) {
  const pieces: BlobPart[] = [];
  for await (const answer of packs.downloadPackFile({ name, file }, { signal })) {
    pieces.push(new Uint8Array(answer.content));
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(pieces, { type: "application/octet-stream" }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function Facts({ name, manifest }: { name: string; manifest: PackManifest }) {
  const { problem, run } = useAction();
  const files = [...manifest.files.map((one) => one.name), "manifest.json"];
  return (
    <>
      {problem && <Problem text={problem} />}
      <dl class="facts">
        <dt>Digest</dt>
        <dd>
          <code>{manifest.digest}</code>
        </dd>
        <dt>Semantics</dt>
        <dd>
          <code>{manifest.semanticsVersion}</code>
        </dd>
        <dt>Solvers</dt>
        <dd>{manifest.solverVersions.join(", ") || "not recorded"}</dd>
        <dt>Corpus</dt>
        <dd>
          {number(manifest.corpus?.shaders)} shaders; held out: {manifest.corpus?.heldOutSources.join(", ") || "none"}
        </dd>
        <dt>Files</dt>
        <dd class="words">
          {files.map((file) => (
            <button type="button" key={file} class="link" onClick={() => run((signal) => download(name, file, signal))}>
              {file}
            </button>
          ))}
        </dd>
      </dl>
    </>
  );
}

const Effects = ({ manifest }: { manifest: PackManifest }) => (
  <>
    <h3>Effect on each source</h3>
    <p class="quiet">
      Sums over all sites, relative to the tuned baseline. A site in a loop is weighted by the assumed iteration count.
    </p>
    <Scroll>
      <table>
        <thead>
          <tr>
            <th>Source</th>
            <th>Split</th>
            <th class="n">Shaders</th>
            <th class="n">Helped</th>
            <th class="n">HURT</th>
            <th class="n">Instructions saved</th>
            <th class="n">Cycles saved</th>
            <th>Most hurt shader</th>
          </tr>
        </thead>
        <tbody>
          {manifest.effects.map((row) => (
            <tr key={row.source}>
              <th>{row.source}</th>
              <td>{splitName(row.split)}</td>
              <td class="n">{number(row.shaders)}</td>
              <td class="n good">{number(row.helped)}</td>
              <td class={`n ${row.hurt > 0n ? "bad" : ""}`}>{number(row.hurt)}</td>
              <Saved by={row.instructionsSaved} />
              <Saved by={row.cyclesSaved} />
              <td class="wide">{row.worstShader}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </>
);

function Entries({ name }: { name: string }) {
  const pages = usePages<PackEntry>(name, async (pageToken, signal) => {
    const page = await packs.listPackEntries({ name, pageSize: 100, pageToken }, { signal });
    return { rows: page.entries, next: page.nextPageToken };
  });
  return (
    <>
      <h3>Rules, in the order in which the pass tries them</h3>
      {pages.problem && <Problem text={pages.problem} />}
      <Scroll>
        <table class="rules">
          <thead>
            <tr>
              <th class="n">#</th>
              <th>Rule</th>
              <th class="n">Cases</th>
              <th>Confirmed by</th>
              <th class="n">Mutants refuted</th>
            </tr>
          </thead>
          <tbody>
            {pages.rows.map((entry, index) => (
              <tr key={index}>
                <td class="n">{index + 1}</td>
                <td class="wide">
                  <a class="rule" href={`#/rule/${entry.rule?.id}`}>
                    <code>{entry.rule?.search}</code> <Arrow />{" "}
                    <code>{entry.rule?.replace || entry.rule?.program}</code>
                  </a>
                </td>
                <td class="n">{entry.proofs.length}</td>
                <td class="wide">{[...new Set(entry.confirmations.map((one) => one.by))].join(", ")}</td>
                <td class="n">{number(entry.mutants?.refuted ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <More pages={pages} />
    </>
  );
}

function LeftOut({ answer }: { answer: GetPackResponse }) {
  if (!answer.blocked.length) return null;
  return (
    <details>
      <summary>Omitted ({answer.blocked.length})</summary>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>Rule</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {answer.blocked.map((one) => (
              <tr key={one.id}>
                <td class="wide">
                  <a class="plain" href={`#/rule/${one.id}`}>
                    <code>{one.rule}</code>
                  </a>
                </td>
                <td class="wide">{one.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}
