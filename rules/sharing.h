// Rules that regroup the operands of a chain (corpus/chains.h) so that several chains share an instruction: a * b * c
// becomes a * (b * c) if other chains also multiply b and c.
#ifndef REWROUGHT_RULES_SHARING_H_
#define REWROUGHT_RULES_SHARING_H_

#include <optional>
#include <string>

#include "ir/op_row.h"
#include "ir/term.h"

namespace rewrought::rules {

// Returns 1 if a variable of `search` is_shared_with_outer, 2 if one is_shared_with_second_outer, or no value.
std::optional<int> SharingLevels(const ir::Term& search);

// For a chain of two or three instructions of one op on distinct variables, returns the rule that groups the variable
// `shared`, which the innermost instruction reads, with the root's other operand. Returns no rule for other
// fragments. The caller must prove the rule.
std::optional<ir::Rule> SharingRule(const ir::Term& fragment, const std::string& shared);

// Returns whether `rule` has the form of SharingRule, with or without marks on inner ops: both sides are trees of one
// commutative and associative op over the same distinct variables, one of which is shared.
bool IsSharing(const ir::Rule& rule);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SHARING_H_
