// Finds the IR's equivalent of a case: the op for which a base rule of the machine selects the instruction, with the
// ops of the instruction's modifiers.
#ifndef REWROUGHT_TOOLS_SILICON_IR_SIDE_H_
#define REWROUGHT_TOOLS_SILICON_IR_SIDE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/machine.h"
#include "tools/silicon/cases.h"

namespace rewrought::silicon {

struct IrSide {
  std::string op;    // the pattern's root
  std::string text;  // "(fadd (fneg a) b)"
  ir::Term term;     // over the case's inputs, with fixed sizes
};

// Returns the IR's equivalent of the case, or nullopt if no exact base rule maps a pattern to exactly this instruction.
absl::StatusOr<std::optional<IrSide>> IrSideOf(const machine::Machine& machine, const Case& one);

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_IR_SIDE_H_
