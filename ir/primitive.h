// The primitives: bit-vector and IEEE 754 functions from which every op's meaning is built (docs/primitives.md). The
// table has one row per primitive. Each domain implements every primitive once: ir/scalar, ir/batch, ir/smt, and
// corpus/facts.
#ifndef REWROUGHT_IR_PRIMITIVE_H_
#define REWROUGHT_IR_PRIMITIVE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

enum class Primitive : uint8_t {
  // Leaves. `immediate` is the input's index, the choice's index, or the literal's value.
  kInput,
  kChoice,
  kLiteral,
  // Bit-vector functions.
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
  kExtract,  // `immediate` is the lowest extracted bit
  kConcat,
  kPopcount,
  kClz,
  kCtz,
  kBitreverse,
  // The IEEE 754 core, which rounds to nearest even, keeps denormals, and returns the canonical quiet NaN if the result
  // is a NaN.
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
  kApprox,  // `immediate` is an Approximation
};

inline constexpr int kPrimitiveCount = static_cast<int>(Primitive::kApprox) + 1;

// The rule that determines the width of a primitive's result.
enum class WidthRule : uint8_t {
  kLeaf,          // the width is stored in the node
  kSame,          // all operands and the result have the same width
  kTruth,         // all operands have the same width; the result has 1 bit
  kIte,           // a 1-bit condition, then two operands of the result's width
  kWritten,       // the first argument is the width: (zext W x)
  kWrittenTruth,  // the first argument is a width, stored as `immediate`; the result has 1 bit: (f2i_in_range W x)
  kExtract,       // (extract HI LO x)
  kConcat,        // the sum of the operands' widths
};

struct PrimitiveInfo {
  Primitive primitive;
  absl::string_view name;
  int arity;  // number of value operands, without written widths
  WidthRule width_rule;
  bool is_float;  // the operands are IEEE patterns of 16, 32 or 64 bits
};

const PrimitiveInfo& InfoOf(Primitive primitive);

// Returns the primitive called `name` in the language of meanings, or nullopt. Leaves have no names there.
std::optional<Primitive> FindPrimitive(absl::string_view name);

// Functions that hardware approximates. They are correctly rounded in evaluators and uninterpreted in proofs.
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
  // Functions of some back ends, whose argument is in turns, half turns or quarter turns: sin(2 pi x), cos(2 pi x),
  // sin(pi x), cos(pi x), sin(pi x / 2).
  kSinTurns,
  kCosTurns,
  kSinHalfTurns,
  kCosHalfTurns,
  kSinQuarterTurns,
  // Low-precision instructions. Evaluators round them like frcp and frsq; they have no interpretation over the reals.
  // Drivers never implement NIR's frcp or frsq with such an instruction alone, but refine its result with a Newton
  // step.
  kCoarseRcp,
  kCoarseRsq,
};

inline constexpr int kApproximationCount = static_cast<int>(Approximation::kCoarseRsq) + 1;

absl::string_view NameOf(Approximation approximation);
int ArityOf(Approximation approximation);
std::optional<Approximation> FindApproximation(absl::string_view name);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_PRIMITIVE_H_
