// Whether a program is legal on its machine; every answer names the rule that is broken.
#ifndef REWROUGHT_MACHINE_LEGALITY_H_
#define REWROUGHT_MACHINE_LEGALITY_H_

#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "machine/program.h"

namespace rewrought::machine {

// The features of an instruction that the description's rules and costs speak of (LegalityRule in machine.proto), each
// with the operand that has it, empty for the instruction's own.
std::multiset<std::pair<std::string, std::string>> FeaturesOf(const Machine& machine, const Instruction& instruction);

// Checks one instruction by itself: modifiers and their order, immediates and their places, parts of registers, and the
// description's rules between fields. InvalidArgument "rule 'ID': what is wrong, in INSTRUCTION".
absl::Status CheckInstruction(const Machine& machine, const Instruction& instruction);

// Checks every instruction, and that registers and flags are defined before use, with the size with which they are
// read, once (again only in part or under a predicate), that `r` is defined as a whole, and that the registers suffice.
// InvalidArgument "line:column: rule 'ID': ..." ("instruction N: ..." for a program that was not read from text).
absl::Status CheckLegal(const Machine& machine, const Program& program);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_LEGALITY_H_
