// Compares values as polynomials over the integers modulo 2^width. Solvers are slow on such equalities, because they
// bit-blast each multiplication.
#ifndef REWROUGHT_IR_FACTS_POLYNOMIAL_H_
#define REWROUGHT_IR_FACTS_POLYNOMIAL_H_

#include "absl/types/span.h"
#include "ir/dag.h"

namespace rewrought::ir {

// Returns whether x[i] and y[i] have the same width and are the same polynomial for every i. The variables of the
// polynomials are the results of all operations other than sums, differences, products, negations, complements, and
// left shifts. A power of two with an unknown exponent is also a variable. If the result is true, the values are equal
// for all inputs and choices. If it is false, they may still be equal.
bool AreEqualPolynomials(const Dag& dag, absl::Span<const ValueIndex> x, absl::Span<const ValueIndex> y);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_POLYNOMIAL_H_
