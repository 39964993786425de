// Bounds one sum of absolute values by another: |y1| + |y2| + ... <= k (|x1| + |x2| + ...) for every input, where each
// y is a linear combination of some of the x with numeric coefficients.
#ifndef REWROUGHT_VERIFIER_INEXACT_SPAN_OF_TERMS_H_
#define REWROUGHT_VERIFIER_INEXACT_SPAN_OF_TERMS_H_

#include <optional>
#include <vector>

#include "verifier/inexact/inexact_polynomial.h"

namespace rewrought::verifier {

// Returns a k for which the inequality holds wherever all terms are defined; k is not necessarily minimal. Returns 0 if
// `upper` is empty. Returns nullopt if some term of `upper` is not a combination of at most four terms of `lower`, if
// there are too many terms, or if polynomials grow too large.
std::optional<double> FactorOfBound(const std::vector<Fraction>& lower, const std::vector<Fraction>& upper);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_SPAN_OF_TERMS_H_
