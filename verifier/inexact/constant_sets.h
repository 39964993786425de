// Determines which variables of an inexact rule may be constants at the same time.
#ifndef REWROUGHT_VERIFIER_INEXACT_CONSTANT_SETS_H_
#define REWROUGHT_VERIFIER_INEXACT_CONSTANT_SETS_H_

#include <set>
#include <string>
#include <vector>

#include "ir/term.h"

namespace rewrought::verifier {

// Returns the maximal sets of variables of `search` that may be constants at the same time, by name. An op whose
// operands are all constants is folded, so it is never matched.
std::vector<std::set<std::string>> ConstantSets(const ir::Term& search);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_CONSTANT_SETS_H_
