// Converts one machine instruction to a term over the registers that it reads, to execute programs step by step.
#ifndef REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_
#define REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/term.h"
#include "machine/program.h"

namespace rewrought::machine::select {

// The variables are "s0", "s1", ... for the sources' registers, "old" for the destination's previous value (for partial
// and predicated writes), and "flag" for the flag that is read. On vector machines, each component is a variable, such
// as "s0.2". Results contain the written components in order.
struct InstructionTerm {
  ir::Term term;
  std::optional<ir::NodeIndex> result;  // Unset if only a flag is written.
  std::optional<ir::NodeIndex> flag;
};

// Returns the term of a legal instruction. `source_bits` and `destination_bits` are the registers' widths (0 for an
// immediate). For the order of the nodes, see machine/program_term.h.
InstructionTerm TermOfInstruction(const Machine& machine, const Instruction& instruction,
                                  const std::vector<int>& source_bits, int destination_bits);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_
