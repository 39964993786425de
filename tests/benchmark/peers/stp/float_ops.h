// Operations and predicates of SMT-LIB's theory FloatingPoint, one row each: how it is spelled, what it takes, and what
// it computes on patterns of a small format.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_OPS_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_OPS_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/benchmark/peers/stp/small_float.h"

namespace rewrought::peers {

enum class FloatOp : uint8_t {
  kAbs,
  kNeg,
  kSqrt,
  kRoundToIntegral,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kMin,
  kMax,
  kFma,
  kLess,
  kGreater,
  kLessOrEqual,
  kGreaterOrEqual,
  kEqual,  // fp.eq
  kSame,   // =
  kIsNaN,
  kIsZero,
  kIsInfinite,
  kIsNormal,
  kIsSubnormal,
  kIsNegative,
  kIsPositive,
};

struct FloatOpRow {
  FloatOp op;
  absl::string_view name;  // SMT-LIB's
  int operands;            // floats; without the rounding mode
  bool rounds;             // the first operand is a rounding mode
  bool predicate;          // the result is a Boolean
};

// In the order of FloatOp.
absl::Span<const FloatOpRow> FloatOpRows();
const FloatOpRow& RowOf(FloatOp op);

// The name of a rounding mode: "RNE".
absl::string_view NameOf(Rounding rounding);

// Of the first operands that the op takes; the rest does not matter, nor does a mode or choice that it has no use for.
// A predicate gives 0 or 1, everything else a canonical pattern.
uint32_t Apply(const SmallFloat& floats, FloatOp op, Rounding rounding, ZeroChoice choice,
               const std::array<uint32_t, 3>& operands);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_OPS_H_
