// The TableGen records of one machine: register classes, operands with their fields, instructions, and the names by
// which patterns speak of modifiers, swizzles, masks and choices.
#ifndef REWROUGHT_EMITTER_TABLEGEN_MACHINE_RECORDS_H_
#define REWROUGHT_EMITTER_TABLEGEN_MACHINE_RECORDS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/tablegen/dag.h"
#include "emitter/tablegen/definitions.h"
#include "machine/machine.h"
#include "machine/program.h"

namespace rewrought::emitter {

// What an instruction gives: its register, its flag, or both as a pair.
enum class Gives : unsigned char { kValue, kFlag, kBoth };

// How one instruction is written: what stands in the record's name and which fields follow the sources.
struct InstructionShape {
  std::string mnemonic;
  std::vector<machine::TypeIndex> types;  // as written: the destination's, then the sources'
  Gives gives = Gives::kValue;
  bool chooses = false;     // a field chooses its meaning (.cmod of a compare, .table)
  bool tests = false;       // a condition on the result (.cmod) stands beside the selector's choice
  bool predicated = false;  // reads a flag
  bool keeps = false;       // keeps part of what its register (or flag) had, which is its last operand

  // "ADD_F_F_F", and what else it has: "_choice", "_test", "_predicated", "_keeps", "_flag", "_both".
  std::string Name(const machine::Machine& machine) const;
};

// The inverse of Name for instructions of `machine`; DataLoss for a name that no instruction has.
absl::StatusOr<InstructionShape> ShapeNamed(const machine::Machine& machine, const std::string& name);

// The fields that stand behind the sources of an instruction of `shape` and `variant`, in order.
struct Fields {
  bool choice = false, test = false, modifiers = false, mask = false, predicate = false, old = false;
};
Fields FieldsOf(const machine::Machine& machine, const InstructionShape& shape, const machine::Variant& variant);

// Register classes by size of the value: "Register32"; of flags "Flag".
std::string ClassOf(int bits);

// The record of `shape`, with those of its operands and registers. Errors as Definitions::Add.
absl::Status DefineInstruction(const machine::Machine& machine, const InstructionShape& shape,
                               const machine::Variant& variant, Definitions* definitions);

// The class with the machine's registers for values of `bits` bits. Errors as Definitions::Add.
absl::Status DefineRegisters(const machine::Machine& machine, int bits, Definitions* definitions);
absl::Status DefineFlags(const machine::Machine& machine, Definitions* definitions);

// Part `index`, of `bits` bits, of a wider register: "part32_1".
absl::StatusOr<std::string> DefinePart(int bits, int index, Definitions* definitions);

// A field's value by name: `name` = `value`; errors as Definitions::Add.
absl::StatusOr<std::string> DefineField(const std::string& name, uint64_t value, Definitions* definitions);

// "swizzle_xnyzw" (n: negated) and "mask_xz".
std::string SwizzleName(const machine::Operand& operand);
std::string MaskName(uint8_t mask);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_MACHINE_RECORDS_H_
