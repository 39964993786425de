// Where the nodes of a term are drawn: results above what they are computed from, each node once.
import type { Term, TermNode } from "../../gen/proto/rewrought/v1/term_pb";

export interface Box {
  kind: "op" | "variable" | "constant";
  label: string;
  value: string; // below the label; empty: none
  name: string; // "n0", …: how preconditions name an op; empty: it is no op
  layer: number;
  x: number; // of its middle
  width: number;
  sources: Box[];
}

export interface Drawing {
  boxes: Box[];
  width: number;
  height: number;
}

export const kBoxHeight = 40;
const kRow = 62; // from one layer to the next
const kGap = 18; // between boxes of a layer
const kLeastWidth = 34;
const kCharacter = 8;

export const topOf = (box: Box) => box.layer * kRow;

const widthOf = (layer: Box[]) => layer.reduce((sum, box) => sum + box.width + kGap, -kGap);

function boxOf(node: TermNode, value: string): Box {
  const longest = Math.max(node.label.length, value.length);
  const width = Math.max(kLeastWidth, longest * kCharacter + 16);
  return { kind: node.kind.case ?? "op", label: node.label, value, name: "", layer: 0, x: 0, width, sources: [] };
}

// The boxes that the root reaches in prefix order, each at its first visit: the service names ops like this. A box
// stands below the lowest of its users. `values`: by index of the node.
function boxesOf(term: Term, values: Map<number, string>): Box[] {
  const all = term.nodes.map((node, index) => boxOf(node, values.get(index) ?? ""));
  const reached = new Set<Box>();
  let ops = 0;
  const visit = (index: number) => {
    const box = all[index];
    if (reached.has(box)) return;
    reached.add(box);
    const { kind } = term.nodes[index];
    if (kind.case !== "op") return;
    box.name = `n${ops++}`;
    box.sources = kind.value.sources.map((source) => all[source.node]);
    for (const source of kind.value.sources) visit(source.node);
  };
  visit(term.root);
  for (const box of [...all].reverse()) {
    // Nodes stand before their users, so a box's own layer is known here.
    for (const source of box.sources) source.layer = Math.max(source.layer, box.layer + 1);
  }
  return [...reached];
}

function layersOf(boxes: Box[]): Box[][] {
  const layers: Box[][] = boxes.map(() => []);
  for (const box of boxes) layers[box.layer].push(box);
  return layers.filter((layer) => layer.length > 0);
}

// Puts the boxes of a layer side by side from `start` on.
function line(layer: Box[], start: number) {
  let left = start;
  for (const box of layer) {
    box.x = left + box.width / 2;
    left += box.width + kGap;
  }
}

// Puts each layer below the middle of its users, kept apart and inside.
function place(boxes: Box[], layers: Box[][], width: number) {
  for (const layer of layers) line(layer, 0);
  for (const layer of layers) {
    const wishes = new Map<Box, number>();
    for (const box of layer) {
      const users = boxes.filter((user) => user.sources.includes(box));
      const middle = users.reduce((sum, user) => sum + user.x, 0) / users.length;
      wishes.set(box, users.length ? middle : width / 2);
    }
    const wishOf = (box: Box) => wishes.get(box) ?? 0;
    layer.sort((a, b) => wishOf(a) - wishOf(b));
    const whole = widthOf(layer);
    const middle = layer.reduce((sum, box) => sum + wishOf(box), 0) / layer.length;
    line(layer, Math.min(Math.max(0, middle - whole / 2), width - whole));
  }
}

export function draw(term: Term, values: Map<number, string> = new Map()): Drawing {
  const boxes = boxesOf(term, values);
  const layers = layersOf(boxes);
  const width = Math.max(...layers.map(widthOf));
  place(boxes, layers, width);
  return { boxes, width, height: (layers.length - 1) * kRow + kBoxHeight };
}

// The line from source number `index` of `user` up to it, as an SVG path. One that passes a layer bows out, so that it
// does not run behind a box there.
export function edgePath(user: Box, index: number): string {
  const source = user.sources[index];
  const aside = index - (user.sources.length - 1) / 2;
  const from = user.x + aside * Math.min(14, user.width / (user.sources.length + 1));
  const to = source.x + aside * 6;
  const y1 = topOf(user) + kBoxHeight;
  const y2 = topOf(source);
  const passed = source.layer - user.layer - 1;
  if (!passed) return `M${from} ${y1} C${from} ${y1 + 14} ${to} ${y2 - 14} ${to} ${y2}`;
  const bow = Math.max(user.x + user.width / 2, source.x + source.width / 2) + 34 + 10 * passed;
  return `M${from} ${y1} C${bow} ${y1 + 10} ${bow} ${y2 - 10} ${to} ${y2}`;
}
