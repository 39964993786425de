#include "tests/benchmark/peers/stp/small_float.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace rewrought::peers {
namespace {

using Wide = unsigned __int128;

// If the exponents differ by more, the smaller operand affects only the sticky bit. A product has 48 bits, and 48 + 70
// bits fit in Wide.
constexpr int kMostShift = 70;

int BitWidth(Wide value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(value));
}

// Returns whether to round up. `half` is the first discarded bit; `rest` is true if any later bit is set.
bool GoesUp(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return half && (rest || odd);
    case Rounding::kNearestAway:
      return half;
    case Rounding::kTowardPositive:
      return !negative && (half || rest);
    case Rounding::kTowardNegative:
      return negative && (half || rest);
    case Rounding::kTowardZero:
      return false;
  }
  return false;
}

// Discards `shift` bits and rounds to an integer.
Wide RoundShifted(Rounding rounding, const ExactFloat& exact, int shift) {
  if (shift <= 0) {
    assert(!exact.more);
    return exact.significand << -shift;
  }
  // Beyond this shift, the value is less than half an ulp.
  shift = std::min(shift, 127);
  const Wide kept = exact.significand >> shift;
  const bool half = (exact.significand >> (shift - 1) & 1) != 0;
  const bool rest = exact.more || (exact.significand & ((Wide{1} << (shift - 1)) - 1)) != 0;
  return kept + (GoesUp(rounding, exact.negative, (kept & 1) != 0, half, rest) ? 1 : 0);
}

// Returns the integer part of the square root of a number with at most 62 bits.
uint64_t IntegerRoot(uint64_t radicand) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 30; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= radicand) root |= bit;
  }
  return root;
}

}  // namespace

SmallFloat::SmallFloat(SmallFormat format)
    : format_(format),
      sign_(uint32_t{1} << (format.bits() - 1)),
      fraction_mask_((uint32_t{1} << (format.significand_bits - 1)) - 1) {
  assert(format.exponent_bits >= 2 && format.exponent_bits <= 8);
  assert(format.significand_bits >= 2 && format.significand_bits <= 24);
  infinity_ = sign_ - 1 - fraction_mask_;
  lowest_exponent_ = 3 - (1 << (format.exponent_bits - 1)) - format.significand_bits;
}

ExactFloat SmallFloat::Unpack(uint32_t a) const {
  const int stored = format_.significand_bits - 1;
  const auto field = static_cast<int>((a & infinity_) >> stored);
  const uint32_t fraction = a & fraction_mask_;
  if (field == 0) return {Negative(a), fraction, lowest_exponent_};
  return {Negative(a), fraction | (uint32_t{1} << stored), lowest_exponent_ + field - 1};
}

uint32_t SmallFloat::Round(Rounding rounding, const ExactFloat& exact) const {
  const int width = format_.significand_bits, stored = width - 1;
  const uint32_t sign = zero(exact.negative);
  if (exact.significand == 0 && !exact.more) return sign;
  int last = std::max(exact.exponent + BitWidth(exact.significand) - width, lowest_exponent_);
  auto kept = static_cast<uint32_t>(RoundShifted(rounding, exact, last - exact.exponent));
  if (kept >> width != 0) {
    kept >>= 1;
    ++last;
  }
  if (kept >> stored == 0) return sign | kept;
  const int field = last - lowest_exponent_ + 1;
  if (field < (1 << format_.exponent_bits) - 1)
    return sign | static_cast<uint32_t>(field) << stored | (kept & fraction_mask_);
  const bool to_infinity = GoesUp(rounding, exact.negative, true, true, true);
  return to_infinity ? infinity(exact.negative) : sign | (infinity_ - 1);
}

bool SmallFloat::Equal(uint32_t a, uint32_t b) const {
  return !IsNaN(a) && !IsNaN(b) && (a == b || (IsZero(a) && IsZero(b)));
}

bool SmallFloat::Less(uint32_t a, uint32_t b) const {
  if (IsNaN(a) || IsNaN(b) || (IsZero(a) && IsZero(b))) return false;
  if (Negative(a) != Negative(b)) return Negative(a);
  return Negative(a) ? a > b : a < b;
}

uint32_t SmallFloat::SumOfZeros(Rounding rounding, bool a_negative, bool b_negative) const {
  return zero(a_negative == b_negative ? a_negative : rounding == Rounding::kTowardNegative);
}

// Adds two nonzero numbers. If their exact sum is zero, it has the sign that IEEE 754-2019 6.3 requires.
uint32_t SmallFloat::RoundSum(Rounding rounding, ExactFloat a, ExactFloat b) const {
  if (a.exponent < b.exponent) std::swap(a, b);
  const int apart = a.exponent - b.exponent, shift = std::min(apart, kMostShift);
  const int unit = a.exponent - shift, lost = std::min(apart - shift, 127);
  // If bits of b are lost, a is much larger than b.
  const bool more = (b.significand & ((Wide{1} << lost) - 1)) != 0;
  a.significand <<= shift;
  b.significand >>= lost;
  if (a.negative == b.negative) return Round(rounding, {a.negative, a.significand + b.significand, unit, more});
  if (a.significand == b.significand) return zero(rounding == Rounding::kTowardNegative);
  if (a.significand < b.significand) std::swap(a, b);
  return Round(rounding, {a.negative, a.significand - b.significand - (more ? 1 : 0), unit, more});
}

uint32_t SmallFloat::Add(Rounding rounding, uint32_t a, uint32_t b) const {
  if (IsNaN(a) || IsNaN(b)) return nan();
  if (IsInfinite(a)) return IsInfinite(b) && a != b ? nan() : a;
  if (IsInfinite(b)) return b;
  if (IsZero(a)) return IsZero(b) ? SumOfZeros(rounding, Negative(a), Negative(b)) : b;
  if (IsZero(b)) return a;
  return RoundSum(rounding, Unpack(a), Unpack(b));
}

uint32_t SmallFloat::Mul(Rounding rounding, uint32_t a, uint32_t b) const {
  if (IsNaN(a) || IsNaN(b)) return nan();
  const bool negative = Negative(a) != Negative(b);
  if (IsInfinite(a) || IsInfinite(b)) return IsZero(a) || IsZero(b) ? nan() : infinity(negative);
  if (IsZero(a) || IsZero(b)) return zero(negative);
  const ExactFloat x = Unpack(a), y = Unpack(b);
  return Round(rounding, {negative, x.significand * y.significand, x.exponent + y.exponent});
}

uint32_t SmallFloat::Div(Rounding rounding, uint32_t a, uint32_t b) const {
  if (IsNaN(a) || IsNaN(b)) return nan();
  const bool negative = Negative(a) != Negative(b);
  if (IsInfinite(a)) return IsInfinite(b) ? nan() : infinity(negative);
  if (IsZero(b)) return IsZero(a) ? nan() : infinity(negative);
  if (IsZero(a) || IsInfinite(b)) return zero(negative);
  const ExactFloat x = Unpack(a), y = Unpack(b);
  const Wide dividend = x.significand << 64;
  return Round(rounding,
               {negative, dividend / y.significand, x.exponent - y.exponent - 64, dividend % y.significand != 0});
}

uint32_t SmallFloat::Sqrt(Rounding rounding, uint32_t a) const {
  if (IsNaN(a) || IsZero(a)) return Canonical(a);
  if (Negative(a)) return nan();
  if (IsInfinite(a)) return a;
  const ExactFloat x = Unpack(a);
  // The radicand has 61 or 62 bits and an even exponent, so the root has 31 bits.
  int shift = 62 - BitWidth(x.significand);
  if (((x.exponent - shift) & 1) != 0) --shift;
  const uint64_t radicand = static_cast<uint64_t>(x.significand) << shift;
  const uint64_t root = IntegerRoot(radicand);
  return Round(rounding, {false, root, (x.exponent - shift) / 2, root * root != radicand});
}

uint32_t SmallFloat::RoundToIntegral(Rounding rounding, uint32_t a) const {
  if (IsNaN(a) || IsInfinite(a) || IsZero(a)) return Canonical(a);
  const ExactFloat x = Unpack(a);
  if (x.exponent >= 0) return a;
  return Round(Rounding::kTowardZero, {x.negative, RoundShifted(rounding, x, -x.exponent), 0});
}

uint32_t SmallFloat::Fma(Rounding rounding, uint32_t a, uint32_t b, uint32_t c) const {
  if (IsNaN(a) || IsNaN(b) || IsNaN(c)) return nan();
  const bool negative = Negative(a) != Negative(b);
  if (IsInfinite(a) || IsInfinite(b)) {
    if (IsZero(a) || IsZero(b)) return nan();
    return IsInfinite(c) && Negative(c) != negative ? nan() : infinity(negative);
  }
  if (IsInfinite(c)) return c;
  if (IsZero(a) || IsZero(b)) return IsZero(c) ? SumOfZeros(rounding, negative, Negative(c)) : c;
  const ExactFloat x = Unpack(a), y = Unpack(b);
  const ExactFloat product = {negative, x.significand * y.significand, x.exponent + y.exponent};
  return IsZero(c) ? Round(rounding, product) : RoundSum(rounding, product, Unpack(c));
}

uint32_t SmallFloat::Rem(uint32_t a, uint32_t b) const {
  if (IsNaN(a) || IsNaN(b) || IsInfinite(a) || IsZero(b)) return nan();
  if (IsInfinite(b) || IsZero(a)) return a;
  const ExactFloat x = Unpack(a);
  ExactFloat y = Unpack(b);
  if (y.exponent - x.exponent > format_.significand_bits + 1) return a;  // a is less than half of b
  if (y.exponent > x.exponent) {
    y.significand <<= y.exponent - x.exponent;
    y.exponent = x.exponent;
  }
  Wide rest = x.significand % y.significand;
  bool odd = (x.significand / y.significand & 1) != 0;
  for (int i = y.exponent; i < x.exponent; ++i) {
    rest <<= 1;
    odd = rest >= y.significand;
    if (odd) rest -= y.significand;
  }
  const bool beyond = 2 * rest > y.significand || (2 * rest == y.significand && odd);
  // The result is exact in the format, so the mode does not matter.
  return Round(Rounding::kTowardZero, {x.negative != beyond, beyond ? y.significand - rest : rest, y.exponent});
}

uint32_t SmallFloat::Min(ZeroChoice choice, uint32_t a, uint32_t b) const {
  if (IsNaN(a)) return Canonical(b);
  if (IsNaN(b)) return a;
  if (IsZero(a) && IsZero(b) && a != b) return zero(choice == ZeroChoice::kNegative);
  return Less(b, a) ? b : a;
}

uint32_t SmallFloat::Max(ZeroChoice choice, uint32_t a, uint32_t b) const {
  if (IsNaN(a)) return Canonical(b);
  if (IsNaN(b)) return a;
  if (IsZero(a) && IsZero(b) && a != b) return zero(choice == ZeroChoice::kNegative);
  return Less(a, b) ? b : a;
}

}  // namespace rewrought::peers
