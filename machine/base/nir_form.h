// A machine program read back as NIR: the reverse of base selection, for rules that any back end may use.
#ifndef REWROUGHT_MACHINE_BASE_NIR_FORM_H_
#define REWROUGHT_MACHINE_BASE_NIR_FORM_H_

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/machine.h"
#include "machine/program.h"

namespace rewrought::machine {

// A term of NIR ops that base selection would give `program` for: for each instruction the ops of a base rule that
// gives it alone, and one for each modifier. A guess that only a proof makes good, since base rules may deviate.
// Unimplemented: an instruction, modifier or predicate without such an op.
absl::StatusOr<ir::Term> NirTermOf(const Machine& machine, const Program& program);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_NIR_FORM_H_
