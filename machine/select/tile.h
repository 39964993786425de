// Tiles: one rule at one place of the DAG, as the instructions it gives there, with modifiers, immediates and uniforms
// folded as far as the machine allows.
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

// What a tile reads beside temporaries of its own.
struct TileOperand {
  enum Kind : uint8_t {
    kValue,        // the value of a node, which stands in a register, or in a uniform register read directly
    kConstant,     // of node `node`, loaded into a register of `type`
    kUniformMove,  // the uniform `node`, moved into an ordinary register first
  };
  Kind kind = kValue;
  ir::NodeIndex node = 0;
  TypeIndex type = -1;
  bool below_shared = false;  // read through a folded modifier that has other readers, too
};

struct Tile {
  std::string rule;  // name of the rule
  ir::NodeIndex root = 0;
  std::vector<ir::NodeIndex> inner;   // op nodes covered beside the root, each once
  std::vector<ir::NodeIndex> folded;  // of these, those that are source modifiers of a reader
  std::vector<Instruction> code;      // the last one with destination kResultName gives the root
  std::vector<std::pair<std::string, TileOperand>>
      operands;                         // by the name that `code` has for them; all others are temporaries
  bool inexact = false;                 // contracts: one rounding where the IR has two
  const PackRule* from_pack = nullptr;  // the rule, if it is a pack's
  double own_cost = 0;  // CostOf(code), and the shares of loads and moves that other tiles of the block may use, too
};

// Cost as one number: issue cycles first, then instructions, then bytes of code.
double CostOf(const Machine& machine, const std::vector<Instruction>& code);

struct TileOptions {
  bool fold = true;           // modifiers, saturation, conversions, immediates, uniforms
  bool split_shared = false;  // tree covering: nodes with several users are never inner, but as folded source modifiers
  Fusion fusion = Fusion::kAlways;
  ir::FactCallback facts;  // for the preconditions of pack rules; none: ir::FactsOfNodes should be given
};

// Builds tiles of one shader. Remembers which instructions are legal, which is most of the time it takes.
class TileBuilder {
 public:
  // All must outlive this.
  TileBuilder(const RuleSet& rules, const ScalarShader& scalar, const TileOptions& options);
  ~TileBuilder();

  // All tiles at the op node `root` that have no node of `fixed` (by node; empty: none) inside. Inner nodes stand in
  // the root's block, but for folded modifiers.
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
  std::vector<ModifierIndex> destination_folds_;  // modifiers that do an IR op to a result
  absl::flat_hash_map<std::string, bool> legal_;
  std::vector<ir::NodeIndex> together_;  // by node: the first of its block's nodes that stand together with it
  // How many ops of a region (RegionOf) read a constant or uniform.
  absl::flat_hash_map<std::pair<ir::NodeIndex, uint32_t>, uint32_t> block_uses_;
};

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_TILE_H_
