// Uses MPFR to compute the correctly rounded results of the functions that hardware approximates. These results are the
// reference interpretation of the functions.
#ifndef REWROUGHT_IR_APPROXIMATE_H_
#define REWROUGHT_IR_APPROXIMATE_H_

#include <cstdint>

#include "ir/primitive.h"

namespace rewrought::ir {

// Returns the result of `function`, correctly rounded to nearest even, with denormals kept. The operands and the result
// are patterns of `width` bits (16, 32 or 64). A NaN result is the canonical quiet NaN. Only kPow and kDiv use `y`.
// rcp(±0) = ±inf, rsq(±0) = ±inf, log2(±0) = -inf, and pow follows IEEE 754-2019 section 9.2.
uint64_t ApproximateCorrectlyRounded(Approximation function, int width, uint64_t x, uint64_t y);

// Makes the calling thread free MPFR's caches when the thread exits; otherwise, MPFR leaks them. Call this function
// before creating MPFR numbers.
void FreeMpfrCachesWithThread();

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_APPROXIMATE_H_
