// Keeps the results of a search for better code on one machine, and updates them as programs arrive.

import type { ImproveResponse } from "../../gen/proto/rewrought/v1/improve_service_pb";
import { Verdict } from "../../gen/proto/rewrought/v1/proof_pb";

export interface Found {
  machine: string;
  best?: ImproveResponse;
  inexact?: ImproveResponse; // the cheapest program that only changes rounding
  count: number;
  busy: boolean;
  problem: string;
}

export const startedOn = (machine: string): Found => ({ machine, count: 0, busy: true, problem: "" });

// Compares cycles, then latency. A program that has no cost is never cheaper.
export const isCheaper = (one: ImproveResponse, than?: ImproveResponse) =>
  !!one.cost &&
  !!than?.cost &&
  (one.cost.cycles < than.cost.cycles ||
    (one.cost.cycles === than.cost.cycles && one.cost.latency < than.cost.latency));

export const isProved = (one?: ImproveResponse) => one?.verdict === Verdict.PROVED;

// The service also streams refuted candidates. An unproved candidate is shown only while no program is proved.
function isBetter(one: ImproveResponse, than?: ImproveResponse): boolean {
  if (!than || isProved(one) !== isProved(than)) return !than || isProved(one);
  return isProved(one) && isCheaper(one, than);
}

// Returns the program to show first. The program is unproved only if there is no better choice.
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

// Returns the program that changes only the rounding, if it is cheaper than the best proved program.
export const worthRounding = ({ best, inexact }: Found) =>
  inexact && (!isProved(best) || isCheaper(inexact, best)) ? inexact : undefined;
