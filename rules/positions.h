// Identifies shaders whose results must equal those of another shader, such as two shaders that compute the same
// position for a depth pass and a color pass. An inexact rule that applies in only one of the two makes their results
// differ, so such rules are not used in the stages of these shaders.
#ifndef REWROUGHT_RULES_POSITIONS_H_
#define REWROUGHT_RULES_POSITIONS_H_

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::rules {

// Returns whether shaders of `stage` ("vertex", "fragment", ...) compute positions that another shader may have to
// reproduce, even without `invariant`. This is true for vertex and geometry shaders. Mesa 25.0.7 does not apply one of
// its own rules to them for this reason (nir_opt_algebraic.py:3516; freedesktop.org bug 111490).
bool ComputesPositions(absl::string_view stage);

// Returns whether a predicate on an op of `search` depends on other users of the op's value (is_used_once). If so, the
// rule may apply in only one of two shaders that contain the same computation; otherwise it applies in both or in
// neither.
bool DependsOnOtherUsers(const ir::Term& search);

// Returns `rule` without the predicates that DependsOnOtherUsers detects, so that it applies in both shaders or in
// neither.
ir::Rule FormForPositions(const ir::Rule& rule);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_POSITIONS_H_
