// Tests the plot of savings over time.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { SavingsStepSchema } from "../../gen/proto/rewrought/v1/run_service_pb";
import { axisEnd, mostSaved, spanText, stepPath } from "./savings";

const steps = [
  { seconds: 0, rules: 1n, discoveryCycles: 10, heldOutCycles: 0 },
  { seconds: 50, rules: 2n, discoveryCycles: 40, heldOutCycles: 20 },
  { seconds: 100, rules: 2n, discoveryCycles: 40, heldOutCycles: 20 },
].map((step) => create(SavingsStepSchema, step));

test("an axis ends at a round number that covers all values", () => {
  expect([0, 1, 1.1, 37, 200, 201, 99999].map(axisEnd)).toEqual([1, 1, 2, 50, 200, 500, 100000]);
  expect(mostSaved(steps)).toBe(40);
  expect(mostSaved([])).toBe(0);
});

test("a line is horizontal between steps and ends at the end of the runs", () => {
  const box = { width: 100, height: 50, seconds: 100, cycles: 50 };
  expect(stepPath(steps, "discoveryCycles", box)).toBe("M0 50.0H0.0V40.0H50.0V10.0H100.0V10.0");
  expect(stepPath(steps, "heldOutCycles", box)).toBe("M0 50.0H0.0V50.0H50.0V30.0H100.0V30.0");
});

test("durations have readable units", () => {
  expect([3.4, 90, 720, 12600].map(spanText)).toEqual(["3 s", "90 s", "12 min", "3.5 h"]);
});
