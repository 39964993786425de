// The IR's side of a case: the op that a base rule of the machine gives to the instruction, with the ops that its
// modifiers are.
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
  ir::Term term;     // over the case's inputs; sizes fixed
};

// None where no exact base rule selects just this instruction for one pattern.
absl::StatusOr<std::optional<IrSide>> IrSideOf(const machine::Machine& machine, const Case& one);

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_IR_SIDE_H_
