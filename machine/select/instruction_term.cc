#include "machine/select/instruction_term.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rewrought::machine::select {
namespace {

class Builder {
 public:
  Builder(const Machine& machine, const Instruction& instruction, const std::vector<int>& source_bits,
          int destination_bits)
      : m_(machine), i_(instruction), source_bits_(source_bits), destination_bits_(destination_bits) {}

  InstructionTerm Build() {
    const Variant& variant = *i_.variant;
    std::vector<ir::NodeIndex> sources;
    for (size_t s = 0; s < i_.sources.size(); ++s) sources.push_back(Read(static_cast<int>(s)));
    if (variant.reads_predicate) sources.push_back(Predicate());
    const size_t choice = static_cast<size_t>(std::max(0, i_.choice));
    const ir::OpRow* row = i_.saturated ? variant.saturated : variant.rows[choice];
    const bool null = i_.destination.kind == OperandKind::kNull;
    const bool tests_result = i_.flag_choice >= 0;
    ir::NodeIndex value = 0;
    if (!null || tests_result) value = Modify(Op(row, sources));
    if (!i_.flag.empty()) {
      out_.flag = tests_result ? Op(m_.ResultFlagRow(variant.result_flag, i_.flag_choice, variant.result), {value})
                               : Op(variant.flag_rows[choice], sources);
    }
    if (!null) out_.result = Write(value);
    return std::move(out_);
  }

 private:
  ir::NodeIndex Add(ir::Node node) {
    out_.term.nodes.push_back(std::move(node));
    return static_cast<ir::NodeIndex>(out_.term.nodes.size() - 1);
  }

  ir::NodeIndex Op(const ir::OpRow* row, const std::vector<ir::NodeIndex>& sources) {
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = row;
    node.bits = row->result.bits;
    for (const ir::NodeIndex source : sources) node.sources.push_back({source, ir::kIdentitySwizzle});
    return Add(std::move(node));
  }

  ir::NodeIndex Variable(std::string name, int bits) {
    ir::Node node;
    node.name = std::move(name);
    node.bits = static_cast<uint8_t>(bits);
    return Add(std::move(node));
  }

  ir::NodeIndex Read(int index) {
    const Operand& operand = i_.sources[index];
    const int bits = m_.types()[operand.type].bits;
    ir::NodeIndex value;
    if (operand.kind == OperandKind::kImmediate) {
      ir::Node node;
      node.kind = ir::NodeKind::kConstant;
      node.bits = static_cast<uint8_t>(bits);
      node.values[0] = operand.bits;
      value = Add(std::move(node));
    } else {
      const int wide = source_bits_[index];
      value = Variable(absl::StrCat("s", index), wide);
      if (operand.subscript >= 0 && wide != bits) value = Op(m_.ExtractRow(wide, bits, operand.subscript), {value});
    }
    const Variant& variant = *i_.variant;
    if (const ModifierIndex widening = WideningOf(m_, variant, index, operand.type); widening >= 0) {
      value = Op(m_.modifiers()[widening].rows.at(operand.type), {value});
    }
    for (const ModifierIndex modifier : operand.modifiers) {
      value = Op(m_.modifiers()[modifier].rows.at(variant.sources[index]), {value});
    }
    return value;
  }

  ir::NodeIndex Predicate() {
    const ir::NodeIndex flag = Variable("flag", 1);
    return i_.predicate_inverted ? Op(m_.FlagNotRow(), {flag}) : flag;
  }

  ir::NodeIndex Modify(ir::NodeIndex value) {
    std::vector<ModifierIndex> modifiers = i_.destination_modifiers;
    std::sort(modifiers.begin(), modifiers.end(),
              [&](ModifierIndex x, ModifierIndex y) { return m_.modifiers()[x].order < m_.modifiers()[y].order; });
    const Variant& variant = *i_.variant;
    for (const ModifierIndex modifier : modifiers)
      value = Op(m_.modifiers()[modifier].rows.at(variant.result), {value});
    if (const ModifierIndex narrowing = NarrowingOf(m_, variant, i_.destination.type); narrowing >= 0) {
      value = Op(m_.modifiers()[narrowing].rows.at(variant.result), {value});
    }
    return value;
  }

  ir::NodeIndex Write(ir::NodeIndex value) {
    const int bits = m_.types()[i_.destination.type].bits;
    const bool part = i_.destination.subscript >= 0 && destination_bits_ != bits;
    const bool keeps = !i_.predicate.empty() && !i_.variant->reads_predicate;
    if (!part && !keeps) return value;
    const ir::NodeIndex old = Variable("old", destination_bits_);
    if (part) value = Op(m_.InsertRow(destination_bits_, bits, i_.destination.subscript), {old, value});
    return keeps ? Op(m_.MergeRow(destination_bits_), {Predicate(), value, old}) : value;
  }

  const Machine& m_;
  const Instruction& i_;
  const std::vector<int>& source_bits_;
  const int destination_bits_;
  InstructionTerm out_;
};

}  // namespace

InstructionTerm TermOfInstruction(const Machine& machine, const Instruction& instruction,
                                  const std::vector<int>& source_bits, int destination_bits) {
  return Builder(machine, instruction, source_bits, destination_bits).Build();
}

}  // namespace rewrought::machine::select
