// Rules that group the operands of a chain (corpus/chains.h) so that several chains share an instruction: a * b * c as
// a * (b * c) where others multiply b and c as well.
#ifndef REWROUGHT_RULES_SHARING_H_
#define REWROUGHT_RULES_SHARING_H_

#include <optional>
#include <string>

#include "ir/op_row.h"
#include "ir/term.h"

namespace rewrought::rules {

// 1 or 2: a variable of `search` is_shared_with_outer or is_shared_with_second_outer. Nothing: none is.
std::optional<int> SharingLevels(const ir::Term& search);

// For a fragment of two or three instructions of one op that form a chain, and variables alone: the rule that puts the
// variable called `shared`, which the innermost instruction reads, together with what the root reads. Nothing: it is no
// such fragment. Whether the rule holds is the caller's to prove.
std::optional<ir::Rule> SharingRule(const ir::Term& fragment, const std::string& shared);

// Whether `rule` is one that SharingRule gives, inner ops marked or not: both sides are trees of one commutative and
// associative op over the same distinct variables, and one of these is shared.
bool IsSharing(const ir::Rule& rule);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SHARING_H_
