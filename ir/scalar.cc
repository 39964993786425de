#include "ir/scalar.h"

#include <bit>
#include <cmath>

#include "ir/approximate.h"

namespace rewrought::ir {
namespace {

using Quad = __float128;

// Rounds `value` to binary16 in a single step, which avoids double rounding.
uint64_t DoubleToHalf(double value, bool toward_zero) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = (bits >> 63) << 15;
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  if (magnitude > (uint64_t{0x7ff} << 52)) return FormatOf(16).quiet_nan();
  if (magnitude == (uint64_t{0x7ff} << 52)) return sign | 0x7c00;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > 15) return sign | (toward_zero ? 0x7bff : 0x7c00);
  if (exponent < -26) return sign;  // below half of the smallest denormal
  const uint64_t significand = (magnitude & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  const int shift = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  uint64_t kept = significand >> shift;
  const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  if (!toward_zero && (rest > half || (rest == half && (kept & 1)))) ++kept;
  // `kept` includes the hidden bit of a normal number. Adding it to the biased exponent minus one is correct: a carry
  // out of the significand increments the exponent, up to infinity.
  const uint64_t base = exponent >= -14 ? static_cast<uint64_t>(exponent + 14) << 10 : 0;
  return sign | (base + kept);
}

double HalfToDouble(uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10) & 31;
  const double mantissa = static_cast<double>(bits & 0x3ff);
  double magnitude;
  if (exponent == 31) {
    magnitude = (bits & 0x3ff) ? std::nan("") : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(mantissa + 1024.0, exponent - 25);
  }
  return (bits & 0x8000) ? -magnitude : magnitude;
}

float ToFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
double ToDouble(uint64_t bits) { return std::bit_cast<double>(bits); }

uint64_t FromFloat(float value) {
  return std::isnan(value) ? FormatOf(32).quiet_nan() : std::bit_cast<uint32_t>(value);
}
uint64_t FromDouble(double value) {
  return std::isnan(value) ? FormatOf(64).quiet_nan() : std::bit_cast<uint64_t>(value);
}

// Applies a function in the format of the operands, or in double precision for binary16. Rounding the double to
// binary16 yields the same value as rounding the exact result. For + - * /, this follows from 53 >= 2*11+2 (Figueroa
// 1995); it also holds for fma.
template <typename Function>
uint64_t Arithmetic(int width, Function function, uint64_t x, uint64_t y, uint64_t z = 0) {
  switch (width) {
    case 16:
      return DoubleToHalf(function(HalfToDouble(x), HalfToDouble(y), HalfToDouble(z)), false);
    case 32:
      return FromFloat(function(ToFloat(x), ToFloat(y), ToFloat(z)));
    default:
      return FromDouble(function(ToDouble(x), ToDouble(y), ToDouble(z)));
  }
}

bool Less(int width, uint64_t x, uint64_t y) { return BitsToFloat(x, width) < BitsToFloat(y, width); }

// Returns minNum or maxNum, treating -0 as less than +0.
uint64_t MinMax(int width, uint64_t x, uint64_t y, bool minimum) {
  if (IsNan(x, width)) return IsNan(y, width) ? FormatOf(width).quiet_nan() : y;
  if (IsNan(y, width)) return x;
  const bool x_first =
      BitsToFloat(x, width) == BitsToFloat(y, width) ? SignExtend(x, width) < SignExtend(y, width) : Less(width, x, y);
  return x_first == minimum ? x : y;
}

double RoundToIntegral(Primitive primitive, double value) {
  switch (primitive) {
    case Primitive::kFfloor:
      return std::floor(value);
    case Primitive::kFceil:
      return std::ceil(value);
    case Primitive::kFtrunc:
      return std::trunc(value);
    default:
      return std::nearbyint(value);  // relies on the process's default rounding mode
  }
}

// Returns whether |high + low| < `bound`, where high + low is an unevaluated exact sum with |low| <= ulp(high)/2.
bool MagnitudeBelow(Quad high, Quad low, Quad bound) {
  const Quad magnitude = high < 0 ? -high : high;
  const Quad rest = high < 0 ? -low : low;
  return magnitude < bound || (magnitude == bound && rest < 0);
}

bool IsSmallestNormal(uint64_t bits, int width) {
  return (bits & FormatOf(width).magnitude_mask()) == FormatOf(width).smallest_normal();
}

bool FmaTiny(int width, uint64_t x, uint64_t y, uint64_t z) {
  if (!IsSmallestNormal(EvaluatePrimitive(Primitive::kFfma, width, width, 0, x, y, z), width)) return false;
  // The product of two doubles is exact in 113 bits; Knuth's TwoSum returns the exact error of the sum.
  const Quad product = Quad(BitsToFloat(x, width)) * Quad(BitsToFloat(y, width));
  const Quad addend = BitsToFloat(z, width);
  const Quad sum = product + addend;
  const Quad part = sum - product;
  const Quad error = (product - (sum - part)) + (addend - part);
  return MagnitudeBelow(sum, error, BitsToFloat(FormatOf(width).smallest_normal(), width));
}

bool DivTiny(int width, uint64_t x, uint64_t y) {
  const uint64_t quotient = EvaluatePrimitive(Primitive::kFdiv, width, width, 0, x, y, 0);
  if (!IsSmallestNormal(quotient, width)) return false;
  // Compare |x| with bound * |y|, which is exact in 113 bits.
  const Quad bound = BitsToFloat(FormatOf(width).smallest_normal(), width);
  const Quad dividend = std::fabs(BitsToFloat(x, width));
  return dividend < bound * Quad(std::fabs(BitsToFloat(y, width)));
}

bool ConvertTiny(int width, int operand_width, uint64_t x) {
  const double value = BitsToFloat(x, operand_width);
  const double bound = BitsToFloat(FormatOf(width).smallest_normal(), width);
  return IsSmallestNormal(FloatToBits(value, width), width) && std::fabs(value) < bound;
}

uint64_t FloatToInteger(uint64_t x, int operand_width, int width, bool is_signed) {
  const double value = std::trunc(BitsToFloat(x, operand_width));
  if (std::isnan(value)) return 0;
  const double limit = std::ldexp(1.0, is_signed ? width - 1 : width);
  if (value >= limit) return is_signed ? MaskOf(width) >> 1 : MaskOf(width);
  if (is_signed) {
    if (value < -limit) return uint64_t{1} << (width - 1);
    return static_cast<uint64_t>(static_cast<int64_t>(value)) & MaskOf(width);
  }
  return value <= 0 ? 0 : static_cast<uint64_t>(value);
}

bool InRange(uint64_t x, int operand_width, int width, bool is_signed) {
  const double value = std::trunc(BitsToFloat(x, operand_width));
  if (std::isnan(value)) return false;
  const double limit = std::ldexp(1.0, is_signed ? width - 1 : width);
  return value < limit && (is_signed ? value >= -limit : value >= 0);
}

uint64_t IntegerToFloat(uint64_t x, int operand_width, int width, bool is_signed) {
  const int64_t value = SignExtend(x, operand_width);
  if (width == 32) return FromFloat(is_signed ? static_cast<float>(value) : static_cast<float>(x));
  // A binary16 result is rounded twice, but an integer that double cannot represent exactly is far beyond 65504 and
  // becomes an infinity.
  return FloatToBits(is_signed ? static_cast<double>(value) : static_cast<double>(x), width);
}

uint64_t MultiplyHigh(uint64_t x, uint64_t y, int width, bool is_signed) {
  if (is_signed) {
    const __int128 product = static_cast<__int128>(SignExtend(x, width)) * SignExtend(y, width);
    return static_cast<uint64_t>(product >> width) & MaskOf(width);
  }
  return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * y) >> width) & MaskOf(width);
}

uint64_t SignedDivide(uint64_t x, uint64_t y, int width, bool remainder) {
  const int64_t dividend = SignExtend(x, width), divisor = SignExtend(y, width);
  if (divisor == 0) return remainder ? x : (dividend < 0 ? 1 : MaskOf(width));
  if (divisor == -1) return remainder ? 0 : (0 - x) & MaskOf(width);
  return static_cast<uint64_t>(remainder ? dividend % divisor : dividend / divisor) & MaskOf(width);
}

uint64_t Bitreverse(uint64_t x, int width) {
  uint64_t result = 0;
  for (int i = 0; i < width; ++i) result |= ((x >> i) & 1) << (width - 1 - i);
  return result;
}

}  // namespace

uint64_t FloatToBits(double value, int width) {
  if (width == 16) return DoubleToHalf(value, false);
  return width == 32 ? FromFloat(static_cast<float>(value)) : FromDouble(value);
}

uint64_t FloatToBitsTowardZero(double value, int width) {
  if (width == 16) return DoubleToHalf(value, true);
  if (width == 64) return FromDouble(value);
  const float nearest = static_cast<float>(value);
  if (std::isnan(value) || std::isinf(value)) return FromFloat(nearest);
  if (std::fabs(static_cast<double>(nearest)) <= std::fabs(value)) return FromFloat(nearest);
  return std::bit_cast<uint32_t>(nearest) - 1;  // one step toward zero; an infinity becomes the largest finite number
}

double BitsToFloat(uint64_t bits, int width) {
  return width == 16 ? HalfToDouble(bits) : width == 32 ? static_cast<double>(ToFloat(bits)) : ToDouble(bits);
}

uint64_t EvaluatePrimitive(Primitive primitive, int width, int operand_width, uint64_t immediate, uint64_t x,
                           uint64_t y, uint64_t z) {
  const uint64_t mask = MaskOf(width);
  switch (primitive) {
    case Primitive::kInput:
    case Primitive::kChoice:
    case Primitive::kLiteral:
      return immediate & mask;
    case Primitive::kNot:
      return ~x & mask;
    case Primitive::kAnd:
      return x & y;
    case Primitive::kOr:
      return x | y;
    case Primitive::kXor:
      return x ^ y;
    case Primitive::kNeg:
      return (0 - x) & mask;
    case Primitive::kAdd:
      return (x + y) & mask;
    case Primitive::kSub:
      return (x - y) & mask;
    case Primitive::kMul:
      return (x * y) & mask;
    case Primitive::kUdiv:
      return y == 0 ? mask : x / y;
    case Primitive::kUrem:
      return y == 0 ? x : x % y;
    case Primitive::kSdiv:
      return SignedDivide(x, y, width, false);
    case Primitive::kSrem:
      return SignedDivide(x, y, width, true);
    case Primitive::kShl:
      return y >= static_cast<uint64_t>(width) ? 0 : (x << y) & mask;
    case Primitive::kLshr:
      return y >= static_cast<uint64_t>(width) ? 0 : x >> y;
    case Primitive::kAshr: {
      const int count = y >= static_cast<uint64_t>(width) ? width - 1 : static_cast<int>(y);
      return static_cast<uint64_t>(SignExtend(x, width) >> count) & mask;
    }
    case Primitive::kMulhu:
      return MultiplyHigh(x, y, width, false);
    case Primitive::kMulhs:
      return MultiplyHigh(x, y, width, true);
    case Primitive::kEq:
      return x == y;
    case Primitive::kUlt:
      return x < y;
    case Primitive::kUle:
      return x <= y;
    case Primitive::kSlt:
      return SignExtend(x, operand_width) < SignExtend(y, operand_width);
    case Primitive::kSle:
      return SignExtend(x, operand_width) <= SignExtend(y, operand_width);
    case Primitive::kIte:
      return x ? y : z;
    case Primitive::kZext:
      return x;
    case Primitive::kSext:
      return static_cast<uint64_t>(SignExtend(x, operand_width)) & mask;
    case Primitive::kExtract:
      return (x >> immediate) & mask;
    case Primitive::kConcat:
      return ((x << operand_width) | y) & mask;
    case Primitive::kPopcount:
      return static_cast<uint64_t>(std::popcount(x)) & mask;
    case Primitive::kClz:
      return static_cast<uint64_t>(std::countl_zero(x) - (64 - width)) & mask;
    case Primitive::kCtz:
      return (x == 0 ? static_cast<uint64_t>(width) : static_cast<uint64_t>(std::countr_zero(x))) & mask;
    case Primitive::kBitreverse:
      return Bitreverse(x, width);
    case Primitive::kFadd:
      return Arithmetic(
          width, [](auto a, auto b, auto) { return a + b; }, x, y);
    case Primitive::kFmul:
      return Arithmetic(
          width, [](auto a, auto b, auto) { return a * b; }, x, y);
    case Primitive::kFfma:
      return Arithmetic(
          width, [](auto a, auto b, auto c) { return std::fma(a, b, c); }, x, y, z);
    case Primitive::kFdiv:
      return Arithmetic(
          width, [](auto a, auto b, auto) { return a / b; }, x, y);
    case Primitive::kFsqrt:
      return Arithmetic(
          width, [](auto a, auto, auto) { return std::sqrt(a); }, x, 0);
    case Primitive::kFfloor:
    case Primitive::kFceil:
    case Primitive::kFtrunc:
    case Primitive::kFroundeven:
      return FloatToBits(RoundToIntegral(primitive, BitsToFloat(x, width)), width);
    case Primitive::kFmin:
      return MinMax(width, x, y, true);
    case Primitive::kFmax:
      return MinMax(width, x, y, false);
    case Primitive::kFlt:
      return Less(operand_width, x, y);
    case Primitive::kFle:
      return BitsToFloat(x, operand_width) <= BitsToFloat(y, operand_width);
    case Primitive::kFeq:
      return BitsToFloat(x, operand_width) == BitsToFloat(y, operand_width);
    case Primitive::kIsnan:
      return IsNan(x, operand_width);
    case Primitive::kIsinf:
      return (x & FormatOf(operand_width).magnitude_mask()) == FormatOf(operand_width).infinity();
    case Primitive::kIszero:
      return (x & FormatOf(operand_width).magnitude_mask()) == 0;
    case Primitive::kIsdenorm: {
      const uint64_t magnitude = x & FormatOf(operand_width).magnitude_mask();
      return magnitude != 0 && magnitude < FormatOf(operand_width).smallest_normal();
    }
    case Primitive::kFneg:
      return x ^ FormatOf(width).sign();
    case Primitive::kFabs:
      return x & FormatOf(width).magnitude_mask();
    case Primitive::kF2f:
      return FloatToBits(BitsToFloat(x, operand_width), width);
    case Primitive::kF2fRtz:
      return FloatToBitsTowardZero(BitsToFloat(x, operand_width), width);
    case Primitive::kI2f:
      return IntegerToFloat(x, operand_width, width, true);
    case Primitive::kU2f:
      return IntegerToFloat(x, operand_width, width, false);
    case Primitive::kF2i:
      return FloatToInteger(x, operand_width, width, true);
    case Primitive::kF2u:
      return FloatToInteger(x, operand_width, width, false);
    case Primitive::kF2iInRange:
      return InRange(x, operand_width, static_cast<int>(immediate), true);
    case Primitive::kF2uInRange:
      return InRange(x, operand_width, static_cast<int>(immediate), false);
    case Primitive::kFmulTiny:
      return FmaTiny(operand_width, x, y, 0);
    case Primitive::kFfmaTiny:
      return FmaTiny(operand_width, x, y, z);
    case Primitive::kFdivTiny:
      return DivTiny(operand_width, x, y);
    case Primitive::kF2fTiny:
      return ConvertTiny(static_cast<int>(immediate), operand_width, x);
    case Primitive::kApprox:
      return ApproximateCorrectlyRounded(static_cast<Approximation>(immediate), width, x, y);
  }
  return 0;
}

}  // namespace rewrought::ir
