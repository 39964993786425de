// Converts one machine instruction to a term over the registers that it reads, to execute programs step by step.
#ifndef REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_
#define REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/term.h"
#include "machine/program.h"

namespace rewrought::machine::select {

// The term's variables are "s0", "s1", ... for the whole registers of the sources, "old" for the destination's
// previous value (for partial and predicated writes), and "flag" for the flag that the instruction reads. On vector
// machines, each component is a separate variable, such as "s0.2". Results contain the written components in order.
struct InstructionTerm {
  ir::Term term;
  std::optional<ir::NodeIndex> result;  // The destination's new value; unset if only a flag is written.
  std::optional<ir::NodeIndex> flag;    // The written flag.
};

// `source_bits` contains the widths of the sources' registers (0 for an immediate), and `destination_bits` the width
// of the destination's register. The instruction must be legal. machine/program_term.h documents the order in which
// rows are applied.
InstructionTerm TermOfInstruction(const Machine& machine, const Instruction& instruction,
                                  const std::vector<int>& source_bits, int destination_bits);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_
