#include "emitter/tablegen/machine_records.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace rewrought::emitter {
namespace {

// The suffixes that follow the types in a record's name, in this order.
constexpr absl::string_view kChoice = "_choice", kTest = "_test", kPredicated = "_predicated", kKeeps = "_keeps",
                            kFlag = "_flag", kBoth = "_both";

// The number of registers if the description does not state it.
constexpr uint32_t kSomeRegisters = 128;

std::string TypeName(const machine::Machine& machine, machine::TypeIndex type) { return machine.types()[type].name; }

// Returns the value types of a register, scalar types first.
std::string TypesOfClass(const machine::Machine& machine, int bits) {
  std::vector<std::string> types;
  for (int components = 1; components <= machine.components(); ++components) {
    for (const bool is_float : {false, true}) {
      if (const auto type = ValueType(is_float, bits, components); type.ok()) types.push_back(*type);
    }
  }
  return absl::StrJoin(types, ", ");
}

uint32_t RegisterCount(const machine::Machine& machine) {
  for (const v1::RegisterFile& file : machine.description().register_files()) {
    if (!file.uniform() && file.name() != "flag" && file.count() > 0) return file.count();
  }
  return kSomeRegisters;
}

absl::Status DefineFile(const std::string& name, const std::string& types, int bits, const std::string& prefix,
                        uint32_t count, Definitions* definitions) {
  const std::string registers =
      absl::StrCat("foreach i = 0...", count - 1, " in def ", prefix, "#i : MachineRegister<\"", prefix, "\"#i>;\n");
  absl::Status status = definitions->Add(Section::kRegisters, absl::StrCat(" ", prefix), registers);
  if (!status.ok()) return status;
  return definitions->Add(Section::kRegisters, name,
                          absl::StrCat("def ", name, " : RegisterClass<\"Rewrought\", [", types, "], 32, (sequence \"",
                                       prefix, "%u\", 0, ", count - 1, ")> { let Size = ", bits, "; }\n"));
}

// Adds the operand for a source of this type, with its value and modifiers.
absl::Status DefineSource(const machine::Machine& machine, machine::TypeIndex index, Definitions* definitions) {
  const machine::Type& type = machine.types()[index];
  absl::Status status = DefineRegisters(machine, type.bits, definitions);
  if (!status.ok()) return status;
  const bool is_float = type.base == ir::BaseType::kFloat;
  const absl::StatusOr<std::string> value = ValueType(is_float, type.bits, 1);
  if (!value.ok()) return value.status();
  return definitions->Add(
      Section::kOperands, absl::StrCat("Source_", type.name),
      absl::StrCat("def Source_", type.name, " : Operand<", *value, "> { let MIOperandInfo = (ops ", ClassOf(type.bits),
                   ":$value, Field:$modifiers", machine.components() > 1 ? ", Field:$swizzle" : "", "); }\n"));
}

// Returns text such as "(outs Register32:$result)".
std::string Results(const machine::Machine& machine, const InstructionShape& shape) {
  const std::string cls = shape.gives == Gives::kFlag   ? "Flag"
                          : shape.gives == Gives::kBoth ? "ValueAndFlag"
                                                        : ClassOf(machine.types()[shape.types[0]].bits);
  return absl::StrCat("(outs ", cls, ":$result)");
}

absl::Status DefineResult(const machine::Machine& machine, const InstructionShape& shape, Definitions* definitions) {
  if (shape.gives == Gives::kValue) return DefineRegisters(machine, machine.types()[shape.types[0]].bits, definitions);
  absl::Status status = DefineFlags(machine, definitions);
  if (!status.ok() || shape.gives == Gives::kFlag) return status;
  // The pair exists only from instruction selection until a later pass splits it; programs read only its two parts.
  status =
      DefineFile("ValueAndFlag", "untyped", 64 * machine.components() + 1, "pair", RegisterCount(machine), definitions);
  if (!status.ok()) return status;
  status = definitions->Add(Section::kParts, "value_part",
                            absl::StrCat("def value_part : SubRegIndex<", 64 * machine.components(), ">;\n"));
  if (!status.ok()) return status;
  return definitions->Add(Section::kParts, "flag_part",
                          absl::StrCat("def flag_part : SubRegIndex<1, ", 64 * machine.components(), ">;\n"));
}

}  // namespace

std::string InstructionShape::Name(const machine::Machine& machine) const {
  std::string name = mnemonic;
  for (const machine::TypeIndex type : types) absl::StrAppend(&name, "_", TypeName(machine, type));
  absl::StrAppend(&name, chooses ? kChoice : "", tests ? kTest : "", predicated ? kPredicated : "", keeps ? kKeeps : "",
                  gives == Gives::kFlag   ? kFlag
                  : gives == Gives::kBoth ? kBoth
                                          : "");
  return name;
}

absl::StatusOr<InstructionShape> ShapeNamed(const machine::Machine& machine, const std::string& name) {
  InstructionShape shape;
  absl::string_view rest = name;
  if (absl::ConsumeSuffix(&rest, kBoth)) shape.gives = Gives::kBoth;
  if (absl::ConsumeSuffix(&rest, kFlag)) shape.gives = Gives::kFlag;
  shape.keeps = absl::ConsumeSuffix(&rest, kKeeps);
  shape.predicated = absl::ConsumeSuffix(&rest, kPredicated);
  shape.tests = absl::ConsumeSuffix(&rest, kTest);
  shape.chooses = absl::ConsumeSuffix(&rest, kChoice);
  // A mnemonic may contain '_' and end like a type, so the number of types must match the number of operands.
  const std::vector<std::string> words = absl::StrSplit(rest, '_');
  for (size_t count = 1; count < words.size(); ++count) {
    const std::string mnemonic = absl::StrJoin(words.begin(), words.begin() + static_cast<ptrdiff_t>(count), "_");
    shape.types.clear();
    for (size_t i = count; i < words.size(); ++i) shape.types.push_back(machine.FindType(words[i]));
    if (std::find(shape.types.begin(), shape.types.end(), -1) != shape.types.end()) continue;
    const std::vector<int>& variants = machine.VariantsOf(mnemonic);
    shape.mnemonic = mnemonic;
    if (std::any_of(variants.begin(), variants.end(), [&](int variant) {
          return machine.variants()[variant].sources.size() + 1 == shape.types.size();
        })) {
      return shape;
    }
  }
  return absl::DataLossError(absl::StrCat(machine.id(), " has no instruction ", name));
}

Fields FieldsOf(const machine::Machine& machine, const InstructionShape& shape, const machine::Variant& variant) {
  return {.choice = shape.chooses,
          .test = shape.tests,
          .modifiers = !variant.destination_modifiers.empty() || variant.saturated != nullptr,
          .mask = machine.components() > 1 && variant.write_mask,
          .predicate = shape.predicated,
          .old = shape.keeps};
}

std::string ClassOf(int bits) { return absl::StrCat("Register", bits); }

absl::Status DefineInstruction(const machine::Machine& machine, const InstructionShape& shape,
                               const machine::Variant& variant, Definitions* definitions) {
  absl::Status status = DefineResult(machine, shape, definitions);
  if (!status.ok()) return status;
  std::vector<std::string> operands;
  for (size_t i = 1; i < shape.types.size(); ++i) {
    status = DefineSource(machine, shape.types[i], definitions);
    if (!status.ok()) return status;
    operands.push_back(absl::StrCat("Source_", TypeName(machine, shape.types[i]), ":$source", i));
  }
  const Fields fields = FieldsOf(machine, shape, variant);
  if (fields.choice) operands.emplace_back("Field:$choice");
  if (fields.test) operands.emplace_back("Field:$test");
  if (fields.modifiers) operands.emplace_back("Field:$modifiers");
  if (fields.mask) operands.emplace_back("Field:$mask");
  if (fields.predicate) {
    status = DefineFlags(machine, definitions);
    operands.insert(operands.end(), {"Flag:$predicate", "Field:$inverted"});
  }
  if (!status.ok()) return status;
  if (fields.old) {
    operands.push_back(
        absl::StrCat(shape.gives == Gives::kFlag ? "Flag" : ClassOf(machine.types()[shape.types[0]].bits), ":$old"));
  }
  const std::string name = shape.Name(machine);
  return definitions->Add(
      Section::kInstructions, name,
      absl::StrCat("def ", name, " : MachineInstruction<\"", shape.mnemonic, "\", ", Results(machine, shape), ", (ins",
                   operands.empty() ? "" : " ", absl::StrJoin(operands, ", "), ")> { let Size = ", variant.cost->bytes,
                   ";", fields.old ? " let Constraints = \"$old = $result\";" : "", " }\n"));
}

absl::Status DefineRegisters(const machine::Machine& machine, int bits, Definitions* definitions) {
  const int register_bits = std::max(bits, 32) * machine.components();
  return DefineFile(ClassOf(bits), TypesOfClass(machine, bits), register_bits, "r", RegisterCount(machine),
                    definitions);
}

absl::Status DefineFlags(const machine::Machine& machine, Definitions* definitions) {
  return DefineFile("Flag", TypesOfClass(machine, 1), machine.components(), "f", 4, definitions);
}

absl::StatusOr<std::string> DefinePart(int bits, int index, Definitions* definitions) {
  std::string name = absl::StrCat("part", bits, "_", index);
  const absl::Status status = definitions->Add(
      Section::kParts, name, absl::StrCat("def ", name, " : SubRegIndex<", bits, ", ", bits * index, ">;\n"));
  if (!status.ok()) return status;
  return name;
}

absl::StatusOr<std::string> DefineField(const std::string& name, uint64_t value, Definitions* definitions) {
  const absl::Status status =
      definitions->Add(Section::kFields, name, absl::StrCat("defvar ", name, " = ", value, ";\n"));
  if (!status.ok()) return status;
  return name;
}

std::string SwizzleName(const machine::Operand& operand) {
  std::string name = "swizzle_";
  for (int c = 0; c < ir::kShaderComponents; ++c) {
    if ((operand.negated >> c & 1) != 0) name += 'n';
    name += "xyzw01h"[operand.swizzle[c]];
  }
  return name;
}

std::string MaskName(uint8_t mask) {
  if (mask == 0) return "mask_whole";
  std::string name = "mask_";
  for (int c = 0; c < ir::kShaderComponents; ++c) {
    if ((mask >> c & 1) != 0) name += "xyzw"[c];
  }
  return name;
}

}  // namespace rewrought::emitter
