// Tests the description of a run from its record.
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { RunSchema, RunState } from "../../gen/proto/rewrought/v1/run_pb";
import { barOf, isOver, isResumable, isSilent } from "./run";

const kNow = Date.parse("2026-11-21T12:00:00Z");
const run = (state: RunState, fields = {}) => create(RunSchema, { id: "serve-1", state, ...fields });

test("a run is over when it is neither running nor queued", () => {
  expect([RunState.QUEUED, RunState.RUNNING].map((state) => isOver(run(state)))).toEqual([false, false]);
  expect([RunState.DONE, RunState.PAUSED, RunState.FAILED].map((state) => isOver(run(state)))).toEqual([
    true,
    true,
    true,
  ]);
});

test("a server's run that ended early can be resumed", () => {
  expect(isResumable(run(RunState.CANCELLED))).toBe(true);
  expect(isResumable(run(RunState.PAUSED, { id: "nightly-1" }))).toBe(false);
  expect(isResumable(run(RunState.DONE))).toBe(false);
  expect(isResumable(run(RunState.RUNNING))).toBe(false);
});

test("a run without an update for 15 minutes is silent", () => {
  expect(isSilent(run(RunState.RUNNING, { updated: timestampFromDate(new Date("2026-11-21T11:44:59Z")) }), kNow)).toBe(
    true,
  );
  expect(isSilent(run(RunState.RUNNING, { updated: timestampFromDate(new Date("2026-11-21T11:45:01Z")) }), kNow)).toBe(
    false,
  );
  expect(isSilent(run(RunState.DONE, { updated: timestampFromDate(new Date("2026-11-21T01:00:00Z")) }), kNow)).toBe(
    false,
  );
  expect(isSilent(run(RunState.RUNNING), kNow)).toBe(false);
});

test("bars", () => {
  expect(barOf(0, 1000)).toBe(0);
  expect(barOf(1000, 1000)).toBe(1);
  expect(barOf(0, 0)).toBe(0);
  expect(barOf(30, 1000)).toBeCloseTo(0.497, 2);
});
