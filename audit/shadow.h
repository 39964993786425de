// Rules that never fire because an earlier rule of the same pass takes everything that they match.
#ifndef REWROUGHT_AUDIT_SHADOW_H_
#define REWROUGHT_AUDIT_SHADOW_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/term.h"

namespace rewrought::audit {

struct PassRule {
  std::optional<ir::Rule> rule;  // nothing where it could not be read; `condition` is the C text
};

// For each rule of one pass, in order: the first earlier rule that matches every program which it matches, at every
// assignment of sizes, and whose condition holds whenever its own does (it is empty, or its parts are among its own).
// Only where that is certain: `~` of the earlier one only under `~` of the later, predicates of the earlier one only on
// what carries the same predicate or is a constant that meets it, flags only where the later one asks for them.
std::vector<std::optional<size_t>> FindShadows(const std::vector<PassRule>& pass);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_SHADOW_H_
