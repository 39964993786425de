// Shaders whose results must equal another shader's, such as two that compute the same position for a depth pass and
// for color. An inexact rule that applies in only one of them breaks this, so such rules are not used in their
// stages.
#ifndef REWROUGHT_RULES_POSITIONS_H_
#define REWROUGHT_RULES_POSITIONS_H_

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::rules {

// Returns whether shaders of `stage` ("vertex", "fragment", ...) compute positions that another shader may have to
// reproduce, and whose authors rely on this without `invariant`: vertex and geometry shaders. Mesa 25.0.7 excludes
// one of its own rules from them for this reason (nir_opt_algebraic.py:3516; freedesktop.org bug 111490).
bool ComputesPositions(absl::string_view stage);

// Returns whether a predicate on an op of `search` depends on other users of its value (is_used_once). The rule may
// then apply in only one of two shaders with the same computation; otherwise it applies in both or neither.
bool DependsOnOtherUsers(const ir::Term& search);

// Removes the predicates on other users, so that the rule applies in both shaders or in neither.
ir::Rule FormForPositions(const ir::Rule& rule);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_POSITIONS_H_
