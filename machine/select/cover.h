// Covers a scalar DAG with tiles: NOLTIS (Koes and Goldstein, "Near-optimal instruction selection on DAGs", CGO 2008),
// and tree covering that splits the DAG at shared values, for comparison.
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
  kTree,   // the best cover of each tree between shared values: what BURS selectors give
  kNaive,  // the base rule of each op by itself, every constant in a register
};

struct CoverOptions {
  CoverKind kind = CoverKind::kNoltis;
  Fusion fusion = Fusion::kAlways;
  // True: an op that nothing covers becomes an opaque value, counted in Cover::uncovered. False: it is an error.
  bool allow_uncovered = false;
  ir::FactCallback facts = {};  // for preconditions of pack rules
};

struct Cover {
  // By node: the tile that gives its value, an index into `tiles`; -1: nothing needs the value, or it is no covered op.
  std::vector<int> tile_of;
  std::vector<Tile> tiles;   // in the order of their roots
  std::vector<bool> needed;  // by node: a value that stands somewhere (opaque values and constants too)
  std::map<std::string, uint64_t> uncovered;  // needed ops without a tile, "fsin of 64 bits"
  uint64_t candidates = 0;                    // tiles that were weighed
  uint64_t fixed = 0;                         // shared values that the second pass computes once
  double cost = 0;                            // of all tiles (CostOf)
};

// Needed are the values with outside uses. Unimplemented, where uncovered ops are not allowed, names the op.
absl::StatusOr<Cover> CoverShader(const RuleSet& rules, const ScalarShader& scalar, const CoverOptions& options);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_COVER_H_
