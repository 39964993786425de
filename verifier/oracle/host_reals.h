// A second evaluator for rules over the reals. Computes both sides in `long double` with a running error bound, instead
// of using our rows or normal forms.
#ifndef REWROUGHT_VERIFIER_ORACLE_HOST_REALS_H_
#define REWROUGHT_VERIFIER_ORACLE_HOST_REALS_H_

#include <cstdint>

#include "ir/term.h"
#include "verifier/oracle/host_oracle.h"

namespace rewrought::verifier {

// Compares the two sides at random points that satisfy the search's predicates. Numbers are 0, ±1, ±2, ±1/2, or random
// values in 0..1 or of magnitude 2^-8 to 2^8; Booleans are 0 or 1. Stops when `wanted` points agree within their error
// bounds, or after eight times as many attempts. A point is set aside if the search side is undefined over the reals,
// or if a comparison or rounding depends on a difference that is smaller than the error. Supports scalar terms with
// Booleans and floats of a single size.
OracleTally CompareOverHostReals(const ir::Term& search, const ir::Term& replace, uint64_t wanted);

inline constexpr char kHostRealsName[] = "host long double";

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_ORACLE_HOST_REALS_H_
