// Finds the places in an expression where rules apply.
#ifndef REWROUGHT_SERVER_HANDLERS_RULE_SEARCH_H_
#define REWROUGHT_SERVER_HANDLERS_RULE_SEARCH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "store/records.h"

namespace rewrought::rpc {

// Parses an expression and determines its sizes. A size that the text leaves open becomes 32 bits if that is allowed,
// otherwise the smallest allowed size. Fails with InvalidArgument if the text does not parse or its sizes conflict.
absl::StatusOr<ir::Term> ReadExpression(absl::string_view text);

struct FoundMatch {
  std::string node;    // "n0" for the root; op nodes are numbered in prefix order, each at its first visit
  std::string result;  // the expression after the rule is applied there; empty if the rule's replacement is a program
};

// Returns the nodes of `term` where `rule` matches. Predicates about values hold only for constants and for nodes
// annotated in the expression. Returns no matches if the rule's stored texts no longer parse.
std::vector<FoundMatch> MatchesOf(const store::RuleRecord& rule, const ir::Term& term);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_RULE_SEARCH_H_
