// Runs a selected shader's instructions on concrete inputs, step by step over named registers, and asks of every value
// that a tile gave whether the IR allows it for what the tile's inputs were.
#ifndef REWROUGHT_MACHINE_SELECT_EMULATE_H_
#define REWROUGHT_MACHINE_SELECT_EMULATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "machine/select/selection.h"

namespace rewrought::machine::select {

struct EmulateOptions {
  int runs = 4;  // with fresh inputs each; denormals are kept and flushed in turn; two in four with everyday numbers
  uint64_t seed = 1;
  size_t examples = 8;  // described at most
};

struct EmulationReport {
  uint64_t runs = 0, steps = 0;
  uint64_t checks = 0;      // values of tiles compared with the IR's; of these:
  uint64_t equal = 0;       // the very bits of the IR's plainest choices
  uint64_t allowed = 0;     // other bits that the float contract allows without any fast-math mark
  uint64_t permitted = 0;   // only by the nodes' nsz, nnan and ninf
  uint64_t contracted = 0;  // of contracting tiles: right for the fused multiply-add
  // Not allowed, but the very result of the base rule by machine/program_term, and the machine's description lists a
  // deviation for an op of it.
  uint64_t deviating = 0;
  uint64_t undecided = 0;             // too many choices to try
  uint64_t other_modes = 0;           // not among the checks: tiles of packs' rules that do not hold in the run's mode
  uint64_t differences = 0;           // everything else, and reads of registers that nothing has written
  std::vector<std::string> examples;  // of differences, with the tile, its inputs and both results
};

// Every block runs once, in the order of the shader, as the steps stand; opaque values are random and special patterns.
// Instructions make each choice of the float contract in its plainest way. InternalError: a step that cannot be
// evaluated.
absl::StatusOr<EmulationReport> Emulate(const Selection& selection, const EmulateOptions& options);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_EMULATE_H_
