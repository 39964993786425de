// Bounds sums of absolute values by one another: |y1| + |y2| + ... <= k (|x1| + |x2| + ...) for every input, where each
// y is a linear combination of some x with numbers for coefficients.
#ifndef REWROUGHT_VERIFIER_INEXACT_SPAN_OF_TERMS_H_
#define REWROUGHT_VERIFIER_INEXACT_SPAN_OF_TERMS_H_

#include <optional>
#include <vector>

#include "verifier/inexact/inexact_polynomial.h"

namespace rewrought::verifier {

// A k for which it holds wherever all exist, not always the least; 0 if `upper` is empty. Nothing: some term of `upper`
// is no combination of at most four of `lower`, those are too many, or polynomials grow too large.
std::optional<double> FactorOfBound(const std::vector<Fraction>& lower, const std::vector<Fraction>& upper);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_SPAN_OF_TERMS_H_
