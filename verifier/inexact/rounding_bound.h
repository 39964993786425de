// Compares the rounding errors of both sides of an inexact rule for every input at once: by how much the first-order
// bound of the replacement's error can exceed that of the search side. A search for bad inputs can miss them; this is
// shown by exact arithmetic on polynomials.
#ifndef REWROUGHT_VERIFIER_INEXACT_ROUNDING_BOUND_H_
#define REWROUGHT_VERIFIER_INEXACT_ROUNDING_BOUND_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "verifier/rule_case.h"

namespace rewrought::verifier {

struct ErrorGrowth {
  // E(replacement) <= factor * E(search) for every input, both in the unit of the result's width. E of a term is the
  // sum over its roundings of the absolute change of the result per relative change of what is rounded there, and at
  // least |result|, what rounding alone costs (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
  // edition, 3.1; terms of second order are left out). The approximated functions count as correctly rounded. A jump (a
  // comparison, a rounding to integers) on a computed value must be decided by the same value on both sides, with
  // errors that grow no more than that. Nothing: not shown.
  std::optional<double> factor;
  std::string reason;  // why nothing was shown
};

// On which sides a product that is added is not rounded, as where a driver contracts `fadd(fmul a b) c`: of the
// replacement only one that nothing else uses, since drivers differ there. Of a sum of two products one is rounded,
// whichever: what is shown holds for both ways.
struct Fusing {
  bool search = false, replace = false;
};

// `positive_inputs` (of the Dag) are above 0. `prepared` is a rule that is equal over the reals.
ErrorGrowth GrowthOfErrors(const PreparedCase& prepared, Fusing fusing, const std::set<uint32_t>& positive_inputs);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_ROUNDING_BOUND_H_
