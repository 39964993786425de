// Constants in programs: as immediates where the machine takes them, else loaded into a register first.
#ifndef REWROUGHT_MACHINE_BASE_CONSTANTS_H_
#define REWROUGHT_MACHINE_BASE_CONSTANTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "machine/base/base_selection.h"
#include "machine/machine.h"
#include "machine/program.h"

namespace rewrought::machine {

// What base selection gives for the constant `bits` (of `width`) alone; its errors.
absl::StatusOr<Program> ConstantProgram(const Machine& machine, uint64_t bits, int width, BaseKind kind);

// What the modifier that does the IR op `nir` makes of a constant of `width` bits; false for an op that is no sign or
// complement.
bool ApplyToConstant(const std::string& nir, int width, uint64_t* bits);

// The choice of the variant's selector that gives with sources 0 and 1 exchanged what `choice` gives: flt(a, b) as
// "greater" of b and a. -1: none is the same by construction.
int ExchangedChoice(const Machine& machine, const Variant& variant, int choice);

// Puts `immediate` into source `place` of `instruction`, or into the other place of a commutative one or of a compare
// whose condition can be turned round; false if none is legal.
bool TryImmediate(const Machine& machine, const Operand& immediate, size_t place, Instruction* instruction);

// `program` with the named variables bound to constants (patterns of the variables' sizes). Unimplemented: a constant
// that is no immediate there and that the machine cannot load.
absl::StatusOr<Program> BindConstants(const Machine& machine, Program program,
                                      const std::map<std::string, uint64_t>& constants);

// The other way: `program` with the constant `bits` (of `width`) as variable `name`, in a register where it was loaded
// into one or stands where not every immediate does. Nothing if that is not legal.
std::optional<Program> WithConstantAsVariable(const Machine& machine, Program program, uint64_t bits, int width,
                                              const std::string& name);

// `program` without arithmetic on constants: an inner instruction that gives the same value on all of many inputs
// becomes a load of that value, and what nobody reads is dropped. A guess that only a proof makes good.
Program LoadConstantParts(const Machine& machine, const Program& program);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_CONSTANTS_H_
