#include "machine/base/nir_form.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/op_table.h"
#include "machine/base/base_rules.h"

namespace rewrought::machine {
namespace {

// An op and, for each of its sources, the place of the instruction's source that it reads.
struct ReverseRule {
  const ir::OpRow* op = nullptr;
  std::vector<size_t> places;
};

bool IsPlain(const Operand& operand) { return operand.modifiers.empty() && operand.subscript < 0; }

// The rule's pattern as a reverse rule, if it is one op over distinct variables and one plain instruction.
bool Reverse(const BaseRule& rule, ReverseRule* reverse) {
  if (rule.program.instructions.size() != 1) return false;
  const Instruction& instruction = rule.program.instructions[0];
  if (!instruction.destination_modifiers.empty() || !instruction.flag.empty() || !instruction.predicate.empty())
    return false;
  reverse->op = ir::FindOp(rule.pattern.name);
  if (reverse->op == nullptr || rule.pattern.sources.size() != instruction.sources.size()) return false;
  for (const BasePattern& source : rule.pattern.sources) {
    if (source.is_op || source.name.empty()) return false;
    const auto place =
        std::find_if(instruction.sources.begin(), instruction.sources.end(), [&](const Operand& operand) {
          return operand.kind == OperandKind::kVariable && operand.name == source.name && IsPlain(operand);
        });
    if (place == instruction.sources.end()) return false;
    reverse->places.push_back(static_cast<size_t>(place - instruction.sources.begin()));
  }
  return true;
}

class Reader {
 public:
  Reader(const Machine& machine, const BaseRules& rules) : m_(machine), rules_(rules) {}

  absl::StatusOr<ir::Term> Read(const Program& program) {
    for (const Instruction& instruction : program.instructions) {
      absl::StatusOr<ir::NodeIndex> value = ReadInstruction(instruction);
      if (!value.ok()) return value.status();
      registers_[instruction.destination.name] = *value;
    }
    const auto result = registers_.find(std::string(kResultName));
    if (result == registers_.end()) return absl::UnimplementedError("the result is a flag");
    term_.root = result->second;
    return std::move(term_);
  }

 private:
  absl::StatusOr<ir::NodeIndex> ReadInstruction(const Instruction& instruction) {
    if (!instruction.flag.empty() && instruction.flag_choice < 0 &&
        instruction.destination.kind == OperandKind::kNull) {
      return absl::UnimplementedError("a flag is written");
    }
    if (!instruction.predicate.empty() || instruction.destination.kind == OperandKind::kNull || instruction.saturated ||
        instruction.destination.subscript >= 0) {
      return absl::UnimplementedError("predicates, flags and parts have no NIR op here");
    }
    if (HandsOnSource(instruction)) return ReadOperand(instruction.sources[0]);
    ReverseRule rule;
    if (!FindRule(instruction, &rule)) {
      return absl::UnimplementedError(absl::StrCat("no base rule gives ", instruction.variant->mnemonic));
    }
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = rule.op;
    for (size_t place : rule.places) {
      absl::StatusOr<ir::NodeIndex> source = ReadOperand(instruction.sources[place]);
      if (!source.ok()) return source;
      node.sources.push_back({*source, ir::kIdentitySwizzle});
    }
    node.bits = static_cast<uint8_t>(m_.types()[instruction.variant->result].bits);
    ir::NodeIndex value = node.op->name == "mov" ? node.sources[0].node : Add(std::move(node));
    for (const ModifierIndex modifier : instruction.destination_modifiers) {
      absl::StatusOr<ir::NodeIndex> modified = Modify(value, modifier);
      if (!modified.ok()) return modified;
      value = *modified;
    }
    if (instruction.destination.type != instruction.variant->result &&
        m_.types()[instruction.destination.type].bits != m_.types()[instruction.variant->result].bits) {
      return absl::UnimplementedError("the result is narrowed");
    }
    return value;
  }

  bool FindRule(const Instruction& instruction, ReverseRule* reverse) const {
    for (const auto& [op, rules] : rules_.by_root) {
      for (const BaseRule& rule : rules) {
        *reverse = {};
        if (rule.program.instructions.size() != 1 || rule.program.instructions[0].variant != instruction.variant ||
            rule.program.instructions[0].choice != instruction.choice ||
            rule.program.instructions[0].flag_choice != instruction.flag_choice) {
          continue;
        }
        if (Reverse(rule, reverse)) return true;
      }
    }
    return false;
  }

  absl::StatusOr<ir::NodeIndex> ReadOperand(const Operand& operand) {
    if (operand.subscript >= 0) return absl::UnimplementedError("parts of registers have no NIR op here");
    ir::NodeIndex value = 0;
    const uint8_t bits = static_cast<uint8_t>(m_.types()[operand.type].bits);
    if (operand.kind == OperandKind::kRegister) {
      const auto found = registers_.find(operand.name);
      if (found == registers_.end()) return absl::UnimplementedError("a register is read before it is written");
      value = found->second;
    } else {
      ir::Node leaf;
      leaf.bits = bits;
      if (operand.kind == OperandKind::kVariable) {
        const auto [found, is_new] = variables_.try_emplace(operand.name, 0);
        if (!is_new) {
          value = found->second;
        } else {
          leaf.name = operand.name;
          found->second = value = Add(std::move(leaf));
        }
      } else {
        leaf.kind = ir::NodeKind::kConstant;
        leaf.values[0] = operand.bits;
        value = Add(std::move(leaf));
      }
    }
    for (const ModifierIndex modifier : operand.modifiers) {
      absl::StatusOr<ir::NodeIndex> modified = Modify(value, modifier);
      if (!modified.ok()) return modified;
      value = *modified;
    }
    return value;
  }

  absl::StatusOr<ir::NodeIndex> Modify(ir::NodeIndex value, ModifierIndex modifier) {
    const ir::OpRow* op = ir::FindOp(m_.modifiers()[modifier].nir);
    if (op == nullptr || op->sources.size() != 1 || op->result.bits != 0) {
      return absl::UnimplementedError(
          absl::StrCat("modifier ", m_.modifiers()[modifier].id, " is no NIR op of one size"));
    }
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = op;
    node.bits = term_.at(value).bits;
    node.sources.push_back({value, ir::kIdentitySwizzle});
    return Add(std::move(node));
  }

  ir::NodeIndex Add(ir::Node node) {
    term_.nodes.push_back(std::move(node));
    return static_cast<ir::NodeIndex>(term_.nodes.size() - 1);
  }

  const Machine& m_;
  const BaseRules& rules_;
  ir::Term term_;
  std::map<std::string, ir::NodeIndex> registers_, variables_;
};

}  // namespace

absl::StatusOr<ir::Term> NirTermOf(const Machine& machine, const Program& program) {
  absl::StatusOr<const BaseRules*> rules = BaseRulesOf(machine);
  if (!rules.ok()) return rules.status();
  return Reader(machine, **rules).Read(program);
}

}  // namespace rewrought::machine
