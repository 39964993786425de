// Derives properties of a run from its record.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Run, RunState } from "../../gen/proto/rewrought/v1/run_pb";

// The counts of a run, in the order of the steps that fragments and candidates pass through.
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

// Returns whether a server created the run. Only such runs can be stopped and resumed here.
export const isOurs = (run: Run) => run.id.startsWith("serve-");

export const isOver = (run: Run) => run.state !== RunState.RUNNING && run.state !== RunState.QUEUED;

export const isResumable = (run: Run) =>
  isOurs(run) && [RunState.CANCELLED, RunState.FAILED, RunState.PAUSED].includes(run.state);

const kSilence = 15 * 60 * 1000;

// Returns whether the process of the run seems to have ended. A killed process leaves its run in the state RUNNING, so
// only the time of the last update reveals that it has ended. `now` is in milliseconds since 1970.
export const isSilent = (run: Run, now: number) =>
  run.state === RunState.RUNNING && run.updated !== undefined && now - timestampMs(run.updated) > kSilence;

// Returns the filled part of a bar for a count, from 0 to 1, on a logarithmic scale that ends at `most`.
export const barOf = (count: number, most: number) => Math.log1p(count) / Math.log1p(Math.max(1, most));
