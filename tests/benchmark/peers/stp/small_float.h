// Implements the arithmetic of IEEE 754 binary formats with up to 32 bits in all of SMT-LIB's rounding modes, using
// only integers. Computes each result exactly and rounds it once. Uses neither the host's floats nor ir/, so that it
// can serve as an independent reference. STP searches formats with 6 to 8 bits.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_STP_SMALL_FLOAT_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_STP_SMALL_FLOAT_H_

#include <array>
#include <cstdint>

namespace rewrought::peers {

// Represents SMT-LIB's (_ FloatingPoint eb sb). `exponent_bits` is 2 to 8. `significand_bits` is 2 to 24 and includes
// the implicit bit.
struct SmallFormat {
  int exponent_bits = 0;
  int significand_bits = 0;

  int bits() const { return exponent_bits + significand_bits; }
  // Returns the number of bit patterns, including all NaNs.
  uint64_t patterns() const { return uint64_t{1} << bits(); }
  bool operator==(const SmallFormat&) const = default;
};

// The rounding modes of IEEE 754-2019 4.3. SMT-LIB calls them RNE, RNA, RTP, RTN, and RTZ.
enum class Rounding : uint8_t { kNearestEven, kNearestAway, kTowardPositive, kTowardNegative, kTowardZero };
inline constexpr std::array<Rounding, 5> kRoundings = {Rounding::kNearestEven, Rounding::kNearestAway,
                                                       Rounding::kTowardPositive, Rounding::kTowardNegative,
                                                       Rounding::kTowardZero};

// The result of fp.min and fp.max for two zeros of different sign, which SMT-LIB leaves open.
enum class ZeroChoice : uint8_t { kPositive, kNegative };

// An exact value that is neither NaN nor infinite: significand x 2^exponent. If `more` is set, the value is larger by
// less than 2^exponent, and the significand has at least two bits more than the format.
struct ExactFloat {
  bool negative = false;
  unsigned __int128 significand = 0;
  int exponent = 0;
  bool more = false;
};

// Operations on patterns of one format. They accept all NaN patterns and return no NaN other than nan(). Unless a
// comment says otherwise, they follow SMT-LIB's theory FloatingPoint, which is IEEE 754-2019 5.3 to 5.11.
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
  // These return false for NaN, like fp.isNegative and fp.isPositive.
  bool IsNegative(uint32_t a) const { return !IsNaN(a) && (a & sign_) != 0; }
  bool IsPositive(uint32_t a) const { return !IsNaN(a) && (a & sign_) == 0; }

  // Returns nan() for a NaN, otherwise `a`. Two patterns are "=" in SMT-LIB if their canonical patterns are the same.
  uint32_t Canonical(uint32_t a) const { return IsNaN(a) ? nan() : a; }
  // These return false if an operand is NaN, and treat the zeros as equal, like fp.eq, fp.lt and fp.leq.
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
  // Returns a * b + c, rounded once (5.4.1).
  uint32_t Fma(Rounding rounding, uint32_t a, uint32_t b, uint32_t c) const;
  // Returns a - b * n, where n is the integer nearest to a / b, ties to even (5.3.1). A zero result has the sign of
  // `a`.
  uint32_t Rem(uint32_t a, uint32_t b) const;
  uint32_t Min(ZeroChoice choice, uint32_t a, uint32_t b) const;
  uint32_t Max(ZeroChoice choice, uint32_t a, uint32_t b) const;

  // Rounds an exact value to the format; all rounding happens here. Overflow and subnormal results follow IEEE 754-2019
  // 7.4 and 7.5. A zero keeps its sign.
  uint32_t Round(Rounding rounding, const ExactFloat& exact) const;
  // Returns the exact value of a pattern that is neither NaN nor infinite.
  ExactFloat Unpack(uint32_t a) const;

 private:
  bool Negative(uint32_t a) const { return (a & sign_) != 0; }
  uint32_t One() const { return infinity_ >> 1 & infinity_; }
  uint32_t SumOfZeros(Rounding rounding, bool a_negative, bool b_negative) const;
  uint32_t RoundSum(Rounding rounding, ExactFloat a, ExactFloat b) const;

  SmallFormat format_;
  uint32_t sign_ = 0, infinity_ = 0, fraction_mask_ = 0;
  int lowest_exponent_ = 0;  // the exponent of the last place of subnormal numbers
};

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_SMALL_FLOAT_H_
