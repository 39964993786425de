#include "tools/silicon/ir_side.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "machine/base/base_rules.h"

namespace rewrought::silicon {
namespace {

using machine::BasePattern;
using machine::Instruction;
using machine::Machine;

class PatternTerm {
 public:
  // `operands` maps a pattern's variables to sources of the instruction.
  PatternTerm(const Machine& machine, const Case& one, std::map<std::string, size_t> operands)
      : m_(machine), case_(one), operands_(std::move(operands)) {}

  // Adds `pattern`, with `wanted` bits unless it has its own size. Returns false if a size remains open.
  bool Add(const BasePattern& pattern, int wanted, ir::NodeIndex* index) {
    ir::Node node;
    if (!pattern.is_op && !pattern.name.empty()) return AddOperand(operands_.at(pattern.name), wanted, index);
    if (!pattern.is_op) {
      if (wanted == 0) return false;
      absl::StrAppend(&text_, " ", pattern.value);
      node.kind = ir::NodeKind::kConstant;
      node.values[0] = static_cast<uint64_t>(pattern.value) & ir::MaskOf(wanted);
      node.bits = static_cast<uint8_t>(wanted);
    } else {
      node.kind = ir::NodeKind::kOp;
      node.op = ir::FindOp(pattern.name);
      if (node.op == nullptr || node.op->sources.size() != pattern.sources.size()) return false;
      int free = node.op->result.bits == 0 ? (pattern.bits != 0 ? pattern.bits : wanted) : 0;
      for (size_t i = 0; i < pattern.sources.size() && free == 0; ++i) {
        if (node.op->sources[i].bits == 0) free = BitsOf(pattern.sources[i]);
      }
      node.bits = static_cast<uint8_t>(node.op->result.bits != 0 ? node.op->result.bits : free);
      if (node.bits == 0 || node.op->result.components > 1) return false;
      absl::StrAppend(&text_, " (", pattern.name);
      for (size_t i = 0; i < pattern.sources.size(); ++i) {
        const int own = node.op->sources[i].bits;
        ir::NodeIndex source;
        if (!Add(pattern.sources[i], own != 0 ? own : free, &source)) return false;
        node.sources.push_back({source, ir::kIdentitySwizzle});
      }
      text_ += ")";
    }
    *index = Push(std::move(node));
    return true;
  }

  bool AddUnary(const std::string& nir, ir::NodeIndex* source) {
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = ir::FindOp(nir);
    if (node.op == nullptr || node.op->sources.size() != 1) return false;
    node.bits = term_.nodes[*source].bits;
    node.sources.push_back({*source, ir::kIdentitySwizzle});
    *source = Push(std::move(node));
    return true;
  }

  const std::string& text() const { return text_; }
  ir::Term&& term() { return std::move(term_); }

 private:
  int BitsOf(const BasePattern& pattern) const {
    if (pattern.bits != 0 || pattern.is_op || pattern.name.empty()) return pattern.bits;
    return case_.inputs[operands_.at(pattern.name)].bits;
  }

  // Adds the input `operand` with the instruction's modifiers.
  bool AddOperand(size_t operand, int wanted, ir::NodeIndex* index) {
    const CaseInput& input = case_.inputs[operand];
    if (wanted != 0 && wanted != input.bits) return false;
    ir::Node node;
    node.name = input.name;
    node.bits = static_cast<uint8_t>(input.bits);
    *index = Push(std::move(node));
    std::string text = input.name;
    for (const machine::ModifierIndex m : case_.program.instructions[0].sources[operand].modifiers) {
      if (!AddUnary(m_.modifiers()[m].nir, index)) return false;
      text = absl::StrCat("(", m_.modifiers()[m].nir, " ", text, ")");
    }
    absl::StrAppend(&text_, " ", text);
    return true;
  }

  ir::NodeIndex Push(ir::Node node) {
    term_.nodes.push_back(std::move(node));
    return static_cast<ir::NodeIndex>(term_.nodes.size() - 1);
  }

  const Machine& m_;
  const Case& case_;
  const std::map<std::string, size_t> operands_;
  ir::Term term_;
  std::string text_;
};

// Maps the variables of the rule's program to the case's sources. Returns an empty map unless the rule's program is
// the case's instruction without modifiers and with only variables as sources. LOP3 and PLOP3 repeat a source at a
// position that their table ignores, so only a variable's first position counts.
std::map<std::string, size_t> OperandsOf(const machine::BaseRule& rule, const Instruction& instruction) {
  if (rule.inexact || rule.program.instructions.size() != 1) return {};
  const Instruction& plain = rule.program.instructions[0];
  if (plain.variant != instruction.variant || plain.choice != instruction.choice) return {};
  if (!plain.destination_modifiers.empty()) return {};
  std::map<std::string, size_t> operands;
  for (size_t i = 0; i < plain.sources.size(); ++i) {
    const machine::Operand& source = plain.sources[i];
    if (source.kind != machine::OperandKind::kVariable || !source.modifiers.empty()) return {};
    if (!operands.emplace(source.name, i).second && !absl::EndsWith(plain.variant->mnemonic, "LOP3")) return {};
  }
  return operands;
}

}  // namespace

absl::StatusOr<std::optional<IrSide>> IrSideOf(const Machine& machine, const Case& one) {
  const absl::StatusOr<const machine::BaseRules*> rules = machine::BaseRulesOf(machine);
  if (!rules.ok()) return rules.status();
  if (one.program.instructions.size() != 1) {
    // The case is a base rule's program, so the pattern's variables are the inputs.
    for (const auto& [op, list] : (*rules)->by_root) {
      for (const machine::BaseRule& rule : list) {
        if (machine::PrintProgram(machine, rule.program) != one.text) continue;
        std::map<std::string, size_t> operands;
        for (size_t i = 0; i < one.inputs.size(); ++i) operands[one.inputs[i].name] = i;
        PatternTerm pattern(machine, one, operands);
        ir::NodeIndex root;
        if (!pattern.Add(rule.pattern, one.result_bits, &root)) continue;
        IrSide side{op, pattern.text().substr(1), pattern.term()};
        side.term.root = root;
        return side;
      }
    }
    return std::nullopt;
  }
  const Instruction& instruction = one.program.instructions[0];
  for (const auto& [op, list] : (*rules)->by_root) {
    for (const machine::BaseRule& rule : list) {
      const std::map<std::string, size_t> operands = OperandsOf(rule, instruction);
      if (operands.empty()) continue;
      PatternTerm pattern(machine, one, operands);
      ir::NodeIndex root;
      if (!pattern.Add(rule.pattern, one.result_bits, &root)) continue;
      std::string text = pattern.text().substr(1);
      bool built = true;
      for (const machine::ModifierIndex m : instruction.destination_modifiers) {
        built = built && pattern.AddUnary(machine.modifiers()[m].nir, &root);
        text = absl::StrCat("(", machine.modifiers()[m].nir, " ", text, ")");
      }
      if (!built) continue;
      IrSide side{op, text, pattern.term()};
      side.term.root = root;
      return side;
    }
  }
  return std::nullopt;
}

}  // namespace rewrought::silicon
