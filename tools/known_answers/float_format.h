// Implements IEEE 754 binary16/32/64 arithmetic on bit patterns, with every result rounded once by MPFR. It is
// independent of the project's own evaluator, so that its known answers can expose errors in that evaluator.
#ifndef REWROUGHT_TOOLS_KNOWN_ANSWERS_FLOAT_FORMAT_H_
#define REWROUGHT_TOOLS_KNOWN_ANSWERS_FLOAT_FORMAT_H_

#include <mpfr.h>

#include <cstdint>
#include <functional>

namespace rewrought::known_answers {

// A rounded result. `tiny` means that the result is plus or minus the smallest normal number, but the exact value has a
// smaller magnitude.
struct Rounded {
  uint64_t bits = 0;
  bool tiny = false;
};

// In all functions below, `width` is 16, 32 or 64, and patterns are in the low bits.
uint64_t SignBit(int width);
uint64_t Infinity(int width);
bool IsNan(int width, uint64_t bits);
bool IsInf(int width, uint64_t bits);
bool IsZero(int width, uint64_t bits);
bool IsDenormal(int width, uint64_t bits);
// Returns the zero with the sign of `bits`.
uint64_t ZeroLike(int width, uint64_t bits);

// Returns the exact value as a double, or NaN for a NaN.
double ToDouble(int width, uint64_t bits);
// Returns `value` rounded to nearest even in the format of `width`. A NaN becomes the quiet NaN without payload.
uint64_t FromDouble(int width, double value);

// Runs `operation`, an MPFR call with a rounding mode, and rounds once to `width`.
Rounded Round(int width, const std::function<int(mpfr_t, mpfr_rnd_t)>& operation, mpfr_rnd_t rounding = MPFR_RNDN);

Rounded Add(int width, uint64_t a, uint64_t b);
Rounded Subtract(int width, uint64_t a, uint64_t b);
Rounded Multiply(int width, uint64_t a, uint64_t b);
Rounded Divide(int width, uint64_t a, uint64_t b);
Rounded FusedMultiplyAdd(int width, uint64_t a, uint64_t b, uint64_t c);
Rounded Convert(int from, int to, uint64_t a, mpfr_rnd_t rounding = MPFR_RNDN);
// Apply an MPFR function (mpfr_sqrt, mpfr_exp2, etc.) or a rounding to an integer (mpfr_rint_floor etc.).
Rounded Apply(int width, uint64_t a, int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t));
Rounded Apply2(int width, uint64_t a, uint64_t b, int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t));

// Return the result of an ordered compare, which is false if either operand is NaN.
bool Less(int width, uint64_t a, uint64_t b);
bool Equal(int width, uint64_t a, uint64_t b);

}  // namespace rewrought::known_answers

#endif  // REWROUGHT_TOOLS_KNOWN_ANSWERS_FLOAT_FORMAT_H_
