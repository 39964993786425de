// Identities over the reals, written as rules. They are used to find cheaper forms of sums, products, and functions.
// The tests prove each identity over the reals, and each resulting form is proved before it becomes a rule.
#ifndef REWROUGHT_ENUMERATOR_REALS_REAL_IDENTITIES_H_
#define REWROUGHT_ENUMERATOR_REALS_REAL_IDENTITIES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// Returns the identities as strings "(search, replace)". Each identity holds wherever its search side is defined. The
// operand order of commutative ops does not matter.
const std::vector<absl::string_view>& RealIdentityTexts();

// Returns the identities as rules at a float size of 16, 32, or 64 bits, with 1-bit Booleans. Omits identities whose
// ops do not have this size. The rules are cached, and the reference stays valid until the process exits.
const std::vector<ir::Rule>& RealIdentities(int bits);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_REALS_REAL_IDENTITIES_H_
