// Tests that URLs of the web UI are formatted and parsed correctly.
import { expect, test } from "vitest";
import { hashOf, listOf, placeOf, toggled } from "./route";

test("an empty hash means the list of rules", () => {
  for (const hash of ["", "#"]) expect(placeOf(hash)).toMatchObject({ path: "/rules", part: "rules", id: "" });
});

test("a path consists of a part and an id", () => {
  expect(placeOf("#/rule/ab12")).toMatchObject({ path: "/rule/ab12", part: "rule", id: "ab12" });
  expect(placeOf("#nonsense").part).toBe("");
});

test("any field values survive a round trip", () => {
  const rule = "(('fadd', a, ('fneg', b)), 0.0, 'a?b&c=d#é%')";
  const { part, query } = placeOf(hashOf("/play", { rule, machine: "agx_g13" }));
  expect(part).toBe("play");
  expect(Object.fromEntries(query)).toEqual({ rule, machine: "agx_g13" });
});

test("empty fields are omitted", () => {
  expect(hashOf("/rules", { op: "", text: "" })).toBe("#/rules");
  expect(hashOf("/rules", { op: "fadd", text: "" })).toBe("#/rules?op=fadd");
});

test("lists", () => {
  expect(listOf(new URLSearchParams("id=a,b,"), "id")).toEqual(["a", "b"]);
  expect(listOf(new URLSearchParams(""), "id")).toEqual([]);
});

test("toggling adds or removes a value, and the oldest values make room", () => {
  expect(toggled(["a", "b"], "a")).toEqual(["b"]);
  expect(toggled(["a", "b"], "c")).toEqual(["a", "b", "c"]);
  expect(toggled(["a", "b"], "c", 2)).toEqual(["b", "c"]);
});
