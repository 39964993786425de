// Checks whether rewriting with a set of rules terminates, by rewriting the rules' own sides in every possible way.
#ifndef REWROUGHT_RULES_TERMINATION_H_
#define REWROUGHT_RULES_TERMINATION_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "rules/term_explorer.h"

namespace rewrought::rules {

// Rewrites both sides of every pack rule with all rules, at up to four size assignments, at every node and in every
// order, with constant folding. Also rewrites, with the rule alone, its search side where a variable is a constant or
// one of its own inner ops, or an inner op is the rule again. If this finds nothing, does the same for every two
// rules that keep the number of ops. Reports cycles that include a pack rule, and terms from which more than
// `max_states` terms are reached; at most one finding per rule or pair. Predicates and conditions count as true
// unless the term shows otherwise, and open constants are samples, so a reported cycle may be impossible in a shader.
// Returns InvalidArgument naming a rule that cannot be compiled.
absl::StatusOr<std::vector<TerminationFinding>> CheckTermination(const std::vector<ir::Rule>& pack,
                                                                 const std::vector<ir::Rule>& tree, size_t max_states);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TERMINATION_H_
