// Implements the transfer functions of float ops. Every bound must hold on every device that the contract allows: a
// device may read a denormal source as zero, write a denormal result as zero, and produce any NaN bits. If a NaN is
// possible, `number` is cleared, but bounds are not affected, because they describe only numbers. Rounding is to
// nearest even, which is monotonic.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "corpus/facts_transfer.h"
#include "ir/facts/value_facts.h"
#include "ir/scalar.h"

namespace rewrought::corpus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The range of an operand or a result as its reader sees it.
struct Range {
  bool number = false;
  double low = -kInfinity;
  double high = kInfinity;
  bool nonzero = false;
  bool integral = false;

  bool may_be_infinite() const { return low == -kInfinity || high == kInfinity; }
  bool may_be_zero() const { return !nonzero && low <= 0 && high >= 0; }
};

double SmallestNormal(uint8_t bits) { return ir::BitsToFloat(ir::FormatOf(bits).smallest_normal(), bits); }

// Widens the range for flushing: a bound between zero and the smallest normal number moves to zero.
void AdmitFlush(Range& range, uint8_t bits) {
  const double normal = SmallestNormal(bits);
  if (range.low > 0 && range.low < normal) range.low = 0;
  if (range.high < 0 && range.high > -normal) range.high = 0;
  if (range.low >= normal || range.high <= -normal) range.nonzero = true;
}

Range Read(const FactOperand& operand) {
  Range range{operand.facts.number, operand.facts.low, operand.facts.high, operand.facts.nonzero,
              operand.facts.integral};
  AdmitFlush(range, operand.bits);
  return range;
}

// Rounds both ends to `bits` bits. Rounding is monotonic, so the rounded ends bound the rounded values.
ir::ValueFacts Write(Range range, uint8_t bits) {
  ir::ValueFacts facts;
  if (!ir::IsFloatWidth(bits)) return facts;
  // Even if the exact value is nonzero, the rounded value may be zero. Callers must therefore set `range.nonzero` for
  // the rounded value.
  facts.low = std::isinf(range.low) ? range.low : ir::BitsToFloat(ir::FloatToBits(range.low, bits), bits);
  facts.high = std::isinf(range.high) ? range.high : ir::BitsToFloat(ir::FloatToBits(range.high, bits), bits);
  range.low = facts.low;
  range.high = facts.high;
  AdmitFlush(range, bits);
  facts.number = range.number;
  facts.low = range.low;
  facts.high = range.high;
  facts.nonzero = range.nonzero;
  facts.integral = range.integral;
  return facts;
}

// SumEnd and ProductEnd compute an end of a range in double precision, and move it outward if the double was rounded.
double SumEnd(double a, double b, bool upward) {
  const double sum = a + b;
  if (std::isnan(sum)) return upward ? kInfinity : -kInfinity;
  if (std::isinf(sum)) return sum;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  if (error == 0) return sum;
  return std::nextafter(sum, upward ? kInfinity : -kInfinity);
}

// Treats zero times infinity as zero, because bounds describe only numbers; callers clear `number` if a NaN is
// possible.
double ProductEnd(double a, double b, bool upward) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  if (std::isinf(product) || std::fma(a, b, -product) == 0) {
    // The computed error may be zero only because it underflowed, so tiny products are treated as inexact.
    if (product != 0 && std::abs(product) > 1e-290) return product;
    if (std::isinf(product)) return product;
  }
  return std::nextafter(product, upward ? kInfinity : -kInfinity);
}

Range Sum(const Range& a, const Range& b) {
  Range sum;
  sum.low = SumEnd(a.low, b.low, false);
  sum.high = SumEnd(a.high, b.high, true);
  // A sum of numbers is a NaN only if the operands are infinities of opposite signs.
  const bool opposite = (a.high == kInfinity && b.low == -kInfinity) || (a.low == -kInfinity && b.high == kInfinity);
  sum.number = a.number && b.number && !opposite;
  // Sums of integers are integers, because every float that is too large for an exact sum is an integer.
  sum.integral = a.integral && b.integral;
  return sum;
}

Range Negated(Range range) {
  std::swap(range.low, range.high);
  range.low = -range.low;
  range.high = -range.high;
  return range;
}

Range Product(const Range& a, const Range& b, bool same) {
  Range product;
  const double ends[4][2] = {{a.low, b.low}, {a.low, b.high}, {a.high, b.low}, {a.high, b.high}};
  product.low = kInfinity;
  product.high = -kInfinity;
  for (const auto& end : ends) {
    product.low = std::min(product.low, ProductEnd(end[0], end[1], false));
    product.high = std::max(product.high, ProductEnd(end[0], end[1], true));
  }
  // If a factor may be zero, the product may be zero, so the range must include zero.
  if (a.may_be_zero() || b.may_be_zero()) {
    product.low = std::min(product.low, 0.0);
    product.high = std::max(product.high, 0.0);
  }
  product.integral = a.integral && b.integral;
  if (same) {
    // In a square, both factors are the same value, which is flushed in the same way (the contract chooses once per
    // distinct source value). So one factor cannot be zero if the other is infinite.
    product.low = std::max(product.low, 0.0);
    product.number = a.number;
    return product;
  }
  const bool zero_times_infinity = (a.may_be_zero() && b.may_be_infinite()) || (b.may_be_zero() && a.may_be_infinite());
  product.number = a.number && b.number && !zero_times_infinity;
  return product;
}

// Returns the range of maxNum(x, y) for x in `a` and y in `b`. minNum and maxNum return one of the operands; if one
// operand is a NaN, they return the other.
Range Maximum(const Range& a, const Range& b) {
  Range result;
  result.number = a.number || b.number;
  result.low = std::min(a.low, b.low);
  if (a.number) result.low = std::max(result.low, a.low);
  if (b.number) result.low = std::max(result.low, b.low);
  result.high = std::max(a.high, b.high);
  result.nonzero = a.nonzero && b.nonzero;
  result.integral = a.integral && b.integral;
  return result;
}

Range RoundedToWhole(Range range, double (*round)(double)) {
  range.low = round(range.low);
  range.high = round(range.high);
  range.integral = true;
  range.nonzero = false;  // 0.3 becomes 0
  return range;
}

bool Same(const FactOperand& a, const FactOperand& b) { return a.node == b.node && a.component == b.component; }

Range Between(double low, double high, bool number) {
  Range range;
  range.low = low;
  range.high = high;
  range.number = number;
  return range;
}

Range Absolute(const Range& a) {
  Range range = a;
  range.low = a.low >= 0 ? a.low : a.high <= 0 ? -a.high : 0;
  range.high = std::max(std::abs(a.low), std::abs(a.high));
  return range;
}

// Returns the range of min(max(x, 0), 1), which is zero if x is a NaN.
Range Saturated(const Range& a) {
  Range range = a;
  range.low = std::clamp(a.low, 0.0, 1.0);
  range.high = std::clamp(a.high, 0.0, 1.0);
  if (!a.number) range.low = 0;
  range.nonzero = range.low > 0;
  range.number = true;
  return range;
}

Range SignOf(const Range& a) {
  // For a NaN, the result may be any value from -1 to 1.
  Range range = Between(a.number && a.low >= 0 ? 0 : -1, a.number && a.high <= 0 ? 0 : 1, true);
  range.nonzero = a.nonzero && a.number;
  if (range.nonzero && a.low >= 0) range.low = 1;
  if (range.nonzero && a.high <= 0) range.high = -1;
  range.integral = true;
  return range;
}

// Returns the range of an approximated function. The error of such functions is not bounded, so the range depends only
// on the sign of the exact function and on the operands for which it is a NaN. Every device in use gets both right.
// frsq(-0) and frcp(-0) are -inf.
Range Approximate(absl::string_view op, const Range& a) {
  const bool not_negative = a.low >= 0;
  if (op == "fsqrt") return Between(0, kInfinity, a.number && not_negative);
  if (op == "fexp2") return Between(0, kInfinity, a.number);
  if (op == "flog2") return Between(-kInfinity, kInfinity, a.number && not_negative);
  if (op == "fsin" || op == "fcos") return Between(-kInfinity, kInfinity, a.number && !a.may_be_infinite());
  // The remaining ops are frsq and frcp.
  Range range;
  const bool positive = not_negative && a.nonzero;
  const bool negative = a.high <= 0 && a.nonzero;
  range.number = a.number && (op == "frcp" || not_negative);
  if (positive) range.low = 0;
  if (negative && op == "frcp") range.high = 0;
  return range;
}

Range Unary(absl::string_view op, const Range& a) {
  if (op == "fneg") return Negated(a);
  if (op == "fabs") return Absolute(a);
  if (op == "fsat") return Saturated(a);
  if (op == "fsign") return SignOf(a);
  if (op == "ffloor") return RoundedToWhole(a, std::floor);
  if (op == "fceil") return RoundedToWhole(a, std::ceil);
  if (op == "ftrunc") return RoundedToWhole(a, std::trunc);
  if (op == "fround_even") return RoundedToWhole(a, std::nearbyint);
  // If x is negative and tiny, x - floor(x) is rounded to exactly 1. If x is infinite, the result is a NaN.
  if (op == "ffract") return Between(0, 1, a.number && !a.may_be_infinite());
  return Approximate(op, a);
}

bool IsUnary(absl::string_view op) {
  static constexpr absl::string_view kUnary[] = {"fneg",   "fabs",   "fsat",        "fsign", "ffloor", "fceil",
                                                 "ftrunc", "ffract", "fround_even", "fsqrt", "frsq",   "frcp",
                                                 "fexp2",  "flog2",  "fsin",        "fcos"};
  return std::find(std::begin(kUnary), std::end(kUnary), op) != std::end(kUnary);
}

bool IsOther(absl::string_view op) {
  static constexpr absl::string_view kOther[] = {"fadd",  "fsub",  "fmul",  "ffma",      "fmin",  "fmax",  "fpow",
                                                 "fdiv",  "slt",   "sge",   "seq",       "sne",   "b2f16", "b2f32",
                                                 "b2f64", "f2f16", "f2f32", "f2f64",     "i2f16", "i2f32", "i2f64",
                                                 "u2f16", "u2f32", "u2f64", "f2f16_rtne"};
  return std::find(std::begin(kOther), std::end(kOther), op) != std::end(kOther);
}

Range FromInteger(const FactOperand& operand, bool is_signed) {
  const uint64_t mask = ir::MaskOf(operand.bits);
  const uint64_t top = operand.bits >= 64 ? uint64_t{1} << 63 : uint64_t{1} << (operand.bits - 1);
  const uint64_t bound = std::min(operand.facts.max_unsigned, mask);
  // If the bound is above 2^53, the conversion to double may round it down.
  const double most =
      bound <= (uint64_t{1} << 53) ? static_cast<double>(bound) : std::nextafter(static_cast<double>(bound), kInfinity);
  Range range = Between(0, most, true);
  const bool may_be_negative = is_signed && (operand.facts.known_zero & top) == 0;
  if (may_be_negative) {
    range.low = -static_cast<double>(top);
    range.high = static_cast<double>(top - 1);
  }
  range.integral = true;
  return range;
}

}  // namespace

bool HasFloatTransfer(absl::string_view op) { return IsUnary(op) || IsOther(op); }

ir::ValueFacts FactsOfConstant(uint64_t value, uint8_t bits) {
  ir::ValueFacts facts;
  const uint64_t mask = ir::MaskOf(bits);
  facts.known_one = value & mask;
  facts.known_zero = ~value & mask;
  facts.max_unsigned = value & mask;
  if (!ir::IsFloatWidth(bits) || ir::IsNan(value & mask, bits)) return facts;
  facts.number = true;
  facts.low = facts.high = ir::BitsToFloat(value & mask, bits);
  facts.nonzero = std::abs(facts.low) >= SmallestNormal(bits);
  facts.integral = std::isfinite(facts.low) && facts.low == std::floor(facts.low);
  return facts;
}

ir::ValueFacts TransferFloat(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands) {
  if (!ir::IsFloatWidth(bits)) return {};
  if (op == "b2f16" || op == "b2f32" || op == "b2f64" || op == "slt" || op == "sge" || op == "seq" || op == "sne") {
    Range range = Between(0, 1, true);
    range.integral = true;
    ir::ValueFacts facts = Write(range, bits);
    facts.from_bool = true;
    return facts;
  }
  if (op[0] == 'i' || op[0] == 'u') return Write(FromInteger(operands[0], op[0] == 'i'), bits);
  if (!ir::IsFloatWidth(operands[0].bits)) return {};
  const Range a = Read(operands[0]);
  if (op == "f2f16" || op == "f2f32" || op == "f2f64" || op == "f2f16_rtne") {
    Range range = a;
    range.nonzero = false;
    return Write(range, bits);
  }
  if (IsUnary(op)) {
    ir::ValueFacts facts = Write(Unary(op, a), bits);
    return facts;
  }
  const Range b = Read(operands[1]);
  if (op == "fadd") return Write(Sum(a, b), bits);
  if (op == "fsub") return Write(Sum(a, Negated(b)), bits);
  if (op == "fmul") return Write(Product(a, b, Same(operands[0], operands[1])), bits);
  if (op == "ffma") return Write(Sum(Product(a, b, Same(operands[0], operands[1])), Read(operands[2])), bits);
  if (op == "fmax") return Write(Maximum(a, b), bits);
  if (op == "fmin") return Write(Negated(Maximum(Negated(a), Negated(b))), bits);
  // fpow and fdiv are approximated, so only the signs of their results are known.
  if (op == "fpow" && a.low >= 0) return Write(Between(0, kInfinity, false), bits);
  if (op == "fdiv") {
    // A device computes a * rcp(b), in which an infinite a may be multiplied by a reciprocal that was flushed to zero,
    // which produces a NaN.
    const bool number = a.number && b.number && b.nonzero && !b.may_be_infinite() && !a.may_be_infinite();
    if (a.low >= 0 && b.low >= 0 && b.nonzero) return Write(Between(0, kInfinity, number), bits);
    return Write(Between(-kInfinity, kInfinity, number), bits);
  }
  return {};
}

}  // namespace rewrought::corpus
