// Converts a machine program to a term, so that the same code lowers both sides of a rule.
#ifndef REWROUGHT_MACHINE_PROGRAM_TERM_H_
#define REWROUGHT_MACHINE_PROGRAM_TERM_H_

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/program.h"

namespace rewrought::machine {

// Returns the value of `r` as a term. Each instruction becomes one node, and each of its modifiers, subregister
// accesses and predicated writes becomes another, in order of application; their ops are the machine's rows. A vec2,
// vec3, or vec4 node combines components of several values, and a mov node selects some components of one value.
// Immediates become bit-pattern constants. Variables keep their names and have the sizes at which the program reads
// them. Unwritten parts of a register are zero; a legal program never reads them. Fails with InvalidArgument if the
// program is not legal (machine/legality.h).
absl::StatusOr<ir::Term> ProgramTerm(const Machine& machine, const Program& program);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_PROGRAM_TERM_H_
