// A term as a driver leaves it that contracts products into the sums they feed: what is measured of an inexact rule is
// measured as the target computes it.
#ifndef REWROUGHT_VERIFIER_INEXACT_FUSED_PRODUCTS_H_
#define REWROUGHT_VERIFIER_INEXACT_FUSED_PRODUCTS_H_

#include "ir/term.h"

namespace rewrought::verifier {

// `term` with each fadd of an fmul, or of its negation, as one ffma where nothing else uses the product and no node is
// `exact`; of two products the first is fused. Scalar ops only; others stay as they are.
ir::Term WithFusedProducts(ir::Term term);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_FUSED_PRODUCTS_H_
