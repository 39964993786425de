// Returns the values that a rule's nodes have for a witness.
import type { CaseVerdict } from "../../gen/proto/rewrought/v1/proof_pb";

// Maps each node's index in the side's term to its value, with components separated by commas.
export const valuesOf = (one: CaseVerdict, side: "search" | "replace") =>
  new Map(one.explain.filter((node) => node.side === side).map((node) => [node.index, node.values.join(",")]));
