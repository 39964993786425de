// Finds the ways in which several nodes of a search pattern can match the same instruction. After CSE, two nodes with
// the same op and the same operands match the same instruction, which makes each of its choices once
// (docs/float_contract.md 2). A rule is correct only if it is correct for each of these ways.
#ifndef REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_
#define REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

// A case in which some nodes of the search match the same instruction.
struct CoincidingCase {
  RuleCase rule_case;       // a merged node has the flags and predicates of all its nodes
  std::string description;  // "('fabs', 'a') and ('fabs', 'b') match the same instruction"
};

// The maximum number of ways to merge nodes that CoincidingCases considers. Ways whose effects no instruction can
// observe also count.
inline constexpr size_t kMostCoincidences = 32;

// Returns the cases that cover every way in which nodes of the search that make choices can match the same instruction.
// In each case, nodes with the same op, operands, and flags match the same instruction. If this makes two variables
// equal, one replaces the other. If it makes a variable equal to a constant, the constant replaces the variable, with
// one case for each sign that a zero may have. If it binds a variable to the result of an op of the search, the
// replacement reads that instruction. Ignores nodes whose choices no other instruction can observe, and coincidences
// that would give a node marked is_used_once a second use. The result is deterministic.
//
// The result also contains the cases in which a variable is bound to the result of an op that may choose the sign of a
// zero or return any value. It does not contain such cases if the op's only choices are NaN patterns and denormal
// flushes.
//
// Fails with ResourceExhausted if there are more than kMostCoincidences ways, and with Unimplemented if components of
// vectors, or a predicate on a result, determine whether nodes can match the same instruction, or if the search
// contains several ffma_weak.
absl::StatusOr<std::vector<CoincidingCase>> CoincidingCases(const RuleCase& rule_case);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_
