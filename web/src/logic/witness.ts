// Returns the values that a rule's nodes have for a witness.
import type { CaseVerdict, Witness } from "../../gen/proto/rewrought/v1/proof_pb";

// Maps each node's index in the side's term to its value, with components separated by commas.
export const valuesOf = (one: CaseVerdict, side: "search" | "replace") =>
  new Map(one.explain.filter((node) => node.side === side).map((node) => [node.index, node.values.join(",")]));

// Returns the inputs of a witness, sorted by name. Omits root flags that are not set, because they explain nothing.
export const inputsOf = (witness: Witness) =>
  Object.entries(witness.vars)
    .filter(([name, bits]) => !name.startsWith("root_") || BigInt(bits) !== 0n)
    .sort(([a], [b]) => a.localeCompare(b));
