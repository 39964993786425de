// What a selected shader costs in context: issue slots, code, chains and waits, registers alive at once, threads
// resident.
#ifndef REWROUGHT_MACHINE_SELECT_STATISTICS_H_
#define REWROUGHT_MACHINE_SELECT_STATISTICS_H_

#include <cstdint>
#include <map>
#include <string>

#include "machine/select/schedule.h"
#include "machine/select/selection.h"

namespace rewrought::machine::select {

struct Statistics {
  uint64_t nodes = 0;                         // needed op nodes of the DAG
  uint64_t instructions = 0;                  // without opaque steps
  uint64_t opaque = 0;                        // opaque steps
  std::map<std::string, uint64_t> uncovered;  // of these, ops without a rule
  uint64_t code_bytes = 0;
  double issue_cycles = 0;  // summed over pipes; each instruction counts once
  std::map<std::string, double> issue_by_pipe;
  // Sums over blocks in the order that they have: cycles with waits, and the waits. `weighted_cycles` counts a block
  // kLoopWeight times for each loop around it.
  double cycles = 0, weighted_cycles = 0, idle = 0;
  std::map<std::string, double> idle_by_pipe;
  double critical_path = 0;  // the longest of the blocks
  int depth = 0;             // instructions on it at most
  int register_peak = 0;     // units of the machine's first register file alive at once
  int register_limit = 0;    // units that there are; 0: not stated
  int threads = 0;           // resident at that peak, by the machine's occupancy steps; 0: it states none
};

// Trips that a loop is taken to make; no source knows them. Drivers' own estimates take 10 (Mesa
// brw_ir_performance.cpp).
inline constexpr double kLoopWeight = 10;

// The figures of `selection` as it stands; with `constants_free` loads of constants take no instruction, code and issue
// cycles: they stand beside the instructions, as in the clauses of Mali Bifrost. A value is alive from its definition
// to its last reader, and to the end of every loop around a reader that it was defined outside of; what a phi takes is
// read at the end of the block it comes from. Uniforms and flags take no registers.
Statistics StatisticsOf(const Selection& selection, bool constants_free = false);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_STATISTICS_H_
