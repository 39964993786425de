// Edits rules with open sizes, and measures their cost.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_RULE_EDIT_H_
#define REWROUGHT_PIPELINE_GENERALIZE_RULE_EDIT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dialect/dialect.h"
#include "ir/term.h"
#include "ir/text/sizes.h"

namespace rewrought::pipeline {

// Returns the rule as a parser would read its displayed text: literals are numbers, sizes are written only where the
// rest does not imply them, and unused nodes are gone. Fails if the text does not parse.
absl::StatusOr<ir::Rule> Normalized(const ir::Rule& rule, ir::Dialect dialect);

// Returns the rule at each of its sizes, or an empty list if its sizes are inconsistent.
std::vector<ir::Rule> AtAllSizes(const ir::Rule& rule, const ir::SizeOptions& options);

// Returns the rule with every size written, at 32 bits if possible and otherwise at its first sizes. Fails if its sizes
// are inconsistent.
absl::StatusOr<ir::Rule> AtUsualSizes(const ir::Rule& rule, const ir::SizeOptions& options);

// Returns a text that is the same for two subterms if they have the same ops, variables, literals, and swizzles. Sizes,
// flags, and predicates are ignored.
std::string ShapeOf(const ir::Term& term, ir::NodeIndex node);

bool IsUsedOnce(const ir::Node& node);

// Returns, for each node, whether it is reachable from the root.
std::vector<bool> ReachedNodes(const ir::Term& term);

// Returns a variable name, consisting only of letters, that the rule does not use.
std::string FreshName(const ir::Rule& rule);

ir::Node VariableNode(absl::string_view name, uint8_t bits);

// Returns whether the search binds every variable of the replacement.
bool BindsAll(const ir::Rule& rule);

// The numbers of instructions that the rule adds and removes. `added` does not count negations and absolute values, ops
// whose operands are all constant, and values that the search also computes. `removed` counts the root and the inner
// ops that the matcher knows to have no other user; `matched` counts all ops of the search.
struct RuleCost {
  int added = 0, removed = 0, matched = 0;
};
RuleCost CostOf(const ir::Rule& rule);

// Returns the number of instructions in the replacement. Counts like RuleCost::added, except that values of the search
// count too.
int InstructionsOf(const ir::Rule& rule);

// Returns whether `general` still saves instructions if nothing else reads the values of its search: at least one, or
// at least as many as `special` saves.
bool StillSaves(const ir::Rule& special, const ir::Rule& general);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_RULE_EDIT_H_
