// Finds where rules would fire in an expression.
#ifndef REWROUGHT_SERVER_HANDLERS_RULE_SEARCH_H_
#define REWROUGHT_SERVER_HANDLERS_RULE_SEARCH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "store/records.h"

namespace rewrought::rpc {

// The term of an expression at known sizes; what it leaves open is 32 bits where that is allowed, else the narrowest
// size. InvalidArgument: it does not parse, or its sizes contradict each other.
absl::StatusOr<ir::Term> ReadExpression(absl::string_view text);

struct FoundMatch {
  std::string node;    // "n0": the root; op nodes of the expression in prefix order, each at its first visit
  std::string result;  // the expression with the rule applied there; empty for a rule whose right side is a program
};

// Where `rule` fires in `term`, by node. Predicates that need to know values hold for constants only. None for a rule
// whose stored texts no longer parse.
std::vector<FoundMatch> MatchesOf(const store::RuleRecord& rule, const ir::Term& term);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_RULE_SEARCH_H_
