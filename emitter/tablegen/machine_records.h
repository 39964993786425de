// Writes a machine's TableGen records: register classes, operands, instructions, and names for modifiers, swizzles,
// masks, and choices.
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

// The result of an instruction: its register, its flag, or both as a pair.
enum class Gives : unsigned char { kValue, kFlag, kBoth };

// The form of an instruction, which determines the record's name and the fields after its sources.
struct InstructionShape {
  std::string mnemonic;
  std::vector<machine::TypeIndex> types;  // The destination's type, followed by the sources' types.
  Gives gives = Gives::kValue;
  bool chooses = false;     // A field selects the meaning (.cmod of a comparison, .table).
  bool tests = false;       // A condition on the result (.cmod) in addition to the selector's choice.
  bool predicated = false;  // Reads a flag.
  // The instruction keeps part of the old register or flag, which is its last operand.
  bool keeps = false;

  // Returns, for example, "ADD_F_F_F", with the suffixes "_choice", "_test", "_predicated", "_keeps", "_flag", and
  // "_both" as needed.
  std::string Name(const machine::Machine& machine) const;
};

// Parses a name that InstructionShape::Name returned. Fails with DataLoss if the instruction is unknown.
absl::StatusOr<InstructionShape> ShapeNamed(const machine::Machine& machine, const std::string& name);

// The fields after the sources, in order.
struct Fields {
  bool choice = false, test = false, modifiers = false, mask = false, predicate = false, old = false;
};
Fields FieldsOf(const machine::Machine& machine, const InstructionShape& shape, const machine::Variant& variant);

// Returns, for example, "Register32". The class of flags is "Flag".
std::string ClassOf(int bits);

// Adds the record of `shape` with its operands and registers. Returns any error of Definitions::Add.
absl::Status DefineInstruction(const machine::Machine& machine, const InstructionShape& shape,
                               const machine::Variant& variant, Definitions* definitions);

// Adds the class of registers for values of `bits` bits. Returns any error of Definitions::Add.
absl::Status DefineRegisters(const machine::Machine& machine, int bits, Definitions* definitions);
absl::Status DefineFlags(const machine::Machine& machine, Definitions* definitions);

// Returns the name of subregister `index` of `bits` bits, such as "part32_1".
absl::StatusOr<std::string> DefinePart(int bits, int index, Definitions* definitions);

// Adds the record `name` for a value of a field, and returns `name`. Returns any error of Definitions::Add.
absl::StatusOr<std::string> DefineField(const std::string& name, uint64_t value, Definitions* definitions);

// Return names such as "swizzle_xnyzw" (n means negated) and "mask_xz".
std::string SwizzleName(const machine::Operand& operand);
std::string MaskName(uint8_t mask);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_MACHINE_RECORDS_H_
