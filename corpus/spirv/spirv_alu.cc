// Translates SPIR-V's ALU instructions to NIR ops, and expands them as Mesa's SPIR-V front end and scalarizing passes
// do (facts: Mesa 25.0 src/compiler/spirv/vtn_alu.c). Multiplications and additions remain separate, because an ffma
// would hide the pattern.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_translator.h"
#include "glslang/SPIRV/spirv.hpp"
#include "ir/scalar.h"

namespace rewrought::corpus {
namespace {

// Instructions that correspond to one NIR op per component, with the same operand order.
struct PlainOp {
  uint16_t opcode;
  const char* op;
};
constexpr PlainOp kPlainOps[] = {
    {spv::OpSNegate, "ineg"},
    {spv::OpFNegate, "fneg"},
    {spv::OpNot, "inot"},
    {spv::OpIAdd, "iadd"},
    {spv::OpFAdd, "fadd"},
    {spv::OpISub, "isub"},
    {spv::OpFSub, "fsub"},
    {spv::OpIMul, "imul"},
    {spv::OpFMul, "fmul"},
    {spv::OpUDiv, "udiv"},
    {spv::OpSDiv, "idiv"},
    {spv::OpFDiv, "fdiv"},
    {spv::OpUMod, "umod"},
    {spv::OpSMod, "imod"},
    {spv::OpFMod, "fmod"},
    {spv::OpSRem, "irem"},
    {spv::OpFRem, "frem"},
    {spv::OpLogicalOr, "ior"},
    {spv::OpLogicalAnd, "iand"},
    {spv::OpLogicalNot, "inot"},
    {spv::OpBitwiseOr, "ior"},
    {spv::OpBitwiseXor, "ixor"},
    {spv::OpBitwiseAnd, "iand"},
    {spv::OpSelect, "bcsel"},
    {spv::OpVectorTimesScalar, "fmul"},
    {spv::OpMatrixTimesScalar, "fmul"},
    {spv::OpQuantizeToF16, "fquantize2f16"},
};

// Comparisons with 1-bit results. `swap` exchanges the operands; `exact` sets the exact flag, as Mesa does for all
// float comparisons.
struct CompareOp {
  uint16_t opcode;
  const char* op;
  bool swap;
  bool exact;
};
constexpr CompareOp kCompareOps[] = {
    {spv::OpLogicalEqual, "ieq", false, false},
    {spv::OpLogicalNotEqual, "ine", false, false},
    {spv::OpIEqual, "ieq", false, false},
    {spv::OpINotEqual, "ine", false, false},
    {spv::OpULessThan, "ult", false, false},
    {spv::OpSLessThan, "ilt", false, false},
    {spv::OpUGreaterThan, "ult", true, false},
    {spv::OpSGreaterThan, "ilt", true, false},
    {spv::OpULessThanEqual, "uge", true, false},
    {spv::OpSLessThanEqual, "ige", true, false},
    {spv::OpUGreaterThanEqual, "uge", false, false},
    {spv::OpSGreaterThanEqual, "ige", false, false},
    {spv::OpFOrdEqual, "feq", false, true},
    {spv::OpFUnordNotEqual, "fneu", false, true},
    {spv::OpFOrdLessThan, "flt", false, true},
    {spv::OpFOrdGreaterThan, "flt", true, true},
    {spv::OpFOrdLessThanEqual, "fge", true, true},
    {spv::OpFOrdGreaterThanEqual, "fge", false, true},
};
// An unordered comparison is the negation of the opposite ordered comparison.
constexpr CompareOp kUnorderedOps[] = {
    {spv::OpFUnordLessThan, "fge", false, true},
    {spv::OpFUnordGreaterThan, "fge", true, true},
    {spv::OpFUnordLessThanEqual, "flt", true, true},
    {spv::OpFUnordGreaterThanEqual, "flt", false, true},
};

template <typename Table>
const auto* Find(const Table& table, uint16_t opcode) {
  const auto* const found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.opcode == opcode; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

void SpirvTranslator::SetFlagsFor(uint32_t result) {
  exact_ = false;
  has_fast_math_mode_ = false;
  const auto found = module_.decorations.find(result);
  if (found == module_.decorations.end()) return;
  exact_ = found->second.no_contraction;
  has_fast_math_mode_ = found->second.has_fast_math_mode;
  const uint32_t mode = found->second.fast_math_mode;
  fast_math_mode_ = 0;
  if (mode & spv::FPFastMathModeNotNaNMask) fast_math_mode_ |= ir::kNoNan;
  if (mode & spv::FPFastMathModeNotInfMask) fast_math_mode_ |= ir::kNoInf;
  if (mode & spv::FPFastMathModeNSZMask) fast_math_mode_ |= ir::kNoSignedZero;
}

Lane SpirvTranslator::Emit(absl::string_view op, uint8_t bits, const std::vector<Lane>& operands) {
  uint8_t flags = exact_ ? ir::kExact : 0;
  if (has_fast_math_mode_) {
    flags |= fast_math_mode_;
  } else {
    // An op gets all permissions if the mode SignedZeroInfNanPreserve is not set for its width. A conversion, whose
    // operand and result have different widths, gets them only if the mode is set for neither width.
    const auto preserved = [this](uint8_t size) {
      const int bit = size == 16 ? 1 : size == 32 ? 2 : size == 64 ? 4 : 0;
      return (module_.preserve_signed_zero_inf_nan & bit) != 0;
    };
    bool free = !preserved(bits);
    for (Lane operand : operands) free = free && !preserved(BitsOf(operand));
    if (free) flags |= kAllFastMath;
  }
  std::vector<Lanes> sources;
  for (Lane operand : operands) sources.push_back({operand});
  const absl::StatusOr<ir::NodeIndex> node = builder_.AddOp(op, bits, 1, sources, flags);
  if (node.ok()) return {*node, 0};
  builder_.Note(node.status().message());
  const size_t use = builder_.AddUse(op);
  for (const Lanes& source : sources) builder_.Read(use, source);
  const Lanes given = builder_.AddVariable(bits, 1, op, false);
  builder_.Give(use, given);
  return given[0];
}

Lane SpirvTranslator::EmitExact(absl::string_view op, uint8_t bits, const std::vector<Lane>& operands) {
  const bool saved = std::exchange(exact_, true);
  const Lane lane = Emit(op, bits, operands);
  exact_ = saved;
  return lane;
}

Lanes SpirvTranslator::EmitEach(absl::string_view op, uint8_t bits, const std::vector<Lanes>& operands) {
  size_t count = 1;
  for (const Lanes& operand : operands) count = std::max(count, operand.size());
  Lanes result;
  for (size_t i = 0; i < count; ++i) {
    std::vector<Lane> lanes;
    for (const Lanes& operand : operands) {
      if (operand.size() != 1 && operand.size() != count) return {};
      lanes.push_back(operand.size() == 1 ? operand[0] : operand[i]);
    }
    result.push_back(Emit(op, bits, lanes));
  }
  return result;
}

Lane SpirvTranslator::Float(uint8_t bits, double value) {
  return {builder_.AddConstant(bits, {ir::FloatToBits(value, bits)}), 0};
}

// Returns the dot product. Adds the products starting at the last component, as Mesa's scalarizing pass does.
Lane SpirvTranslator::Dot(const Lanes& a, const Lanes& b) {
  const uint8_t bits = BitsOf(a[0]);
  Lane sum = Emit("fmul", bits, {a.back(), b.back()});
  for (size_t i = a.size() - 1; i-- > 0;) sum = Emit("fadd", bits, {Emit("fmul", bits, {a[i], b[i]}), sum});
  return sum;
}

Lanes SpirvTranslator::Scaled(const Lanes& vector, Lane factor) {
  return EmitEach("fmul", BitsOf(factor), {vector, {factor}});
}

Lanes SpirvTranslator::TranslateAlu(const SpirvInstruction& instruction) {
  if (instruction.opcode == spv::OpExtInst) return TranslateGlsl450(instruction);
  // All operands of ALU instructions are ids. (A phi, which is not an ALU instruction, may name values that are not
  // defined yet.)
  const bool ids_only =
      std::all_of(instruction.is_id.begin(), instruction.is_id.end(), [](bool is_id) { return is_id; });
  if (!ids_only || instruction.opcode == spv::OpPhi) return {};
  std::vector<Lanes> operands;
  for (uint32_t id : instruction.operands) operands.push_back(Value(id));
  const bool usable =
      !operands.empty() && std::none_of(operands.begin(), operands.end(), [](const Lanes& o) { return o.empty(); });
  if (!usable) return {};
  const uint8_t bits = types_.at(instruction.type).bits;
  if (const PlainOp* plain = Find(kPlainOps, instruction.opcode); plain != nullptr && bits != 0) {
    return EmitEach(plain->op, bits, operands);
  }
  if (types_.at(TypeOf(instruction.operands[0])).kind == SpirvKind::kMatrix ||
      instruction.opcode == spv::OpVectorTimesMatrix || instruction.opcode == spv::OpOuterProduct) {
    return TranslateMatrix(instruction);
  }
  switch (instruction.opcode) {
    case spv::OpDot:
      if (operands.size() != 2 || operands[0].size() != operands[1].size()) return {};
      return {Dot(operands[0], operands[1])};
    case spv::OpAny:
    case spv::OpAll: {
      Lane all = operands[0].back();
      const char* const op = instruction.opcode == spv::OpAny ? "ior" : "iand";
      for (size_t i = operands[0].size() - 1; i-- > 0;) all = Emit(op, 1, {operands[0][i], all});
      return {all};
    }
    default:
      break;
  }
  Lanes lanes = TranslateCompare(instruction);
  if (lanes.empty()) lanes = TranslateConversion(instruction);
  if (lanes.empty()) lanes = TranslateWide(instruction);
  return lanes;
}

Lanes SpirvTranslator::TranslateCompare(const SpirvInstruction& instruction) {
  const std::vector<uint32_t>& words = instruction.operands;
  const Lanes a = Value(words[0]);
  const Lanes b = words.size() > 1 ? Value(words[1]) : a;
  if (a.size() != b.size()) return {};
  const CompareOp* const ordered = Find(kCompareOps, instruction.opcode);
  const CompareOp* const unordered = Find(kUnorderedOps, instruction.opcode);
  const CompareOp* const compare = ordered != nullptr ? ordered : unordered;
  Lanes result;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto exact = [this](const char* op, Lane x, Lane y) { return EmitExact(op, 1, {x, y}); };
    const auto is_nan = [&](Lane x) { return exact("fneu", x, x); };
    const auto is_number = [&](Lane x) { return exact("feq", x, x); };
    if (compare != nullptr) {
      const Lane x = compare->swap ? b[i] : a[i];
      const Lane y = compare->swap ? a[i] : b[i];
      const Lane truth = compare->exact ? exact(compare->op, x, y) : Emit(compare->op, 1, {x, y});
      result.push_back(compare == unordered ? EmitExact("inot", 1, {truth}) : truth);
      continue;
    }
    switch (instruction.opcode) {
      case spv::OpIsNan:
        result.push_back(is_nan(a[i]));
        break;
      case spv::OpIsInf: {
        const uint8_t bits = BitsOf(a[i]);
        const Lane infinity = {builder_.AddConstant(bits, {ir::FormatOf(bits).infinity()}), 0};
        result.push_back(Emit("ieq", 1, {Emit("fabs", bits, {a[i]}), infinity}));
        break;
      }
      case spv::OpOrdered:
        result.push_back(EmitExact("iand", 1, {is_number(a[i]), is_number(b[i])}));
        break;
      case spv::OpUnordered:
        result.push_back(EmitExact("ior", 1, {is_nan(a[i]), is_nan(b[i])}));
        break;
      case spv::OpFUnordEqual: {
        const Lane any = EmitExact("ior", 1, {is_nan(a[i]), is_nan(b[i])});
        result.push_back(EmitExact("ior", 1, {exact("feq", a[i], b[i]), any}));
        break;
      }
      case spv::OpFOrdNotEqual: {
        const Lane both = EmitExact("iand", 1, {is_number(a[i]), is_number(b[i])});
        result.push_back(EmitExact("iand", 1, {exact("fneu", a[i], b[i]), both}));
        break;
      }
      default:
        return {};
    }
  }
  return result;
}

Lanes SpirvTranslator::TranslateMatrix(const SpirvInstruction& instruction) {
  if (instruction.operands.size() < 2) return {};
  const Lanes a = Value(instruction.operands[0]);
  const Lanes b = Value(instruction.operands[1]);
  const auto columns_of = [&](size_t i) -> size_t {
    const SpirvType& type = types_.at(TypeOf(instruction.operands[i]));
    return type.kind == SpirvKind::kMatrix ? type.count : 1;
  };
  const uint8_t bits = BitsOf(a[0]);
  Lanes result;
  if (instruction.opcode == spv::OpOuterProduct) {
    for (Lane column : b) {
      const Lanes scaled = Scaled(a, column);
      result.insert(result.end(), scaled.begin(), scaled.end());
    }
    return result;
  }
  if (instruction.opcode == spv::OpVectorTimesMatrix) {
    const size_t rows = a.size();
    if (b.size() != rows * columns_of(1)) return {};
    for (size_t column = 0; column < columns_of(1); ++column) {
      const auto begin = b.begin() + static_cast<std::ptrdiff_t>(column * rows);
      result.push_back(Dot(a, Lanes(begin, begin + static_cast<std::ptrdiff_t>(rows))));
    }
    return result;
  }
  const size_t inner = columns_of(0);
  const size_t rows = a.size() / inner;
  if (instruction.opcode != spv::OpMatrixTimesVector && instruction.opcode != spv::OpMatrixTimesMatrix) return {};
  if (b.size() != inner * columns_of(1)) return {};
  for (size_t column = 0; column < columns_of(1); ++column) {
    for (size_t row = 0; row < rows; ++row) {
      const auto product = [&](size_t j) { return Emit("fmul", bits, {a[j * rows + row], b[column * inner + j]}); };
      Lane sum = product(inner - 1);
      for (size_t j = inner - 1; j-- > 0;) sum = Emit("fadd", bits, {product(j), sum});
      result.push_back(sum);
    }
  }
  return result;
}

Lanes SpirvTranslator::TranslateConversion(const SpirvInstruction& instruction) {
  const Lanes value = Value(instruction.operands[0]);
  const uint8_t bits = types_.at(instruction.type).bits;
  const auto sized = [&](const char* name) { return EmitEach(absl::StrCat(name, bits), bits, {value}); };
  const bool same_size = BitsOf(value[0]) == bits;
  switch (instruction.opcode) {
    case spv::OpConvertFToU:
      return sized("f2u");
    case spv::OpConvertFToS:
      return sized("f2i");
    case spv::OpConvertSToF:
      return sized("i2f");
    case spv::OpConvertUToF:
      return sized("u2f");
    case spv::OpUConvert:
      return same_size ? value : sized("u2u");
    case spv::OpSConvert:
      return same_size ? value : sized("i2i");
    case spv::OpFConvert:
      return same_size ? value : sized("f2f");
    // Values in NIR are untyped, so a bitcast that keeps the size only routes lanes.
    case spv::OpBitcast:
      return same_size ? value : Lanes{};
    default:
      return {};
  }
}

// Handles shifts and bit fields, whose counts are 32-bit in NIR, and instructions that have two results.
Lanes SpirvTranslator::TranslateWide(const SpirvInstruction& instruction) {
  std::vector<Lanes> operands;
  for (uint32_t id : instruction.operands) operands.push_back(Value(id));
  const uint8_t bits = BitsOf(operands[0][0]);
  const auto counts_from = [&](size_t first) {
    for (size_t i = first; i < operands.size(); ++i) {
      if (BitsOf(operands[i][0]) != 32) operands[i] = EmitEach("u2u32", 32, {operands[i]});
    }
  };
  const auto two = [&](const char* low, const char* high) {
    Lanes lanes = EmitEach(low, bits, operands);
    const Lanes second = EmitEach(high, bits, operands);
    lanes.insert(lanes.end(), second.begin(), second.end());
    return lanes;
  };
  switch (instruction.opcode) {
    case spv::OpShiftLeftLogical:
      counts_from(1);
      return EmitEach("ishl", bits, operands);
    case spv::OpShiftRightLogical:
      counts_from(1);
      return EmitEach("ushr", bits, operands);
    case spv::OpShiftRightArithmetic:
      counts_from(1);
      return EmitEach("ishr", bits, operands);
    case spv::OpBitFieldInsert:
      counts_from(2);
      return EmitEach("bitfield_insert", bits, operands);
    case spv::OpBitFieldSExtract:
      counts_from(1);
      return EmitEach("ibitfield_extract", bits, operands);
    case spv::OpBitFieldUExtract:
      counts_from(1);
      return EmitEach("ubitfield_extract", bits, operands);
    case spv::OpBitReverse:
      return EmitEach("bitfield_reverse", bits, operands);
    case spv::OpBitCount: {
      const uint8_t wanted = types_.at(instruction.type).bits;
      const Lanes count = EmitEach("bit_count", 32, operands);
      return wanted == 32 ? count : EmitEach(absl::StrCat("u2u", wanted), wanted, {count});
    }
    case spv::OpIAddCarry:
      return two("iadd", "uadd_carry");
    case spv::OpISubBorrow:
      return two("isub", "usub_borrow");
    case spv::OpUMulExtended:
      return two("imul", "umul_high");
    case spv::OpSMulExtended:
      return two("imul", "imul_high");
    default:
      return {};
  }
}

}  // namespace rewrought::corpus
