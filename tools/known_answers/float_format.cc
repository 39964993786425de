#include "tools/known_answers/float_format.h"

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace rewrought::known_answers {
namespace {

struct Layout {
  int mantissa_bits;
  int exponent_bits;
};

Layout LayoutOf(int width) {
  if (width == 16) return {10, 5};
  if (width == 32) return {23, 8};
  return {52, 11};
}

int Bias(int width) { return (1 << (LayoutOf(width).exponent_bits - 1)) - 1; }
uint64_t Magnitude(int width, uint64_t bits) { return bits & (SignBit(width) - 1); }

// A number that owns its MPFR storage.
class Real {
 public:
  explicit Real(int precision) { mpfr_init2(value_, precision); }
  Real(int width, uint64_t bits) : Real(64) { mpfr_set_d(value_, ToDouble(width, bits), MPFR_RNDN); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

// This precision suffices for exact sums and products of binary64 numbers.
constexpr int kExactPrecision = 4400;

void CheckHost(int width, uint64_t mine, double host, const char* name) {
  uint64_t theirs = width == 32 ? std::bit_cast<uint32_t>(static_cast<float>(host)) : std::bit_cast<uint64_t>(host);
  if (IsNan(width, mine) ? std::isnan(host) : mine == theirs) return;
  std::fprintf(stderr, "%s@%d: MPFR and the host's float unit differ\n", name, width);
  std::abort();
}

template <typename Operation>
void CheckHost2(int width, uint64_t mine, uint64_t a, uint64_t b, const char* name, Operation operation) {
  if (width == 32) {
    volatile float x = std::bit_cast<float>(static_cast<uint32_t>(a));
    volatile float y = std::bit_cast<float>(static_cast<uint32_t>(b));
    volatile float result = operation(float{x}, float{y});
    CheckHost(width, mine, result, name);
  } else if (width == 64) {
    volatile double x = std::bit_cast<double>(a);
    volatile double y = std::bit_cast<double>(b);
    volatile double result = operation(double{x}, double{y});
    CheckHost(width, mine, result, name);
  }
}

}  // namespace

uint64_t SignBit(int width) { return uint64_t{1} << (width - 1); }
uint64_t Infinity(int width) {
  Layout layout = LayoutOf(width);
  return ((uint64_t{1} << layout.exponent_bits) - 1) << layout.mantissa_bits;
}
bool IsNan(int width, uint64_t bits) { return Magnitude(width, bits) > Infinity(width); }
bool IsInf(int width, uint64_t bits) { return Magnitude(width, bits) == Infinity(width); }
bool IsZero(int width, uint64_t bits) { return Magnitude(width, bits) == 0; }
bool IsDenormal(int width, uint64_t bits) {
  return !IsZero(width, bits) && (Magnitude(width, bits) >> LayoutOf(width).mantissa_bits) == 0;
}
uint64_t ZeroLike(int width, uint64_t bits) { return bits & SignBit(width); }

double ToDouble(int width, uint64_t bits) {
  if (width == 64) return std::bit_cast<double>(bits);
  if (width == 32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  double sign = (bits & SignBit(width)) != 0 ? -1.0 : 1.0;
  if (IsNan(width, bits)) return std::numeric_limits<double>::quiet_NaN();
  if (IsInf(width, bits)) return sign * std::numeric_limits<double>::infinity();
  int mantissa_bits = LayoutOf(width).mantissa_bits;
  uint64_t mantissa = bits & ((uint64_t{1} << mantissa_bits) - 1);
  int exponent = static_cast<int>(Magnitude(width, bits) >> mantissa_bits);
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(mantissa), 1 - Bias(width) - mantissa_bits);
  mantissa |= uint64_t{1} << mantissa_bits;
  return sign * std::ldexp(static_cast<double>(mantissa), exponent - Bias(width) - mantissa_bits);
}

// Encodes a value that is exact in the format of `width`.
static uint64_t Encode(int width, double value) {
  if (width == 64) return std::bit_cast<uint64_t>(value);
  if (width == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  uint64_t sign = std::signbit(value) ? SignBit(width) : 0;
  if (std::isinf(value)) return sign | Infinity(width);
  if (value == 0) return sign;
  int exponent = std::ilogb(value);
  int mantissa_bits = LayoutOf(width).mantissa_bits;
  int least = 1 - Bias(width);
  if (exponent < least) return sign | static_cast<uint64_t>(std::ldexp(std::fabs(value), mantissa_bits - least));
  uint64_t mantissa = static_cast<uint64_t>(std::ldexp(std::fabs(value), mantissa_bits - exponent));
  mantissa &= (uint64_t{1} << mantissa_bits) - 1;
  return sign | (static_cast<uint64_t>(exponent + Bias(width)) << mantissa_bits) | mantissa;
}

Rounded Round(int width, const std::function<int(mpfr_t, mpfr_rnd_t)>& operation, mpfr_rnd_t rounding) {
  Layout layout = LayoutOf(width);
  mpfr_exp_t wide_min = mpfr_get_emin(), wide_max = mpfr_get_emax();
  Real rounded(layout.mantissa_bits + 1);
  int ternary = operation(rounded.get(), rounding);
  // MPFR's significand is in [1/2, 1), hence the offsets.
  mpfr_set_emin(2 - Bias(width) - layout.mantissa_bits);
  mpfr_set_emax(Bias(width) + 1);
  ternary = mpfr_check_range(rounded.get(), ternary, rounding);
  mpfr_subnormalize(rounded.get(), ternary, rounding);
  mpfr_set_emin(wide_min);
  mpfr_set_emax(wide_max);
  if (mpfr_nan_p(rounded.get())) return {Infinity(width) | (uint64_t{1} << (layout.mantissa_bits - 1)), false};
  Rounded result{Encode(width, mpfr_get_d(rounded.get(), MPFR_RNDN)), false};
  double least_normal = std::ldexp(1.0, 1 - Bias(width));
  if (std::fabs(ToDouble(width, result.bits)) == least_normal) {
    Real exact(kExactPrecision);
    operation(exact.get(), MPFR_RNDN);
    mpfr_abs(exact.get(), exact.get(), MPFR_RNDN);
    result.tiny = mpfr_cmp_d(exact.get(), least_normal) < 0;
  }
  return result;
}

uint64_t FromDouble(int width, double value) { return Convert(64, width, std::bit_cast<uint64_t>(value)).bits; }

Rounded Apply(int width, uint64_t a, int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  Real x(width, a);
  return Round(width, [&](mpfr_t out, mpfr_rnd_t rounding) { return function(out, x.get(), rounding); });
}

Rounded Apply2(int width, uint64_t a, uint64_t b, int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)) {
  Real x(width, a), y(width, b);
  return Round(width, [&](mpfr_t out, mpfr_rnd_t rounding) { return function(out, x.get(), y.get(), rounding); });
}

Rounded Add(int width, uint64_t a, uint64_t b) {
  Rounded result = Apply2(width, a, b, mpfr_add);
  CheckHost2(width, result.bits, a, b, "fadd", [](auto x, auto y) { return x + y; });
  return result;
}

Rounded Subtract(int width, uint64_t a, uint64_t b) {
  Rounded result = Apply2(width, a, b, mpfr_sub);
  CheckHost2(width, result.bits, a, b, "fsub", [](auto x, auto y) { return x - y; });
  return result;
}

Rounded Multiply(int width, uint64_t a, uint64_t b) {
  Rounded result = Apply2(width, a, b, mpfr_mul);
  CheckHost2(width, result.bits, a, b, "fmul", [](auto x, auto y) { return x * y; });
  return result;
}

Rounded Divide(int width, uint64_t a, uint64_t b) {
  Rounded result = Apply2(width, a, b, mpfr_div);
  CheckHost2(width, result.bits, a, b, "fdiv", [](auto x, auto y) { return x / y; });
  return result;
}

Rounded FusedMultiplyAdd(int width, uint64_t a, uint64_t b, uint64_t c) {
  Real x(width, a), y(width, b), z(width, c);
  Rounded result =
      Round(width, [&](mpfr_t out, mpfr_rnd_t rounding) { return mpfr_fma(out, x.get(), y.get(), z.get(), rounding); });
  if (width == 64) {
    CheckHost(width, result.bits, std::fma(ToDouble(64, a), ToDouble(64, b), ToDouble(64, c)), "ffma");
  } else if (width == 32) {
    float host = std::fmaf(static_cast<float>(ToDouble(32, a)), static_cast<float>(ToDouble(32, b)),
                           static_cast<float>(ToDouble(32, c)));
    CheckHost(width, result.bits, host, "ffma");
  }
  return result;
}

Rounded Convert(int from, int to, uint64_t a, mpfr_rnd_t rounding) {
  Real x(from, a);
  Rounded result = Round(
      to, [&](mpfr_t out, mpfr_rnd_t mode) { return mpfr_set(out, x.get(), mode); }, rounding);
  if (from == 32 && to == 16 && !IsNan(from, a)) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(a));
    uint64_t host =
        rounding == MPFR_RNDN ? _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT) : _cvtss_sh(value, _MM_FROUND_TO_ZERO);
    if (host != result.bits) {
      std::fprintf(stderr, "f2f16 of 0x%08llx: MPFR and F16C differ\n", static_cast<unsigned long long>(a));
      std::abort();
    }
  }
  return result;
}

bool Less(int width, uint64_t a, uint64_t b) { return ToDouble(width, a) < ToDouble(width, b); }
bool Equal(int width, uint64_t a, uint64_t b) { return ToDouble(width, a) == ToDouble(width, b); }

}  // namespace rewrought::known_answers
