// Checks whether rewriting with a set of rules terminates, by rewriting the sides of these rules in every possible way.
#ifndef REWROUGHT_RULES_TERMINATION_H_
#define REWROUGHT_RULES_TERMINATION_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "rules/term_explorer.h"

namespace rewrought::rules {

// Rewrites both sides of every pack rule with all rules, at up to four size assignments, at every node, in every order,
// and with constant folding. In addition, rewrites variants of each rule's search side with that rule alone. In such a
// variant, a variable is a constant or one of the inner ops, or an inner op is an instance of the whole search side. If
// this finds nothing, rewrites such variants with each pair of rules that preserve the number of ops. Reports cycles
// that include a pack rule, and terms from which more than `max_states` terms can be reached. Returns at most one
// finding for each rule, or a single finding for a pair of rules. Predicates and conditions count as true unless the
// term shows otherwise, and sample constants replace symbols, so a reported cycle may be impossible in a shader. If a
// rule cannot be compiled, returns InvalidArgument and names the rule.
absl::StatusOr<std::vector<TerminationFinding>> CheckTermination(const std::vector<ir::Rule>& pack,
                                                                 const std::vector<ir::Rule>& tree, size_t max_states);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TERMINATION_H_
