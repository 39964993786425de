#include "corpus/spirv/spirv_translator.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_words.h"
#include "glslang/SPIRV/spirv.hpp"
#include "spirv-tools/libspirv.h"
#include "spirv/unified1/GLSL.std.450.h"

namespace rewrought::corpus {
namespace {

constexpr uint32_t kUndefinedComponent = 0xffffffffu;

// Returns the name of an opaque instruction. Loads and similar instructions have the same names as in NIR.
std::string OpaqueName(uint16_t opcode) {
  switch (opcode) {
    case spv::OpPhi:
      return "phi";
    case spv::OpUndef:
      return "undef";
    case spv::OpFunctionCall:
      return "call";
    case spv::OpFunctionParameter:
      return "parameter";
    case spv::OpDPdx:
    case spv::OpDPdxFine:
    case spv::OpDPdxCoarse:
      return "ddx";
    case spv::OpDPdy:
    case spv::OpDPdyFine:
    case spv::OpDPdyCoarse:
      return "ddy";
    case spv::OpFwidth:
    case spv::OpFwidthFine:
    case spv::OpFwidthCoarse:
      return "fwidth";
    case spv::OpImageSampleImplicitLod:
    case spv::OpImageSampleDrefImplicitLod:
    case spv::OpImageSampleProjImplicitLod:
    case spv::OpImageSampleProjDrefImplicitLod:
      return "tex";
    case spv::OpImageSampleExplicitLod:
    case spv::OpImageSampleDrefExplicitLod:
    case spv::OpImageSampleProjExplicitLod:
    case spv::OpImageSampleProjDrefExplicitLod:
      return "txl";
    case spv::OpImageFetch:
      return "txf";
    case spv::OpImageGather:
    case spv::OpImageDrefGather:
      return "tg4";
    case spv::OpImageRead:
      return "image_load";
    default:
      return absl::StrCat("Op", spvOpcodeString(opcode));
  }
}

// Returns the name of an extended instruction that is not expanded, because Mesa approximates it with its own
// polynomials.
std::string OpaqueExtendedName(uint32_t entry) {
  switch (entry) {
    case GLSLstd450Asin:
      return "asin";
    case GLSLstd450Acos:
      return "acos";
    case GLSLstd450Atan:
      return "atan";
    case GLSLstd450Atan2:
      return "atan2";
    case GLSLstd450Sinh:
      return "sinh";
    case GLSLstd450Cosh:
      return "cosh";
    case GLSLstd450Tanh:
      return "tanh";
    case GLSLstd450Asinh:
      return "asinh";
    case GLSLstd450Acosh:
      return "acosh";
    case GLSLstd450Atanh:
      return "atanh";
    case GLSLstd450Determinant:
      return "determinant";
    case GLSLstd450MatrixInverse:
      return "matrix_inverse";
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
      return "modf";
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
      return "frexp";
    case GLSLstd450InterpolateAtCentroid:
    case GLSLstd450InterpolateAtSample:
    case GLSLstd450InterpolateAtOffset:
      return "interpolate_at";
    default:
      return absl::StrCat("OpExtInst.", entry);
  }
}

// Returns the ids of the strings "", which glslang uses for lines without a file name, and which
// corpus/glsl/include_expander.h uses for the lines of the main file.
absl::flat_hash_set<uint32_t> NamelessFilesOf(const SpirvModule& module) {
  absl::flat_hash_set<uint32_t> nameless;
  for (const SpirvInstruction& instruction : module.instructions) {
    if (instruction.opcode == spv::OpString && SpirvText(instruction.operands, 0).empty()) {
      nameless.insert(instruction.result);
    }
  }
  return nameless;
}

// Returns the id of the string that names the main file, as opposed to an included file: the file of the first OpSource
// that has one (SPIR-V 1.6, section 3.52.2), or otherwise the file that all OpLine instructions share. Returns 0 if the
// main file is unknown.
uint32_t MainFileOf(const SpirvModule& module) {
  uint32_t file = 0;
  bool several = false;
  for (const SpirvInstruction& instruction : module.instructions) {
    if (instruction.opcode == spv::OpSource && instruction.operands.size() >= 3) return instruction.operands[2];
    if (instruction.opcode != spv::OpLine || instruction.operands.empty()) continue;
    several |= file != 0 && file != instruction.operands[0];
    file = instruction.operands[0];
  }
  return several ? 0 : file;
}

}  // namespace

SpirvTranslator::SpirvTranslator(const SpirvModule& module, absl::string_view name, absl::string_view source)
    : module_(module), types_(module), builder_(name, source, module.stage) {
  for (const std::string& note : module.notes) builder_.Note(note);
}

absl::Status SpirvTranslator::Translate() {
  absl::flat_hash_set<uint32_t> main_files = NamelessFilesOf(module_);
  main_files.insert(MainFileOf(module_));
  size_t i = 0;
  for (; i < module_.instructions.size() && module_.instructions[i].opcode != spv::OpFunction; ++i) {
    TranslateConstant(module_.instructions[i]);
  }
  for (; i < module_.instructions.size(); ++i) {
    const SpirvInstruction& instruction = module_.instructions[i];
    if (builder_.size() >= ShaderBuilder::kMaxNodes) return absl::ResourceExhaustedError("shader too large");
    if (instruction.opcode == spv::OpFunction) {
      size_t end = i;
      while (end < module_.instructions.size() && module_.instructions[end].opcode != spv::OpFunctionEnd) ++end;
      loop_depths_ = LoopDepths(module_, i, end);
    } else if (instruction.opcode == spv::OpLabel) {
      block_ = blocks_[instruction.result] = builder_.BeginBlock(loop_depths_[instruction.result]);
      builder_.set_line(0);
    } else if (instruction.opcode == spv::OpLine || instruction.opcode == spv::OpNoLine) {
      // The line applies until the end of the block (SPIR-V 1.6, section 3.52.2, OpLine).
      const bool says = instruction.opcode == spv::OpLine && instruction.operands.size() >= 2 &&
                        main_files.contains(instruction.operands[0]);
      builder_.set_line(says ? static_cast<int>(std::min<uint32_t>(instruction.operands[1], INT32_MAX)) : 0);
    } else {
      for (const uint32_t label : Successors(instruction)) branches_.emplace_back(block_, label);
      TranslateInstruction(instruction);
    }
  }
  for (const auto& [from, label] : branches_) {
    if (const auto to = blocks_.find(label); to != blocks_.end()) builder_.AddEdge(from, to->second);
  }
  for (const auto& [label, id] : phis_) {
    const auto block = blocks_.find(label);
    const auto value = values_.find(id);
    if (block != blocks_.end() && value != values_.end()) builder_.ReadByPhi(block->second, value->second);
  }
  return absl::OkStatus();
}

uint32_t SpirvTranslator::TypeOf(uint32_t id) const {
  const auto found = module_.definitions.find(id);
  return found == module_.definitions.end() ? 0 : module_.instructions[found->second].type;
}

void SpirvTranslator::SetResult(const SpirvInstruction& instruction, Lanes lanes) {
  values_[instruction.result] = std::move(lanes);
}

// Returns the lanes of a value, or no lanes if the value does not consist of scalars.
Lanes SpirvTranslator::Value(uint32_t id) {
  const auto found = values_.find(id);
  if (found != values_.end()) return found->second;
  // Only values from unreachable blocks can be used before they are defined.
  if (types_.at(TypeOf(id)).lanes == 0) return {};
  const Lanes lanes = Opaque(TypeOf(id), "missing", false);
  values_[id] = lanes;
  return lanes;
}

// Creates a variable for each vector or scalar of the type.
Lanes SpirvTranslator::Opaque(uint32_t type, absl::string_view what, bool uniform) {
  const SpirvType& shape = types_.at(type);
  if (shape.lanes == 0) return {};
  if (shape.elements.empty() || shape.kind == SpirvKind::kVector) {
    return builder_.AddVariable(shape.bits, static_cast<int>(shape.lanes), what, uniform);
  }
  Lanes lanes;
  for (uint32_t i = 0; i < shape.count; ++i) {
    const Lanes part = Opaque(types_.Element(type, i), what, uniform);
    lanes.insert(lanes.end(), part.begin(), part.end());
  }
  return lanes;
}

void SpirvTranslator::TranslateConstant(const SpirvInstruction& instruction) {
  const SpirvType& type = types_.at(instruction.type);
  if (instruction.result == 0 || type.lanes == 0) return;
  const auto word = [&instruction](size_t i) -> uint64_t {
    return i < instruction.operands.size() ? instruction.operands[i] : 0;
  };
  const auto constant = [&](uint64_t value) { return AllLanes(builder_.AddConstant(type.bits, {value}), 1); };
  Lanes lanes;
  switch (instruction.opcode) {
    case spv::OpConstantTrue:
      lanes = constant(1);
      break;
    case spv::OpConstantFalse:
      lanes = constant(0);
      break;
    case spv::OpConstant:
      lanes = constant(word(0) | word(1) << 32);
      break;
    case spv::OpConstantNull: {
      for (size_t i = 0; i < type.lanes && type.bits != 0; ++i) lanes.push_back(constant(0)[0]);
      if (type.bits == 0) lanes = Opaque(instruction.type, "null", true);
      break;
    }
    case spv::OpConstantComposite:
      for (uint32_t id : instruction.operands) {
        const Lanes part = Value(id);
        lanes.insert(lanes.end(), part.begin(), part.end());
      }
      break;
    case spv::OpUndef:
      lanes = Opaque(instruction.type, "undef", false);
      break;
    case spv::OpSpecConstant:
    case spv::OpSpecConstantTrue:
    case spv::OpSpecConstantFalse:
    case spv::OpSpecConstantComposite:
    case spv::OpSpecConstantOp:
      lanes = Opaque(instruction.type, "spec_constant", true);
      break;
    default:
      return;
  }
  if (lanes.size() != type.lanes) lanes = Opaque(instruction.type, "constant", true);
  SetResult(instruction, std::move(lanes));
}

void SpirvTranslator::TranslateInstruction(const SpirvInstruction& instruction) {
  if (instruction.result != 0 && instruction.opcode == spv::OpLoad) {
    TranslateLoad(instruction);
    return;
  }
  const size_t wanted = types_.at(instruction.type).lanes;
  if (instruction.result == 0 || wanted == 0) {
    UseOperands(instruction, OpaqueName(instruction.opcode));
    return;
  }
  if (TranslateRouting(instruction)) return;
  SetFlagsFor(instruction.result);
  Lanes lanes = TranslateAlu(instruction);
  exact_ = false;
  if (lanes.size() != wanted) {
    TranslateOpaque(instruction);
    return;
  }
  const auto decorations = module_.decorations.find(instruction.result);
  if (decorations != module_.decorations.end() && decorations->second.relaxed_precision) {
    builder_.Note("relaxed precision");
  }
  SetResult(instruction, std::move(lanes));
}

// Translates extractions, constructions, shuffles, and copies, which only route lanes.
bool SpirvTranslator::TranslateRouting(const SpirvInstruction& instruction) {
  const std::vector<uint32_t>& words = instruction.operands;
  const size_t wanted = types_.at(instruction.type).lanes;
  Lanes lanes;
  size_t offset = 0;
  switch (instruction.opcode) {
    case spv::OpCopyObject:
    case spv::OpCopyLogical:
      if (!words.empty()) lanes = Value(words[0]);
      break;
    case spv::OpCompositeConstruct:
      for (uint32_t id : words) {
        const Lanes part = Value(id);
        lanes.insert(lanes.end(), part.begin(), part.end());
      }
      break;
    case spv::OpCompositeExtract:
      if (!words.empty()) lanes = ExtractFrom(TypeOf(words[0]), Value(words[0]), words, 1, &offset);
      break;
    case spv::OpCompositeInsert: {
      if (words.size() < 2) break;
      const Lanes part = Value(words[0]);
      lanes = Value(words[1]);
      const Lanes replaced = ExtractFrom(TypeOf(words[1]), lanes, words, 2, &offset);
      if (replaced.size() != part.size() || offset + part.size() > lanes.size()) {
        lanes.clear();
        break;
      }
      std::copy(part.begin(), part.end(), lanes.begin() + static_cast<std::ptrdiff_t>(offset));
      break;
    }
    case spv::OpVectorShuffle:
      TranslateShuffle(instruction);
      return true;
    case spv::OpTranspose: {
      if (words.empty()) break;
      const Lanes matrix = Value(words[0]);
      const uint32_t columns = types_.at(TypeOf(words[0])).count;
      const size_t rows = columns == 0 ? 0 : matrix.size() / columns;
      for (size_t row = 0; row < rows; ++row) {
        for (size_t column = 0; column < columns; ++column) lanes.push_back(matrix[column * rows + row]);
      }
      break;
    }
    default:
      return false;
  }
  if (lanes.size() == wanted) {
    SetResult(instruction, std::move(lanes));
  } else {
    TranslateOpaque(instruction);
  }
  return true;
}

// Returns the lanes that `literals`, starting at index `first`, select from `whole`, and sets `offset` to the position
// of the first lane.
Lanes SpirvTranslator::ExtractFrom(uint32_t type, const Lanes& whole, const std::vector<uint32_t>& literals,
                                   size_t first, size_t* offset) {
  *offset = 0;
  for (size_t i = first; i < literals.size(); ++i) {
    const uint32_t element = types_.Element(type, literals[i]);
    if (element == 0 || literals[i] >= types_.at(type).count) return {};
    *offset += types_.Offset(type, literals[i]);
    type = element;
  }
  const size_t count = types_.at(type).lanes;
  if (*offset + count > whole.size()) return {};
  return Lanes(whole.begin() + static_cast<std::ptrdiff_t>(*offset),
               whole.begin() + static_cast<std::ptrdiff_t>(*offset + count));
}

void SpirvTranslator::TranslateShuffle(const SpirvInstruction& instruction) {
  const std::vector<uint32_t>& words = instruction.operands;
  Lanes both;
  for (size_t i = 0; i < 2 && i < words.size(); ++i) {
    const Lanes part = Value(words[i]);
    both.insert(both.end(), part.begin(), part.end());
  }
  Lanes lanes;
  for (size_t i = 2; i < words.size(); ++i) {
    if (words[i] < both.size()) {
      lanes.push_back(both[words[i]]);
    } else if (words[i] == kUndefinedComponent) {
      lanes.push_back(builder_.AddVariable(types_.at(instruction.type).bits, 1, "undef", false)[0]);
    }
  }
  if (lanes.size() == types_.at(instruction.type).lanes) {
    SetResult(instruction, std::move(lanes));
  } else {
    TranslateOpaque(instruction);
  }
}

void SpirvTranslator::TranslateOpaque(const SpirvInstruction& instruction) {
  if (instruction.opcode == spv::OpPhi) {
    const std::vector<uint32_t>& words = instruction.operands;
    for (size_t i = 0; i + 1 < words.size(); i += 2) phis_.emplace_back(words[i + 1], words[i]);
    SetResult(instruction, Opaque(instruction.type, OpaqueName(instruction.opcode), false));
    return;
  }
  const bool extended = instruction.opcode == spv::OpExtInst && instruction.operands.size() > 1 &&
                        instruction.operands[0] == module_.glsl450_set;
  const std::string name = extended ? OpaqueExtendedName(instruction.operands[1]) : OpaqueName(instruction.opcode);
  const size_t use = UseOperands(instruction, name);
  const Lanes lanes = Opaque(instruction.type, name, false);
  builder_.Give(use, lanes);
  SetResult(instruction, lanes);
}

// Adds a use that reads the instruction's operands, and returns its number.
size_t SpirvTranslator::UseOperands(const SpirvInstruction& instruction, absl::string_view what) {
  const size_t use = builder_.AddUse(what);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const auto found = instruction.is_id[i] ? values_.find(instruction.operands[i]) : values_.end();
    if (found != values_.end()) builder_.Read(use, found->second);
  }
  return use;
}

}  // namespace rewrought::corpus
