// Checks whether a program is legal on its machine. Each error names the violated rule.
#ifndef REWROUGHT_MACHINE_LEGALITY_H_
#define REWROUGHT_MACHINE_LEGALITY_H_

#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "machine/program.h"

namespace rewrought::machine {

// Returns the instruction's features that the description's rules and costs refer to (LegalityRule in machine.proto).
// Each feature is paired with the operand that has it; the operand is empty for features of the instruction itself.
std::multiset<std::pair<std::string, std::string>> FeaturesOf(const Machine& machine, const Instruction& instruction);

// Checks one instruction: its modifiers and their order, its immediates and their positions, its subregisters, and
// the description's rules across fields. Fails with InvalidArgument "rule 'ID': what is wrong, in INSTRUCTION".
absl::Status CheckInstruction(const Machine& machine, const Instruction& instruction);

// Checks every instruction and the program's data flow. Every register and flag must be defined before use, have the
// size that its users read, and be written only once, except for partial and predicated writes. `r` must be fully
// defined, and the machine must have enough registers. Fails with InvalidArgument "line:column: rule 'ID': ...", or
// "instruction N: ..." if the program was not parsed from text.
absl::Status CheckLegal(const Machine& machine, const Program& program);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_LEGALITY_H_
