#include "emitter/tablegen/program_dag.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "emitter/tablegen/machine_records.h"
#include "ir/scalar.h"

namespace rewrought::emitter {
namespace {

// Duplicated values could make a program of n instructions need 2^n nodes.
constexpr size_t kMaxNodes = 4096;

size_t CountNodes(const Dag& dag) {
  size_t count = 1;
  for (const Dag& argument : dag.arguments) count += CountNodes(argument);
  return count;
}

class Writer {
 public:
  Writer(const machine::Machine& machine, const machine::Program& program, int components, Definitions* definitions)
      : m_(machine),
        program_(program),
        // A program that is not componentwise fills whole registers.
        components_(machine::IsComponentwise(program) ? components : machine.components()),
        definitions_(definitions) {}

  absl::StatusOr<Dag> Write(const std::string& result_type) {
    for (at_ = 0; at_ < program_.instructions.size(); ++at_) {
      if (absl::Status status = Step(program_.instructions[at_]); !status.ok()) return status;
    }
    const std::string result(machine::kResultName);
    const auto value = registers_.find(result);
    const auto flag = flags_.find(result);
    if (value == registers_.end() && flag == flags_.end()) {
      return absl::FailedPreconditionError("its program does not define r");
    }
    Dag dag = value != registers_.end() ? value->second : flag->second;
    // The result has the type of the replaced value, which is in the same register.
    dag.head = result_type;
    return dag;
  }

 private:
  // Returns whether a later instruction, or the result, reads the value that instruction at_ leaves in register or flag
  // `name`.
  bool IsReadLater(const std::string& name, bool is_flag) const {
    for (size_t i = at_ + 1; i < program_.instructions.size(); ++i) {
      const machine::Instruction& later = program_.instructions[i];
      if (is_flag && later.predicate == name) return true;
      for (const machine::Operand& source : later.sources) {
        if (!is_flag && source.kind == machine::OperandKind::kRegister && source.name == name) return true;
      }
      const bool writes = is_flag ? later.flag == name : later.destination.name == name;
      if (writes) return KeepsOld(later) || (!is_flag && later.destination.subscript >= 0);
    }
    return name == machine::kResultName;
  }

  // Returns whether the destination can keep old values: in components that are not written, or where a predicate is
  // false.
  bool KeepsOld(const machine::Instruction& instruction) const {
    const uint8_t mask = instruction.destination.mask;
    const bool partial = m_.components() > 1 && mask != 0 && mask != 0xf;
    return partial || (!instruction.predicate.empty() && !instruction.variant->reads_predicate &&
                       instruction.destination.kind != machine::OperandKind::kNull);
  }

  absl::Status Step(const machine::Instruction& instruction) {
    const bool null = instruction.destination.kind == machine::OperandKind::kNull;
    const bool value = !null && IsReadLater(instruction.destination.name, false);
    const bool flag = !instruction.flag.empty() && IsReadLater(instruction.flag, true);
    if (!value && !flag) return absl::OkStatus();
    InstructionShape shape;
    shape.mnemonic = instruction.variant->mnemonic;
    shape.types.push_back(instruction.destination.type);
    for (const machine::Operand& source : instruction.sources) shape.types.push_back(source.type);
    shape.gives = value && flag ? Gives::kBoth : flag ? Gives::kFlag : Gives::kValue;
    shape.chooses = instruction.variant->selector >= 0;
    shape.tests = instruction.flag_choice >= 0;
    shape.predicated = !instruction.predicate.empty();
    shape.keeps = KeepsOld(instruction);
    if (shape.keeps && shape.gives == Gives::kBoth) {
      return absl::FailedPreconditionError("an instruction writes part of a register and a flag, and both have users");
    }
    if (absl::Status s = DefineInstruction(m_, shape, *instruction.variant, definitions_); !s.ok()) return s;
    absl::StatusOr<Dag> dag = InstructionDag(instruction, shape);
    if (!dag.ok()) return dag.status();
    if (CountNodes(*dag) > kMaxNodes) {
      return absl::FailedPreconditionError("its program as a tree has more than 4096 nodes");
    }
    return Keep(instruction, shape, *std::move(dag));
  }

  absl::Status Keep(const machine::Instruction& instruction, const InstructionShape& shape, Dag dag) {
    const absl::StatusOr<std::string> flag_type = ValueType(false, 1, components_);
    if (!flag_type.ok()) return flag_type.status();
    if (shape.gives == Gives::kFlag) {
      flags_[instruction.flag] = List(*flag_type, {std::move(dag)});
      return absl::OkStatus();
    }
    if (shape.gives == Gives::kBoth) {
      const Dag pair = List("untyped", {std::move(dag)});
      flags_[instruction.flag] = List(*flag_type, {List("EXTRACT_SUBREG", {pair, Atom("flag_part")})});
      dag = List("EXTRACT_SUBREG", {pair, Atom("value_part")});
    }
    const absl::StatusOr<std::string> type = TypeOf(instruction.destination.type);
    if (!type.ok()) return type.status();
    Dag value = List(*type, {std::move(dag)});
    const machine::Operand& to = instruction.destination;
    const int wide = machine::WideBitsOf(m_, program_, to);
    const int bits = m_.types()[to.type].bits;
    if (to.subscript >= 0 && wide != bits) {
      const absl::StatusOr<std::string> part = DefinePart(bits, to.subscript, definitions_);
      if (!part.ok()) return part.status();
      const absl::StatusOr<std::string> wide_type = ValueType(false, wide, components_);
      if (!wide_type.ok()) return wide_type.status();
      if (absl::Status status = DefineRegisters(m_, wide, definitions_); !status.ok()) return status;
      value = List(*wide_type, {List("INSERT_SUBREG", {Old(to.name, *wide_type), std::move(value), Atom(*part)})});
    }
    registers_[to.name] = std::move(value);
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> TypeOf(machine::TypeIndex index) const {
    const machine::Type& type = m_.types()[index];
    return ValueType(type.base == ir::BaseType::kFloat, type.bits, components_);
  }

  Dag Old(const std::string& name, const std::string& type) const {
    const auto old = registers_.find(name);
    return old != registers_.end() ? old->second : List(type, {List("IMPLICIT_DEF", {})});
  }

  absl::StatusOr<Dag> InstructionDag(const machine::Instruction& instruction, const InstructionShape& shape) {
    Dag dag = List(shape.Name(m_), {});
    for (const machine::Operand& source : instruction.sources) {
      if (absl::Status status = AddSource(source, &dag.arguments); !status.ok()) return status;
    }
    if (absl::Status status = AddFields(instruction, shape, &dag.arguments); !status.ok()) return status;
    if (shape.predicated) {
      const auto flag = flags_.find(instruction.predicate);
      dag.arguments.push_back(flag != flags_.end() ? flag->second : Atom("", instruction.predicate));
      const bool inverted = instruction.predicate_inverted;
      absl::Status status =
          AddField(inverted ? "predicate_inverted" : "predicate_normal", inverted ? 1 : 0, &dag.arguments);
      if (!status.ok()) return status;
    }
    if (!shape.keeps) return dag;
    if (shape.gives == Gives::kFlag) {
      const absl::StatusOr<std::string> type = ValueType(false, 1, components_);
      const auto old = flags_.find(instruction.flag);
      if (!type.ok()) return type.status();
      dag.arguments.push_back(old != flags_.end() ? old->second : List(*type, {List("IMPLICIT_DEF", {})}));
      return dag;
    }
    absl::StatusOr<Dag> old = OldPart(instruction.destination);
    if (!old.ok()) return old;
    dag.arguments.push_back(*std::move(old));
    return dag;
  }

  // Returns the old value of the written part of the destination.
  absl::StatusOr<Dag> OldPart(const machine::Operand& to) {
    const absl::StatusOr<std::string> type = TypeOf(to.type);
    if (!type.ok()) return type.status();
    const int bits = m_.types()[to.type].bits;
    const int wide = machine::WideBitsOf(m_, program_, to);
    if (to.subscript < 0 || wide == bits) return Old(to.name, *type);
    const absl::StatusOr<std::string> part = DefinePart(bits, to.subscript, definitions_);
    if (!part.ok()) return part.status();
    const absl::StatusOr<std::string> wide_type = ValueType(false, wide, components_);
    if (!wide_type.ok()) return wide_type.status();
    return List(*type, {List("EXTRACT_SUBREG", {Old(to.name, *wide_type), Atom(*part)})});
  }

  absl::Status AddField(const std::string& name, uint64_t value, std::vector<Dag>* arguments) {
    absl::StatusOr<std::string> field = DefineField(name, value, definitions_);
    if (!field.ok()) return field.status();
    arguments->push_back(Atom(*std::move(field)));
    return absl::OkStatus();
  }

  // Adds `modifier_none`, one modifier, or `!or(...)`.
  absl::Status AddModifiers(const std::vector<std::pair<std::string, int>>& modifiers, std::vector<Dag>* arguments) {
    std::vector<Dag> names;
    for (const auto& [id, bit] : modifiers) {
      if (absl::Status s = AddField(absl::StrCat("modifier_", id), uint64_t{1} << bit, &names); !s.ok()) return s;
    }
    if (names.empty()) return AddField("modifier_none", 0, arguments);
    arguments->push_back(names.size() == 1 ? names[0] : Dag{Dag::Kind::kCall, "!or", "", names});
    return absl::OkStatus();
  }

  absl::Status AddSource(const machine::Operand& source, std::vector<Dag>* arguments) {
    const machine::Type& type = m_.types()[source.type];
    const absl::StatusOr<std::string> whole = ValueType(false, type.bits, components_);
    if (!whole.ok()) return whole.status();
    Dag value = Atom("", source.name);
    if (source.kind == machine::OperandKind::kImmediate) {
      value = List(*ValueType(false, type.bits, 1), {Atom(absl::StrCat(ir::SignExtend(source.bits, type.bits)))});
    } else if (source.kind == machine::OperandKind::kRegister) {
      value = registers_.at(source.name);
    }
    if (source.subscript >= 0 && machine::WideBitsOf(m_, program_, source) != type.bits) {
      const absl::StatusOr<std::string> part = DefinePart(type.bits, source.subscript, definitions_);
      if (!part.ok()) return part.status();
      value = List(*whole, {List("EXTRACT_SUBREG", {std::move(value), Atom(*part)})});
    }
    arguments->push_back(std::move(value));
    std::vector<std::pair<std::string, int>> modifiers;
    for (const machine::ModifierIndex index : source.modifiers) modifiers.emplace_back(m_.modifiers()[index].id, index);
    if (source.uniform) modifiers.emplace_back("uniform", static_cast<int>(m_.modifiers().size()));
    if (absl::Status status = AddModifiers(modifiers, arguments); !status.ok()) return status;
    if (m_.components() == 1) return absl::OkStatus();
    uint64_t swizzle = 0;  // Four bits per component: the component, plus 8 if it is negated.
    for (int c = 0; c < ir::kShaderComponents; ++c) {
      swizzle |= uint64_t{source.swizzle[c]} << (4 * c) | uint64_t{(source.negated >> c & 1u) * 8} << (4 * c);
    }
    return AddField(SwizzleName(source), swizzle, arguments);
  }

  absl::Status AddFields(const machine::Instruction& instruction, const InstructionShape& shape,
                         std::vector<Dag>* arguments) {
    const machine::Variant& variant = *instruction.variant;
    const Fields fields = FieldsOf(m_, shape, variant);
    absl::Status status;
    const auto add_choice = [&](int selector, int choice) {
      const machine::Selector& one = m_.selectors()[selector];
      const std::string name = absl::StrCat(one.id, "_", one.choices[choice].first);
      return AddField(name, static_cast<uint64_t>(choice), arguments);
    };
    if (fields.choice) status.Update(add_choice(variant.selector, instruction.choice));
    if (fields.test) status.Update(add_choice(variant.result_flag, instruction.flag_choice));
    if (fields.modifiers) {
      std::vector<std::pair<std::string, int>> modifiers;
      for (const machine::ModifierIndex index : instruction.destination_modifiers) {
        modifiers.emplace_back(m_.modifiers()[index].id, index);
      }
      if (instruction.saturated) modifiers.emplace_back("saturated", static_cast<int>(m_.modifiers().size()) + 1);
      status.Update(AddModifiers(modifiers, arguments));
    }
    const uint8_t mask = instruction.destination.mask;
    if (fields.mask) status.Update(AddField(MaskName(mask), mask, arguments));
    return status;
  }

  const machine::Machine& m_;
  const machine::Program& program_;
  const int components_;
  Definitions* definitions_;
  size_t at_ = 0;
  std::map<std::string, Dag> registers_, flags_;
};

}  // namespace

absl::StatusOr<Dag> ProgramDag(const machine::Machine& machine, const machine::Program& program,
                               const std::string& result_type, int components, Definitions* definitions) {
  return Writer(machine, program, components, definitions).Write(result_type);
}

}  // namespace rewrought::emitter
