// Instructions that a search pattern matches more than once. Two nodes of a pattern are two instructions or one: after
// CSE, two nodes with the same op and the same operands are the same instruction, which makes each of its choices once
// (docs/float_contract.md 2). A rule is right only if it is right for each way in which its nodes can coincide.
#ifndef REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_
#define REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

// A case in which some nodes of the search are one instruction.
struct CoincidingCase {
  RuleCase rule_case;       // the nodes are merged, and have the flags and predicates of all of them
  std::string description;  // "n1 and n2 are one instruction, with c = a": nodes in prefix order of the search
};

// The most such cases that are verified.
inline constexpr size_t kMostCoincidences = 32;

// Returns every way in which nodes of the search that make choices can be one instruction, except that no node
// coincides with one of its own operands. Variables of nodes that coincide are replaced by one of them, or by the
// constant that the other node reads. Nodes whose choices no other instruction can observe are left alone. The same
// case returns the same list. ResourceExhausted: there are more than kMostCoincidences.
//
// The list does not include that a variable is bound to the result of another node of the search.
absl::StatusOr<std::vector<CoincidingCase>> CoincidingCases(const RuleCase& rule_case);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESA_COINCIDENCE_H_
