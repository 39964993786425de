// Computes statistics of a selected shader: issue slots, code size, dependence chains, stalls, register pressure and
// resident threads.
#ifndef REWROUGHT_MACHINE_SELECT_STATISTICS_H_
#define REWROUGHT_MACHINE_SELECT_STATISTICS_H_

#include <cstdint>
#include <map>
#include <string>

#include "machine/select/schedule.h"
#include "machine/select/selection.h"

namespace rewrought::machine::select {

struct Statistics {
  uint64_t nodes = 0;                         // Needed op nodes of the DAG.
  uint64_t instructions = 0;                  // Not counting opaque steps.
  uint64_t opaque = 0;                        // Opaque steps.
  std::map<std::string, uint64_t> uncovered;  // The number of opaque steps for each op without a rule.
  uint64_t code_bytes = 0;
  double issue_cycles = 0;  // The sum over all pipes.
  std::map<std::string, double> issue_by_pipe;
  // Sums over all blocks in their current order. `idle` is the part of `cycles` spent stalling. `weighted_cycles`
  // counts a block kLoopWeight times for each enclosing loop.
  double cycles = 0, weighted_cycles = 0, idle = 0;
  std::map<std::string, double> idle_by_pipe;
  double critical_path = 0;  // The maximum over all blocks.
  int depth = 0;             // The maximum number of instructions on a critical path.
  int register_peak = 0;     // The peak of live units in the machine's first register file.
  int register_limit = 0;    // The units available to a thread, or 0 if unspecified.
  int threads = 0;           // Resident threads at that peak, by the machine's occupancy steps; 0 if unspecified.
};

// The assumed trip count of every loop; shaders do not contain trip counts. Drivers also assume 10 (Mesa
// brw_ir_performance.cpp).
inline constexpr double kLoopWeight = 10;

// Returns the statistics of `selection` in its current order. If `constants_free`, loads of constants need no
// instruction, code or issue cycles, as in the clauses of Mali Bifrost, which embed constants. A value is live from
// its definition to its last reader, and to the end of each loop that contains a reader but not the definition. A phi
// reads its operand at the end of the predecessor block. Uniforms and flags need no registers.
Statistics StatisticsOf(const Selection& selection, bool constants_free = false);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_STATISTICS_H_
