// Translates SPIR-V's loads, stores, and access chains. Decides which loads become opaque variables, which return a
// value that was written before, and which return the same value in all invocations of a draw.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_translator.h"
#include "glslang/SPIRV/spirv.hpp"

namespace rewrought::corpus {
namespace {

constexpr int kMaxChain = 64;  // maximum length of a chain of access chains

struct MemoryClass {
  const char* name;
  bool uniform;    // has the same value in all invocations of a draw
  bool read_only;  // the shader does not write it
};

MemoryClass ClassOf(uint32_t storage, const SpirvDecorations& decorations) {
  switch (storage) {
    case spv::StorageClassUniformConstant:
      return {"load_uniform", true, true};
    case spv::StorageClassUniform:
      if (decorations.buffer_block) return {"load_ssbo", false, false};
      return {"load_ubo", true, true};
    case spv::StorageClassPushConstant:
      return {"load_push_constant", true, true};
    case spv::StorageClassInput:
      return {"load_input", false, true};
    case spv::StorageClassOutput:
      return {"load_output", false, false};
    case spv::StorageClassStorageBuffer:
      return {"load_ssbo", false, false};
    case spv::StorageClassWorkgroup:
      return {"load_shared", false, false};
    default:
      return {"load_local", false, false};
  }
}

}  // namespace

// Finds the variable that a pointer points into. Returns false if the pointer has another origin, such as a phi or a
// parameter.
bool SpirvTranslator::FindPlace(uint32_t pointer, Place* place) const {
  for (int i = 0; i < kMaxChain; ++i) {
    const auto found = module_.definitions.find(pointer);
    if (found == module_.definitions.end()) return false;
    const SpirvInstruction& instruction = module_.instructions[found->second];
    if (instruction.opcode == spv::OpVariable) {
      place->variable = pointer;
      return true;
    }
    if (instruction.operands.empty()) return false;
    if (instruction.opcode == spv::OpAccessChain || instruction.opcode == spv::OpInBoundsAccessChain) {
      place->steps.insert(place->steps.begin(), instruction.operands.begin() + 1, instruction.operands.end());
    } else if (instruction.opcode != spv::OpCopyObject) {
      return false;
    }
    pointer = instruction.operands[0];
  }
  return false;
}

void SpirvTranslator::TranslateLoad(const SpirvInstruction& instruction) {
  Place place;
  if (types_.at(instruction.type).lanes == 0) {
    UseOperands(instruction, "load");
    return;
  }
  if (instruction.operands.empty() || !FindPlace(instruction.operands[0], &place)) {
    SetResult(instruction, Opaque(instruction.type, "load_pointer", false));
    return;
  }
  const SpirvType& pointer = types_.at(TypeOf(place.variable));
  uint32_t type = pointer.elements.empty() ? 0 : pointer.elements[0];
  // A Block decoration is on the struct, which may be the element of an array.
  uint32_t block = type;
  while (types_.at(block).kind == SpirvKind::kArray) block = types_.Element(block, 0);
  const auto decorations = module_.decorations.find(block);
  const MemoryClass memory =
      ClassOf(pointer.storage, decorations == module_.decorations.end() ? SpirvDecorations() : decorations->second);
  const bool is_volatile = instruction.operands.size() > 1 && (instruction.operands[1] & spv::MemoryAccessVolatileMask);

  std::string key = absl::StrCat(place.variable);
  bool uniform = memory.uniform;
  std::optional<uint32_t> component;  // the last step of the chain, if it selects one component of a vector
  const size_t use = builder_.AddUse(memory.name);
  for (size_t i = 0; i < place.steps.size(); ++i) {
    const std::optional<uint32_t> constant = types_.IntegerConstant(place.steps[i]);
    if (!constant) {
      const Lanes step = Value(place.steps[i]);
      uniform = uniform && builder_.IsUniform(step);
      builder_.Read(use, step);
    }
    const bool last = i + 1 == place.steps.size();
    if (last && constant && types_.at(type).kind == SpirvKind::kVector && *constant < types_.at(type).count) {
      component = constant;
      break;
    }
    absl::StrAppend(&key, constant ? ".c" : ".i", constant ? *constant : place.steps[i]);
    type = types_.Element(type, constant.value_or(0));
  }
  Lanes lanes = LoadLeaves(type, key, memory.name, uniform, memory.read_only && !is_volatile);
  builder_.Give(use, lanes);
  if (component) lanes = *component < lanes.size() ? Lanes{lanes[*component]} : Lanes{};
  if (lanes.size() != types_.at(instruction.type).lanes) lanes = Opaque(instruction.type, memory.name, false);
  SetResult(instruction, std::move(lanes));
}

// Creates one variable for each vector or scalar that is loaded. A second load from the same memory returns the same
// variable if nothing writes to that memory.
Lanes SpirvTranslator::LoadLeaves(uint32_t type, const std::string& key, absl::string_view what, bool uniform,
                                  bool read_only) {
  const SpirvType& shape = types_.at(type);
  if (shape.lanes == 0) return {};
  if (!shape.elements.empty() && shape.kind != SpirvKind::kVector) {
    Lanes lanes;
    for (uint32_t i = 0; i < shape.count; ++i) {
      const Lanes part = LoadLeaves(types_.Element(type, i), absl::StrCat(key, ".c", i), what, uniform, read_only);
      lanes.insert(lanes.end(), part.begin(), part.end());
    }
    return lanes;
  }
  const auto make = [&] { return builder_.AddVariable(shape.bits, static_cast<int>(shape.lanes), what, uniform); };
  if (!read_only) return make();
  const auto found = read_only_.find(key);
  if (found != read_only_.end() && found->second.size() == shape.lanes) return found->second;
  return read_only_[key] = make();
}

}  // namespace rewrought::corpus
