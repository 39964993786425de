// A second encoding for rules over the reals: both sides computed by the processor in `long double` with a running
// bound of the error, not by our rows and not by normal forms.
#ifndef REWROUGHT_VERIFIER_ORACLE_HOST_REALS_H_
#define REWROUGHT_VERIFIER_ORACLE_HOST_REALS_H_

#include <cstdint>

#include "ir/term.h"
#include "verifier/oracle/host_oracle.h"

namespace rewrought::verifier {

// Compares the two sides at random points that meet the search's predicates (0, ±1, ±2, ±1/2 and magnitudes from 2^-8
// to 2^8, half of them in 0..1; Booleans either), until `wanted` agree within their errors' bounds; eight times as
// many are tried at most. Set aside: where the search side does not exist over the reals, or a comparison or rounding
// is decided by less than the error. Scalar terms of floats of one size and Booleans.
OracleTally CompareOverHostReals(const ir::Term& search, const ir::Term& replace, uint64_t wanted);

inline constexpr char kHostRealsName[] = "host long double";

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_ORACLE_HOST_REALS_H_
