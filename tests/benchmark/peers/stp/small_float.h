// Arithmetic of IEEE 754's binary formats of up to 32 bits in all of SMT-LIB's rounding modes, by integers alone: each
// result is exact before it is rounded, once. The host's floats take no part, and nothing of ir/ does: formats of 6 to
// 8 bits are what STP searches, and a second meaning of floats is something to compare the first with.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_STP_SMALL_FLOAT_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_STP_SMALL_FLOAT_H_

#include <array>
#include <cstdint>

namespace rewrought::peers {

// As (_ FloatingPoint eb sb) of SMT-LIB: `significand_bits` counts the bit that is not stored. 2 to 8 and 2 to 24 bits.
struct SmallFormat {
  int exponent_bits = 0;
  int significand_bits = 0;

  int bits() const { return exponent_bits + significand_bits; }
  // Patterns of bits, with all NaNs.
  uint64_t patterns() const { return uint64_t{1} << bits(); }
  bool operator==(const SmallFormat&) const = default;
};

// IEEE 754-2019 4.3; SMT-LIB's RNE, RNA, RTP, RTN, RTZ.
enum class Rounding : uint8_t { kNearestEven, kNearestAway, kTowardPositive, kTowardNegative, kTowardZero };
inline constexpr std::array<Rounding, 5> kRoundings = {Rounding::kNearestEven, Rounding::kNearestAway,
                                                       Rounding::kTowardPositive, Rounding::kTowardNegative,
                                                       Rounding::kTowardZero};

// What fp.min and fp.max give for two zeros of different sign, which SMT-LIB leaves open.
enum class ZeroChoice : uint8_t { kPositive, kNegative };

// A value of the exact arithmetic, not NaN and not infinite: significand x 2^exponent and, where `more`, something
// above that by less than 2^exponent; significands of `more` have at least two bits more than the format.
struct ExactFloat {
  bool negative = false;
  unsigned __int128 significand = 0;
  int exponent = 0;
  bool more = false;
};

// Operations on patterns of one format. A NaN comes out as the one pattern nan(); all patterns of NaNs go in. What no
// comment says is as SMT-LIB's theory FloatingPoint says it, which is IEEE 754-2019 5.3 to 5.11.
class SmallFloat {
 public:
  explicit SmallFloat(SmallFormat format);

  SmallFormat format() const { return format_; }
  uint32_t nan() const { return infinity_ | (infinity_ >> 1 & fraction_mask_); }
  uint32_t infinity(bool negative) const { return infinity_ | (negative ? sign_ : 0); }
  uint32_t zero(bool negative) const { return negative ? sign_ : 0; }
  uint32_t one(bool negative) const { return One() | (negative ? sign_ : 0); }

  bool IsNaN(uint32_t a) const { return (a & ~sign_) > infinity_; }
  bool IsInfinite(uint32_t a) const { return (a & ~sign_) == infinity_; }
  bool IsZero(uint32_t a) const { return (a & ~sign_) == 0; }
  bool IsSubnormal(uint32_t a) const { return !IsZero(a) && (a & infinity_) == 0; }
  bool IsNormal(uint32_t a) const { return (a & infinity_) != 0 && (a & infinity_) != infinity_; }
  // False for NaN, as fp.isNegative and fp.isPositive are.
  bool IsNegative(uint32_t a) const { return !IsNaN(a) && (a & sign_) != 0; }
  bool IsPositive(uint32_t a) const { return !IsNaN(a) && (a & sign_) == 0; }

  // The pattern that stands for `a`: nan() for a NaN, else itself. Two are "=" in SMT-LIB where these are the same.
  uint32_t Canonical(uint32_t a) const { return IsNaN(a) ? nan() : a; }
  // fp.eq, fp.lt and fp.leq: false beside a NaN, the zeros are equal.
  bool Equal(uint32_t a, uint32_t b) const;
  bool Less(uint32_t a, uint32_t b) const;
  bool LessOrEqual(uint32_t a, uint32_t b) const { return Less(a, b) || Equal(a, b); }

  uint32_t Abs(uint32_t a) const { return Canonical(a & ~sign_); }
  uint32_t Neg(uint32_t a) const { return Canonical(a ^ sign_); }
  uint32_t Add(Rounding rounding, uint32_t a, uint32_t b) const;
  uint32_t Sub(Rounding rounding, uint32_t a, uint32_t b) const { return Add(rounding, a, Neg(b)); }
  uint32_t Mul(Rounding rounding, uint32_t a, uint32_t b) const;
  uint32_t Div(Rounding rounding, uint32_t a, uint32_t b) const;
  uint32_t Sqrt(Rounding rounding, uint32_t a) const;
  uint32_t RoundToIntegral(Rounding rounding, uint32_t a) const;
  // a b + c, rounded once (5.4.1).
  uint32_t Fma(Rounding rounding, uint32_t a, uint32_t b, uint32_t c) const;
  // a - b n, with n the integer nearest to a / b, the even one of two (5.3.1); a zero has the sign of `a`.
  uint32_t Rem(uint32_t a, uint32_t b) const;
  uint32_t Min(ZeroChoice choice, uint32_t a, uint32_t b) const;
  uint32_t Max(ZeroChoice choice, uint32_t a, uint32_t b) const;

  // The one place that rounds: overflow and subnormal results are as IEEE 754-2019 7.4 and 7.5 have them. A zero keeps
  // the sign.
  uint32_t Round(Rounding rounding, const ExactFloat& exact) const;
  // Of what is neither NaN nor infinite.
  ExactFloat Unpack(uint32_t a) const;

 private:
  bool Negative(uint32_t a) const { return (a & sign_) != 0; }
  uint32_t One() const { return infinity_ >> 1 & infinity_; }
  uint32_t SumOfZeros(Rounding rounding, bool a_negative, bool b_negative) const;
  uint32_t RoundSum(Rounding rounding, ExactFloat a, ExactFloat b) const;

  SmallFormat format_;
  uint32_t sign_ = 0, infinity_ = 0, fraction_mask_ = 0;
  int lowest_exponent_ = 0;  // of the last place of subnormal numbers
};

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_SMALL_FLOAT_H_
