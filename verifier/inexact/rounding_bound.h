// Computes the factor by which the first-order error bound of an inexact rule's replacement can exceed that of the
// search side. A search for bad inputs may miss some, but this computation uses exact arithmetic on polynomials and
// covers all inputs.
#ifndef REWROUGHT_VERIFIER_INEXACT_ROUNDING_BOUND_H_
#define REWROUGHT_VERIFIER_INEXACT_ROUNDING_BOUND_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "verifier/rule_case.h"

namespace rewrought::verifier {

struct ErrorGrowth {
  // E(replacement) <= factor * E(search) for all constants and for almost all values of the other variables, both in
  // ULP at the result's width. E of a term is the sum over its roundings of the absolute change of the result per
  // relative change of the rounded value, and at least |result|, the cost of a single rounding (Higham, Accuracy and
  // Stability of Numerical Algorithms, 2nd edition, 3.1; second-order terms are omitted). An operation of the search
  // side counts only if it rounds at the input; only the rounding of the result always counts. Approximated functions
  // count as correctly rounded. A discontinuity (a comparison, a rounding to integers) at a computed value must depend
  // on the same value on both sides, with errors that satisfy the same bound. Unset if no factor could be shown.
  std::optional<double> factor;
  std::string reason;  // why no factor could be shown
};

// Selects the sides on which an added product is not rounded, because a driver contracts `fadd(fmul a b) c`. This is
// certain only for a product without other uses, since drivers differ on products with several uses and on the
// magnitudes of products. In a sum of two products, either one may be rounded. The result is valid for all of these
// choices.
struct Fusing {
  bool search = false, replace = false;
  // The driver may or may not fuse a product into a sum if both have a constant operand (see
  // Machine.keeps_products_of_constants in proto/rewrought/v1/machine.proto).
  bool keeps_products_of_constants = false;
  // Whether a side has ops that add products internally, such as flrp (HasInnerProducts). Whether a driver fuses these
  // depends on its instructions.
  bool inner_search = false, inner_replace = false;
  // The sets of variables that may be constants at the same time (constant_sets.h). An operation on a constant may be
  // exact for all values of the other variables.
  std::vector<std::set<std::string>> constants = {{}};
};

// Compares the rounding errors of the two sides of `prepared`, which are equal over the reals. `positive_inputs` are
// inputs of the Dag that are known to be positive.
ErrorGrowth GrowthOfErrors(const PreparedCase& prepared, Fusing fusing, const std::set<uint32_t>& positive_inputs);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_ROUNDING_BOUND_H_
