#include "corpus/spirv/spirv_types.h"

#include "glslang/SPIRV/spirv.hpp"

namespace rewrought::corpus {

SpirvTypes::SpirvTypes(const SpirvModule& module) {
  for (const SpirvInstruction& instruction : module.instructions) {
    if (instruction.opcode == spv::OpFunction) break;
    Add(instruction);
  }
}

void SpirvTypes::Add(const SpirvInstruction& instruction) {
  const std::vector<uint32_t>& words = instruction.operands;
  const auto word = [&words](size_t i) { return i < words.size() ? words[i] : 0u; };
  SpirvType type;
  switch (instruction.opcode) {
    case spv::OpTypeBool:
      type.kind = SpirvKind::kBool;
      type.bits = 1;
      type.lanes = 1;
      break;
    case spv::OpTypeInt:
    case spv::OpTypeFloat: {
      const uint32_t bits = word(0);
      type.kind = instruction.opcode == spv::OpTypeInt ? SpirvKind::kInt : SpirvKind::kFloat;
      type.bits = bits == 8 || bits == 16 || bits == 32 || bits == 64 ? static_cast<uint8_t>(bits) : 0;
      type.lanes = type.bits != 0 ? 1 : 0;
      break;
    }
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
      type.kind = instruction.opcode == spv::OpTypeVector ? SpirvKind::kVector : SpirvKind::kMatrix;
      type.elements = {word(0)};
      type.count = word(1);
      break;
    case spv::OpTypeArray:
      type.kind = SpirvKind::kArray;
      type.elements = {word(0)};
      type.count = IntegerConstant(word(1)).value_or(0);
      break;
    case spv::OpTypeRuntimeArray:
      type.kind = SpirvKind::kArray;
      type.elements = {word(0)};
      break;
    case spv::OpTypeStruct:
      type.kind = SpirvKind::kStruct;
      type.elements = words;
      type.count = static_cast<uint32_t>(words.size());
      break;
    case spv::OpTypePointer:
      type.kind = SpirvKind::kPointer;
      type.storage = word(0);
      type.elements = {word(1)};
      break;
    case spv::OpConstant:
      if (at(instruction.type).kind == SpirvKind::kInt && at(instruction.type).bits <= 32) {
        integers_[instruction.result] = word(0);
      }
      return;
    default:
      return;
  }
  if (type.kind == SpirvKind::kVector || type.kind == SpirvKind::kMatrix || type.kind == SpirvKind::kArray) {
    const SpirvType& element = at(type.elements[0]);
    type.bits = element.bits;
    if (type.count <= kMaxLanes) type.lanes = element.lanes * type.count;
  } else if (type.kind == SpirvKind::kStruct) {
    for (uint32_t member : type.elements) {
      // If one member is not supported, the whole value is opaque, because the member's lanes would be missing.
      if (at(member).lanes == 0 || type.lanes > kMaxLanes) {
        type.lanes = 0;
        break;
      }
      type.lanes += at(member).lanes;
    }
  }
  if (type.lanes > kMaxLanes) type.lanes = 0;
  types_[instruction.result] = std::move(type);
}

const SpirvType& SpirvTypes::at(uint32_t id) const {
  static const auto* const none = new SpirvType();
  const auto found = types_.find(id);
  return found == types_.end() ? *none : found->second;
}

uint32_t SpirvTypes::Element(uint32_t id, uint32_t index) const {
  const SpirvType& type = at(id);
  if (type.elements.empty()) return 0;
  if (type.kind == SpirvKind::kStruct) return index < type.elements.size() ? type.elements[index] : 0;
  return type.elements[0];
}

size_t SpirvTypes::Offset(uint32_t id, uint32_t index) const {
  const SpirvType& type = at(id);
  if (type.kind != SpirvKind::kStruct) return type.elements.empty() ? 0 : at(type.elements[0]).lanes * index;
  size_t offset = 0;
  for (uint32_t i = 0; i < index && i < type.elements.size(); ++i) offset += at(type.elements[i]).lanes;
  return offset;
}

std::optional<uint32_t> SpirvTypes::IntegerConstant(uint32_t id) const {
  const auto found = integers_.find(id);
  if (found == integers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace rewrought::corpus
