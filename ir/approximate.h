// The reference interpretation of the functions that hardware approximates: correctly rounded, by MPFR.
#ifndef REWROUGHT_IR_APPROXIMATE_H_
#define REWROUGHT_IR_APPROXIMATE_H_

#include <cstdint>

#include "ir/primitive.h"

namespace rewrought::ir {

// The correctly rounded (to nearest even, denormals kept) result of `function` on patterns of `width` bits, 16, 32
// or 64. A NaN result is the canonical quiet NaN. `y` matters for kPow and kDiv only. rcp(±0) = ±inf, rsq(±0) = ±inf,
// log2(±0) = -inf, pow as IEEE 754-2019 section 9.2 states them.
uint64_t ApproximateCorrectlyRounded(Approximation function, int width, uint64_t x, uint64_t y);

// What MPFR keeps for the calling thread is freed when that ends; it would be lost with each thread. For whoever makes
// numbers of MPFR's own.
void FreeMpfrCachesWithThread();

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_APPROXIMATE_H_
