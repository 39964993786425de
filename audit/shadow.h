// Finds rules that never fire because an earlier rule of the same pass matches everything they match.
#ifndef REWROUGHT_AUDIT_SHADOW_H_
#define REWROUGHT_AUDIT_SHADOW_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/term.h"

namespace rewrought::audit {

struct PassRule {
  std::optional<ir::Rule> rule;  // empty if it could not be read; `condition` is the C text
};

// Returns, for each rule of a pass in order, the first earlier rule that matches every program the rule matches, at
// every assignment of sizes, and whose condition holds whenever the rule's does (it is empty, or its parts are among
// the rule's). Reports only certain cases: `~` of the earlier rule requires `~` of the later; predicates of the
// earlier rule must be on the later rule's values with the same predicate, or on constants that meet them; flags must
// be required by the later rule too.
std::vector<std::optional<size_t>> FindShadows(const std::vector<PassRule>& pass);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_SHADOW_H_
