#include "emitter/c/rule_programs.h"

#include <algorithm>
#include <set>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "emitter/c/operand_shapes.h"
#include "machine/base/constants.h"

namespace rewrought::emitter {
namespace {

using machine::Instruction;
using machine::Operand;
using machine::OperandKind;

class CodeWriter {
 public:
  CodeWriter(TableBuilder* builder, const std::map<std::string, uint16_t>& variables, uint8_t kind = RW_VARIABLE)
      : b_(*builder), m_(builder->machine()), variables_(variables), variable_kind_(kind) {}

  absl::StatusOr<rw_code> Add(const Instruction& instruction) {
    const absl::StatusOr<uint16_t> word = WordOf(instruction, /*folds=*/true);
    if (!word.ok()) return word.status();
    const bool may_exchange = b_.tables().words[*word].exchanged != RW_NONE16;
    std::vector<rw_operand> operands;
    if (absl::Status status = AddOperand(instruction.destination, &operands); !status.ok()) return status;
    for (size_t i = 0; i < instruction.sources.size(); ++i) {
      if (absl::Status status = AddOperand(instruction.sources[i], &operands); !status.ok()) return status;
      const absl::StatusOr<uint16_t> shape = ShapeOf(instruction, i, may_exchange, &b_);
      if (!shape.ok()) return shape.status();
      operands.back().shape = *shape;
    }
    rw_code row = {};
    row.word = *word, row.first_operand = Share(operands, &b_.tables().operands);
    return row;
  }

 private:
  static uint8_t Index(int index) { return index < 0 ? uint8_t{RW_NONE8} : static_cast<uint8_t>(index); }

  template <typename T>
  static void AppendNumber(const T& field, std::string* key) {
    if constexpr (std::is_integral_v<T>) absl::StrAppend(key, " ", field);
  }

  uint8_t Flag(const std::string& flag) {
    if (flag.empty()) return RW_NONE8;
    const uint16_t name = b_.Name(flag);
    auto& flags = b_.tables().flags;
    const auto found = std::find(flags.begin(), flags.end(), name);
    const auto index = static_cast<uint8_t>(found - flags.begin());
    if (found == flags.end()) flags.push_back(name);
    return index;
  }

  // Returns the row of the instruction without its operands, adding it if it is new. If `folds` is set, also adds the
  // ops that can be folded into the result.
  absl::StatusOr<uint16_t> WordOf(const Instruction& instruction, bool folds) {
    const absl::StatusOr<uint16_t> form = b_.FormOf(*instruction.variant);
    if (!form.ok()) return form.status();
    rw_word row = {};
    row.form = *form, row.type = static_cast<uint8_t>(instruction.destination.type);
    row.choice = Index(instruction.choice), row.flag_choice = Index(instruction.flag_choice);
    row.flag = Flag(instruction.flag), row.predicate = Flag(instruction.predicate);
    row.inverted = instruction.predicate_inverted, row.saturated = instruction.saturated;
    row.exchanged = RW_NONE16;
    row.features = FeaturesOf(instruction);
    if (instruction.destination_modifiers.size() > 2) return absl::UnimplementedError("has 3 modifiers on a result");
    std::fill(std::begin(row.destination_modifiers), std::end(row.destination_modifiers), uint8_t{RW_NONE8});
    for (size_t i = 0; i < instruction.destination_modifiers.size(); ++i) {
      row.destination_modifiers[i] = static_cast<uint8_t>(instruction.destination_modifiers[i]);
    }
    auto& words = b_.tables().words;
    std::string key = absl::StrCat(folds, folds && MayFold(instruction), " ", row.destination_modifiers[0], " ",
                                   row.destination_modifiers[1]);
    VisitFields(row, [&](const auto&... field) { (AppendNumber(field, &key), ...); });
    const auto [found, is_new] = b_.words().try_emplace(key, static_cast<uint16_t>(words.size()));
    if (!is_new) return found->second;
    const uint16_t index = found->second;
    words.push_back(row);
    if (!folds) return index;
    if (absl::Status status = AddExchanged(instruction, index); !status.ok()) return status;
    if (absl::Status status = AddFolds(instruction, index); !status.ok()) return status;
    return index;
  }

  absl::Status AddExchanged(const Instruction& instruction, uint16_t index) {
    if (instruction.sources.size() < 2) return absl::OkStatus();
    if (instruction.variant->commutative) return b_.tables().words[index].exchanged = index, absl::OkStatus();
    if (instruction.choice < 0) return absl::OkStatus();
    Instruction exchanged = instruction;
    exchanged.choice = machine::ExchangedChoice(m_, *instruction.variant, instruction.choice);
    if (exchanged.choice < 0) return absl::OkStatus();
    if (machine::ExchangedChoice(m_, *instruction.variant, exchanged.choice) != instruction.choice) {
      return absl::UnimplementedError("has a condition that changes if its operands are exchanged twice");
    }
    const absl::StatusOr<uint16_t> other = WordOf(exchanged, /*folds=*/true);
    if (!other.ok()) return other.status();
    b_.tables().words[index].exchanged = *other;
    return absl::OkStatus();
  }

  // Returns whether a modifier can be added to the result. The instruction must write the whole result register with
  // its own type.
  static bool MayFold(const Instruction& instruction) {
    const Operand& to = instruction.destination;
    if (to.kind != OperandKind::kRegister || to.name != machine::kResultName || to.subscript >= 0) return false;
    if (to.type != instruction.variant->result || !instruction.destination_modifiers.empty()) return false;
    // If its predicate is false, a predicated instruction keeps the old value of the destination, to which the folded
    // modifier would not apply.
    return !instruction.saturated && instruction.flag.empty() &&
           (instruction.predicate.empty() || instruction.variant->reads_predicate);
  }

  absl::Status AddFolds(const Instruction& instruction, uint16_t index) {
    std::vector<rw_fold> folds;
    const auto& listed = instruction.variant->destination_modifiers;
    for (size_t r = 0; MayFold(instruction) && r < b_.tables().results.size(); ++r) {
      const machine::ModifierIndex m = b_.tables().results[r].modifier;
      const machine::Modifier& modifier = m_.modifiers()[static_cast<size_t>(m)];
      Instruction folded = instruction;
      if (modifier.place == v1::Modifier::NARROW) {
        folded.destination.type = modifier.to;
        const bool narrows = std::any_of(listed.begin(), listed.end(), [&](machine::ModifierIndex other) {
          const machine::Modifier& one = m_.modifiers()[static_cast<size_t>(other)];
          return one.place == v1::Modifier::NARROW && one.from == modifier.from && one.to == modifier.to;
        });
        if (!narrows || instruction.variant->result != modifier.from) continue;
      } else {
        folded.destination_modifiers.push_back(m);
        if (std::find(listed.begin(), listed.end(), m) == listed.end()) continue;
        if (!modifier.rows.contains(instruction.variant->result)) continue;
      }
      const absl::StatusOr<uint16_t> word = WordOf(folded, /*folds=*/false);
      if (!word.ok()) return word.status();
      rw_fold fold = {};
      fold.what = static_cast<uint16_t>(r), fold.to = *word;
      folds.push_back(fold);
    }
    rw_word& row = b_.tables().words[index];
    row.fold_count = static_cast<uint8_t>(folds.size());
    row.first_fold = folds.empty() ? 0 : Share(folds, &b_.tables().folds);
    return absl::OkStatus();
  }

  // Returns the features of the instruction without those of its sources.
  uint64_t FeaturesOf(const Instruction& instruction) const {
    uint64_t features = 0;
    const std::string& type = m_.types()[static_cast<size_t>(instruction.destination.type)].name;
    features |= b_.Feature(absl::StrCat("type:", type)) | b_.Feature(absl::StrCat("result:", type));
    if (instruction.choice >= 0) {
      const machine::Selector& selector = m_.selectors()[static_cast<size_t>(instruction.variant->selector)];
      features |= b_.Feature(absl::StrCat("choice:", selector.choices[static_cast<size_t>(instruction.choice)].first));
    }
    for (const machine::ModifierIndex m : instruction.destination_modifiers) {
      const machine::Modifier& modifier = m_.modifiers()[static_cast<size_t>(m)];
      if (modifier.place == v1::Modifier::DESTINATION) features |= b_.Feature(modifier.spelling);
    }
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
    row.shape = RW_NONE16;
    row.subscript = Index(operand.subscript);
    row.negated = operand.negated, row.mask = operand.mask;
    for (int c = 0; c < ir::kShaderComponents; ++c) {
      row.swizzle = static_cast<uint16_t>(row.swizzle | operand.swizzle[static_cast<size_t>(c)] << 4 * c);
    }
    if (operand.uniform) row.flags |= RW_UNIFORM;
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
        row.kind = variable_kind_, row.ref = variables_.at(operand.name);
        if (row.kind == RW_VALUE) row.flags |= RW_UNIFORM;
        break;
    }
    operands->push_back(row);
    return absl::OkStatus();
  }

  TableBuilder& b_;
  const machine::Machine& m_;
  const std::map<std::string, uint16_t>& variables_;
  const uint8_t variable_kind_;
};

// Inserts a test before the first instruction that reads a flag from a variable, once for each such flag. Returns false
// if a test is needed, but `flag_of` is null or the flag's variable is not in `variables`.
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

absl::StatusOr<uint16_t> AddSingle(TableBuilder& builder, const machine::Program& program, uint8_t kind) {
  const bool is_load = kind == RW_IMMEDIATE;
  if (program.instructions.size() != 1 || program.instructions[0].sources.empty() ||
      program.instructions[0].sources[0].kind != OperandKind::kVariable) {
    return absl::UnimplementedError(
        absl::StrCat(builder.machine().id(), ": the ", is_load ? "load of an immediate" : "move of a uniform",
                     " is not a single instruction with one variable, which format c cannot express; "
                     "omit the format (--format nir,machine,json)"));
  }
  Instruction instruction = program.instructions[0];
  Operand& read = instruction.sources[0];
  const std::map<std::string, uint16_t> variables = {{read.name, 0}};
  if (is_load) read.kind = OperandKind::kImmediate, read.name.clear();
  const absl::StatusOr<rw_code> row = CodeWriter(&builder, variables, kind).Add(instruction);
  if (!row.ok()) return row.status();
  builder.tables().code.push_back(*row);
  return static_cast<uint16_t>(builder.tables().code.size() - 1);
}

}  // namespace rewrought::emitter
