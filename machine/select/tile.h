// A tile is a rule applied at one position in the DAG. It is a list of instructions into which modifiers, immediates,
// and uniforms are folded as far as the machine allows.
#ifndef REWROUGHT_MACHINE_SELECT_TILE_H_
#define REWROUGHT_MACHINE_SELECT_TILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "machine/select/rules.h"
#include "machine/select/scalar_shader.h"

namespace rewrought::machine::select {

// An operand of a tile, other than a temporary.
struct TileOperand {
  enum Kind : uint8_t {
    kValue,        // The value of a node, in a register or in a uniform register read directly.
    kConstant,     // The constant `node`, loaded into a register of `type`.
    kUniformMove,  // The uniform `node`, first moved to an ordinary register.
  };
  Kind kind = kValue;
  ir::NodeIndex node = 0;
  TypeIndex type = -1;
  bool below_shared = false;  // Whether the operand is read through a folded modifier that also has other users.
};

struct Tile {
  std::string rule;  // The rule's name.
  ir::NodeIndex root = 0;
  std::vector<ir::NodeIndex> inner;   // Distinct op nodes covered besides the root.
  std::vector<ir::NodeIndex> folded;  // The subset of `inner` folded as source modifiers.
  std::vector<Instruction> code;      // The last instruction writes the root to kResultName.
  std::vector<std::pair<std::string, TileOperand>>
      operands;                         // Keyed by name in `code`; all other names are temporaries.
  bool inexact = false;                 // Whether the tile fuses a multiply and an add into one rounding.
  const PackRule* from_pack = nullptr;  // Set if the rule comes from a pack.
  double own_cost = 0;  // CostOf(code), plus the tile's share of loads and moves that the block's tiles have in common.
};

// Returns a single number that orders costs by issue cycles, then instructions, then code bytes.
double CostOf(const Machine& machine, const std::vector<Instruction>& code);

struct TileOptions {
  bool fold = true;  // Folds modifiers, saturation, conversions, immediates and uniforms.
  // For tree covering: a node with several users may be an inner node only as a folded source modifier.
  bool split_shared = false;
  Fusion fusion = Fusion::kAlways;
  ir::FactCallback facts;  // For the preconditions of pack rules; pass ir::FactsOfNodes if there are no other facts.
};

// Builds the tiles of one shader. Caches legality checks, which take most of the time.
class TileBuilder {
 public:
  // All arguments must outlive the builder.
  TileBuilder(const RuleSet& rules, const ScalarShader& scalar, const TileOptions& options);
  ~TileBuilder();

  // Returns all tiles at the op node `root` that have no inner node in `fixed`, which is indexed by node or empty.
  // Inner nodes are in the root's block, except for folded modifiers.
  std::vector<Tile> TilesAt(ir::NodeIndex root, const std::vector<bool>& fixed);

 private:
  class Instance;
  std::vector<Tile> TilesOfRules(ir::NodeIndex root, const std::vector<bool>& fixed);
  bool Legal(const Instruction& instruction);
  bool Allowed(const SelectionRule& rule, const RuleMatch& match, const std::vector<bool>& fixed) const;
  bool FusionAllowed(const SelectionRule& rule, const RuleMatch& match) const;
  bool MayBeInner(ir::NodeIndex node, ir::NodeIndex root, const std::vector<bool>& fixed) const;
  void AddDestinationFolds(ir::NodeIndex root, const std::vector<bool>& fixed, std::vector<Tile>* tiles);
  std::optional<Tile> FoldIntoDestination(const Tile& tile, ir::NodeIndex root, ModifierIndex modifier);
  void Finish(Tile* tile) const;
  uint32_t RegionOf(ir::NodeIndex node) const;
  double ShareOf(ir::NodeIndex leaf, ir::NodeIndex root) const;

  const RuleSet& rules_;
  const Machine& m_;
  const ScalarShader& scalar_;
  const ir::Term& term_;
  const TileOptions& options_;
  bool has_uniform_file_ = false;
  std::vector<ModifierIndex> destination_folds_;  // Modifiers that apply an IR op to a result.
  absl::flat_hash_map<std::string, bool> legal_;
  std::vector<ir::NodeIndex> run_start_;  // The first node of each node's run of consecutive nodes in a block.
  // The number of ops in a region (RegionOf) that read a constant or uniform.
  absl::flat_hash_map<std::pair<ir::NodeIndex, uint32_t>, uint32_t> block_uses_;
};

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_TILE_H_
