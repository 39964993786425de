// Models drivers that contract products into the sums that use them, so that errors of inexact rules are measured on
// the operations that the target executes.
#ifndef REWROUGHT_VERIFIER_INEXACT_FUSED_PRODUCTS_H_
#define REWROUGHT_VERIFIER_INEXACT_FUSED_PRODUCTS_H_

#include "ir/term.h"

namespace rewrought::verifier {

// Returns `term` with each fadd of an fmul, or of its negation, replaced by one ffma if the product has no other use
// and no node is `exact`. If both operands are products, fuses the first one. Changes only scalar ops.
ir::Term WithFusedProducts(ir::Term term);

// Returns whether a single op of `term`, such as flrp or fdot3, adds products.
bool HasInnerProducts(const ir::Term& term);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_FUSED_PRODUCTS_H_
