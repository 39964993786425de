// Tests which of the received programs the page shows.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ImproveResponseSchema } from "../../gen/proto/rewrought/v1/improve_service_pb";
import { Verdict } from "../../gen/proto/rewrought/v1/proof_pb";
import { firstOf, isCheaper, startedOn, withProgram, worthRounding } from "./best";

const program = (name: string, verdict: Verdict, cycles: number, latency = 0, inexact = false) =>
  create(ImproveResponseSchema, { program: name, verdict, inexact, cost: { cycles, latency } });
const after = (...programs: ReturnType<typeof program>[]) => programs.reduce(withProgram, startedOn("agx_g13"));

test("nothing yet", () => {
  expect(startedOn("agx_g13")).toEqual({ machine: "agx_g13", count: 0, busy: true, problem: "" });
});

test("the cheapest proved program is the best, in any order of arrival", () => {
  const found = after(
    program("base", Verdict.PROVED, 4),
    program("better", Verdict.PROVED, 2),
    program("worse", Verdict.PROVED, 3),
  );
  expect(found.best?.program).toBe("better");
  expect(found.count).toBe(3);
});

test("latency decides between equal cycles", () => {
  expect(isCheaper(program("a", Verdict.PROVED, 2, 5), program("b", Verdict.PROVED, 2, 6))).toBe(true);
  expect(isCheaper(program("a", Verdict.PROVED, 2, 6), program("b", Verdict.PROVED, 2, 6))).toBe(false);
});

test("an unproved program is shown only until a proved one arrives", () => {
  const first = after(program("unknown", Verdict.UNKNOWN, 1));
  expect(first.best?.program).toBe("unknown");
  expect(withProgram(first, program("cheaper, unknown", Verdict.UNKNOWN, 0)).best?.program).toBe("unknown");
  const proved = withProgram(first, program("proved", Verdict.PROVED, 9));
  expect(proved.best?.program).toBe("proved");
  expect(withProgram(proved, program("refuted", Verdict.REFUTED, 1)).best?.program).toBe("proved");
});

test("a cheaper program that changes rounding is shown in addition to the best", () => {
  const proved = program("proved", Verdict.PROVED, 3);
  const rounding = (cycles: number) => program(`rounding ${cycles}`, Verdict.REFUTED, cycles, 0, true);
  expect(worthRounding(after(proved, rounding(2), rounding(1)))?.program).toBe("rounding 1");
  expect(worthRounding(after(proved, rounding(4)))).toBeUndefined();
  expect(worthRounding(after(rounding(4)))?.program).toBe("rounding 4");
  expect(worthRounding(after(proved))).toBeUndefined();
  expect(firstOf(after(proved, rounding(2)))?.program).toBe("proved");
  expect(firstOf(after(rounding(4)))).toBeUndefined();
});
