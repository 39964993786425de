// Executes a selected shader on concrete inputs, step by step over named registers. Checks that the IR allows every
// value that a tile computes from the tile's inputs.
#ifndef REWROUGHT_MACHINE_SELECT_EMULATE_H_
#define REWROUGHT_MACHINE_SELECT_EMULATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "machine/select/selection.h"

namespace rewrought::machine::select {

struct EmulateOptions {
  // The number of runs, each of which has new inputs. The denormal mode alternates between preserve and flush, and
  // every second pair of runs uses only ordinary numbers.
  int runs = 4;
  uint64_t seed = 1;
  size_t examples = 8;  // The maximum number of reported examples.
};

struct EmulationReport {
  uint64_t runs = 0, steps = 0;
  uint64_t checks = 0;      // Tile values compared with the IR. Subtotals:
  uint64_t equal = 0;       // Values with the bits of the IR's result under default choices.
  uint64_t allowed = 0;     // Other values that the float contract allows without fast-math flags.
  uint64_t permitted = 0;   // Values allowed only by the nodes' nsz, nnan and ninf flags.
  uint64_t contracted = 0;  // Values allowed only because the tile contracts a multiply and an add.
  // The number of results that the IR does not allow, but that a deviation in the machine's description explains. Such
  // a result must equal that of the base rule's program (machine/program_term), and the deviation must be listed for
  // one of the tile's ops.
  uint64_t deviating = 0;
  uint64_t undecided = 0;    // Results with too many choices to try.
  uint64_t other_modes = 0;  // Tiles of pack rules not proved for the run's denormal mode; not counted in `checks`.
  uint64_t differences = 0;  // All other results, and reads of registers that were never written.
  std::vector<std::string> examples;  // Descriptions of differences, with the tile, its inputs and both results.
};

// Executes every block once, in the shader's order. Opaque values are random or special bit patterns. Instructions
// return the default result wherever the float contract allows several. Fails with InternalError if a step cannot be
// evaluated.
absl::StatusOr<EmulationReport> Emulate(const Selection& selection, const EmulateOptions& options);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_EMULATE_H_
