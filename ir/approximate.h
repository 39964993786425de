// The reference interpretation of the functions that hardware approximates: correctly rounded, computed with MPFR.
#ifndef REWROUGHT_IR_APPROXIMATE_H_
#define REWROUGHT_IR_APPROXIMATE_H_

#include <cstdint>

#include "ir/primitive.h"

namespace rewrought::ir {

// Returns the correctly rounded result (to nearest even, denormals kept) of `function` on patterns of `width` bits, 16,
// 32 or 64. A NaN result is the canonical quiet NaN. Only kPow and kDiv use `y`. rcp(±0) = ±inf, rsq(±0) = ±inf,
// log2(±0) = -inf, and pow follows IEEE 754-2019 section 9.2.
uint64_t ApproximateCorrectlyRounded(Approximation function, int width, uint64_t x, uint64_t y);

// Frees MPFR's caches for the calling thread when the thread ends; otherwise each thread would leak them. Call it
// before creating MPFR numbers.
void FreeMpfrCachesWithThread();

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_APPROXIMATE_H_
