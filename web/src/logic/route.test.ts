// Addresses of the web UI, both ways.
import { expect, test } from "vitest";
import { hashOf, listOf, placeOf, toggled } from "./route";

test("an empty hash is the list of rules", () => {
  for (const hash of ["", "#"]) expect(placeOf(hash)).toMatchObject({ path: "/rules", part: "rules", id: "" });
});

test("a path is a part and an id", () => {
  expect(placeOf("#/rule/ab12")).toMatchObject({ path: "/rule/ab12", part: "rule", id: "ab12" });
  expect(placeOf("#nonsense").part).toBe("");
});

test("what is written is what is read, whatever stands in the fields", () => {
  const rule = "(('fadd', a, ('fneg', b)), 0.0, 'a?b&c=d#é%')";
  const { part, query } = placeOf(hashOf("/play", { rule, machine: "agx_g13" }));
  expect(part).toBe("play");
  expect(Object.fromEntries(query)).toEqual({ rule, machine: "agx_g13" });
});

test("empty fields are left out", () => {
  expect(hashOf("/rules", { op: "", text: "" })).toBe("#/rules");
  expect(hashOf("/rules", { op: "fadd", text: "" })).toBe("#/rules?op=fadd");
});

test("lists", () => {
  expect(listOf(new URLSearchParams("id=a,b,"), "id")).toEqual(["a", "b"]);
  expect(listOf(new URLSearchParams(""), "id")).toEqual([]);
});

test("a list is toggled, and the oldest make room", () => {
  expect(toggled(["a", "b"], "a")).toEqual(["b"]);
  expect(toggled(["a", "b"], "c")).toEqual(["a", "b", "c"]);
  expect(toggled(["a", "b"], "c", 2)).toEqual(["b", "c"]);
});
