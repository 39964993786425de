// Times blocks on an in-order machine that stalls for results, and reorders them with a list scheduler.
#ifndef REWROUGHT_MACHINE_SELECT_SCHEDULE_H_
#define REWROUGHT_MACHINE_SELECT_SCHEDULE_H_

#include <map>
#include <string>
#include <vector>

#include "machine/select/selection.h"

namespace rewrought::machine::select {

struct Timing {
  double cycles = 0;         // From the first issue until the last result is available.
  double critical_path = 0;  // `cycles` if every step issued as soon as its sources were available.
  int depth = 0;             // The number of steps on the longest dependence chain.
  double idle = 0;           // Cycles in which no step issues, i.e. nops or stalls.
  // `idle`, split by the pipe whose result or issue slot was the bottleneck.
  std::map<std::string, double> idle_by_pipe;
};

// Times the steps of `block` in their current order. At most one step issues per cycle, and a pipe accepts its next
// step `issue_cycles` after the previous one. A step waits for its sources' latency, adjusted by its read delays, and
// for flags. Opaque steps need no cycles and provide their values immediately, because their delays are not caused by
// the ALU.
Timing TimeBlock(const SelectedBlock& block);

// Reorders the block's steps to minimize stalls. Among the steps that can issue soonest, picks the step with the
// longest dependent chain; ties are broken by the original order. Preserves all dependences through values and flags,
// the order of opaque steps other than inputs, and the phi operands at the block's end. Keeps the original order if
// TimeBlock does not measure an improvement.
void ScheduleBlock(SelectedBlock* block);

void Schedule(Selection* selection);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_SCHEDULE_H_
