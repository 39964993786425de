// Shows the ranked list of rules, with filters, and searches for rules that apply in an expression.
import { useEffect } from "preact/hooks";
import { type RewriteRule, RuleClass, RuleState } from "../gen/proto/rewrought/v1/rule_pb";
import { RuleOrder } from "../gen/proto/rewrought/v1/rule_service_pb";
import { useMachines, usePages } from "./hooks";
import { className, heldOut, number, stateName, total } from "./logic/words";
import { Arrow, go, Mark, More, Options, Problem, Scroll } from "./parts";
import { rules } from "./service";

interface Row {
  rule: RewriteRule;
  // The node where the rule applies and the resulting expression, for a search in an expression.
  node?: string;
  result?: string;
}

// Returns the filtered rules, or the rules that apply in an expression.
const useRows = (query: URLSearchParams) =>
  usePages<Row>(`rules ${query}`, async (pageToken, signal) => {
    const field = (name: string) => query.get(name) ?? "";
    const common = { pageSize: 100, pageToken, machine: field("machine") };
    if (field("fires")) {
      const page = await rules.searchRules({ ...common, expression: field("fires") }, { signal });
      const rows = page.matches.map(({ rule, node, result }) => ({ rule: rule!, node, result }));
      return { rows, next: page.nextPageToken };
    }
    const filters = {
      op: field("op"),
      text: field("text"),
      ruleClass: Number(field("class")),
      states: field("state") ? [Number(field("state"))] : [],
      order: RuleOrder.WORTH,
    };
    const page = await rules.listRules({ ...common, ...filters }, { signal });
    return { rows: page.rules.map((rule) => ({ rule })), next: page.nextPageToken };
  });

const kClasses = [RuleClass.STRICT, RuleClass.INEXACT];
const kStates = [RuleState.NEW, RuleState.KEPT, RuleState.LOST, RuleState.WAIVED, RuleState.REFUTED, RuleState.DERIVED];

function Filters({ query }: { query: URLSearchParams }) {
  const fields = Object.fromEntries(query);
  const bind = (name: string) => ({
    value: fields[name] ?? "",
    onChange: (event: Event) =>
      go("/rules", { ...fields, [name]: (event.currentTarget as HTMLInputElement).value.trim() }),
  });
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Text <input id="search" type="search" placeholder="fneg" {...bind("text")} />
      </label>
      <label>
        Op <input placeholder="fmul" spellcheck={false} {...bind("op")} />
      </label>
      <label>
        Machine
        <select {...bind("machine")}>
          <option value="">all</option>
          <Options of={useMachines()} />
        </select>
      </label>
      <label>
        Class
        <select {...bind("class")}>
          <option value="">any</option>
          {kClasses.map((one) => (
            <option key={one} value={String(one)}>
              {className(one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        State
        <select {...bind("state")}>
          <option value="">any</option>
          {kStates.map((one) => (
            <option key={one} value={String(one)}>
              {stateName(one)}
            </option>
          ))}
        </select>
      </label>
      <label class="long">
        Applies in <input spellcheck={false} placeholder="('fadd', a, ('fneg', b))" {...bind("fires")} />
      </label>
    </form>
  );
}

// Handles keys: j and k move through the rows, Enter opens a rule, and / focuses the search field.
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
  const pages = useRows(query);
  useKeys();
  const searching = query.has("fires");
  const what = searching ? "matches" : "rules, ordered by cycles saved on held-out shaders";
  return (
    <section>
      <h1>Rules</h1>
      <search>
        <Filters query={query} />
      </search>
      {pages.problem && <Problem text={pages.problem} />}
      <p class="quiet" role="status">
        {pages.busy ? "Loading…" : `${pages.rows.length}${pages.more ? " or more" : ""} ${what}`}
      </p>
      <Scroll>
        <table class="rules">
          <thead>
            <tr>
              <th class="n">#</th>
              <th>Rule</th>
              <th>Machine</th>
              <th>State</th>
              <th class="n" title="savings on held-out shaders, relative to the tuned baseline">
                Cycles
              </th>
              <th class="n" title="savings on held-out shaders, relative to the tuned baseline">
                Instr.
              </th>
              <th class="n">Hits</th>
              <th class="n">Shaders</th>
              {searching && <th>Gives</th>}
            </tr>
          </thead>
          <tbody>
            {pages.rows.map((row, index) => (
              <RuleRow key={index} row={row} index={index} searching={searching} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <More pages={pages} />
    </section>
  );
}

function RuleRow({ row, index, searching }: { row: Row; index: number; searching: boolean }) {
  const { rule } = row;
  const held = heldOut(rule);
  return (
    <tr>
      <td class="n">{index + 1}</td>
      <td class="wide">
        <a class="rule" href={`#/rule/${rule.id}`}>
          <code>{rule.search}</code> <Arrow /> <code>{rule.replace || rule.program}</code>
        </a>{" "}
        {rule.ruleClass === RuleClass.INEXACT && <Mark name={className(rule.ruleClass)} />}
        {rule.condition && (
          <span class="quiet">
            {" "}
            if <code>{rule.condition}</code>
          </span>
        )}
      </td>
      <td>{rule.machine || "any"}</td>
      <td>{stateName(rule.state)}</td>
      <td class="n">{number(held?.tunedSavedCycles, 1)}</td>
      <td class="n">{number(held?.tunedSavedInstructions, 1)}</td>
      <td class="n">{number(total(rule, "hits"))}</td>
      <td class="n">{number(total(rule, "shaders"))}</td>
      {searching && (
        <td class="wide">
          <code>{row.result || "a program"}</code> at {row.node}
        </td>
      )}
    </tr>
  );
}
