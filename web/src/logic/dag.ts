// Lays out the nodes of a term: each node has one box, and results are above their sources.
import type { Term, TermNode } from "../../gen/proto/rewrought/v1/term_pb";

export interface Box {
  kind: "op" | "variable" | "constant";
  label: string;
  value: string; // shown below the label; may be empty
  name: string; // the name that preconditions use for an op, such as "n0"; empty for other nodes
  layer: number;
  x: number; // position of the box's center
  width: number;
  sources: Box[];
}

export interface Drawing {
  boxes: Box[];
  width: number;
  height: number;
}

export const kBoxHeight = 40;
const kRow = 62; // distance between layers
const kGap = 18; // gap between the boxes of a layer
const kLeastWidth = 34;
const kCharacter = 8;

export const topOf = (box: Box) => box.layer * kRow;

const widthOf = (layer: Box[]) => layer.reduce((sum, box) => sum + box.width + kGap, -kGap);

function boxOf(node: TermNode, value: string): Box {
  const longest = Math.max(node.label.length, value.length);
  const width = Math.max(kLeastWidth, longest * kCharacter + 16);
  return { kind: node.kind.case ?? "op", label: node.label, value, name: "", layer: 0, x: 0, width, sources: [] };
}

// Returns the boxes that are reachable from the root, in prefix order, each at its first visit. The service names ops
// in the same order. A box is below its lowest user. `values` is indexed by node.
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
    // Users precede their sources in this order, so the box's own layer is final.
    for (const source of box.sources) source.layer = Math.max(source.layer, box.layer + 1);
  }
  return [...reached];
}

function layersOf(boxes: Box[]): Box[][] {
  const layers: Box[][] = boxes.map(() => []);
  for (const box of boxes) layers[box.layer].push(box);
  return layers.filter((layer) => layer.length > 0);
}

// Places the boxes of a layer side by side, starting at `start`.
function line(layer: Box[], start: number) {
  let left = start;
  for (const box of layer) {
    box.x = left + box.width / 2;
    left += box.width + kGap;
  }
}

// Centers each layer below its users, without overlap and inside the drawing.
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

// Returns the SVG path from source number `index` of `user` to `user`. An edge that spans several layers bows
// outward, so that it does not run behind a box.
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
