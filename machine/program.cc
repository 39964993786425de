#include "machine/program.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/scalar.h"

namespace rewrought::machine {
namespace {

constexpr char kComponentNames[] = "xyzw01h";

std::string PrintImmediate(const Type& type, uint64_t bits) {
  if (type.base == ir::BaseType::kFloat && !ir::IsNan(bits, type.bits)) {
    const double value = ir::BitsToFloat(bits, type.bits);
    if (std::isfinite(value)) {
      for (int digits = 1; digits <= 17; ++digits) {
        std::string text = absl::StrFormat("%.*g", digits, value);
        double read = 0;
        if (sscanf(text.c_str(), "%lf", &read) != 1 || ir::FloatToBits(read, type.bits) != bits) continue;
        if (text.find_first_of(".e") == std::string::npos) text += ".0";
        return text;
      }
    }
  }
  if (type.base == ir::BaseType::kInt) {
    const int64_t value = ir::SignExtend(bits, type.bits);
    if (value >= -4096 && value <= 4096) return absl::StrCat(value);
  }
  if (type.base != ir::BaseType::kFloat && bits <= 4096) return absl::StrCat(bits);
  return absl::StrCat("0x", absl::Hex(bits));
}

// Returns the text of the swizzle or mask, or an empty string for the identity swizzle and for all components.
std::string PrintComponents(const Operand& operand) {
  std::string text;
  if (operand.mask != 0) {
    for (int c = 0; c < ir::kShaderComponents; ++c) {
      if ((operand.mask >> c & 1) != 0) text += kComponentNames[c];
    }
    return absl::StrCat(".mask(", text, ")");
  }
  if (operand.swizzle == ir::kIdentitySwizzle && operand.negated == 0) return text;
  const auto same = [&](int c) {
    return operand.swizzle[c] == operand.swizzle[c - 1] &&
           (operand.negated >> c & 1) == (operand.negated >> (c - 1) & 1);
  };
  int count = ir::kShaderComponents;
  while (count > 1 && same(count - 1)) --count;
  for (int c = 0; c < count; ++c) {
    if ((operand.negated >> c & 1) != 0) text += '-';
    text += kComponentNames[operand.swizzle[c]];
  }
  return absl::StrCat(".swizzle(", text, ")");
}

std::string PrintOperand(const Machine& machine, const Operand& operand) {
  const Type& type = machine.types()[operand.type];
  if (operand.kind == OperandKind::kNull) return absl::StrCat("null(", type.name, ")", PrintComponents(operand));
  std::string text = operand.kind == OperandKind::kImmediate
                         ? absl::StrCat("imm(", PrintImmediate(type, operand.bits), ", ", type.name, ")")
                         : absl::StrCat(operand.name, "(", type.name, ")");
  if (operand.subscript >= 0) absl::StrAppend(&text, ".subscript(", operand.subscript, ")");
  if (operand.uniform) text += ".uniform()";
  absl::StrAppend(&text, PrintComponents(operand));
  for (const ModifierIndex modifier : operand.modifiers) {
    const std::string& spelling = machine.modifiers()[modifier].spelling;
    text = spelling.size() == 1 ? spelling + text : absl::StrCat(spelling, "(", text, ")");
  }
  return text;
}

}  // namespace

std::string PrintInstruction(const Machine& machine, const Instruction& instruction) {
  const Variant& variant = *instruction.variant;
  std::vector<std::string> operands = {PrintOperand(machine, instruction.destination)};
  for (const Operand& source : instruction.sources) operands.push_back(PrintOperand(machine, source));
  std::string text = absl::StrCat(variant.mnemonic, "(", absl::StrJoin(operands, ", "), ")");
  const std::string flag = instruction.flag.empty() || instruction.flag == kDefaultFlag ? "" : ", " + instruction.flag;
  if (instruction.choice >= 0) {
    const Selector& selector = machine.selectors()[variant.selector];
    absl::StrAppend(&text, ".", selector.method, "(", selector.choices[instruction.choice].first,
                    variant.flag_rows.empty() ? "" : flag, ")");
  }
  if (instruction.flag_choice >= 0) {
    const Selector& selector = machine.selectors()[variant.result_flag];
    absl::StrAppend(&text, ".", selector.method, "(", selector.choices[instruction.flag_choice].first, flag, ")");
  }
  for (const ModifierIndex modifier : instruction.destination_modifiers) {
    absl::StrAppend(&text, ".", machine.modifiers()[modifier].spelling, "()");
  }
  if (instruction.saturated) text += ".sat()";
  if (!instruction.predicate.empty()) {
    absl::StrAppend(&text, ".predicate(", instruction.predicate_inverted ? "INVERT" : "NORMAL",
                    instruction.predicate == kDefaultFlag ? "" : ", " + instruction.predicate, ")");
  }
  return text;
}

std::string PrintProgram(const Machine& machine, const Program& program) {
  std::vector<std::string> instructions;
  for (const Instruction& instruction : program.instructions)
    instructions.push_back(PrintInstruction(machine, instruction));
  return absl::StrCat("[", absl::StrJoin(instructions, ", "), "]");
}

ModifierIndex WideningOf(const Machine& machine, const Variant& variant, int source, TypeIndex written) {
  if (variant.sources[source] == written) return -1;
  for (const ModifierIndex index : variant.operands[source].modifiers) {
    const Modifier& modifier = machine.modifiers()[index];
    if (modifier.place == v1::Modifier::WIDEN && modifier.from == written && modifier.to == variant.sources[source]) {
      return index;
    }
  }
  return -2;
}

ModifierIndex NarrowingOf(const Machine& machine, const Variant& variant, TypeIndex written) {
  if (variant.result == written) return -1;
  for (const ModifierIndex index : variant.destination_modifiers) {
    const Modifier& modifier = machine.modifiers()[index];
    if (modifier.place == v1::Modifier::NARROW && modifier.from == variant.result && modifier.to == written)
      return index;
  }
  return -2;
}

int WideBitsOf(const Machine& machine, const Program& program, const Operand& operand) {
  const auto bits_of = [&](const Operand& o) { return machine.types()[o.type].bits; };
  if (operand.subscript < 0) return bits_of(operand);
  if (const auto known = program.variable_bits.find(operand.name); known != program.variable_bits.end()) {
    return known->second;
  }
  // If an operand names the whole register, use its size; otherwise use the smallest size that contains every part.
  int least = std::max(2 * bits_of(operand), 32);
  for (const Instruction& instruction : program.instructions) {
    std::vector<const Operand*> operands = {&instruction.destination};
    for (const Operand& source : instruction.sources) operands.push_back(&source);
    for (const Operand* other : operands) {
      if (other->name != operand.name || other->kind == OperandKind::kImmediate) continue;
      if (other->subscript < 0) return bits_of(*other);
      while (least < 64 && (other->subscript + 1) * bits_of(*other) > least) least *= 2;
      least = std::max(least, std::min(64, 2 * bits_of(*other)));
    }
  }
  return least;
}

bool IsComponentwise(const Program& program) {
  for (const Instruction& instruction : program.instructions) {
    if (instruction.destination.mask != 0) return false;
    for (size_t i = 0; i < instruction.sources.size(); ++i) {
      const Operand& source = instruction.sources[i];
      if (source.swizzle != ir::kIdentitySwizzle || source.negated != 0) return false;
      if (instruction.variant->operands[i].components > 1) return false;
    }
  }
  return true;
}

uint8_t ComponentsWritten(const Instruction& instruction, bool componentwise) {
  if (componentwise) return 1;
  return instruction.destination.mask != 0 ? instruction.destination.mask : 0xf;
}

uint8_t ComponentsRead(const Instruction& instruction, size_t index, bool componentwise) {
  if (componentwise) return 1;
  const int fixed = instruction.variant->operands[index].components;
  const uint8_t wanted = fixed > 0 ? static_cast<uint8_t>((1 << fixed) - 1) : ComponentsWritten(instruction, false);
  uint8_t read = 0;
  for (int c = 0; c < ir::kShaderComponents; ++c) {
    const uint8_t from = instruction.sources[index].swizzle[c];
    if ((wanted >> c & 1) != 0 && from < kSwizzleZero) read |= static_cast<uint8_t>(1 << from);
  }
  return read;
}

bool IsPlainCopy(const Instruction& instruction) {
  if (instruction.sources.empty() || instruction.destination.kind != OperandKind::kRegister || instruction.saturated) {
    return false;
  }
  const Operand& source = instruction.sources[0];
  // If the variant has a table of results, a row may return the first source and ignore the others.
  const std::vector<const ir::OpRow*>& rows = instruction.variant->rows;
  const ir::OpRow& row = *rows[rows.size() == 1 ? 0 : static_cast<size_t>(std::max(instruction.choice, 0))];
  return row.meaning == "a" && source.modifiers.empty() && source.subscript < 0 &&
         source.swizzle == ir::kIdentitySwizzle && source.negated == 0 && instruction.destination.mask == 0 &&
         source.type == instruction.variant->sources[0] && instruction.destination.type == source.type &&
         instruction.destination.subscript < 0 && instruction.destination_modifiers.empty() &&
         instruction.flag.empty() && instruction.predicate.empty();
}

}  // namespace rewrought::machine
