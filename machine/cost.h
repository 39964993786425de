// What a program costs by its machine's static model: a first orientation, out of any shader's context.
#ifndef REWROUGHT_MACHINE_COST_H_
#define REWROUGHT_MACHINE_COST_H_

#include "machine/program.h"

namespace rewrought::machine {

struct Cost {
  int instructions = 0;
  double issue_cycles = 0;  // summed over all pipes
  double latency = 0;       // cycles along the longest chain of dependences, the last result included
  int bytes = 0;            // of code
  int peak_registers = 0;   // most units of the machine's first register file alive at once, variables included

  friend bool operator==(const Cost&, const Cost&) = default;
};

// The cost of `program`, which must be legal. A program that is one plain move of a variable costs nothing: every
// driver lets the users read the variable. Variables are alive from the start to their last use, the result to the end;
// immediates, uniforms and flags take no registers.
Cost ProgramCost(const Machine& machine, const Program& program);

// Bytes of code of one legal instruction: the long form where one of its features asks for it, and the words of
// literals.
int InstructionBytes(const Machine& machine, const Instruction& instruction);

// Whether `a` is worth more than `b`: fewer issue cycles, then fewer instructions, then less latency, then fewer bytes.
bool CheaperThan(const Cost& a, const Cost& b);

// Whether `a` for `b` is worth a rule: fewer issue cycles, or instructions at equal cycles. Latency or bytes alone are
// not, and no pack takes such a rule, since its order is issue cycles, then ops.
bool WorthARule(const Cost& a, const Cost& b);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_COST_H_
