#include "verifier/inexact/inexact_number.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "ir/scalar.h"

namespace rewrought::verifier {
namespace {

// Differences below 2^-kTrustedBits of the largest number seen may be rounding errors, because a few thousand
// operations may lose the other 212 bits.
constexpr mpfr_exp_t kTrustedBits = 300;
constexpr mpfr_exp_t kLargestExponent = 4096;

// Returns the exponent of a difference. The exponent of 0 is far below all others.
mpfr_exp_t ExponentOf(mpfr_srcptr value) { return mpfr_regular_p(value) ? mpfr_get_exp(value) : -1'000'000'000; }

}  // namespace

NumberDomain::Real NumberDomain::Keep(std::shared_ptr<BigNumber> value, bool exists) {
  if (!exists || !mpfr_number_p(value->get())) {
    reliable_ = reliable_ && !exists;
    mpfr_set_zero(value->get(), 1);
  }
  largest_ = std::max(largest_, ExponentOf(value->get()));
  if (largest_ > kLargestExponent) reliable_ = false;
  return {std::move(value), exists};
}

NumberDomain::Real NumberDomain::Literal(double value) {
  auto number = std::make_shared<BigNumber>();
  mpfr_set_d(number->get(), value, MPFR_RNDN);
  return Keep(std::move(number), true);
}

NumberDomain::Real NumberDomain::RealInput(uint32_t input) {
  return Literal(ir::BitsToFloat(point_[input], dag_->inputs()[input].width));
}

bool NumberDomain::TooClose(const Real& x, const Real& y) {
  BigNumber difference;
  mpfr_sub(difference.get(), x.value->get(), y.value->get(), MPFR_RNDN);
  return !mpfr_zero_p(difference.get()) && ExponentOf(difference.get()) < largest_ - kTrustedBits;
}

bool NumberDomain::Differ(const Real& x, const Real& y) {
  return mpfr_cmp(x.value->get(), y.value->get()) != 0 && !TooClose(x, y);
}

NumberDomain::Truth NumberDomain::Compare(ir::Primitive comparison, const Real& x, const Real& y) {
  if (x.exists && y.exists && TooClose(x, y)) reliable_ = false;
  const int order = mpfr_cmp(x.value->get(), y.value->get());
  const bool truth = comparison == ir::Primitive::kFlt   ? order < 0
                     : comparison == ir::Primitive::kFle ? order <= 0
                                                         : order == 0;
  return {truth, x.exists && y.exists};
}

NumberDomain::Truth NumberDomain::And(const Truth& x, const Truth& y) {
  const bool decided = (x.exists && !x.truth) || (y.exists && !y.truth);
  return {x.truth && y.truth, decided || (x.exists && y.exists)};
}

NumberDomain::Truth NumberDomain::SelectTruth(const Truth& condition, const Truth& then, const Truth& otherwise) {
  const Truth& taken = condition.truth ? then : otherwise;
  return {taken.truth, condition.exists && taken.exists};
}

NumberDomain::Real NumberDomain::Select(const Truth& condition, const Real& then, const Real& otherwise) {
  const Real& taken = condition.truth ? then : otherwise;
  return {taken.value, condition.exists && taken.exists};
}

NumberDomain::Real NumberDomain::CopySign(double magnitude, const Real& x) {
  const int sign = mpfr_sgn(x.value->get());
  Real result = Literal(sign < 0 ? -magnitude : magnitude);
  result.exists = x.exists && sign != 0;
  return result;
}

NumberDomain::Real NumberDomain::Rounded(const Real& x, mpfr_rnd_t rounding) {
  auto number = std::make_shared<BigNumber>();
  // rint is discontinuous at halfway cases and floor at integers. After doubling, all these points are integers.
  BigNumber doubled;
  mpfr_mul_2ui(doubled.get(), x.value->get(), 1, MPFR_RNDN);
  mpfr_rint(number->get(), doubled.get(), MPFR_RNDN);
  mpfr_sub(number->get(), number->get(), doubled.get(), MPFR_RNDN);
  if (!mpfr_zero_p(number->get()) && ExponentOf(number->get()) < largest_ - kTrustedBits) reliable_ = false;
  mpfr_rint(number->get(), x.value->get(), rounding);
  return Keep(std::move(number), x.exists);
}

NumberDomain::Real NumberDomain::Approximation(ir::Approximation function, absl::Span<const Real> x) {
  auto number = std::make_shared<BigNumber>();
  mpfr_ptr result = number->get();
  mpfr_srcptr a = x[0].value->get();
  bool exists = x[0].exists;
  switch (function) {
    case ir::Approximation::kRcp:
      exists = exists && !mpfr_zero_p(a);
      mpfr_ui_div(result, 1, a, MPFR_RNDN);
      break;
    case ir::Approximation::kRsq:
      exists = exists && mpfr_sgn(a) > 0;
      mpfr_rec_sqrt(result, a, MPFR_RNDN);
      break;
    case ir::Approximation::kSqrt:
      exists = exists && mpfr_sgn(a) >= 0;
      mpfr_sqrt(result, a, MPFR_RNDN);
      break;
    case ir::Approximation::kExp2:
      mpfr_exp2(result, a, MPFR_RNDN);
      break;
    case ir::Approximation::kLog2:
      exists = exists && mpfr_sgn(a) > 0;
      mpfr_log2(result, a, MPFR_RNDN);
      break;
    case ir::Approximation::kSin:
      mpfr_sin(result, a, MPFR_RNDN);
      break;
    case ir::Approximation::kCos:
      mpfr_cos(result, a, MPFR_RNDN);
      break;
    case ir::Approximation::kPow:
      exists = exists && x[1].exists && mpfr_sgn(a) > 0;
      mpfr_pow(result, a, x[1].value->get(), MPFR_RNDN);
      break;
    case ir::Approximation::kDiv:
      exists = exists && x[1].exists && !mpfr_zero_p(x[1].value->get());
      mpfr_div(result, a, x[1].value->get(), MPFR_RNDN);
      break;
    case ir::Approximation::kSinTurns:
      mpfr_sinu(result, a, 1, MPFR_RNDN);
      break;
    case ir::Approximation::kCosTurns:
      mpfr_cosu(result, a, 1, MPFR_RNDN);
      break;
    case ir::Approximation::kSinHalfTurns:
      mpfr_sinu(result, a, 2, MPFR_RNDN);
      break;
    case ir::Approximation::kCosHalfTurns:
      mpfr_cosu(result, a, 2, MPFR_RNDN);
      break;
    case ir::Approximation::kSinQuarterTurns:
      mpfr_sinu(result, a, 4, MPFR_RNDN);
      break;
    case ir::Approximation::kCoarseRcp:
    case ir::Approximation::kCoarseRsq:
      exists = false;
      break;
  }
  return Keep(std::move(number), exists);
}

NumberDomain::Real NumberDomain::Apply(const ir::Value& value, absl::Span<const Real> x) {
  using ir::Primitive;
  bool exists = true;
  for (const Real& operand : x) exists = exists && operand.exists;
  auto number = std::make_shared<BigNumber>();
  mpfr_ptr result = number->get();
  mpfr_srcptr a = x[0].value->get();
  mpfr_srcptr b = x.size() > 1 ? x[1].value->get() : nullptr;
  switch (value.primitive) {
    case Primitive::kFadd:
      mpfr_add(result, a, b, MPFR_RNDN);
      break;
    case Primitive::kFmul:
      mpfr_mul(result, a, b, MPFR_RNDN);
      break;
    case Primitive::kFfma:
      mpfr_mul(result, a, b, MPFR_RNDN);
      largest_ = std::max(largest_, ExponentOf(result));
      mpfr_add(result, result, x[2].value->get(), MPFR_RNDN);
      break;
    case Primitive::kFdiv:
      return Approximation(ir::Approximation::kDiv, x);
    case Primitive::kFsqrt:
      return Approximation(ir::Approximation::kSqrt, x);
    case Primitive::kApprox:
      return Approximation(static_cast<ir::Approximation>(value.immediate), x);
    case Primitive::kFfloor:
      return Rounded(x[0], MPFR_RNDD);
    case Primitive::kFceil:
      return Rounded(x[0], MPFR_RNDU);
    case Primitive::kFtrunc:
      return Rounded(x[0], MPFR_RNDZ);
    case Primitive::kFroundeven:
      return Rounded(x[0], MPFR_RNDN);
    case Primitive::kFmin:
      mpfr_min(result, a, b, MPFR_RNDN);
      break;
    case Primitive::kFmax:
      mpfr_max(result, a, b, MPFR_RNDN);
      break;
    case Primitive::kFneg:
      mpfr_neg(result, a, MPFR_RNDN);
      break;
    case Primitive::kFabs:
      mpfr_abs(result, a, MPFR_RNDN);
      break;
    default:  // kF2f
      mpfr_set(result, a, MPFR_RNDN);
  }
  return Keep(std::move(number), exists);
}

double ErrorInUlp(const BigNumber& reference, double result, int width) {
  const ir::FloatFormat format = ir::FormatOf(width);
  // MPFR's significands are in [1/2, 1).
  const mpfr_exp_t exponent = std::max<mpfr_exp_t>(mpfr_get_exp(reference.get()) - 1, 1 - format.bias());
  BigNumber error;
  mpfr_sub_d(error.get(), reference.get(), result, MPFR_RNDN);
  mpfr_abs(error.get(), error.get(), MPFR_RNDN);
  mpfr_mul_2si(error.get(), error.get(), format.mantissa_bits - exponent, MPFR_RNDN);
  return mpfr_get_d(error.get(), MPFR_RNDN);
}

std::string Spell(const BigNumber& value) { return absl::StrFormat("%.12g", mpfr_get_d(value.get(), MPFR_RNDN)); }

}  // namespace rewrought::verifier
