// Shaders that must get the same bits as others: two that compute one position, for a depth pass and for colour, say.
// Inexact rules that are applied in one of them only break that, so that those keep out of their stages.
#ifndef REWROUGHT_RULES_POSITIONS_H_
#define REWROUGHT_RULES_POSITIONS_H_

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::rules {

// Whether shaders of `stage` ("vertex", "fragment", ...) compute positions that another shader may have to repeat, and
// whose authors rely on that without saying `invariant`: vertex and geometry shaders. Mesa 25.0.7 keeps a rule of its
// own out of these for that reason (nir_opt_algebraic.py:3516; freedesktop.org bug 111490).
bool ComputesPositions(absl::string_view stage);

// Whether a predicate on an op of `search` looks at who else uses its value (is_used_once): the rule may then be
// applied in one of two shaders that have the same computation. Without one it is applied in both or in neither.
bool LooksAtOtherUsers(const ir::Term& search);

// `rule` without what its search looks at other users by: the form that is applied in both shaders or in neither.
ir::Rule FormForPositions(const ir::Rule& rule);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_POSITIONS_H_
