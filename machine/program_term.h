// A machine program as a term, so that rules' two sides are lowered by the same code.
#ifndef REWROUGHT_MACHINE_PROGRAM_TERM_H_
#define REWROUGHT_MACHINE_PROGRAM_TERM_H_

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/program.h"

namespace rewrought::machine {

// The value of `r`. Every node's op is one of the machine's rows: instructions, and a node of its own for each
// modifier, each part of a register and each predicated write, in order of application; vec2 to vec4 and mov stand
// where the components of a vector come from several values, or are some of one. Immediates are constants of pattern,
// variables stand by name with the size at which they are read. Parts of a register that are not yet written are zero,
// which a legal program cannot see. InvalidArgument when the program is not legal (machine/legality.h).
absl::StatusOr<ir::Term> ProgramTerm(const Machine& machine, const Program& program);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_PROGRAM_TERM_H_
