// A second evaluator that computes search sides with the processor's float and integer units instead of our rows.
#ifndef REWROUGHT_VERIFIER_ORACLE_HOST_ORACLE_H_
#define REWROUGHT_VERIFIER_ORACLE_HOST_ORACLE_H_

#include <cstdint>
#include <string>

#include "ir/term.h"

namespace rewrought::verifier {

struct OracleTally {
  bool covered = false;  // every op of the search is supported
  uint64_t agreed = 0;   // vectors on which replacement and host agree
  uint64_t disagreed = 0;
  uint64_t set_aside = 0;  // vectors on which flags or an undefined conversion permit any result
};

// Compares `replace`, evaluated by our rows in mode `any` with default choices (no flushing), with the host's values of
// `search`. There are several such values if the signs of zeros are free. Uses random and special vectors that satisfy
// the search's predicates, until `wanted` vectors agree or four times as many have been tried. Supports 32-bit and
// 1-bit scalar terms.
OracleTally CompareWithHost(const ir::Term& search, const ir::Term& replace, uint64_t wanted);

// Returns whether the pattern `bits`, read as a float of the variable's size, satisfies the variable's predicates.
// Predicates about the defining instruction or about other users do not restrict values and always count as satisfied.
bool MeetsPredicates(const ir::Node& variable, uint64_t bits);

inline constexpr char kHostOracleName[] = "host float unit";

// The version of the supported ops and of the sampling. Increment it when either changes, so that rules without
// confirmation are checked again.
inline constexpr int kHostOracleVersion = 3;

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_ORACLE_HOST_ORACLE_H_
