// Draws an expression as a DAG: results above what they are computed from, equal subexpressions once.
import type { Node } from "./expression";
import { withFloats } from "./value";

interface Placed {
  node: Node;
  layer: number;
  x: number;
  width: number;
  sources: Placed[];
  value: string;
  names: string[]; // "n0", …: how preconditions name it
}

const kRow = 62;
const kGap = 18;

// One box per different text, so that sharing shows.
function collect(root: Node, values: Map<string, string>): Placed[] {
  const byText = new Map<string, Placed>();
  const place = (node: Node): Placed => {
    let placed = byText.get(node.text);
    if (!placed) {
      const value = values.get(node.text) ?? "";
      const longest = Math.max(node.label.length, value.length);
      placed = { node, layer: 0, x: 0, width: Math.max(34, longest * 8 + 16), sources: [], value, names: [] };
      byText.set(node.text, placed);
      placed.sources = node.sources.map(place);
    }
    return placed;
  };
  place(root);
  let count = 0;
  const name = (node: Node) => {
    if (node.kind !== "op") return;
    byText.get(node.text)!.names.push(`n${count++}`);
    node.sources.forEach(name);
  };
  name(root);
  const all = [...byText.values()]; // users before their sources
  const lower = (placed: Placed, layer: number) => {
    if (layer < placed.layer || (layer === placed.layer && layer > 0)) return;
    placed.layer = layer;
    placed.sources.forEach((source) => lower(source, layer + 1));
  };
  lower(all[0], 0);
  return all;
}

function layOut(all: Placed[]): { width: number; height: number } {
  const layers: Placed[][] = [];
  for (const placed of all) (layers[placed.layer] ??= []).push(placed);
  for (const layer of layers) {
    let x = 0;
    for (const placed of layer) {
      placed.x = x + placed.width / 2;
      x += placed.width + kGap;
    }
  }
  const width = Math.max(...layers.map((layer) => layer.reduce((sum, p) => sum + p.width + kGap, -kGap)));
  // Each layer is drawn below the middle of its users, kept apart and inside.
  for (const layer of layers) {
    const wish = new Map(layer.map((placed) => {
      const users = all.filter((user) => user.sources.includes(placed));
      return [placed, users.length ? users.reduce((sum, user) => sum + user.x, 0) / users.length : width / 2];
    }));
    layer.sort((a, b) => wish.get(a)! - wish.get(b)!);
    const total = layer.reduce((sum, p) => sum + p.width + kGap, -kGap);
    const middle = layer.reduce((sum, p) => sum + wish.get(p)!, 0) / layer.length;
    let x = Math.min(Math.max(0, middle - total / 2), width - total);
    for (const placed of layer) {
      placed.x = x + placed.width / 2;
      x += placed.width + kGap;
    }
  }
  return { width, height: layers.length * kRow - 14 };
}

// An edge that passes a layer bows out, so that it does not run behind a box there.
function edge(user: Placed, source: Placed, index: number): string {
  const from = user.x + (index - (user.sources.length - 1) / 2) * Math.min(14, user.width / (user.sources.length + 1));
  const to = source.x + (index - (user.sources.length - 1) / 2) * 6;
  const y1 = user.layer * kRow + 40;
  const y2 = source.layer * kRow;
  const passed = source.layer - user.layer - 1;
  if (!passed) return `M${from} ${y1} C${from} ${y1 + 14} ${to} ${y2 - 14} ${to} ${y2}`;
  const bow = Math.max(user.x + user.width / 2, source.x + source.width / 2) + 34 + 10 * passed;
  return `M${from} ${y1} C${bow} ${y1 + 10} ${bow} ${y2 - 10} ${to} ${y2}`;
}

export function Dag({ root, label, values, named }: { root: Node; label: string; values?: Map<string, string>; named?: boolean }) {
  const all = collect(root, values ?? new Map());
  const { width, height } = layOut(all);
  return (
    <svg class="dag" role="img" aria-label={`${label}: ${root.text}`} width={width + 52} height={height + 14}
      viewBox={`-2 -12 ${width + 52} ${height + 14}`}>
      {all.flatMap((user) => user.sources.map((source, index) => <path class="edge" d={edge(user, source, index)} />))}
      {all.map((placed) => (
        <g class={placed.node.kind} transform={`translate(${placed.x - placed.width / 2} ${placed.layer * kRow})`}>
          <title>{placed.node.text}{placed.value && ` gives ${withFloats(placed.value)}`}</title>
          <rect width={placed.width} height={40} rx={placed.node.kind === "op" ? 6 : 20} />
          <text x={placed.width / 2} y={placed.value ? 17 : 25}>{placed.node.label}</text>
          {named && placed.names.length > 0 && <text class="name" x={2} y={-2}>{placed.names.join(" ")}</text>}
          {placed.value && <text class="value" x={placed.width / 2} y={33}>{placed.value}</text>}
        </g>
      ))}
    </svg>
  );
}
