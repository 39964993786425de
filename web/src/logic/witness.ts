// What the nodes of a rule give on a witness.
import type { CaseVerdict } from "../../gen/proto/rewrought/v1/proof_pb";

// By index of the node in the side's term, components separated by commas.
export const valuesOf = (one: CaseVerdict, side: "search" | "replace") =>
  new Map(one.explain.filter((node) => node.side === side).map((node) => [node.index, node.values.join(",")]));
