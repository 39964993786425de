// What can be said of a run from its record.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Run, RunState } from "../../gen/proto/rewrought/v1/run_pb";

// What a run counts, in the order in which fragments and candidates go through it.
export const kSteps = [
  "fragments",
  "enumerated",
  "distinct",
  "candidates",
  "refuted",
  "proved",
  "unknown",
  "general",
  "minimal",
] as const;

// A run that a server made; only those can be stopped and resumed from here.
export const isOurs = (run: Run) => run.id.startsWith("serve-");

export const isOver = (run: Run) => run.state !== RunState.RUNNING && run.state !== RunState.QUEUED;

export const isResumable = (run: Run) =>
  isOurs(run) && [RunState.CANCELLED, RunState.FAILED, RunState.PAUSED].includes(run.state);

const kSilence = 15 * 60 * 1000;

// A process that is killed leaves its run as it was. `now`: milliseconds since 1970.
export const isSilent = (run: Run, now: number) =>
  run.state === RunState.RUNNING && run.updated !== undefined && now - timestampMs(run.updated) > kSilence;

// The part of a bar that a count fills, 0 to 1, on a logarithmic scale up to `most`.
export const barOf = (count: number, most: number) => Math.log1p(count) / Math.log1p(Math.max(1, most));
