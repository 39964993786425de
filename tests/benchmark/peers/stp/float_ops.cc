#include "tests/benchmark/peers/stp/float_ops.h"

#include <cstddef>

namespace rewrought::peers {
namespace {

constexpr FloatOpRow kRows[] = {
    {FloatOp::kAbs, "fp.abs", 1, false, false},
    {FloatOp::kNeg, "fp.neg", 1, false, false},
    {FloatOp::kSqrt, "fp.sqrt", 1, true, false},
    {FloatOp::kRoundToIntegral, "fp.roundToIntegral", 1, true, false},
    {FloatOp::kAdd, "fp.add", 2, true, false},
    {FloatOp::kSub, "fp.sub", 2, true, false},
    {FloatOp::kMul, "fp.mul", 2, true, false},
    {FloatOp::kDiv, "fp.div", 2, true, false},
    {FloatOp::kRem, "fp.rem", 2, false, false},
    {FloatOp::kMin, "fp.min", 2, false, false},
    {FloatOp::kMax, "fp.max", 2, false, false},
    {FloatOp::kFma, "fp.fma", 3, true, false},
    {FloatOp::kLess, "fp.lt", 2, false, true},
    {FloatOp::kGreater, "fp.gt", 2, false, true},
    {FloatOp::kLessOrEqual, "fp.leq", 2, false, true},
    {FloatOp::kGreaterOrEqual, "fp.geq", 2, false, true},
    {FloatOp::kEqual, "fp.eq", 2, false, true},
    {FloatOp::kSame, "=", 2, false, true},
    {FloatOp::kIsNaN, "fp.isNaN", 1, false, true},
    {FloatOp::kIsZero, "fp.isZero", 1, false, true},
    {FloatOp::kIsInfinite, "fp.isInfinite", 1, false, true},
    {FloatOp::kIsNormal, "fp.isNormal", 1, false, true},
    {FloatOp::kIsSubnormal, "fp.isSubnormal", 1, false, true},
    {FloatOp::kIsNegative, "fp.isNegative", 1, false, true},
    {FloatOp::kIsPositive, "fp.isPositive", 1, false, true},
};

constexpr bool InOrder() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].op != static_cast<FloatOp>(i)) return false;
  }
  return kRows[std::size(kRows) - 1].op == FloatOp::kIsPositive;
}
static_assert(InOrder(), "a row for each op");

}  // namespace

absl::Span<const FloatOpRow> FloatOpRows() { return kRows; }

const FloatOpRow& RowOf(FloatOp op) { return kRows[static_cast<size_t>(op)]; }

absl::string_view NameOf(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return "RNE";
    case Rounding::kNearestAway:
      return "RNA";
    case Rounding::kTowardPositive:
      return "RTP";
    case Rounding::kTowardNegative:
      return "RTN";
    case Rounding::kTowardZero:
      return "RTZ";
  }
  return "";
}

uint32_t Apply(const SmallFloat& floats, FloatOp op, Rounding rounding, ZeroChoice choice,
               const std::array<uint32_t, 3>& operands) {
  const auto& [a, b, c] = operands;
  switch (op) {
    case FloatOp::kAbs:
      return floats.Abs(a);
    case FloatOp::kNeg:
      return floats.Neg(a);
    case FloatOp::kSqrt:
      return floats.Sqrt(rounding, a);
    case FloatOp::kRoundToIntegral:
      return floats.RoundToIntegral(rounding, a);
    case FloatOp::kAdd:
      return floats.Add(rounding, a, b);
    case FloatOp::kSub:
      return floats.Sub(rounding, a, b);
    case FloatOp::kMul:
      return floats.Mul(rounding, a, b);
    case FloatOp::kDiv:
      return floats.Div(rounding, a, b);
    case FloatOp::kRem:
      return floats.Rem(a, b);
    case FloatOp::kMin:
      return floats.Min(choice, a, b);
    case FloatOp::kMax:
      return floats.Max(choice, a, b);
    case FloatOp::kFma:
      return floats.Fma(rounding, a, b, c);
    case FloatOp::kLess:
      return floats.Less(a, b) ? 1 : 0;
    case FloatOp::kGreater:
      return floats.Less(b, a) ? 1 : 0;
    case FloatOp::kLessOrEqual:
      return floats.LessOrEqual(a, b) ? 1 : 0;
    case FloatOp::kGreaterOrEqual:
      return floats.LessOrEqual(b, a) ? 1 : 0;
    case FloatOp::kEqual:
      return floats.Equal(a, b) ? 1 : 0;
    case FloatOp::kSame:
      return floats.Canonical(a) == floats.Canonical(b) ? 1 : 0;
    case FloatOp::kIsNaN:
      return floats.IsNaN(a) ? 1 : 0;
    case FloatOp::kIsZero:
      return floats.IsZero(a) ? 1 : 0;
    case FloatOp::kIsInfinite:
      return floats.IsInfinite(a) ? 1 : 0;
    case FloatOp::kIsNormal:
      return floats.IsNormal(a) ? 1 : 0;
    case FloatOp::kIsSubnormal:
      return floats.IsSubnormal(a) ? 1 : 0;
    case FloatOp::kIsNegative:
      return floats.IsNegative(a) ? 1 : 0;
    case FloatOp::kIsPositive:
      return floats.IsPositive(a) ? 1 : 0;
  }
  return 0;
}

}  // namespace rewrought::peers
