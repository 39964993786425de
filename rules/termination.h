// Whether rewriting with a set of rules comes to an end, found out by rewriting their own sides in every possible way.
#ifndef REWROUGHT_RULES_TERMINATION_H_
#define REWROUGHT_RULES_TERMINATION_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "rules/term_explorer.h"

namespace rewrought::rules {

// Rewrites both sides of every pack rule with all rules, at up to four sizes each, at every place and in every order,
// folding constants. With the rule alone, its search side where a variable is a constant or one of its own inner ops,
// or an inner op is the rule again; and, if nothing was found before, so each two rules that leave as many ops as they
// find. Reports cycles in which a pack rule takes part, and starting terms from which more than `max_states` terms are
// reached. At most one finding per rule, or pair. Predicates count as true unless the term shows them to be false, and
// constants that a rule leaves open stand as samples: so a cycle may be reported that no shader shows. Conditions count
// as true. InvalidArgument names a rule that cannot be matched with.
absl::StatusOr<std::vector<TerminationFinding>> CheckTermination(const std::vector<ir::Rule>& pack,
                                                                 const std::vector<ir::Rule>& tree, size_t max_states);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TERMINATION_H_
