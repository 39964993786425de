// Rules that regroup the operands of a chain (corpus/chains.h) so that several chains share an instruction: a * b * c
// becomes a * (b * c) if other chains also multiply b and c.
#ifndef REWROUGHT_RULES_SHARING_H_
#define REWROUGHT_RULES_SHARING_H_

#include <optional>
#include <string>

#include "ir/op_row.h"
#include "ir/term.h"

namespace rewrought::rules {

// Returns 1 if a variable of `search` has the predicate is_shared_with_outer, 2 if one has is_shared_with_second_outer,
// and otherwise nullopt.
std::optional<int> SharingLevels(const ir::Term& search);

// Returns the rule that groups variable `shared` with the root's other operand. The fragment must be a chain of two or
// three instructions of one op on distinct variables, and its innermost instruction must read `shared`; otherwise
// returns nullopt. The caller must prove the rule.
std::optional<ir::Rule> SharingRule(const ir::Term& fragment, const std::string& shared);

// Returns whether `rule` has the form that SharingRule returns, except for flags and predicates on ops: both sides are
// trees of one commutative and associative op over the same distinct variables, one of which is marked as shared.
bool IsSharing(const ir::Rule& rule);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SHARING_H_
