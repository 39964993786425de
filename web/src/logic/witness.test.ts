// Tests the values that a rule's nodes have for a witness.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { CaseVerdictSchema, WitnessSchema } from "../../gen/proto/rewrought/v1/proof_pb";
import { inputsOf, valuesOf } from "./witness";

test("values are assigned to the nodes of their side", () => {
  const one = create(CaseVerdictSchema, {
    explain: [
      { side: "search", node: "a", index: 0, values: ["0x7fc00000"] },
      { side: "search", node: "n2 = vec2 a, b", index: 2, values: ["0x1", "0x2"] },
      { side: "replace", node: "a", index: 0, values: ["0x00000000"] },
    ],
  });
  expect([...valuesOf(one, "search")]).toEqual([
    [0, "0x7fc00000"],
    [2, "0x1,0x2"],
  ]);
  expect([...valuesOf(one, "replace")]).toEqual([[0, "0x00000000"]]);
});

test("root flags that are not set are not inputs", () => {
  const witness = create(WitnessSchema, { vars: { b: "0x00", root_nsz: "0x0", a: "0x01", root_nnan: "0x1" } });
  expect(inputsOf(witness)).toEqual([
    ["a", "0x01"],
    ["b", "0x00"],
    ["root_nnan", "0x1"],
  ]);
});
