// One machine instruction as a term over the whole registers that it reads, for running programs step by step.
#ifndef REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_
#define REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/term.h"
#include "machine/program.h"

namespace rewrought::machine::select {

// Variables: "s0", "s1", … are the sources' registers, "old" what the destination held (read by writes of a part and
// under a predicate), "flag" the flag that is read. On machines with components each is several: "s0.2". Results have
// the components that are written, in their order.
struct InstructionTerm {
  ir::Term term;
  std::optional<ir::NodeIndex> result;  // the destination register afterwards; none: only a flag is written
  std::optional<ir::NodeIndex> flag;    // the flag written
};

// `source_bits`: sizes of the sources' registers (0: an immediate), `destination_bits` of the destination's. The
// instruction must be legal; rows are applied in the order that machine/program_term.h states.
InstructionTerm TermOfInstruction(const Machine& machine, const Instruction& instruction,
                                  const std::vector<int>& source_bits, int destination_bits);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_INSTRUCTION_TERM_H_
