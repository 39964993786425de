// Covers a scalar DAG with tiles, using NOLTIS (Koes and Goldstein, "Near-optimal instruction selection on DAGs", CGO
// 2008). For comparison, also implements tree covering, which splits the DAG at shared values.
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
  // If true, an op that has no tile becomes an opaque value, which is counted in Cover::uncovered. Otherwise, such an
  // op is an error.
  bool allow_uncovered = false;
  ir::FactCallback facts = {};  // Used to check the preconditions of pack rules.
};

struct Cover {
  // The index of the tile that computes each node, or -1.
  std::vector<int> tile_of;
  std::vector<Tile> tiles;                    // Sorted by root.
  std::vector<bool> needed;                   // Indexed by node; includes opaque values and constants.
  std::map<std::string, uint64_t> uncovered;  // Ops without a tile, such as "fsin of 64 bits".
  uint64_t candidates = 0;                    // Tiles considered.
  uint64_t fixed = 0;                         // Shared values computed once by the second pass.
  double cost = 0;                            // The sum over all tiles (CostOf).
};

// Covers the values that outside uses need. Fails with Unimplemented, naming the op, if an op has no tile and
// allow_uncovered is false.
absl::StatusOr<Cover> CoverShader(const RuleSet& rules, const ScalarShader& scalar, const CoverOptions& options);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_COVER_H_
