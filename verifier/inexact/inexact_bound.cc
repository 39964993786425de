// Bounds rounding errors with intervals of magnitudes and signs, as a domain of RealReader.
#include <algorithm>
#include <cmath>

#include "ir/scalar.h"
#include "verifier/inexact/inexact_error.h"

namespace rewrought::verifier {
namespace {

// Results computed in doubles are enlarged by this factor, which exceeds a double's rounding error.
constexpr double kSlack = 1 + 1e-12;

// The possible values v of a node, both exact and computed: 0 (if `zero`), or lowest <= |v| <= highest with the given
// signs. The computed value is within a factor of 1 ± `relative` of the exact one, and is 0 if the exact value is 0.
struct Range {
  bool bounded = false;
  bool zero = false, positive = false, negative = false;
  double lowest = 0, highest = 0;
  double relative = 0;

  bool IsExactZero() const { return zero && !positive && !negative; }
};

class BoundDomain {
 public:
  using Real = Range;
  struct Truth {
    bool exact = true;  // rounding cannot change the value
  };

  explicit BoundDomain(const ir::Dag* dag) : dag_(dag) {}

  Real Literal(double value) { return {true, value == 0, value > 0, value < 0, std::abs(value), std::abs(value), 0}; }
  Real RealInput(uint32_t) {
    return {true, true, true, true, std::exp2(kSmallestInputExponent), std::exp2(kLargestInputExponent), 0};
  }
  Truth TruthInput(uint32_t) { return {}; }
  Truth FromBool(bool) { return {}; }
  Truth Compare(ir::Primitive, const Real& x, const Real& y) {
    return {x.bounded && y.bounded && x.relative == 0 && y.relative == 0};
  }
  Truth Not(const Truth& x) { return x; }
  Truth And(const Truth& x, const Truth& y) { return {x.exact && y.exact}; }
  Truth SelectTruth(const Truth& c, const Truth& x, const Truth& y) { return {c.exact && x.exact && y.exact}; }
  Real Select(const Truth& condition, const Real& x, const Real& y) {
    if (!condition.exact || !x.bounded || !y.bounded) return {};
    return Either(x, y);
  }
  Real CopySign(double magnitude, const Real& x) { return {x.bounded, false, true, true, magnitude, magnitude, 0}; }

  Real Apply(const ir::Value& value, absl::Span<const Real> x) {
    for (const Real& operand : x) {
      if (!operand.bounded) return {};
    }
    using ir::Primitive;
    switch (value.primitive) {
      case Primitive::kFadd:
        return Rounded(Sum(x[0], x[1]), value.width, IsIdentity(x[0], x[1]));
      case Primitive::kFmul:
        return Rounded(Product(x[0], x[1], value.operands[0] == value.operands[1]), value.width, IsScale(x[0], x[1]));
      case Primitive::kFfma: {
        const Real product = Product(x[0], x[1], value.operands[0] == value.operands[1]);
        return Rounded(Sum(product, x[2]), value.width, product.IsExactZero());
      }
      case Primitive::kFneg:
        return Negated(x[0]);
      case Primitive::kFabs: {
        Real result = x[0];
        result.positive = x[0].positive || x[0].negative;
        result.negative = false;
        return result;
      }
      case Primitive::kFmin:
      case Primitive::kFmax:
        return Either(x[0], x[1]);  // the result is an operand, with at most the larger of the operands' errors
      case Primitive::kF2f:
        return Rounded(x[0], value.width, value.width >= dag_->OperandWidth(value));
      default:  // the error of an approximated function depends on the device; rounding to integers is discontinuous
        return {};
    }
  }

  static std::optional<double> InUlp(const Real& x, int width) {
    if (!x.bounded) return std::nullopt;
    // |exact| < 2^(mantissa_bits + 1) ulp.
    return x.relative == 0 ? 0 : x.relative * std::exp2(ir::FormatOf(width).mantissa_bits + 1) * kSlack;
  }

 private:
  static bool IsIdentity(const Real& x, const Real& y) { return x.IsExactZero() || y.IsExactZero(); }

  // Returns whether a factor is 0 or a power of two. The product is then exact, except for denormals.
  static bool IsScale(const Real& x, const Real& y) {
    const auto power_of_two = [](const Real& v) {
      int exponent = 0;
      return v.relative == 0 && v.lowest == v.highest && (v.lowest == 0 || std::frexp(v.lowest, &exponent) == 0.5);
    };
    return power_of_two(x) || power_of_two(y);
  }

  static Real Negated(Real x) {
    std::swap(x.positive, x.negative);
    return x;
  }

  static Real Either(const Real& x, const Real& y) {
    if (x.IsExactZero() || y.IsExactZero()) {
      Real result = x.IsExactZero() ? y : x;
      result.zero = true;
      return result;
    }
    return {true,
            x.zero || y.zero,
            x.positive || y.positive,
            x.negative || y.negative,
            std::min(x.lowest, y.lowest),
            std::max(x.highest, y.highest),
            std::max(x.relative, y.relative)};
  }

  static Real Product(const Real& x, const Real& y, bool square) {
    Real result;
    result.bounded = true;
    result.zero = x.zero || y.zero;
    if (x.IsExactZero() || y.IsExactZero()) return result;
    result.positive = square || (x.positive && y.positive) || (x.negative && y.negative);
    result.negative = !square && ((x.positive && y.negative) || (x.negative && y.positive));
    result.lowest = x.lowest * y.lowest / kSlack;
    result.highest = x.highest * y.highest * kSlack;
    result.relative = ((1 + x.relative) * (1 + y.relative) - 1) * kSlack;
    return result;
  }

  static Real Sum(const Real& x, const Real& y) {
    if (x.IsExactZero()) return y;
    if (y.IsExactZero()) return x;
    Real result;
    result.bounded = true;
    result.zero = x.zero && y.zero;
    result.positive = x.positive || y.positive;
    result.negative = x.negative || y.negative;
    result.highest = (x.highest + y.highest) * kSlack;
    const bool cancels = (x.positive && y.negative) || (x.negative && y.positive);
    if (!cancels) {
      result.lowest = x.zero || y.zero ? std::min(x.lowest, y.lowest) : (x.lowest + y.lowest) / kSlack;
      result.relative = std::max(x.relative, y.relative);
      return result;
    }
    // The larger operand must dominate for all signs; otherwise there is no bound.
    const Real& large = x.lowest > y.highest ? x : y;
    const Real& small = x.lowest > y.highest ? y : x;
    if (large.zero || large.lowest <= small.highest) return {};
    result.lowest = (large.lowest - small.highest) / kSlack;
    result.positive = large.positive;
    result.negative = large.negative;
    result.relative = (large.relative * large.highest + small.relative * small.highest) / result.lowest * kSlack;
    return result;
  }

  // Rounds `exact` to `width` bits, with an error of at most half an ulp if no value overflows or is a denormal.
  static Real Rounded(Real exact, int width, bool changes_nothing) {
    if (!exact.bounded || exact.IsExactZero()) return exact;
    const ir::FloatFormat format = ir::FormatOf(width);
    const double spread = 1 + exact.relative;
    if (exact.relative >= 0.5 || exact.highest * spread >= std::ldexp(1.0, format.bias()) ||
        exact.lowest / spread < std::ldexp(1.0, 2 - format.bias())) {
      return {};
    }
    if (changes_nothing) return exact;
    const double unit = std::ldexp(1.0, -(format.mantissa_bits + 1));
    exact.relative = (spread * (1 + unit) - 1) * kSlack;
    return exact;
  }

  const ir::Dag* const dag_;
};

}  // namespace

std::optional<double> ErrorBoundInUlp(const PreparedCase& prepared) {
  BoundDomain domain(&prepared.dag());
  RealReader<BoundDomain> reader(&prepared.dag(), &domain);
  std::optional<double> bound;
  for (const ir::ValueIndex root : prepared.replace().lowered.root) {
    if (IsTruth(prepared.dag(), root)) return std::nullopt;
    const absl::StatusOr<Range> range = reader.ReadReal(root);
    if (!range.ok()) return std::nullopt;
    const std::optional<double> one = BoundDomain::InUlp(*range, prepared.dag().at(root).width);
    if (!one.has_value()) return std::nullopt;
    bound = std::max(bound.value_or(0), *one);
  }
  return bound;
}

}  // namespace rewrought::verifier
