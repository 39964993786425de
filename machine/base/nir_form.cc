#include "machine/base/nir_form.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/op_row.h"
#include "ir/op_table.h"
#include "machine/base/base_rules.h"

namespace rewrought::machine {
namespace {

bool IsPlain(const Operand& operand) { return operand.modifiers.empty() && operand.subscript < 0; }

// Appends the names of the pattern's variables, repeated as in the pattern. Returns false if the pattern has
// constants.
bool NamesOf(const BasePattern& pattern, std::vector<std::string>* names) {
  if (pattern.is_op) {
    return std::all_of(pattern.sources.begin(), pattern.sources.end(),
                       [&](const BasePattern& source) { return NamesOf(source, names); });
  }
  names->push_back(pattern.name);
  return !pattern.name.empty();
}

// Returns true if the pattern of a single-instruction rule describes the instruction's result. The pattern must consist
// of ops over distinct variables, and each variable must be an unmodified source. Patterns with several ops must be
// bit-exact.
bool Reversible(const BaseRule& rule) {
  if (rule.ops > 1 && rule.inexact) return false;
  const Instruction& instruction = rule.program.instructions[0];
  if (!instruction.destination_modifiers.empty() || !instruction.flag.empty() || !instruction.predicate.empty() ||
      instruction.saturated)
    return false;
  std::vector<std::string> names, read;
  if (!NamesOf(rule.pattern, &names)) return false;
  for (const Operand& operand : instruction.sources) {
    if (!IsPlain(operand)) return false;
    if (operand.kind == OperandKind::kVariable) read.push_back(operand.name);
  }
  std::sort(names.begin(), names.end());
  std::sort(read.begin(), read.end());
  return names == read && std::adjacent_find(names.begin(), names.end()) == names.end();
}

bool SameBits(const ir::OperandType& a, const ir::OperandType& b) {
  const auto base_of = [](const ir::OperandType& type) {
    return type.base == ir::BaseType::kInt ? ir::BaseType::kUint : type.base;
  };
  return base_of(a) == base_of(b) && a.bits == b.bits && a.components == b.components;
}

// Returns true if both variants compute the same bits, that is, if they are the same variant or their types differ only
// by name, as for selects.
bool SameVariant(const Variant& a, const Variant& b) {
  if (&a == &b) return true;
  if (a.mnemonic != b.mnemonic || a.selector != b.selector || a.result_flag != b.result_flag ||
      a.rows.size() != b.rows.size()) {
    return false;
  }
  return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), [](const ir::OpRow* x, const ir::OpRow* y) {
    return x->meaning == y->meaning && x->contract == y->contract && x->poison == y->poison &&
           x->free_zero == y->free_zero && x->tiny == y->tiny && SameBits(x->result, y->result) &&
           std::equal(x->sources.begin(), x->sources.end(), y->sources.begin(), y->sources.end(), SameBits);
  });
}

// Returns true if the two instructions differ only in their variables. Immediates of `of_rule` must match exactly.
bool IsSameInstruction(const Instruction& of_rule, const Instruction& instruction) {
  if (!SameVariant(*of_rule.variant, *instruction.variant) || of_rule.choice != instruction.choice ||
      of_rule.flag_choice != instruction.flag_choice) {
    return false;
  }
  for (size_t i = 0; i < of_rule.sources.size(); ++i) {
    const Operand &there = of_rule.sources[i], &here = instruction.sources[i];
    if (there.kind == OperandKind::kImmediate &&
        (here.kind != OperandKind::kImmediate || here.bits != there.bits || !IsPlain(here))) {
      return false;
    }
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
      return absl::UnimplementedError("an instruction writes a flag");
    }
    if (!instruction.predicate.empty() || instruction.destination.kind == OperandKind::kNull || instruction.saturated ||
        instruction.destination.subscript >= 0) {
      return absl::UnimplementedError("predicates, flags and subregisters have no NIR op");
    }
    if (IsPlainCopy(instruction)) return ReadOperand(instruction.sources[0]);
    const BaseRule* const rule = FindRule(instruction);
    if (rule == nullptr) {
      return absl::UnimplementedError(absl::StrCat("no base rule selects ", instruction.variant->mnemonic));
    }
    absl::StatusOr<ir::NodeIndex> read = ReadPattern(rule->pattern, rule->program.instructions[0], instruction,
                                                     m_.types()[instruction.variant->result].bits);
    if (!read.ok()) return read;
    ir::NodeIndex value = *read;
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

  // Returns the rule with the fewest ops that selects this instruction, or null if there is none.
  const BaseRule* FindRule(const Instruction& instruction) const {
    const BaseRule* found = nullptr;
    for (const auto& [op, rules] : rules_.by_root) {
      for (const BaseRule& rule : rules) {
        if ((found == nullptr || rule.ops < found->ops) && rule.program.instructions.size() == 1 &&
            IsSameInstruction(rule.program.instructions[0], instruction) && Reversible(rule)) {
          found = &rule;
        }
      }
    }
    return found;
  }

  // Builds the `bits`-wide value of `pattern`, where the variables of `of_rule` are the sources of `instruction`.
  absl::StatusOr<ir::NodeIndex> ReadPattern(const BasePattern& pattern, const Instruction& of_rule,
                                            const Instruction& instruction, int bits) {
    if (!pattern.is_op) {
      const auto place = std::find_if(of_rule.sources.begin(), of_rule.sources.end(),
                                      [&](const Operand& operand) { return operand.name == pattern.name; });
      return ReadOperand(instruction.sources[static_cast<size_t>(place - of_rule.sources.begin())]);
    }
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = ir::FindOp(pattern.name);
    if (node.op == nullptr) return absl::UnimplementedError(absl::StrCat("no op ", pattern.name));
    node.bits = node.op->result.bits != 0 ? node.op->result.bits : static_cast<uint8_t>(bits);
    for (size_t i = 0; i < pattern.sources.size(); ++i) {
      // An inner op's size comes from its pattern, the op around it, or its result.
      const BasePattern& source = pattern.sources[i];
      int wanted = source.bits != 0 ? source.bits : node.op->sources[i].bits;
      if (wanted == 0 && node.op->result.bits == 0) wanted = node.bits;
      if (source.is_op && wanted == 0) return absl::UnimplementedError(absl::StrCat(pattern.name, " has no size"));
      absl::StatusOr<ir::NodeIndex> read = ReadPattern(source, of_rule, instruction, wanted);
      if (!read.ok()) return read;
      node.sources.push_back({*read, ir::kIdentitySwizzle});
    }
    return node.op->name == "mov" ? node.sources[0].node : Add(std::move(node));
  }

  absl::StatusOr<ir::NodeIndex> ReadOperand(const Operand& operand) {
    if (operand.subscript >= 0) return absl::UnimplementedError("subregisters have no NIR op");
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
          absl::StrCat("modifier ", m_.modifiers()[modifier].id, " is not a NIR op with a single size"));
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
