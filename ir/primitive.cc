#include "ir/primitive.h"

namespace rewrought::ir {
namespace {

constexpr PrimitiveInfo kTable[] = {
    {Primitive::kInput, "", 0, WidthRule::kLeaf, false},
    {Primitive::kChoice, "", 0, WidthRule::kLeaf, false},
    {Primitive::kLiteral, "", 0, WidthRule::kLeaf, false},
    {Primitive::kNot, "not", 1, WidthRule::kSame, false},
    {Primitive::kAnd, "and", 2, WidthRule::kSame, false},
    {Primitive::kOr, "or", 2, WidthRule::kSame, false},
    {Primitive::kXor, "xor", 2, WidthRule::kSame, false},
    {Primitive::kNeg, "neg", 1, WidthRule::kSame, false},
    {Primitive::kAdd, "add", 2, WidthRule::kSame, false},
    {Primitive::kSub, "sub", 2, WidthRule::kSame, false},
    {Primitive::kMul, "mul", 2, WidthRule::kSame, false},
    {Primitive::kUdiv, "udiv", 2, WidthRule::kSame, false},
    {Primitive::kUrem, "urem", 2, WidthRule::kSame, false},
    {Primitive::kSdiv, "sdiv", 2, WidthRule::kSame, false},
    {Primitive::kSrem, "srem", 2, WidthRule::kSame, false},
    {Primitive::kShl, "shl", 2, WidthRule::kSame, false},
    {Primitive::kLshr, "lshr", 2, WidthRule::kSame, false},
    {Primitive::kAshr, "ashr", 2, WidthRule::kSame, false},
    {Primitive::kMulhu, "mulhu", 2, WidthRule::kSame, false},
    {Primitive::kMulhs, "mulhs", 2, WidthRule::kSame, false},
    {Primitive::kEq, "eq", 2, WidthRule::kTruth, false},
    {Primitive::kUlt, "ult", 2, WidthRule::kTruth, false},
    {Primitive::kUle, "ule", 2, WidthRule::kTruth, false},
    {Primitive::kSlt, "slt", 2, WidthRule::kTruth, false},
    {Primitive::kSle, "sle", 2, WidthRule::kTruth, false},
    {Primitive::kIte, "ite", 3, WidthRule::kIte, false},
    {Primitive::kZext, "zext", 1, WidthRule::kWritten, false},
    {Primitive::kSext, "sext", 1, WidthRule::kWritten, false},
    {Primitive::kExtract, "extract", 1, WidthRule::kExtract, false},
    {Primitive::kConcat, "concat", 2, WidthRule::kConcat, false},
    {Primitive::kPopcount, "popcount", 1, WidthRule::kSame, false},
    {Primitive::kClz, "clz", 1, WidthRule::kSame, false},
    {Primitive::kCtz, "ctz", 1, WidthRule::kSame, false},
    {Primitive::kBitreverse, "bitreverse", 1, WidthRule::kSame, false},
    {Primitive::kFadd, "fadd", 2, WidthRule::kSame, true},
    {Primitive::kFmul, "fmul", 2, WidthRule::kSame, true},
    {Primitive::kFfma, "ffma", 3, WidthRule::kSame, true},
    {Primitive::kFdiv, "fdiv", 2, WidthRule::kSame, true},
    {Primitive::kFsqrt, "fsqrt", 1, WidthRule::kSame, true},
    {Primitive::kFfloor, "ffloor", 1, WidthRule::kSame, true},
    {Primitive::kFceil, "fceil", 1, WidthRule::kSame, true},
    {Primitive::kFtrunc, "ftrunc", 1, WidthRule::kSame, true},
    {Primitive::kFroundeven, "froundeven", 1, WidthRule::kSame, true},
    {Primitive::kFmin, "fmin", 2, WidthRule::kSame, true},
    {Primitive::kFmax, "fmax", 2, WidthRule::kSame, true},
    {Primitive::kFlt, "flt", 2, WidthRule::kTruth, true},
    {Primitive::kFle, "fle", 2, WidthRule::kTruth, true},
    {Primitive::kFeq, "feq", 2, WidthRule::kTruth, true},
    {Primitive::kIsnan, "isnan", 1, WidthRule::kTruth, true},
    {Primitive::kIsinf, "isinf", 1, WidthRule::kTruth, true},
    {Primitive::kIszero, "iszero", 1, WidthRule::kTruth, true},
    {Primitive::kIsdenorm, "isdenorm", 1, WidthRule::kTruth, true},
    {Primitive::kFneg, "fneg", 1, WidthRule::kSame, true},
    {Primitive::kFabs, "fabs", 1, WidthRule::kSame, true},
    {Primitive::kF2f, "f2f", 1, WidthRule::kWritten, true},
    {Primitive::kF2fRtz, "f2f_rtz", 1, WidthRule::kWritten, true},
    {Primitive::kI2f, "i2f", 1, WidthRule::kWritten, false},
    {Primitive::kU2f, "u2f", 1, WidthRule::kWritten, false},
    {Primitive::kF2i, "f2i", 1, WidthRule::kWritten, true},
    {Primitive::kF2u, "f2u", 1, WidthRule::kWritten, true},
    {Primitive::kF2iInRange, "f2i_in_range", 1, WidthRule::kWrittenTruth, true},
    {Primitive::kF2uInRange, "f2u_in_range", 1, WidthRule::kWrittenTruth, true},
    {Primitive::kFmulTiny, "fmul_tiny", 2, WidthRule::kTruth, true},
    {Primitive::kFfmaTiny, "ffma_tiny", 3, WidthRule::kTruth, true},
    {Primitive::kFdivTiny, "fdiv_tiny", 2, WidthRule::kTruth, true},
    {Primitive::kF2fTiny, "f2f_tiny", 1, WidthRule::kWrittenTruth, true},
    {Primitive::kApprox, "approx", -1, WidthRule::kSame, true},
};

constexpr bool TableIsInOrder() {
  for (int i = 0; i < kPrimitiveCount; ++i) {
    if (kTable[i].primitive != static_cast<Primitive>(i)) return false;
  }
  return true;
}
static_assert(sizeof(kTable) / sizeof(kTable[0]) == kPrimitiveCount, "one row per primitive");
static_assert(TableIsInOrder(), "the rows must be in the order of the enumeration");

struct ApproximationInfo {
  absl::string_view name;
  int arity;
};
constexpr ApproximationInfo kApproximations[] = {{"rcp", 1},
                                                 {"rsq", 1},
                                                 {"sqrt", 1},
                                                 {"exp2", 1},
                                                 {"log2", 1},
                                                 {"sin", 1},
                                                 {"cos", 1},
                                                 {"pow", 2},
                                                 {"div", 2},
                                                 {"sin_turns", 1},
                                                 {"cos_turns", 1},
                                                 {"sin_half_turns", 1},
                                                 {"cos_half_turns", 1},
                                                 {"sin_quarter_turns", 1},
                                                 {"coarse_rcp", 1},
                                                 {"coarse_rsq", 1}};
static_assert(sizeof(kApproximations) / sizeof(kApproximations[0]) == kApproximationCount);

}  // namespace

const PrimitiveInfo& InfoOf(Primitive primitive) { return kTable[static_cast<int>(primitive)]; }

std::optional<Primitive> FindPrimitive(absl::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const PrimitiveInfo& info : kTable) {
    if (info.name == name) return info.primitive;
  }
  return std::nullopt;
}

absl::string_view NameOf(Approximation approximation) { return kApproximations[static_cast<int>(approximation)].name; }

int ArityOf(Approximation approximation) { return kApproximations[static_cast<int>(approximation)].arity; }

std::optional<Approximation> FindApproximation(absl::string_view name) {
  for (int i = 0; i < kApproximationCount; ++i) {
    if (kApproximations[i].name == name) return static_cast<Approximation>(i);
  }
  return std::nullopt;
}

}  // namespace rewrought::ir
