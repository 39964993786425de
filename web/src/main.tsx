// The page's frame: navigation, the token, and which part the address asks for.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Audits } from "./audits";
import { Machines } from "./catalogue";
import { Corpus } from "./corpus";
import { Packs } from "./packs";
import { Runs } from "./runs";
import { Improve, Playground } from "./play";
import { Rule } from "./rule";
import { Rules } from "./rules";
import { getToken, setToken } from "./service";
import "./style.css";

const kParts = [["rules", "Rules"], ["play", "Playground"], ["improve", "Best code"], ["machines", "Machines"], ["corpus", "Corpus"], ["packs", "Packs"],
  ["audits", "Audit"], ["runs", "Runs"]];

function usePlace() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  const [path, query] = hash.slice(1).split(/\?(.*)/s);
  return { path: path || "/rules", query: new URLSearchParams(query ?? "") };
}

function Part({ path, query }: { path: string; query: URLSearchParams }) {
  const [, part, id] = path.split("/");
  if (part === "rules") return <Rules query={query} />;
  if (part === "rule" && id) return <Rule key={id} id={id} />;
  if (part === "play") return <Playground query={query} />;
  if (part === "improve") return <Improve query={query} />;
  if (part === "machines") return <Machines query={query} />;
  if (part === "corpus") return <Corpus query={query} />;
  if (part === "packs") return <Packs query={query} />;
  if (part === "audits") return <Audits query={query} />;
  if (part === "runs") return <Runs />;
  return <section><h1>There is no such page</h1><p><a href="#/rules">To the rules</a></p></section>;
}

function TokenField() {
  const save = (event: Event) => {
    event.preventDefault();
    setToken(new FormData(event.currentTarget as HTMLFormElement).get("token")!.toString().trim());
    location.reload();
  };
  return (
    <details class="token"><summary>Token</summary>
      <form onSubmit={save}>
        <label>Bearer token, kept until the tab is closed <input name="token" type="password" autocomplete="off" value={getToken()} /></label>
        <button>Use</button>
      </form>
    </details>
  );
}

function App() {
  const { path, query } = usePlace();
  const main = useRef<HTMLElement>(null);
  const part = path.split("/")[1];
  useEffect(() => {
    document.title = `Rewrought: ${kParts.find(([id]) => id === part)?.[1] ?? part}`;
    scrollTo(0, 0);
  }, [path]);
  return (
    <>
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>To the content</a>
      <header>
        <strong>Rewrought</strong>
        <nav aria-label="Parts">{kParts.map(([id, name]) => (
          <a href={`#/${id}`} aria-current={part === id || (part === "rule" && id === "rules") ? "page" : undefined}>{name}</a>))}</nav>
        <TokenField />
      </header>
      <main id="content" tabIndex={-1} ref={main}><Part path={path} query={query} /></main>
    </>
  );
}

render(<App />, document.getElementById("app")!);
