// Reads rules as Mesa writes them, as far as drawing needs it: which node has which sources, and its text. The service
// alone says what is right.
import { floatOf } from "./value";

export interface Node {
  label: string;
  text: string; // as written
  kind: "op" | "variable" | "constant";
  sources: Node[];
}

interface Piece {
  node: Node;
  end: number;
}

const skip = (text: string, at: number) => {
  while (at < text.length && /\s/.test(text[at])) ++at;
  return at;
};

// Where a quoted string or a bare word that starts at `at` ends.
function wordEnd(text: string, at: number): number {
  if (text[at] === "'" || text[at] === '"') {
    const end = text.indexOf(text[at], at + 1);
    return end < 0 ? -1 : end + 1;
  }
  let depth = 0;
  let end = at;
  for (; end < text.length; ++end) {
    const c = text[end];
    if (c === "(") ++depth;
    else if (c === ")" && depth-- === 0) break;
    else if (depth === 0 && (c === "," || /\s/.test(c))) break;
  }
  return end > at ? end : -1;
}

const unquote = (word: string) => (/^['"]/.test(word) ? word.slice(1, -1) : word);

function leaf(word: string): Node {
  const bare = unquote(word);
  const quoted = bare !== word;
  const constant = !quoted ? /^[-+]?[0-9.]|^(True|False)$/.test(word) : /^-?inf$|^nan$/.test(bare);
  return { label: bare, text: word, kind: constant ? "constant" : "variable", sources: [] };
}

// The ops whose names begin with f take floats (conditions of fcsel too): a pattern among their sources is one.
function nameFloat(source: Node) {
  if (source.kind === "constant") source.label = floatOf(source.label.replace(/@\d+$/, "")) ?? source.label;
}

function readAt(text: string, start: number, depth: number): Piece | null {
  const at = skip(text, start);
  if (at >= text.length || depth > 64) return null;
  if (text[at] !== "(") {
    const end = wordEnd(text, at);
    return end < 0 ? null : { node: leaf(text.slice(at, end)), end };
  }
  const nameAt = skip(text, at + 1);
  let end = wordEnd(text, nameAt);
  if (end < 0) return null;
  const node: Node = { label: unquote(text.slice(nameAt, end)), text: "", kind: "op", sources: [] };
  for (end = skip(text, end); text[end] === ","; end = skip(text, end)) {
    const next = skip(text, end + 1);
    if (text[next] === ")") {
      end = next;
      break;
    }
    const source = readAt(text, next, depth + 1);
    if (!source) return null;
    node.sources.push(source.node);
    end = source.end;
  }
  if (text[end] !== ")") return null;
  node.text = text.slice(at, end + 1);
  if (/^[~!]?f/.test(node.label)) node.sources.forEach(nameFloat);
  return { node, end: end + 1 };
}

// An expression, or null where it is none.
export function readExpression(text: string): Node | null {
  const piece = readAt(text, 0, 0);
  return piece && skip(text, piece.end) === text.length ? piece.node : null;
}

// The two sides of "(search, replace)"; `replace` is null for a right side that is a program.
export function readRule(text: string): { search: Node; replace: Node | null } | null {
  const open = skip(text, 0);
  if (text[open] !== "(") return null;
  const search = readAt(text, open + 1, 0);
  if (!search) return null;
  const comma = skip(text, search.end);
  if (text[comma] !== ",") return null;
  const right = skip(text, comma + 1);
  const replace = text[right] === "[" ? null : readAt(text, right, 0);
  return { search: search.node, replace: replace?.node ?? null };
}

// The variable that a leaf stands for: "#a(is_not_negative)@32" -> "a".
export const variableOf = (label: string) => /^#?([A-Za-z_]\w*)/.exec(label)?.[1] ?? label;

// A program's instructions, one each: "[A(r, a), B(r, b)]" -> "A(r, a)", "B(r, b)".
export function readProgram(text: string): string[] {
  const lines = [""];
  let depth = 0;
  for (const c of text.trim().replace(/^\[|\]$/g, "")) {
    if (c === "(") ++depth;
    if (c === ")") --depth;
    if (c === "," && depth === 0) lines.push("");
    else lines[lines.length - 1] += c;
  }
  return lines.map((line) => line.trim());
}
