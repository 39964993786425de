// The primitives: bit-vector and IEEE 754 functions from which every op's meaning is built (docs/primitives.md).
// One row per primitive here; its meaning is written once per domain: ir/evaluate (scalar), ir/batch, ir/smt,
// corpus/facts.
#ifndef REWROUGHT_IR_PRIMITIVE_H_
#define REWROUGHT_IR_PRIMITIVE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

enum class Primitive : uint8_t {
  // Leaves. `immediate`: the input's index, the choice's index, the value.
  kInput,
  kChoice,
  kLiteral,
  // Bits.
  kNot,
  kAnd,
  kOr,
  kXor,
  kNeg,
  kAdd,
  kSub,
  kMul,
  kUdiv,
  kUrem,
  kSdiv,
  kSrem,
  kShl,
  kLshr,
  kAshr,
  kMulhu,
  kMulhs,
  kEq,
  kUlt,
  kUle,
  kSlt,
  kSle,
  kIte,
  kZext,
  kSext,
  kExtract,  // `immediate`: the lowest bit taken
  kConcat,
  kPopcount,
  kClz,
  kCtz,
  kBitreverse,
  // IEEE 754 core: round to nearest even, denormals kept, a NaN result is the canonical quiet NaN.
  kFadd,
  kFmul,
  kFfma,
  kFdiv,
  kFsqrt,
  kFfloor,
  kFceil,
  kFtrunc,
  kFroundeven,
  kFmin,
  kFmax,
  kFlt,
  kFle,
  kFeq,
  kIsnan,
  kIsinf,
  kIszero,
  kIsdenorm,
  kFneg,
  kFabs,
  kF2f,
  kF2fRtz,
  kI2f,
  kU2f,
  kF2i,
  kF2u,
  kF2iInRange,
  kF2uInRange,
  kFmulTiny,
  kFfmaTiny,
  kFdivTiny,
  kF2fTiny,
  kApprox,  // `immediate`: an Approximation
};

inline constexpr int kPrimitiveCount = static_cast<int>(Primitive::kApprox) + 1;

// How a primitive's result width follows from its operands.
enum class WidthRule : uint8_t {
  kLeaf,          // stated on the node
  kSame,          // all operands and the result share one width
  kTruth,         // operands share one width, the result is 1 bit
  kIte,           // a 1-bit condition, then two operands of the result's width
  kWritten,       // the width is written as the first argument: (zext W x)
  kWrittenTruth,  // a width is written, the result is 1 bit: (f2i_in_range W x); the width is the `immediate`
  kExtract,       // (extract HI LO x)
  kConcat,        // the sum of the operands' widths
};

struct PrimitiveInfo {
  Primitive primitive;
  absl::string_view name;
  int arity;  // of values; written widths do not count
  WidthRule width_rule;
  bool is_float;  // its operands are IEEE patterns of 16, 32 or 64 bits
};

const PrimitiveInfo& InfoOf(Primitive primitive);

// The primitive that the language of meanings calls `name`, or nothing. Leaves have no names there.
std::optional<Primitive> FindPrimitive(absl::string_view name);

// Functions that hardware approximates; correctly rounded in evaluators, uninterpreted in proofs.
enum class Approximation : uint8_t {
  kRcp,
  kRsq,
  kSqrt,
  kExp2,
  kLog2,
  kSin,
  kCos,
  kPow,
  kDiv,
  // Of back ends whose argument counts turns: sin(2 pi x), cos(2 pi x), sin(pi x), cos(pi x), sin(pi x / 2).
  kSinTurns,
  kCosTurns,
  kSinHalfTurns,
  kCosHalfTurns,
  kSinQuarterTurns,
  // Instructions of fewer digits, which their drivers refine by a step of Newton's method: never NIR's frcp and frsq.
  // Evaluators round them like those; over the reals they are nothing.
  kCoarseRcp,
  kCoarseRsq,
};

inline constexpr int kApproximationCount = static_cast<int>(Approximation::kCoarseRsq) + 1;

absl::string_view NameOf(Approximation approximation);
int ArityOf(Approximation approximation);
std::optional<Approximation> FindApproximation(absl::string_view name);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_PRIMITIVE_H_
