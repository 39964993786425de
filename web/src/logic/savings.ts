// Computes the plot of savings over search time.
import type { SavingsStep } from "../../gen/proto/rewrought/v1/run_service_pb";

export type Part = "discoveryCycles" | "heldOutCycles";

// Returns the end of an axis: a round number that is at least `most`, or 1 if `most` is not positive.
export function axisEnd(most: number): number {
  if (!(most > 0)) return 1;
  const decade = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((digit) => digit * decade).find((end) => end >= most * (1 - 1e-9)) ?? 10 * decade;
}

// Returns the largest savings on either part of the corpus.
export const mostSaved = (steps: SavingsStep[]) =>
  steps.reduce((most, step) => Math.max(most, step.discoveryCycles, step.heldOutCycles), 0);

// Returns an SVG path in a box of `width` by `height` that has its origin at the lower left. The path is horizontal
// between steps and rises at each step. `seconds` and `cycles` are the ends of the axes.
export function stepPath(
  steps: SavingsStep[],
  part: Part,
  { width, height, seconds, cycles }: { width: number; height: number; seconds: number; cycles: number },
): string {
  const x = (at: number) => ((width * at) / seconds).toFixed(1);
  const y = (of: number) => (height * (1 - Math.max(0, of) / cycles)).toFixed(1);
  return `M0 ${y(0)}${steps.map((step) => `H${x(step.seconds)}V${y(step[part])}`).join("")}`;
}

// Formats seconds as "90 s", "12 min" or "3.5 h".
export function spanText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 360) / 10} h`;
}
