#include "machine/instruction_nodes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::machine {
namespace {

std::vector<int> ComponentsOf(uint8_t mask) {
  std::vector<int> components;
  for (int c = 0; c < ir::kShaderComponents; ++c) {
    if ((mask >> c & 1) != 0) components.push_back(c);
  }
  return components;
}

uint64_t SwizzleConstantBits(const Type& type, uint8_t constant) {
  const double value = constant == kSwizzleZero ? 0.0 : constant == kSwizzleOne ? 1.0 : 0.5;
  return type.base == ir::BaseType::kFloat ? ir::FloatToBits(value, type.bits) : static_cast<uint64_t>(value);
}

}  // namespace

ir::NodeIndex InstructionNodes::AddVariable(std::string name, int bits, int components) {
  ir::Node node;
  node.kind = ir::NodeKind::kVariable;
  node.name = std::move(name);
  node.bits = static_cast<uint8_t>(bits);
  node.components = static_cast<uint8_t>(components);
  return AddNode(std::move(node));
}

ir::NodeIndex InstructionNodes::Constant(uint64_t bits, int width) {
  const auto [found, is_new] = constants_.try_emplace({bits, width});
  if (!is_new) return found->second;
  ir::Node node;
  node.kind = ir::NodeKind::kConstant;
  node.bits = static_cast<uint8_t>(width);
  node.literal = ir::LiteralKind::kBits;
  node.values[0] = bits;
  return found->second = AddNode(std::move(node));
}

ir::Source InstructionNodes::Gather(const std::vector<Lane>& lanes) {
  const bool one =
      std::all_of(lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.node == lanes[0].node; });
  if (one) {
    ir::Source source{lanes[0].node, ir::kIdentitySwizzle};
    for (size_t i = 0; i < lanes.size(); ++i) source.swizzle[i] = lanes[i].component;
    return source;
  }
  std::vector<ir::Source> parts;
  for (const Lane& lane : lanes) parts.push_back(Gather({lane}));
  return {Op(ir::FindOp(absl::StrCat("vec", lanes.size())), parts, static_cast<int>(lanes.size())),
          ir::kIdentitySwizzle};
}

ir::NodeIndex InstructionNodes::AsNode(const std::vector<Lane>& lanes) {
  const ir::Source source = Gather(lanes);
  const int count = static_cast<int>(lanes.size());
  bool whole = term_.at(source.node).components == count;
  for (int c = 0; c < count; ++c) whole &= source.swizzle[c] == c;
  return whole ? source.node : Op(ir::FindOp("mov"), {source}, count);
}

ir::NodeIndex InstructionNodes::Op(const ir::OpRow* row, const std::vector<ir::Source>& sources, int components) {
  ir::Node node;
  node.kind = ir::NodeKind::kOp;
  node.op = row;
  node.bits = row->result.bits != 0 ? row->result.bits : term_.at(sources[0].node).bits;
  node.components = static_cast<uint8_t>(components);
  node.sources = sources;
  return AddNode(std::move(node));
}

ir::Source InstructionNodes::Read(const Instruction& instruction, size_t index, const std::vector<int>& wanted) {
  const Operand& operand = instruction.sources[index];
  const Variant& variant = *instruction.variant;
  const Type& type = m_.types()[operand.type];
  const int count = static_cast<int>(wanted.size());
  std::vector<Lane> lanes;
  for (const int c : wanted) {
    const uint8_t from = componentwise_ ? 0 : operand.swizzle[c];
    if (operand.kind == OperandKind::kImmediate) {
      lanes.push_back({Constant(operand.bits, type.bits), 0});
    } else if (from >= kSwizzleZero) {
      lanes.push_back({Constant(SwizzleConstantBits(type, from), type.bits), 0});
    } else {
      lanes.push_back(Register(instruction, index, from));
    }
  }
  ir::Source value = Gather(lanes);
  const int wide = operand.kind == OperandKind::kImmediate ? type.bits : SourceBits(instruction, index);
  // If the register is as wide as the part, no extraction is needed.
  if (operand.subscript >= 0 && wide != type.bits) {
    value = {Op(m_.ExtractRow(wide, type.bits, operand.subscript), {value}, count), ir::kIdentitySwizzle};
  }
  if (const ModifierIndex widening = WideningOf(m_, variant, static_cast<int>(index), operand.type); widening >= 0) {
    value = {Op(m_.modifiers()[widening].rows.at(operand.type), {value}, count), ir::kIdentitySwizzle};
  }
  for (const ModifierIndex modifier : operand.modifiers) {
    value = {Op(m_.modifiers()[modifier].rows.at(variant.sources[index]), {value}, count), ir::kIdentitySwizzle};
  }
  return operand.negated == 0 ? value : NegateSome(instruction, index, wanted, value);
}

ir::Source InstructionNodes::NegateSome(const Instruction& instruction, size_t index, const std::vector<int>& wanted,
                                        ir::Source value) {
  const Variant& variant = *instruction.variant;
  const Modifier* negation = nullptr;
  for (const ModifierIndex m : variant.operands[index].modifiers) {
    if (m_.modifiers()[m].per_component) negation = &m_.modifiers()[m];
  }
  if (negation == nullptr) return value;  // Does not happen for a legal program.
  const int count = static_cast<int>(wanted.size());
  const ir::NodeIndex negated = Op(negation->rows.at(variant.sources[index]), {value}, count);
  std::vector<Lane> lanes;
  for (int i = 0; i < count; ++i) {
    const bool negate = (instruction.sources[index].negated >> wanted[i] & 1) != 0;
    lanes.push_back(negate ? Lane{negated, static_cast<uint8_t>(i)} : Lane{value.node, value.swizzle[i]});
  }
  return Gather(lanes);
}

ir::Source InstructionNodes::Predicate(const Instruction& instruction, const std::vector<int>& written) {
  std::vector<Lane> lanes;
  for (const int c : written) lanes.push_back(Flag(instruction, c));
  const ir::Source flag = Gather(lanes);
  if (!instruction.predicate_inverted) return flag;
  return {Op(m_.FlagNotRow(), {flag}, static_cast<int>(written.size())), ir::kIdentitySwizzle};
}

// Applies the destination's modifiers in their order, then the narrowing.
ir::NodeIndex InstructionNodes::Modify(const Instruction& instruction, ir::NodeIndex value, int components) {
  std::vector<ModifierIndex> modifiers = instruction.destination_modifiers;
  std::sort(modifiers.begin(), modifiers.end(),
            [&](ModifierIndex x, ModifierIndex y) { return m_.modifiers()[x].order < m_.modifiers()[y].order; });
  const Variant& variant = *instruction.variant;
  for (const ModifierIndex modifier : modifiers) {
    value = Op(m_.modifiers()[modifier].rows.at(variant.result), {{value}}, components);
  }
  if (const ModifierIndex narrowing = NarrowingOf(m_, variant, instruction.destination.type); narrowing >= 0) {
    value = Op(m_.modifiers()[narrowing].rows.at(variant.result), {{value}}, components);
  }
  return value;
}

InstructionNodes::Results InstructionNodes::Add(const Instruction& instruction) {
  const Variant& variant = *instruction.variant;
  const std::vector<int> written = ComponentsOf(ComponentsWritten(instruction, componentwise_));
  const int count = variant.horizontal ? 1 : static_cast<int>(written.size());
  std::vector<ir::Source> sources;
  for (size_t i = 0; i < instruction.sources.size(); ++i) {
    const int fixed = componentwise_ ? 0 : variant.operands[i].components;
    sources.push_back(Read(instruction, i, fixed > 0 ? ComponentsOf(static_cast<uint8_t>((1 << fixed) - 1)) : written));
  }
  if (variant.reads_predicate) sources.push_back(Predicate(instruction, written));
  const size_t choice = static_cast<size_t>(std::max(0, instruction.choice));
  const ir::OpRow* row = instruction.saturated ? variant.saturated : variant.rows[choice];
  const bool null = instruction.destination.kind == OperandKind::kNull;
  const bool tests_result = instruction.flag_choice >= 0;
  // A scalar node provides the same lane for all written components.
  const auto lanes_of = [&](ir::NodeIndex node) {
    std::vector<Lane> lanes;
    for (size_t i = 0; i < written.size(); ++i) {
      lanes.push_back({node, static_cast<uint8_t>(term_.at(node).components == 1 ? 0 : i)});
    }
    return lanes;
  };
  Results results;
  ir::NodeIndex value = 0;
  if (!null || tests_result) value = Modify(instruction, Op(row, sources, count), count);
  if (!instruction.flag.empty()) {
    results.flag =
        lanes_of(tests_result ? Op(m_.ResultFlagRow(variant.result_flag, instruction.flag_choice, variant.result),
                                   {{value}}, count)
                              : Op(variant.flag_rows[choice], sources, count));
  }
  if (!null) results.value = lanes_of(Write(instruction, value, written));
  return results;
}

// Merges `value` into the destination: writes only the part that the destination selects, and keeps the old value where
// the predicate is false.
ir::NodeIndex InstructionNodes::Write(const Instruction& instruction, ir::NodeIndex value,
                                      const std::vector<int>& written) {
  const Operand& destination = instruction.destination;
  const int bits = m_.types()[destination.type].bits;
  const int wide = DestinationBits(instruction);
  const int count = static_cast<int>(written.size());
  const bool keeps = !instruction.predicate.empty() && !instruction.variant->reads_predicate;
  const bool part = destination.subscript >= 0 && wide != bits;
  if (!keeps && !part) return value;
  std::vector<Lane> lanes;
  for (const int c : written) lanes.push_back(Old(instruction, c).value_or(Lane{0, 0xff}));
  // Unwritten parts are zero.
  for (Lane& lane : lanes) {
    if (lane.component == 0xff) lane = {Constant(0, wide), 0};
  }
  const ir::Source old = Gather(lanes);
  ir::Source given{value};
  if (term_.at(value).components == 1) given.swizzle = {0, 0, 0, 0};
  if (part) {
    value = Op(m_.InsertRow(wide, bits, destination.subscript), {old, given}, count);
    given = {value};
  }
  if (!keeps) return value;
  return Op(m_.MergeRow(wide), {Predicate(instruction, written), given, old}, count);
}

}  // namespace rewrought::machine
