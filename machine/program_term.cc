#include "machine/program_term.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "machine/legality.h"

namespace rewrought::machine {
namespace {

class Translator {
 public:
  Translator(const Machine& machine, const Program& program) : m_(machine), program_(program) {}

  absl::StatusOr<ir::Term> Translate() {
    for (const Instruction& instruction : program_.instructions) Step(instruction);
    term_.root = values_.at(std::string(kResultName));
    return std::move(term_);
  }

 private:
  ir::NodeIndex Add(ir::Node node) {
    term_.nodes.push_back(std::move(node));
    return static_cast<ir::NodeIndex>(term_.nodes.size() - 1);
  }

  ir::NodeIndex Op(const ir::OpRow* row, std::initializer_list<ir::NodeIndex> sources) {
    return Op(row, std::vector<ir::NodeIndex>(sources));
  }
  ir::NodeIndex Op(const ir::OpRow* row, const std::vector<ir::NodeIndex>& sources) {
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = row;
    node.bits = row->result.bits;
    for (const ir::NodeIndex source : sources) node.sources.push_back({source, ir::kIdentitySwizzle});
    return Add(std::move(node));
  }

  ir::NodeIndex Constant(uint64_t bits, int width) {
    const auto [found, is_new] = constants_.try_emplace({bits, width});
    if (!is_new) return found->second;
    ir::Node node;
    node.kind = ir::NodeKind::kConstant;
    node.bits = static_cast<uint8_t>(width);
    node.literal = ir::LiteralKind::kBits;
    node.values[0] = bits;
    return found->second = Add(std::move(node));
  }

  // The variable or the present value of the register `name`.
  ir::NodeIndex Value(const std::string& name, int bits) {
    const auto [found, is_new] = values_.try_emplace(name);
    if (!is_new) return found->second;
    ir::Node node;
    node.kind = ir::NodeKind::kVariable;
    node.name = name;
    node.bits = static_cast<uint8_t>(bits);
    return found->second = Add(std::move(node));
  }

  ir::NodeIndex Read(const Instruction& instruction, int index) {
    const Operand& operand = instruction.sources[index];
    const Variant& variant = *instruction.variant;
    const int bits = m_.types()[operand.type].bits;
    ir::NodeIndex value;
    if (operand.kind == OperandKind::kImmediate) {
      value = Constant(operand.bits, bits);
    } else {
      const int wide = WideBitsOf(m_, program_, operand);
      value = Value(operand.name, wide);
      // A register that is one part wide is read as it is.
      if (operand.subscript >= 0 && wide != bits) value = Op(m_.ExtractRow(wide, bits, operand.subscript), {value});
    }
    if (const ModifierIndex widening = WideningOf(m_, variant, index, operand.type); widening >= 0) {
      value = Op(m_.modifiers()[widening].rows.at(operand.type), {value});
    }
    for (const ModifierIndex modifier : operand.modifiers) {
      value = Op(m_.modifiers()[modifier].rows.at(variant.sources[index]), {value});
    }
    return value;
  }

  ir::NodeIndex Predicate(const Instruction& instruction) {
    const ir::NodeIndex flag = Value(instruction.predicate, 1);
    return instruction.predicate_inverted ? Op(m_.FlagNotRow(), {flag}) : flag;
  }

  // The result after the destination's modifiers, in their order, and narrowing.
  ir::NodeIndex Modify(const Instruction& instruction, ir::NodeIndex value) {
    std::vector<ModifierIndex> modifiers = instruction.destination_modifiers;
    std::sort(modifiers.begin(), modifiers.end(),
              [&](ModifierIndex x, ModifierIndex y) { return m_.modifiers()[x].order < m_.modifiers()[y].order; });
    const Variant& variant = *instruction.variant;
    for (const ModifierIndex modifier : modifiers)
      value = Op(m_.modifiers()[modifier].rows.at(variant.result), {value});
    if (const ModifierIndex narrowing = NarrowingOf(m_, variant, instruction.destination.type); narrowing >= 0) {
      value = Op(m_.modifiers()[narrowing].rows.at(variant.result), {value});
    }
    return value;
  }

  void Step(const Instruction& instruction) {
    const Variant& variant = *instruction.variant;
    std::vector<ir::NodeIndex> sources;
    for (size_t i = 0; i < instruction.sources.size(); ++i) sources.push_back(Read(instruction, static_cast<int>(i)));
    if (variant.reads_predicate) sources.push_back(Predicate(instruction));
    const ir::OpRow* row = variant.rows[std::max(0, instruction.choice)];
    if (instruction.saturated) row = variant.saturated;
    const bool null = instruction.destination.kind == OperandKind::kNull;
    const bool tests_result = instruction.flag_choice >= 0;
    ir::NodeIndex value = 0;
    if (!null || tests_result) value = Modify(instruction, Op(row, sources));
    if (!instruction.flag.empty()) {
      values_[instruction.flag] =
          tests_result ? Op(m_.ResultFlagRow(variant.result_flag, instruction.flag_choice, variant.result), {value})
                       : Op(variant.flag_rows[std::max(0, instruction.choice)], sources);
    }
    if (!null) Write(instruction, value);
  }

  void Write(const Instruction& instruction, ir::NodeIndex value) {
    const Operand& destination = instruction.destination;
    const int bits = m_.types()[destination.type].bits;
    const int wide = WideBitsOf(m_, program_, destination);
    if (destination.subscript >= 0 && wide != bits) {
      const auto old = values_.find(destination.name);
      const ir::NodeIndex whole = old != values_.end() ? old->second : Constant(0, wide);
      value = Op(m_.InsertRow(wide, bits, destination.subscript), {whole, value});
    }
    if (!instruction.predicate.empty() && !instruction.variant->reads_predicate) {
      value = Op(m_.MergeRow(wide), {Predicate(instruction), value, values_.at(destination.name)});
    }
    values_[destination.name] = value;
  }

  const Machine& m_;
  const Program& program_;
  ir::Term term_;
  std::map<std::string, ir::NodeIndex> values_;  // of registers, flags and variables
  std::map<std::pair<uint64_t, int>, ir::NodeIndex> constants_;
};

}  // namespace

absl::StatusOr<ir::Term> ProgramTerm(const Machine& machine, const Program& program) {
  if (absl::Status status = CheckLegal(machine, program); !status.ok()) return status;
  return Translator(machine, program).Translate();
}

}  // namespace rewrought::machine
