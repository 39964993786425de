#include "tests/benchmark/peers/stp/small_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <vector>

#include "ir/scalar.h"

namespace rewrought::peers {
namespace {

constexpr Rounding kRne = Rounding::kNearestEven, kRna = Rounding::kNearestAway, kRtp = Rounding::kTowardPositive,
                   kRtn = Rounding::kTowardNegative, kRtz = Rounding::kTowardZero;

TEST(SmallFloat, KnowsItsConstants) {
  const SmallFloat small({3, 4});
  EXPECT_EQ(small.one(false), 0b0'011'000u);
  EXPECT_EQ(small.one(true), 0b1'011'000u);
  EXPECT_EQ(small.infinity(false), 0b0'111'000u);
  EXPECT_EQ(small.nan(), 0b0'111'100u);
  EXPECT_TRUE(small.IsNaN(0b1'111'001u));
  EXPECT_TRUE(small.IsSubnormal(0b1'000'001u));
  EXPECT_FALSE(small.IsSubnormal(0b1'000'000u));
  EXPECT_TRUE(small.IsNormal(0b0'001'000u));
  EXPECT_FALSE(small.IsNegative(0b1'111'100u));  // a NaN
  EXPECT_EQ(SmallFloat({8, 24}).nan(), 0x7fc00000u);
  EXPECT_EQ(SmallFloat({5, 11}).one(false), 0x3c00u);
}

// 15 is the largest number of format (3,4), 14 is the next smaller one, and 2^-5 is the smallest positive number.
TEST(SmallFloat, RoundsInEachMode) {
  const SmallFloat small({3, 4});
  const uint32_t most = 0b0'110'111, infinity = small.infinity(false), one = small.one(false), half = 0b0'010'000,
                 least = 0b0'000'001, twice_least = 0b0'000'010;
  EXPECT_EQ(small.Add(kRne, most, one), infinity);  // 16 is not a tie; it is a whole ulp above 15
  EXPECT_EQ(small.Add(kRtz, most, one), most);
  EXPECT_EQ(small.Add(kRtn, most, one), most);
  EXPECT_EQ(small.Add(kRtp, most, one), infinity);
  EXPECT_EQ(small.Add(kRne, most, half), infinity);  // 15.5 is a tie and rounds to the even number, which is 16
  EXPECT_EQ(small.Add(kRna, most, half), infinity);
  EXPECT_EQ(small.Mul(kRne, least, half), 0u);  // half of the smallest number is a tie between it and zero
  EXPECT_EQ(small.Mul(kRna, least, half), least);
  EXPECT_EQ(small.Mul(kRtp, least, half), least);
  EXPECT_EQ(small.Mul(kRtz, least, half), 0u);
  EXPECT_EQ(small.Mul(kRtn, small.Neg(least), half), small.Neg(least));
  EXPECT_EQ(small.Mul(kRtp, small.Neg(least), half), small.zero(true));
  EXPECT_EQ(small.Div(kRne, twice_least, twice_least), one);
}

TEST(SmallFloat, GivesZerosTheirSigns) {
  const SmallFloat small({3, 4});
  const uint32_t one = small.one(false), plus = 0, minus = small.zero(true);
  for (const Rounding rounding : kRoundings) {
    const uint32_t sum = rounding == kRtn ? minus : plus;
    EXPECT_EQ(small.Sub(rounding, one, one), sum);
    EXPECT_EQ(small.Add(rounding, plus, minus), sum);
    EXPECT_EQ(small.Fma(rounding, one, one, small.one(true)), sum);
    EXPECT_EQ(small.Add(rounding, minus, minus), minus);
    EXPECT_EQ(small.Sqrt(rounding, minus), minus);
  }
  EXPECT_EQ(small.Rem(small.one(true), one), minus);
  EXPECT_EQ(small.RoundToIntegral(kRne, 0b1'000'001), minus);
  EXPECT_EQ(small.Min(ZeroChoice::kNegative, plus, minus), minus);
  EXPECT_EQ(small.Max(ZeroChoice::kPositive, minus, plus), plus);
}

// Draws operands with similar exponents, subnormal operands, and operands with few bits set, because random operands
// rarely produce ties or cancellation.
class Samples {
 public:
  explicit Samples(int fraction_bits, int bits) : fraction_bits_(fraction_bits), bits_(bits) {}

  uint32_t Next() {
    uint32_t value = static_cast<uint32_t>(random_()) & static_cast<uint32_t>((uint64_t{1} << bits_) - 1);
    const uint64_t how = random_();
    const uint32_t fraction = (uint32_t{1} << fraction_bits_) - 1, sign = uint32_t{1} << (bits_ - 1);
    if (how % 16 == 0) value &= fraction | sign;       // subnormal
    if (how / 16 % 4 == 0) value &= ~(fraction >> 3);  // few bits
    if (how / 64 % 4 == 0) value = last_ + static_cast<uint32_t>(how / 256 % 5) - 2;
    if (how / 64 % 4 == 1) value = (value & ~(sign - 1 - fraction)) | (last_ & (sign - 1 - fraction));
    last_ = value & static_cast<uint32_t>((uint64_t{1} << bits_) - 1);
    return last_;
  }

 private:
  const int fraction_bits_, bits_;
  uint32_t last_ = 0;
  std::mt19937_64 random_{7};
};

// Returns the host's results for 32-bit floats in one of the host's rounding modes, in the order of OfSingle.
std::vector<uint32_t> OfHost(int mode, uint32_t a, uint32_t b, uint32_t c) {
  volatile float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b), z = std::bit_cast<float>(c);
  volatile float results[7] = {};  // computed while the mode is set
  std::fesetround(mode);
  results[0] = x + y;
  results[1] = x - y;
  results[2] = x * y;
  results[3] = x / y;
  results[4] = std::sqrt(x);
  results[5] = std::fma(x, y, z);
  results[6] = std::nearbyint(x);
  std::fesetround(FE_TONEAREST);
  std::vector<uint32_t> patterns;
  for (const volatile float& result : results) patterns.push_back(std::bit_cast<uint32_t>(static_cast<float>(result)));
  patterns.push_back(std::bit_cast<uint32_t>(std::remainder(static_cast<float>(x), static_cast<float>(y))));
  return patterns;
}

TEST(SmallFloat, AgreesWithTheHostAt32Bits) {
  const SmallFloat single({8, 24});
  const std::pair<int, Rounding> modes[] = {
      {FE_TONEAREST, kRne}, {FE_UPWARD, kRtp}, {FE_DOWNWARD, kRtn}, {FE_TOWARDZERO, kRtz}};
  Samples samples(23, 32);
  for (int i = 0; i < 300'000; ++i) {
    const uint32_t a = samples.Next(), b = samples.Next(), c = samples.Next();
    const auto& [mode, rounding] = modes[i % 4];
    std::vector<uint32_t> wanted = OfHost(mode, a, b, c);
    for (uint32_t& pattern : wanted) pattern = single.Canonical(pattern);
    const std::vector<uint32_t> ours = {single.Add(rounding, a, b),
                                        single.Sub(rounding, a, b),
                                        single.Mul(rounding, a, b),
                                        single.Div(rounding, a, b),
                                        single.Sqrt(rounding, a),
                                        single.Fma(rounding, a, b, c),
                                        single.RoundToIntegral(rounding, a),
                                        single.Rem(a, b)};
    ASSERT_EQ(ours, wanted) << std::hex << a << " " << b << " " << c << " mode " << static_cast<int>(rounding);
  }
}

// For sums, products, quotients and roots of 11-bit significands, rounding via double is innocuous (53 >= 2 x 11 + 2).
TEST(SmallFloat, AgreesWithTheHostAt16Bits) {
  const SmallFloat half({5, 11});
  const auto rounded = [&](double value) { return half.Canonical(static_cast<uint32_t>(ir::FloatToBits(value, 16))); };
  Samples samples(10, 16);
  for (int i = 0; i < 300'000; ++i) {
    const uint32_t a = samples.Next(), b = samples.Next();
    const double x = ir::BitsToFloat(a, 16), y = ir::BitsToFloat(b, 16);
    const std::vector<uint32_t> ours = {half.Add(kRne, a, b), half.Sub(kRne, a, b), half.Mul(kRne, a, b),
                                        half.Div(kRne, a, b), half.Rem(a, b)};
    const std::vector<uint32_t> wanted = {rounded(x + y), rounded(x - y), rounded(x * y), rounded(x / y),
                                          rounded(std::remainder(x, y))};
    ASSERT_EQ(ours, wanted) << std::hex << a << " " << b;
    ASSERT_EQ(half.Less(a, b), x < y);
    ASSERT_EQ(half.Equal(a, b), x == y);
  }
  for (uint32_t a = 0; a < half.format().patterns(); ++a) {
    const double x = ir::BitsToFloat(a, 16);
    ASSERT_EQ(half.Sqrt(kRne, a), rounded(std::sqrt(x))) << a;
    ASSERT_EQ(half.RoundToIntegral(kRne, a), rounded(std::nearbyint(x))) << a;
    ASSERT_EQ(half.RoundToIntegral(kRna, a), rounded(std::round(x))) << a;
    ASSERT_EQ(half.RoundToIntegral(kRtz, a), rounded(std::trunc(x))) << a;
    ASSERT_EQ(half.RoundToIntegral(kRtp, a), rounded(std::ceil(x))) << a;
    ASSERT_EQ(half.RoundToIntegral(kRtn, a), rounded(std::floor(x))) << a;
  }
}

}  // namespace
}  // namespace rewrought::peers
