// Finds the ways in which several nodes of a search pattern can match the same instruction. After CSE, two nodes with
// the same op and the same operands are one instruction, which makes each of its choices once (docs/float_contract.md
// 2). A rule is right only if it is right for each of these ways.
#ifndef REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_
#define REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

// A case in which some nodes of the search are one instruction.
struct CoincidingCase {
  RuleCase rule_case;       // a merged node has the flags and predicates of all its nodes
  std::string description;  // "n1 and n2 are one instruction": nodes in prefix order of the search
};

// The maximum number of ways in which nodes can coincide that CoincidingCases considers.
inline constexpr size_t kMostCoincidences = 32;

// Returns a case for every way in which nodes of the search that make choices can be one instruction, except that no
// node coincides with one of its own operands. If two variables are then the same value, one replaces the other; if a
// variable is then a constant, the constant replaces it. Ignores nodes whose choices no other instruction can observe.
// The result is deterministic. Fails with ResourceExhausted if there are more than kMostCoincidences cases.
//
// The result does not include cases in which a variable is bound to the result of another node of the search.
absl::StatusOr<std::vector<CoincidingCase>> CoincidingCases(const RuleCase& rule_case);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_
