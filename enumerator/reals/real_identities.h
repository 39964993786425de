// Identities over the reals, as rules: what a search for cheaper forms of sums, products and functions may use. They
// only propose; each is proved over the reals in the tests, and each form that comes of them before it is a rule.
#ifndef REWROUGHT_ENUMERATOR_REALS_REAL_IDENTITIES_H_
#define REWROUGHT_ENUMERATOR_REALS_REAL_IDENTITIES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// The texts, "(search, replace)": true wherever the search side exists. Operand order of commutative ops does not
// matter.
const std::vector<absl::string_view>& RealIdentityTexts();

// The rules at a float size of 16, 32 or 64 bits, Booleans of one bit; those that have no such size are left out.
// Parsed once per size; the references live as long as the program.
const std::vector<ir::Rule>& RealIdentities(int bits);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_REALS_REAL_IDENTITIES_H_
