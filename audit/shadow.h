// Finds rules that never apply, because an earlier rule of the same pass matches everything that they match.
#ifndef REWROUGHT_AUDIT_SHADOW_H_
#define REWROUGHT_AUDIT_SHADOW_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/term.h"
#include "ir/text/sizes.h"

namespace rewrought::audit {

struct PassRule {
  std::optional<ir::Rule> rule;  // Empty if the rule could not be read; rule->condition is C text.
};

// Returns, for each rule of a pass in order, the first earlier rule that shadows it. The earlier rule must match every
// program that the later one matches, at every assignment of sizes. Each `&&` part of the earlier rule's condition must
// also be a part of the later rule's condition. If the earlier rule is marked `~`, the later one must be marked as
// well. A predicate of the earlier rule must be on a value for which the later rule requires the same predicate, or on
// a constant that satisfies it. The later rule must require all flags that the earlier one requires. In Mesa 26, the
// root of the later rule must be marked `~` if the earlier rule is, and `~` or `contract` if the earlier rule is marked
// `contract`. `sizes` contains the options with which the rules are read; `literals_exact` is set for Mesa 26.
std::vector<std::optional<size_t>> FindShadows(const std::vector<PassRule>& pass, const ir::SizeOptions& sizes = {});

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_SHADOW_H_
