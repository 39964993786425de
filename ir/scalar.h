// The scalar domain, which evaluates each primitive on single bit patterns. It is the reference for the other domains.
#ifndef REWROUGHT_IR_SCALAR_H_
#define REWROUGHT_IR_SCALAR_H_

#include <cstdint>

#include "ir/primitive.h"

namespace rewrought::ir {

// `width` must be from 1 to 64.
constexpr uint64_t MaskOf(int width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

constexpr int64_t SignExtend(uint64_t bits, int width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

// An IEEE 754 binary interchange format of 16, 32 or 64 bits.
struct FloatFormat {
  int width;
  int mantissa_bits;  // without the hidden bit
  constexpr uint64_t sign() const { return uint64_t{1} << (width - 1); }
  constexpr uint64_t magnitude_mask() const { return sign() - 1; }
  constexpr uint64_t mantissa_mask() const { return (uint64_t{1} << mantissa_bits) - 1; }
  constexpr uint64_t infinity() const { return magnitude_mask() & ~mantissa_mask(); }
  constexpr uint64_t quiet_nan() const { return infinity() | (uint64_t{1} << (mantissa_bits - 1)); }
  constexpr uint64_t smallest_normal() const { return uint64_t{1} << mantissa_bits; }
  constexpr int bias() const { return (1 << (width - mantissa_bits - 2)) - 1; }
  constexpr uint64_t one() const { return static_cast<uint64_t>(bias()) << mantissa_bits; }
};

constexpr bool IsFloatWidth(int width) { return width == 16 || width == 32 || width == 64; }

constexpr FloatFormat FormatOf(int width) {
  return width == 16 ? FloatFormat{16, 10} : width == 32 ? FloatFormat{32, 23} : FloatFormat{64, 52};
}

constexpr bool IsNan(uint64_t bits, int width) {
  return (bits & FormatOf(width).magnitude_mask()) > FormatOf(width).infinity();
}

// Returns the pattern of `width` bits (16, 32, 64) nearest to `value`, ties to even; the canonical quiet NaN for a NaN.
uint64_t FloatToBits(double value, int width);

uint64_t FloatToBitsTowardZero(double value, int width);

// Returns the exact value of a pattern of 16, 32 or 64 bits.
double BitsToFloat(uint64_t bits, int width);

// Returns the result of `primitive` on the `operand_width`-bit operands x, y and z, in the low `width` bits. For kIte,
// x has 1 bit; for kConcat, `operand_width` is y's width. `immediate` is the immediate of the primitive's node.
// `primitive` must not be a leaf, and operands must not have bits above their width.
uint64_t EvaluatePrimitive(Primitive primitive, int width, int operand_width, uint64_t immediate, uint64_t x,
                           uint64_t y, uint64_t z);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SCALAR_H_
