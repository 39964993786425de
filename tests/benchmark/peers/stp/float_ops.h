// Describes each operation and predicate of SMT-LIB's theory FloatingPoint in one row: its name, its operands, and its
// function on patterns of a small format.
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
  absl::string_view name;  // the name in SMT-LIB
  int operands;            // the number of float operands, without the rounding mode
  bool rounds;             // the first operand is a rounding mode
  bool predicate;          // the result is a Boolean
};

// Returns the rows in the order of FloatOp.
absl::Span<const FloatOpRow> FloatOpRows();
const FloatOpRow& RowOf(FloatOp op);

// Returns the name of a rounding mode, such as "RNE".
absl::string_view NameOf(Rounding rounding);

// Applies the op to its operands, which come first in `operands`. Ignores the other operands. Also ignores `rounding`
// and `choice` if the op does not use them. Returns 0 or 1 for a predicate, otherwise a canonical pattern.
uint32_t Apply(const SmallFloat& floats, FloatOp op, Rounding rounding, ZeroChoice choice,
               const std::array<uint32_t, 3>& operands);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_OPS_H_
