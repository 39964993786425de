// Covers a scalar DAG with tiles by NOLTIS (Koes and Goldstein, "Near-optimal instruction selection on DAGs", CGO
// 2008), or for comparison by tree covering, which splits the DAG at shared values.
#ifndef REWROUGHT_MACHINE_SELECT_COVER_H_
#define REWROUGHT_MACHINE_SELECT_COVER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/select/tile.h"

namespace rewrought::machine::select {

enum class CoverKind : uint8_t {
  kNoltis,
  kTree,   // The best cover of each tree between shared values, as in BURS selectors.
  kNaive,  // One base rule per op, with every constant in a register.
};

struct CoverOptions {
  CoverKind kind = CoverKind::kNoltis;
  Fusion fusion = Fusion::kAlways;
  // If true, an op without a tile becomes an opaque value and is counted in Cover::uncovered; if false, it is an
  // error.
  bool allow_uncovered = false;
  ir::FactCallback facts = {};  // For the preconditions of pack rules.
};

struct Cover {
  // By node: the index of the tile that computes its value, or -1 if the value is not needed or not computed by a
  // tile.
  std::vector<int> tile_of;
  std::vector<Tile> tiles;   // In the order of their roots.
  std::vector<bool> needed;  // By node: the value is computed or loaded, which includes opaque values and constants.
  std::map<std::string, uint64_t>
      uncovered;            // Counts of needed ops without a tile, by names such as "fsin of 64 bits".
  uint64_t candidates = 0;  // The number of tiles considered.
  uint64_t fixed = 0;       // The number of shared values that the second pass computes only once.
  double cost = 0;          // The sum over all tiles (CostOf).
};

// Covers the values with outside uses. Fails with Unimplemented, naming the op, if an op has no tile and uncovered
// ops are not allowed.
absl::StatusOr<Cover> CoverShader(const RuleSet& rules, const ScalarShader& scalar, const CoverOptions& options);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_COVER_H_
