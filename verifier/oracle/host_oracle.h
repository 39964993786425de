// A second encoding: search sides evaluated by the processor's own float and integer units, not by our rows.
#ifndef REWROUGHT_VERIFIER_ORACLE_HOST_ORACLE_H_
#define REWROUGHT_VERIFIER_ORACLE_HOST_ORACLE_H_

#include <cstdint>
#include <string>

#include "ir/term.h"

namespace rewrought::verifier {

struct OracleTally {
  bool covered = false;  // every op of the search has a meaning here
  uint64_t agreed = 0;   // vectors on which the replacement gives what the host gives
  uint64_t disagreed = 0;
  uint64_t set_aside = 0;  // where flags or an undefined conversion admit anything
};

// Compares `replace`, evaluated by our rows in mode `any` with every choice at its plainest (nothing is flushed), with
// the host's values of `search` (several where the signs of zeros are free), on random and special vectors that meet
// the search's predicates, until `wanted` agree; four times as many are tried at most. Scalar terms of 32 bits and 1
// bit.
OracleTally CompareWithHost(const ir::Term& search, const ir::Term& replace, uint64_t wanted);

// Whether the pattern `bits`, of the variable's size, meets its predicates read as a float's. Those of what computes
// it, and of who else reads it, say nothing of values and are met.
bool MeetsPredicates(const ir::Node& variable, uint64_t bits);

inline constexpr char kHostOracleName[] = "host float unit";

// Of what the oracle covers and draws: counted up with it, so that rules which it could not confirm are asked again.
inline constexpr int kHostOracleVersion = 3;

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_ORACLE_HOST_ORACLE_H_
