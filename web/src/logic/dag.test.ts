// Tests the layout of the nodes of a term.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  type Term,
  type TermNode,
  TermNode_ConstantSchema,
  TermNode_OpSchema,
  TermNode_VariableSchema,
  TermNodeSchema,
  TermSchema,
} from "../../gen/proto/rewrought/v1/term_pb";
import { type Box, draw, edgePath, kBoxHeight, topOf } from "./dag";

// A node is ["a"] for a variable and ["fadd", 0, 1] for an op on earlier nodes. The last node is the root.
type Written = [string, ...number[]];

function nodeOf([label, ...sources]: Written): TermNode {
  if (sources.length) {
    const value = create(TermNode_OpSchema, { name: label, sources: sources.map((node) => ({ node })) });
    return create(TermNodeSchema, { label, kind: { case: "op", value } });
  }
  if (/^[\d-]/.test(label)) {
    return create(TermNodeSchema, { label, kind: { case: "constant", value: create(TermNode_ConstantSchema) } });
  }
  const value = create(TermNode_VariableSchema, { name: label });
  return create(TermNodeSchema, { label, kind: { case: "variable", value } });
}

const termOf = (...nodes: Written[]): Term => create(TermSchema, { root: nodes.length - 1, nodes: nodes.map(nodeOf) });

const named = (boxes: Box[], label: string) => boxes.filter((box) => box.label === label);
const layers = (boxes: Box[]) => Object.fromEntries(boxes.map((box) => [box.label, box.layer]));

test("results are above their sources", () => {
  const { boxes, height } = draw(termOf(["a"], ["1.0"], ["fneg", 0], ["fadd", 2, 1]));
  expect(layers(boxes)).toEqual({ fadd: 0, fneg: 1, "1.0": 1, a: 2 });
  expect(boxes.map((box) => box.kind)).toEqual(["op", "op", "variable", "constant"]);
  expect(height).toBe(topOf(named(boxes, "a")[0]) + kBoxHeight);
});

test("sources are ordered from left to right", () => {
  const { boxes } = draw(termOf(["a"], ["b"], ["1.0"], ["ffma", 0, 1, 2]));
  const [a, b, one] = ["a", "b", "1.0"].map((label) => named(boxes, label)[0].x);
  expect(a).toBeLessThan(b);
  expect(b).toBeLessThan(one);
});

test("a shared node has one box, below its lowest user", () => {
  const { boxes } = draw(termOf(["a"], ["fneg", 0], ["fmul", 1, 0], ["fadd", 2, 1]));
  expect(layers(boxes)).toEqual({ fadd: 0, fmul: 1, fneg: 2, a: 3 });
  expect(boxes).toHaveLength(4);
});

test("ops are named once each, in prefix order", () => {
  // The term is ('fadd', ('fmul', ('fneg', a), b), ('fmax', ('fneg', a), b)), in which the service calls the fmax n3.
  const { boxes } = draw(termOf(["a"], ["b"], ["fneg", 0], ["fmul", 2, 1], ["fmax", 2, 1], ["fadd", 3, 4]));
  const names = Object.fromEntries(boxes.map((box) => [box.label, box.name]));
  expect(names).toEqual({ fadd: "n0", fmul: "n1", fneg: "n2", fmax: "n3", a: "", b: "" });
});

test("unreachable nodes are not drawn", () => {
  expect(draw(termOf(["a"], ["unused", 0], ["fneg", 0])).boxes.map((box) => box.label)).toEqual(["fneg", "a"]);
});

test("boxes of a layer do not overlap and stay inside the drawing", () => {
  const term = termOf(["a"], ["b"], ["a_long_variable"], ["c"], ["ffma", 0, 1, 2], ["fmax", 4, 3], ["fadd", 5, 4]);
  const { boxes, width } = draw(term, new Map([[0, "0x3f800000"]]));
  for (const box of boxes) {
    expect(box.x - box.width / 2).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width / 2).toBeLessThanOrEqual(width);
    for (const other of boxes) {
      if (other === box || other.layer !== box.layer) continue;
      expect(Math.abs(other.x - box.x)).toBeGreaterThan((other.width + box.width) / 2);
    }
  }
});

test("a box is wide enough for its label and its value", () => {
  const term = termOf(["a"], ["fneg", 0]);
  const widthOf = (values: Map<number, string>) => named(draw(term, values).boxes, "a")[0].width;
  expect(widthOf(new Map())).toBe(34);
  expect(widthOf(new Map([[0, "0x3f800000"]]))).toBeGreaterThanOrEqual(8 * "0x3f800000".length);
});

test("an edge ends at its source and bows around boxes in between", () => {
  const { boxes } = draw(termOf(["a"], ["fneg", 0], ["fadd", 1, 0]));
  const [user] = named(boxes, "fadd");
  const [source] = named(boxes, "a");
  expect(edgePath(user, 0)).toMatch(new RegExp(`^M[\\d.]+ ${kBoxHeight} C.* ${topOf(user.sources[0])}$`));
  const bow = Number(/C([\d.]+)/.exec(edgePath(user, 1))?.[1]);
  expect(bow).toBeGreaterThan(source.x + source.width / 2);
  expect(edgePath(user, 1)).toMatch(new RegExp(` ${topOf(source)}$`));
});

test("a term whose nodes are all shared is drawn quickly", () => {
  const deep = termOf(["a"], ...Array.from({ length: 60 }, (_, i): [string, number, number] => ["iadd", i, i]));
  expect(draw(deep).boxes[60].layer).toBe(60);
});
