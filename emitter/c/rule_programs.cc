#include "emitter/c/rule_programs.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "machine/base/constants.h"
#include "machine/legality.h"

namespace rewrought::emitter {
namespace {

using machine::Instruction;
using machine::Operand;
using machine::OperandKind;

bool IsInPlainOrder(const Operand& operand) { return operand.swizzle == ir::kIdentitySwizzle && operand.negated == 0; }

class CodeWriter {
 public:
  CodeWriter(TableBuilder* builder, const std::map<std::string, uint16_t>& variables)
      : b_(*builder), m_(builder->machine()), variables_(variables) {}

  absl::StatusOr<rw_code> Add(const Instruction& instruction) {
    const absl::StatusOr<uint16_t> form = b_.FormOf(*instruction.variant);
    if (!form.ok()) return form.status();
    rw_code row = {};
    row.form = *form;
    row.choice = Index(instruction.choice), row.flag_choice = Index(instruction.flag_choice);
    row.exchanged = RW_NONE8;
    if (!instruction.variant->commutative && instruction.choice >= 0) {
      const int exchanged = machine::ExchangedChoice(m_, *instruction.variant, instruction.choice);
      row.exchanged = Index(exchanged);
      if (exchanged >= 0 && machine::ExchangedChoice(m_, *instruction.variant, exchanged) != instruction.choice) {
        return absl::UnimplementedError("has a condition that is not its own exchanged twice");
      }
    }
    row.flag = Flag(instruction.flag), row.predicate = Flag(instruction.predicate);
    row.inverted = instruction.predicate_inverted, row.saturated = instruction.saturated;
    row.features = FeaturesOf(instruction);
    if (instruction.destination_modifiers.size() > 2) return absl::UnimplementedError("has 3 fields on a result");
    std::fill(std::begin(row.destination_modifiers), std::end(row.destination_modifiers), uint8_t{RW_NONE8});
    for (size_t i = 0; i < instruction.destination_modifiers.size(); ++i) {
      row.destination_modifiers[i] = static_cast<uint8_t>(instruction.destination_modifiers[i]);
    }
    std::vector<rw_operand> operands;
    if (absl::Status status = AddOperand(instruction.destination, &operands); !status.ok()) return status;
    for (size_t i = 0; i < instruction.sources.size(); ++i) {
      if (absl::Status status = AddOperand(instruction.sources[i], &operands); !status.ok()) return status;
      if (IsFixed(instruction, i)) operands.back().flags |= RW_FIXED_PLACE;
    }
    row.first_operand = Share(operands, &b_.tables().operands);
    return row;
  }

 private:
  static uint8_t Index(int index) { return index < 0 ? uint8_t{RW_NONE8} : static_cast<uint8_t>(index); }

  uint8_t Flag(const std::string& flag) {
    if (flag.empty()) return RW_NONE8;
    const uint16_t name = b_.Name(flag);
    auto& flags = b_.tables().flags;
    const auto found = std::find(flags.begin(), flags.end(), name);
    const auto index = static_cast<uint8_t>(found - flags.begin());
    if (found == flags.end()) flags.push_back(name);
    return index;
  }

  // Those that no operand and no field of the result decides.
  uint64_t FeaturesOf(const Instruction& instruction) const {
    uint64_t features = 0;
    if (instruction.saturated) features |= b_.Feature("sat") | b_.Feature("sat_integer");
    if (instruction.flag_choice >= 0) {
      const machine::Selector& selector = m_.selectors()[static_cast<size_t>(instruction.variant->result_flag)];
      features |=
          b_.Feature(absl::StrCat("cmod:", selector.choices[static_cast<size_t>(instruction.flag_choice)].first));
    }
    if (!instruction.flag.empty()) features |= b_.Feature("flag");
    if (!instruction.predicate.empty()) features |= b_.Feature("predicate");
    if (instruction.destination.subscript > 0) features |= b_.Feature("subscript_above");
    if (instruction.destination.mask != 0 && instruction.destination.mask != 0xf) features |= b_.Feature("masked");
    return features;
  }

  absl::Status AddOperand(const Operand& operand, std::vector<rw_operand>* operands) {
    rw_operand row = {};
    row.type = static_cast<uint8_t>(operand.type);
    row.subscript = Index(operand.subscript);
    row.negated = operand.negated, row.mask = operand.mask;
    bool is_broadcast = true, has_constants = false;
    for (int c = 0; c < ir::kShaderComponents; ++c) {
      const uint8_t component = operand.swizzle[static_cast<size_t>(c)];
      row.swizzle = static_cast<uint16_t>(row.swizzle | component << 4 * c);
      is_broadcast &= component == operand.swizzle[0];
      has_constants |= component >= machine::kSwizzleZero;
    }
    if (operand.swizzle != ir::kIdentitySwizzle) row.flags |= RW_SWIZZLED | (is_broadcast ? 0 : RW_MIXED);
    if (has_constants) row.flags |= RW_CONSTANTS;
    if (operand.negated != 0) row.flags |= RW_NEGATED;
    if (operand.uniform) row.flags |= RW_UNIFORM;
    if (operand.modifiers.size() > RW_MODIFIERS) return absl::UnimplementedError("has an operand with 4 modifiers");
    for (const machine::ModifierIndex m : operand.modifiers) {
      row.modifiers[row.modifier_count++] = static_cast<uint8_t>(m);
    }
    switch (operand.kind) {
      case OperandKind::kNull:
        row.kind = RW_NULL;
        break;
      case OperandKind::kImmediate:
        row.kind = RW_IMMEDIATE, row.ref = b_.Immediate(operand.bits);
        break;
      case OperandKind::kRegister:
        row.kind = operand.name == machine::kResultName ? RW_RESULT : RW_TEMPORARY;
        if (row.kind == RW_TEMPORARY) row.ref = b_.Name(operand.name);
        break;
      case OperandKind::kVariable:
        row.kind = RW_VARIABLE, row.ref = variables_.at(operand.name);
        break;
    }
    operands->push_back(row);
    return absl::OkStatus();
  }

  // Whether source `index` of the first two cannot be read in its order in the other's place.
  bool IsFixed(const Instruction& instruction, size_t index) const {
    if (index > 1 || instruction.sources.size() < 2 || IsInPlainOrder(instruction.sources[index])) return false;
    Instruction moved = instruction;
    moved.sources[1 - index] = instruction.sources[index];
    const absl::Status status = machine::CheckInstruction(m_, moved);
    return absl::StrContains(status.message(), absl::StrCat("rule 'swizzle': source ", 1 - index));
  }

  TableBuilder& b_;
  const machine::Machine& m_;
  const std::map<std::string, uint16_t>& variables_;
};

// The program with an instruction in front of each that reads a flag which only a variable can give; false: there is
// none such, or no variable.
bool AddTests(const Instruction* flag_of, const std::map<std::string, uint16_t>& variables,
              std::vector<Instruction>* code) {
  std::set<std::string> flags;
  std::vector<Instruction> tested;
  for (const Instruction& instruction : *code) {
    if (!instruction.predicate.empty() && flags.insert(instruction.predicate).second) {
      if (flag_of == nullptr || !variables.contains(instruction.predicate)) return false;
      Instruction test = *flag_of;
      test.flag = instruction.predicate;
      test.sources[0].name = instruction.predicate;
      test.sources[0].kind = OperandKind::kVariable;
      tested.push_back(std::move(test));
    }
    flags.insert(instruction.flag);
    tested.push_back(instruction);
  }
  *code = std::move(tested);
  return true;
}

}  // namespace

absl::StatusOr<RuleCode> CodeOf(const machine::select::SelectionRule& rule, const Instruction* flag_of,
                                const std::map<std::string, uint16_t>& variables, TableBuilder* builder) {
  RuleCode code;
  std::vector<Instruction> program = rule.program().instructions;
  code.never = std::none_of(program.begin(), program.end(), [](const Instruction& one) {
    return one.destination.kind == OperandKind::kRegister && one.destination.name == machine::kResultName;
  });
  if (code.never || !AddTests(flag_of, variables, &program)) return code.never = true, code;
  for (const Instruction& instruction : program) {
    for (const Operand& source : instruction.sources) {
      if (source.kind != OperandKind::kVariable || variables.contains(source.name)) continue;
      return code.never = true, code;
    }
  }
  if (program.size() > RW_CODE) {
    return absl::UnimplementedError(
        absl::StrCat("is ", program.size(), " instructions long (", static_cast<int>(RW_CODE), " at most)"));
  }
  CodeWriter writer(builder, variables);
  for (const Instruction& instruction : program) {
    const absl::StatusOr<rw_code> row = writer.Add(instruction);
    if (!row.ok()) return row.status();
    code.rows.push_back(*row);
  }
  return code;
}

absl::StatusOr<uint16_t> AddSingle(TableBuilder& builder, const machine::Program& program, const std::string& what) {
  std::map<std::string, uint16_t> variables;
  if (program.instructions.size() != 1 || program.instructions[0].sources.empty() ||
      program.instructions[0].sources[0].kind != OperandKind::kVariable) {
    return absl::UnimplementedError(absl::StrCat(builder.machine().id(), ": the ", what,
                                                 " is not one instruction of one variable, which format c cannot say; "
                                                 "leave the format out (--format nir,machine,json)"));
  }
  variables[program.instructions[0].sources[0].name] = 0;
  const absl::StatusOr<rw_code> row = CodeWriter(&builder, variables).Add(program.instructions[0]);
  if (!row.ok()) return row.status();
  builder.tables().code.push_back(*row);
  return static_cast<uint16_t>(builder.tables().code.size() - 1);
}

}  // namespace rewrought::emitter
