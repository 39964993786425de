// The ranked list of rules, with its filters, and the search for rules that would fire in an expression.
import { useEffect, useRef, useState } from "preact/hooks";
import { type RewriteRule, RuleClass, RuleState } from "../gen/proto/rewrought/v1/rule_pb";
import { RuleOrder } from "../gen/proto/rewrought/v1/services_pb";
import { go, Problem, Scroll, useAnswer } from "./parts";
import { className, discovery, heldOut, machines, number, problemOf, rules, stateName, wasCancelled } from "./service";

interface Row {
  rule: RewriteRule;
  node?: string;
  result?: string;
}

// Rules of the filters, page by page.
function useRows(query: URLSearchParams) {
  const [rows, setRows] = useState<Row[]>([]);
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(true);
  const abort = useRef<AbortController | null>(null);
  const load = async (pageToken: string, before: Row[]) => {
    abort.current?.abort();
    const mine = (abort.current = new AbortController());
    setBusy(true);
    try {
      const common = { pageSize: 100, pageToken, machine: query.get("machine") ?? "" };
      const expression = query.get("fires") ?? "";
      const state = Number(query.get("state") ?? "0");
      let added: Row[];
      let next: string;
      if (expression) {
        const page = await rules.searchRules({ ...common, expression }, { signal: mine.signal });
        added = page.matches.map((match) => ({ rule: match.rule!, node: match.node, result: match.result }));
        next = page.nextPageToken;
      } else {
        const ruleClass = Number(query.get("class") ?? "0");
        const filters = { op: query.get("op") ?? "", text: query.get("text") ?? "", states: state ? [state] : [], ruleClass };
        const page = await rules.listRules({ ...common, ...filters, order: RuleOrder.WORTH }, { signal: mine.signal });
        added = page.rules.map((rule) => ({ rule }));
        next = page.nextPageToken;
      }
      setRows([...before, ...added]);
      setToken(next);
      setProblem("");
    } catch (error) {
      if (wasCancelled(error)) return;
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  useEffect(() => {
    setRows([]);
    void load("", []);
    return () => abort.current?.abort();
  }, [query.toString()]);
  return { rows, problem, busy, more: token ? () => load(token, rows) : null };
}

const kStates = [RuleState.NEW, RuleState.KEPT, RuleState.LOST, RuleState.WAIVED, RuleState.REFUTED, RuleState.DERIVED];

function Filters({ query }: { query: URLSearchParams }) {
  const known = useAnswer("machines", (signal) => machines.listMachines({}, { signal }));
  const fields = Object.fromEntries(query);
  const change = (name: string) => (event: Event) =>
    go("/rules", { ...fields, [name]: (event.currentTarget as HTMLInputElement).value.trim() });
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>Text <input id="search" type="search" value={fields.text ?? ""} onChange={change("text")} placeholder="fneg" /></label>
      <label>Op <input value={fields.op ?? ""} onChange={change("op")} placeholder="fmul" spellcheck={false} /></label>
      <label>Machine
        <select value={fields.machine ?? ""} onChange={change("machine")}>
          <option value="">all</option>
          {known.answer?.machines.map((machine) => <option value={machine.id}>{machine.id}</option>)}
        </select>
      </label>
      <label>Class
        <select value={fields.class ?? ""} onChange={change("class")}>
          <option value="">any</option>
          {[RuleClass.STRICT, RuleClass.LICENSED].map((one) => <option value={String(one)}>{className(one)}</option>)}
        </select>
      </label>
      <label>State
        <select value={fields.state ?? ""} onChange={change("state")}>
          <option value="">any</option>
          {kStates.map((state) => <option value={String(state)}>{stateName(state)}</option>)}
        </select>
      </label>
      <label class="long">Fires in <input value={fields.fires ?? ""} onChange={change("fires")} spellcheck={false}
        placeholder="('fadd', a, ('fneg', b))" /></label>
    </form>
  );
}

// j and k move through the rows, Enter opens one, / goes to the search.
function useKeys() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") {
        event.preventDefault();
        document.getElementById("search")?.focus();
      }
      if (event.key !== "j" && event.key !== "k") return;
      const links = [...document.querySelectorAll<HTMLElement>("tbody a.rule")];
      const at = links.indexOf(document.activeElement as HTMLElement) + (event.key === "j" ? 1 : -1);
      links[Math.min(links.length - 1, Math.max(0, at))]?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

export function Rules({ query }: { query: URLSearchParams }) {
  const { rows, problem, busy, more } = useRows(query);
  useKeys();
  const searching = query.has("fires");
  return (
    <section>
      <h1>Rules</h1>
      <Filters query={query} />
      {problem && <Problem text={problem} />}
      <p class="quiet" role="status">{busy ? "Loading…" : `${rows.length}${more ? " or more" : ""} ${searching ? "matches" : "rules"}`}
        {!searching && !busy && ", most cycles saved on held-out shaders first"}</p>
      <Scroll>
        <table class="rules">
          <thead>
            <tr><th class="n">#</th><th>Rule</th><th>Machine</th><th>State</th><th class="n" title="saved on held-out shaders, against strong base selection">Cycles</th>
              <th class="n" title="saved on held-out shaders, against strong base selection">Instr.</th><th class="n">Hits</th><th class="n">Shaders</th>{searching && <th>Gives</th>}</tr>
          </thead>
          <tbody>{rows.map((row, index) => <RuleRow row={row} index={index} searching={searching} />)}</tbody>
        </table>
      </Scroll>
      {more && <button disabled={busy} onClick={more}>More</button>}
    </section>
  );
}

function RuleRow({ row, index, searching }: { row: Row; index: number; searching: boolean }) {
  const held = heldOut(row.rule);
  const hits = Number(held?.hits ?? 0) + Number(discovery(row.rule)?.hits ?? 0);
  const shaders = Number(held?.shaders ?? 0) + Number(discovery(row.rule)?.shaders ?? 0);
  return (
    <tr>
      <td class="n">{index + 1}</td>
      <td class="wide">
        <a class="rule" href={`#/rule/${row.rule.id}`}><code>{row.rule.search}</code> <span class="arrow">→</span>{" "}
          <code>{row.rule.replace || row.rule.program}</code></a>
        {row.rule.ruleClass === RuleClass.LICENSED && <>{" "}<span class="mark licensed">licensed</span></>}
        {row.rule.condition && <span class="quiet"> if <code>{row.rule.condition}</code></span>}
      </td>
      <td>{row.rule.machine || "any"}</td>
      <td>{stateName(row.rule.state)}</td>
      <td class="n">{number(held?.strongSavedCycles, 1)}</td>
      <td class="n">{number(held?.strongSavedInstructions, 1)}</td>
      <td class="n">{number(hits)}</td>
      <td class="n">{number(shaders)}</td>
      {searching && <td class="wide"><code>{row.result || "a program"}</code> at {row.node}</td>}
    </tr>
  );
}
