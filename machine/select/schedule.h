// When each step of a block issues: a machine that issues in order and waits for results, and a list scheduler for it.
#ifndef REWROUGHT_MACHINE_SELECT_SCHEDULE_H_
#define REWROUGHT_MACHINE_SELECT_SCHEDULE_H_

#include <map>
#include <string>
#include <vector>

#include "machine/select/selection.h"

namespace rewrought::machine::select {

struct Timing {
  double cycles = 0;         // from the first issue until the last result may be read
  double critical_path = 0;  // the same if every step issued as soon as its sources allow
  int depth = 0;             // steps on the longest chain of dependences
  double idle = 0;           // issue cycles in which nothing issued: nops, or stalls
  // Of `idle`, by the pipe whose result (or issue slot) was waited for.
  std::map<std::string, double> idle_by_pipe;
};

// Steps of `block` in the order given. One step issues per cycle; a pipe takes its next step `issue_cycles` after the
// last; a step waits for its sources' latency, less or more by its read delays, and for flags. Opaque steps take no
// cycle and give their values at once: what they wait for is not the ALU's doing.
Timing TimeBlock(const SelectedBlock& block);

// Puts the block's steps in the order in which they wait least: of the steps that can issue soonest, the one with the
// longest chain behind it, then the one that stood first. Kept: every dependence through values and flags, the order of
// opaque steps but inputs, what phis take at the end. If that order is no faster by TimeBlock the block stays as it is.
void ScheduleBlock(SelectedBlock* block);

// All blocks.
void Schedule(Selection* selection);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_SCHEDULE_H_
