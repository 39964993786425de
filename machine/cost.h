// Computes the cost of a program with its machine's static model, without the surrounding shader.
#ifndef REWROUGHT_MACHINE_COST_H_
#define REWROUGHT_MACHINE_COST_H_

#include "machine/program.h"

namespace rewrought::machine {

struct Cost {
  int instructions = 0;
  double issue_cycles = 0;  // The sum over all pipes.
  double latency = 0;       // Cycles on the longest dependence chain, including the last result.
  int bytes = 0;            // The code size.
  int peak_registers = 0;   // The peak number of live units of the first register file, including variables.

  friend bool operator==(const Cost&, const Cost&) = default;
};

// Returns the cost of `program`, which must be legal. A program that is a single plain move of a variable or constant
// costs nothing, because every driver propagates copies. Variables are live from the start to their last use, and the
// result is live to the end. Immediates, uniforms and flags need no registers.
Cost ProgramCost(const Machine& machine, const Program& program);

// Returns the code size of a legal instruction in bytes, including its literals. An instruction has its long form if
// one of its features requires that form.
int InstructionBytes(const Machine& machine, const Instruction& instruction);

// Returns true if `a` has fewer issue cycles than `b`. Ties are broken by instructions, then latency, then bytes.
bool CheaperThan(const Cost& a, const Cost& b);

// Returns true if replacing `b` with `a` justifies a rule, that is, if it saves issue cycles, or instructions at equal
// cycles. Savings in latency or bytes alone do not count, because packs order rules by issue cycles and then by ops.
bool WorthARule(const Cost& a, const Cost& b);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_COST_H_
