#include "ir/approximate.h"

#include <mpfr.h>

#include <cmath>

#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

// An MPFR number. For mpfr_subnormalize to avoid double rounding, the result must have the precision and the exponent
// range of its format.
class Number {
 public:
  explicit Number(int precision) {
    FreeMpfrCachesWithThread();
    mpfr_init2(value_, precision);
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

int Apply(Approximation function, mpfr_ptr result, mpfr_ptr x, mpfr_ptr y) {
  switch (function) {
    case Approximation::kRcp:
    case Approximation::kCoarseRcp:
      return mpfr_ui_div(result, 1, x, MPFR_RNDN);
    case Approximation::kRsq:
    case Approximation::kCoarseRsq:
      return mpfr_rec_sqrt(result, x, MPFR_RNDN);
    case Approximation::kSqrt:
      return mpfr_sqrt(result, x, MPFR_RNDN);
    case Approximation::kExp2:
      return mpfr_exp2(result, x, MPFR_RNDN);
    case Approximation::kLog2:
      return mpfr_log2(result, x, MPFR_RNDN);
    case Approximation::kSin:
      return mpfr_sin(result, x, MPFR_RNDN);
    case Approximation::kCos:
      return mpfr_cos(result, x, MPFR_RNDN);
    case Approximation::kPow:
      return mpfr_pow(result, x, y, MPFR_RNDN);
    case Approximation::kDiv:
      return mpfr_div(result, x, y, MPFR_RNDN);
    case Approximation::kSinTurns:
      return mpfr_sinu(result, x, 1, MPFR_RNDN);
    case Approximation::kCosTurns:
      return mpfr_cosu(result, x, 1, MPFR_RNDN);
    case Approximation::kSinHalfTurns:
      return mpfr_sinu(result, x, 2, MPFR_RNDN);
    case Approximation::kCosHalfTurns:
      return mpfr_cosu(result, x, 2, MPFR_RNDN);
    case Approximation::kSinQuarterTurns:
      return mpfr_sinu(result, x, 4, MPFR_RNDN);
  }
  return 0;
}

}  // namespace

uint64_t ApproximateCorrectlyRounded(Approximation function, int width, uint64_t x, uint64_t y) {
  const FloatFormat format = FormatOf(width);
  // According to IEEE, rsq(-0) = -inf, but MPFR returns +inf.
  const bool is_rsq = function == Approximation::kRsq || function == Approximation::kCoarseRsq;
  if (is_rsq && x == format.sign()) return format.sign() | format.infinity();
  const int precision = format.mantissa_bits + 1;
  Number result(precision), left(53), right(53);
  mpfr_set_d(left.get(), BitsToFloat(x, width), MPFR_RNDN);
  mpfr_set_d(right.get(), BitsToFloat(y, width), MPFR_RNDN);
  // MPFR normalizes significands to [1/2, 1), so its exponents exceed IEEE's by one.
  const mpfr_exp_t old_minimum = mpfr_get_emin(), old_maximum = mpfr_get_emax();
  mpfr_set_emin(2 - format.bias() - precision + 1);
  mpfr_set_emax(format.bias() + 1);
  int ternary = Apply(function, result.get(), left.get(), right.get());
  ternary = mpfr_check_range(result.get(), ternary, MPFR_RNDN);
  mpfr_subnormalize(result.get(), ternary, MPFR_RNDN);
  mpfr_set_emin(old_minimum);
  mpfr_set_emax(old_maximum);
  const double value = mpfr_get_d(result.get(), MPFR_RNDN);
  return FloatToBits(value, width);
}

void FreeMpfrCachesWithThread() {
  struct Caches {
    ~Caches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
  };
  thread_local const Caches caches;
}

}  // namespace rewrought::ir
