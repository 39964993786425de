// What a search for better code has found on one machine, as programs come in.

import type { ImproveResponse } from "../../gen/proto/rewrought/v1/improve_service_pb";
import { Verdict } from "../../gen/proto/rewrought/v1/proof_pb";

export interface Found {
  machine: string;
  best?: ImproveResponse;
  inexact?: ImproveResponse; // the cheapest that only changes rounding
  count: number;
  busy: boolean;
  problem: string;
}

export const startedOn = (machine: string): Found => ({ machine, count: 0, busy: true, problem: "" });

// By cycles, then by latency. What has no cost is not cheaper.
export const isCheaper = (one: ImproveResponse, than?: ImproveResponse) =>
  !!one.cost &&
  !!than?.cost &&
  (one.cost.cycles < than.cost.cycles ||
    (one.cost.cycles === than.cost.cycles && one.cost.latency < than.cost.latency));

export const isProved = (one?: ImproveResponse) => one?.verdict === Verdict.PROVED;

// Candidates come with their verdicts, refuted ones too: one of them is shown only while nothing is proved.
function isBetter(one: ImproveResponse, than?: ImproveResponse): boolean {
  if (!than || isProved(one) !== isProved(than)) return !than || isProved(one);
  return isProved(one) && isCheaper(one, than);
}

// What is shown first: one that is not proved only where nothing else can be.
export const firstOf = (found: Found) => (isProved(found.best) || !worthRounding(found) ? found.best : undefined);

export function withProgram(found: Found, one: ImproveResponse): Found {
  const takes = one.inexact && (!found.inexact || isCheaper(one, found.inexact));
  return {
    ...found,
    count: found.count + 1,
    best: isBetter(one, found.best) ? one : found.best,
    inexact: takes ? one : found.inexact,
  };
}

// The one that only changes rounding, where it beats what is proved.
export const worthRounding = ({ best, inexact }: Found) =>
  inexact && (!isProved(best) || isCheaper(inexact, best)) ? inexact : undefined;
