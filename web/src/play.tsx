// The playground: a rule and its verdict with the values on every node, or an expression and its best code per machine.
import { useEffect, useRef, useState } from "preact/hooks";
import { type CaseVerdict, type RuleVerdict, Verdict } from "../gen/proto/rewrought/v1/proof_pb";
import type { ProgramCost } from "../gen/proto/rewrought/v1/rule_pb";
import type { ImproveResponse } from "../gen/proto/rewrought/v1/services_pb";
import { Dag } from "./dag";
import { type Node, readExpression, readProgram, readRule } from "./expression";
import { CaseTable, Certificates, go, Inexact, Problem, Scroll, useAnswer, VerdictMark } from "./parts";
import { checks, evals, improver, machines, number, problemOf, wasCancelled } from "./service";

const kRule = "(('fadd', ('fneg', a), a), 0.0)";
const kExpression = "('fmax', ('fmin', ('fadd', a, ('fneg', b)), 1.0), 0.0)";

// What each node of `root` gives on the witness; the service evaluates the text of each.
async function valuesOn(root: Node, witness: CaseVerdict, signal: AbortSignal): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const visit = async (node: Node): Promise<void> => {
    if (values.has(node.text)) return;
    values.set(node.text, "");
    const request = { text: node.text, mode: witness.mode, vectors: [{ values: { ...witness.witness!.vars } }] };
    await Promise.all([
      ...node.sources.map(visit),
      evals.evaluate(request, { signal }).then(
        (answer) => values.set(node.text, answer.results[0]?.allowed.slice(0, 2).join(" or ") ?? ""),
        () => undefined, // a literal alone has no size: it stays without a value
      ),
    ]);
  };
  await visit(root);
  return values;
}

function Drawn({ text, verdict }: { text: string; verdict: RuleVerdict | null }) {
  const sides = readRule(text);
  const witness = verdict?.cases.find((one) => one.witness);
  const [values, setValues] = useState<Map<string, string>[]>([]);
  useEffect(() => {
    setValues([]);
    if (!sides || !witness) return;
    const abort = new AbortController();
    const roots = [sides.search, ...(sides.replace ? [sides.replace] : [])];
    Promise.all(roots.map((root) => valuesOn(root, witness, abort.signal))).then(setValues, () => undefined);
    return () => abort.abort();
  }, [verdict]);
  if (!sides) return null;
  return (
    <div class="sides">
      <figure><figcaption>Search{witness && ", on the witness"}</figcaption>
        <Scroll><Dag root={sides.search} label="search side" values={values[0]} named /></Scroll></figure>
      {sides.replace && <figure><figcaption>Replacement</figcaption>
        <Scroll><Dag root={sides.replace} label="replacement" values={values[1]} /></Scroll></figure>}
    </div>
  );
}

export function Playground({ query }: { query: URLSearchParams }) {
  const [text, setText] = useState(query.get("rule") ?? kRule);
  const [machine, setMachine] = useState(query.get("machine") ?? "");
  const [verdict, setVerdict] = useState<RuleVerdict | null>(null);
  const [judged, setJudged] = useState(text);
  const [problem, setProblem] = useState("");
  const [abort, setAbort] = useState<AbortController | null>(null);
  const known = useAnswer("machines", (signal) => machines.listMachines({}, { signal }));
  const check = async () => {
    const mine = new AbortController();
    setAbort(mine);
    setVerdict(null);
    setProblem("");
    setJudged(text);
    go("/play", { rule: text, machine });
    try {
      const answer = await checks.checkRule({ rule: text, machine, infer: true, withCertificates: true }, { signal: mine.signal });
      setVerdict(answer.verdict ?? null);
    } catch (error) {
      setProblem(wasCancelled(error) ? "Stopped." : problemOf(error));
    }
    setAbort(null);
  };
  useEffect(() => {
    if (query.get("rule")) void check();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    void check();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return (
    <section>
      <h1>Playground</h1>
      <form onSubmit={submit}>
        <label class="block">A rule as Mesa writes it
          <textarea id="rule" rows={3} spellcheck={false} value={text} onKeyDown={onKey}
            onInput={(event) => setText(event.currentTarget.value)} /></label>
        <div class="filters">
          <label>Machine, for a right side that is a program
            <select value={machine} onChange={(event) => setMachine(event.currentTarget.value)}>
              <option value="">none</option>
              {known.answer?.machines.map((one) => <option value={one.id}>{one.id}</option>)}
            </select></label>
          <button id="check" disabled={abort !== null}>Check (Ctrl+Enter)</button>
          {abort && <button type="button" onClick={() => abort.abort()}>Stop</button>}
        </div>
      </form>
      <Share />
      {problem && <Problem text={problem} />}
      {abort && <p class="quiet" aria-busy="true">Proving…</p>}
      <div aria-live="polite" id="verdict">{verdict && <Judged verdict={verdict} />}</div>
      <Drawn text={judged} verdict={verdict} />
      {verdict && <Inexact statement={verdict.inexact} licensed={verdict.licensed} />}
      {verdict && <CaseTable cases={verdict.cases} />}
      {verdict && <Certificates cases={verdict.cases} />}
    </section>
  );
}

// The address names what is asked; who opens it has it asked again.
function Share() {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <p class="quiet">The address of this page holds the question. {/* there is no clipboard outside of secure contexts */}
      {"clipboard" in navigator && <button type="button" id="share" onClick={copy}>{copied ? "Copied" : "Copy the link"}</button>}</p>
  );
}

function Judged({ verdict }: { verdict: RuleVerdict }) {
  return (
    <>
      <p><VerdictMark verdict={verdict.verdict} />{verdict.licensed && " (licensed: equal over the reals)"} in {verdict.ms.toFixed(0)} ms</p>
      {verdict.error && <Problem text={`Column ${verdict.error.column}: ${verdict.error.message}`} />}
      {verdict.verdict === Verdict.REFUTED && verdict.weakest.length > 0 && (
        <p>It holds with one of: {verdict.weakest.map((set) => <code class="choice">{set.assumptions.join(", ")}</code>)}</p>
      )}
    </>
  );
}

interface Found {
  machine: string;
  best?: ImproveResponse;
  licensed?: ImproveResponse; // the cheapest that only changes rounding
  count: number;
  busy: boolean;
  problem: string;
}

const isCheaper = (one: ImproveResponse, than?: ImproveResponse) =>
  !!one.cost && !!than?.cost && (one.cost.cycles < than.cost.cycles || (one.cost.cycles === than.cost.cycles && one.cost.latency < than.cost.latency));

// Candidates come with their verdicts, refuted ones too: one of them is shown only while nothing is proved.
function isBetter(one: ImproveResponse, than?: ImproveResponse): boolean {
  const proved = (found: ImproveResponse) => found.verdict === Verdict.PROVED;
  if (!than || proved(one) !== proved(than)) return !than || proved(one);
  return proved(one) && isCheaper(one, than);
}

export function Improve({ query }: { query: URLSearchParams }) {
  const [text, setText] = useState(query.get("expression") ?? kExpression);
  const [chosen, setChosen] = useState((query.get("machines") ?? "intel_gen9,agx_g13").split(",").filter(Boolean));
  const [found, setFound] = useState<Found[]>([]);
  const abort = useRef<AbortController | null>(null);
  const known = useAnswer("machines", (signal) => machines.listMachines({}, { signal }));
  const one = async (machine: string, signal: AbortSignal) => {
    const change = (patch: (old: Found) => Partial<Found>) =>
      setFound((all) => all.map((old) => (old.machine === machine ? { ...old, ...patch(old) } : old)));
    try {
      for await (const best of improver.improve({ expression: text, machine, seconds: 10 }, { signal })) {
        change((old) => ({
          count: old.count + 1,
          ...(isBetter(best, old.best) ? { best } : {}),
          ...(best.licensed && (!old.licensed || isCheaper(best, old.licensed)) ? { licensed: best } : {}),
        }));
      }
      change(() => ({ busy: false }));
    } catch (error) {
      change(() => ({ busy: false, problem: wasCancelled(error) ? "stopped" : problemOf(error) }));
    }
  };
  const run = (event?: Event) => {
    event?.preventDefault();
    abort.current?.abort();
    const mine = (abort.current = new AbortController());
    go("/improve", { expression: text, machines: chosen.join(",") });
    setFound(chosen.map((machine) => ({ machine, count: 0, busy: true, problem: "" })));
    chosen.forEach((machine) => void one(machine, mine.signal));
  };
  useEffect(() => {
    if (query.get("expression")) run();
    return () => abort.current?.abort();
  }, []);
  const toggle = (id: string) => setChosen(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-4));
  const root = readExpression(text);
  return (
    <section>
      <h1>Best code</h1>
      <form onSubmit={run}>
        <label class="block">An expression
          <textarea id="expression" rows={2} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <fieldset><legend>Machines (up to four)</legend>
          {known.answer?.machines.map((machine) => (
            <label class="tick"><input type="checkbox" checked={chosen.includes(machine.id)} onChange={() => toggle(machine.id)} />{machine.id}</label>
          ))}</fieldset>
        <p class="buttons"><button id="improve" disabled={!chosen.length}>Search</button>{" "}
          {found.some((f) => f.busy) && <button type="button" onClick={() => abort.current?.abort()}>Stop</button>}</p>
      </form>
      <Share />
      {root && <Scroll><Dag root={root} label="expression" /></Scroll>}
      <div class="cards" id="found">{found.map((one) => <Program found={one} />)}</div>
    </section>
  );
}

function Code({ found }: { found: ImproveResponse }) {
  const row = (name: string, cost?: ProgramCost) => (
    <tr><th>{name}</th><td class="n">{number(cost?.instructions)}</td><td class="n">{number(cost?.cycles, 2)}</td>
      <td class="n">{number(cost?.latency, 1)}</td><td class="n">{number(cost?.bytes)}</td></tr>
  );
  return (
    <>
      <pre>{readProgram(found.program).join("\n")}</pre>
      <table>
        <thead><tr><th /><th class="n">Instr.</th><th class="n">Cycles</th><th class="n">Latency</th><th class="n">Bytes</th></tr></thead>
        <tbody>{row("Base", found.base)}{row("This", found.cost)}</tbody>
      </table>
    </>
  );
}

function Program({ found }: { found: Found }) {
  const { best, licensed } = found;
  const proved = best?.verdict === Verdict.PROVED;
  return (
    <article class="card">
      <h2>{found.machine}</h2>
      {best && <Code found={best} />}
      {best && <p><VerdictMark verdict={best.verdict} /> {proved ? `best of ${found.count} judged` : "nothing that was judged is proved; not to be used"}</p>}
      {licensed && (!proved || isCheaper(licensed, best)) && <>
        <h3>Where rounding may change (<code>~</code>)</h3>
        <Code found={licensed} />
        <p><span class="mark licensed">licensed</span> refuted bit for bit, equal over the reals and about as accurate</p>
      </>}
      {found.busy && <p class="quiet" aria-busy="true">Searching…</p>}
      {found.problem && <Problem text={found.problem} />}
      {!found.busy && !best && !found.problem && <p class="quiet">Nothing cheaper than base selection was found.</p>}
    </article>
  );
}
