// Binds constants in programs, as immediates if the machine accepts them and otherwise as loads into registers.
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

// Returns the program that base selection produces for the `width`-bit constant `bits`, or the error of base selection.
absl::StatusOr<Program> ConstantProgram(const Machine& machine, uint64_t bits, int width, BaseKind kind);

// Applies the IR op `nir` of a modifier to a `width`-bit constant. Returns false if the op is not a sign modifier or
// a complement.
bool ApplyToConstant(const std::string& nir, int width, uint64_t* bits);

// Returns the selector's choice that equals `choice` with sources 0 and 1 exchanged, such as "greater" for flt.
// Returns -1 if no choice is equal by construction.
int ExchangedChoice(const Machine& machine, const Variant& variant, int choice);

// Puts `immediate` into source `place`. May swap the sources of a commutative instruction, or of a compare with a
// reversible condition. Returns false if the result is not legal.
bool TryImmediate(const Machine& machine, const Operand& immediate, size_t place, Instruction* instruction);

// Binds the named variables of `program` to constants, which are bit patterns of the variables' sizes. Fails with
// Unimplemented if a constant cannot be an immediate and the machine cannot load it.
absl::StatusOr<Program> BindConstants(const Machine& machine, Program program,
                                      const std::map<std::string, uint64_t>& constants);

// Reverses BindConstants: replaces the `width`-bit constant `bits`, whether it is an immediate or is loaded into a
// register, with the variable `name`. Returns nullopt if the result is not legal.
std::optional<Program> WithConstantAsVariable(const Machine& machine, Program program, uint64_t bits, int width,
                                              const std::string& name);

// Returns `program` with constant subexpressions folded: an inner instruction whose value is the same on many test
// inputs becomes a load of that value, and unused instructions are removed. The result is a guess that needs a proof.
Program FoldConstantParts(const Machine& machine, const Program& program);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_CONSTANTS_H_
