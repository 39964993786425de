// Renders the shell of the web UI: the navigation, the token field, and the page selected by the URL.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Audits } from "./audits";
import { Corpus } from "./corpus";
import { Improve } from "./improve";
import { type Place, placeOf } from "./logic/route";
import { Machines } from "./machines";
import { Packs } from "./packs";
import { formText } from "./parts";
import { Playground } from "./play";
import { Rule } from "./rule";
import { Rules } from "./rules";
import { Runs } from "./runs";
import { getToken, setToken } from "./service";
import "./style.css";

const kParts = [
  ["rules", "Rules"],
  ["play", "Playground"],
  ["improve", "Best code"],
  ["machines", "Machines"],
  ["corpus", "Corpus"],
  ["packs", "Packs"],
  ["audits", "Audit"],
  ["runs", "Runs"],
];

function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return placeOf(hash);
}

function Part({ part, id, query }: Place) {
  if (part === "rules") return <Rules query={query} />;
  if (part === "rule" && id) return <Rule key={id} id={id} />;
  if (part === "play") return <Playground query={query} />;
  if (part === "improve") return <Improve query={query} />;
  if (part === "machines") return <Machines query={query} />;
  if (part === "corpus") return <Corpus query={query} />;
  if (part === "packs") return <Packs query={query} />;
  if (part === "audits") return <Audits query={query} />;
  if (part === "runs") return <Runs />;
  return (
    <section>
      <h1>Page not found</h1>
      <p>
        <a href="#/rules">Go to the rules</a>
      </p>
    </section>
  );
}

function TokenField() {
  const save = (event: Event) => {
    event.preventDefault();
    setToken(formText(event, "token"));
    location.reload();
  };
  return (
    <details class="token">
      <summary>Token</summary>
      <form onSubmit={save}>
        <label>
          Bearer token, stored until the tab is closed{" "}
          <input name="token" type="password" autocomplete="off" value={getToken()} />
        </label>
        <button type="submit">Use</button>
      </form>
    </details>
  );
}

function App() {
  const place = usePlace();
  const { path, part } = place;
  const main = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another rule changes the path, not the part
  useEffect(() => {
    document.title = `Rewrought: ${kParts.find(([id]) => id === part)?.[1] ?? part}`;
    scrollTo(0, 0);
  }, [path]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header>
        <strong>Rewrought</strong>
        <nav aria-label="Parts">
          {kParts.map(([id, name]) => (
            <a
              key={id}
              href={`#/${id}`}
              aria-current={part === id || (part === "rule" && id === "rules") ? "page" : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        <TokenField />
      </header>
      <main id="content" tabIndex={-1} ref={main}>
        <Part {...place} />
      </main>
    </>
  );
}

render(<App />, document.getElementById("app")!);
