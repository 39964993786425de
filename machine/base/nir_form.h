// Converts a machine program to NIR, the reverse of base selection, for rules that any back end may use.
#ifndef REWROUGHT_MACHINE_BASE_NIR_FORM_H_
#define REWROUGHT_MACHINE_BASE_NIR_FORM_H_

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/machine.h"
#include "machine/program.h"

namespace rewrought::machine {

// Returns a term of NIR ops for which base selection would produce `program`. Each instruction becomes the ops of a
// base rule that consists of this instruction, and each modifier becomes an op. The result is a guess that needs a
// proof, because base rules may deviate. Fails with Unimplemented if an instruction, modifier or predicate has no NIR
// op.
absl::StatusOr<ir::Term> NirTermOf(const Machine& machine, const Program& program);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_NIR_FORM_H_
