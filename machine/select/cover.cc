#include "machine/select/cover.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/match/facts.h"

namespace rewrought::machine::select {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Leaf {
  ir::NodeIndex node = 0;
  double share = 1;  // The fraction of the cost that this reader bears.
};

class Coverer {
 public:
  Coverer(const RuleSet& rules, const ScalarShader& scalar, const CoverOptions& options)
      : rules_(rules),
        scalar_(scalar),
        term_(scalar.shader.values),
        options_(options),
        tile_options_{options.kind != CoverKind::kNaive, options.kind != CoverKind::kNoltis, options.fusion,
                      options.facts ? options.facts : ir::FactCallback(ir::FactsOfNodes)},
        builder_(rules, scalar, tile_options_),
        best_(term_.nodes.size()),
        charge_(term_.nodes.size(), 0) {}

  absl::StatusOr<Cover> Run() {
    const std::vector<bool> none;
    RunBottomUp(none, none);
    MarkTopDown();
    if (options_.kind == CoverKind::kNoltis) Improve();
    return Finish();
  }

 private:
  bool IsOp(ir::NodeIndex n) const { return term_.at(n).kind == ir::NodeKind::kOp; }
  bool Shared(ir::NodeIndex n) const { return scalar_.uses[n] > 1; }

  // Returns the distinct values that `tile` reads. The readers of a shared value divide the cost below it. If each
  // reader were charged the full cost, as in the paper, costs would grow exponentially with the depth of sharing and
  // exceed the precision of a double.
  std::vector<Leaf> LeavesOf(const Tile& tile) const {
    std::vector<std::pair<ir::NodeIndex, double>> open = {{tile.root, 1.0}};
    std::vector<ir::NodeIndex> inner = tile.inner;
    std::vector<Leaf> leaves;
    for (size_t at = 0; at < open.size(); ++at) {
      const auto [index, share] = open[at];
      for (const ir::Source& source : term_.at(index).sources) {
        if (!IsOp(source.node)) continue;
        const double below = Shared(source.node) ? share / scalar_.uses[source.node] : share;
        const auto found = std::find(inner.begin(), inner.end(), source.node);
        if (found != inner.end()) {
          inner.erase(found);
          open.emplace_back(source.node, below);
        } else if (std::find(tile.inner.begin(), tile.inner.end(), source.node) == tile.inner.end() &&
                   Reads(tile, source.node)) {
          const bool known =
              std::any_of(leaves.begin(), leaves.end(), [&](const Leaf& leaf) { return leaf.node == source.node; });
          if (!known) leaves.push_back({source.node, share});
        }
      }
    }
    return leaves;
  }

  static bool Reads(const Tile& tile, ir::NodeIndex node) {
    return std::any_of(tile.operands.begin(), tile.operands.end(), [&](const auto& entry) {
      return entry.second.kind == TileOperand::kValue && entry.second.node == node;
    });
  }

  double CostBelow(const Tile& tile) const {
    double cost = 0;
    if (options_.kind == CoverKind::kTree) {
      // Trees end at shared values, so the cost below a shared value is counted only once, in its own tree.
      for (const auto& [name, operand] : tile.operands) {
        if (operand.kind == TileOperand::kValue && !operand.below_shared) cost += charge_[operand.node];
      }
      return cost;
    }
    for (const Leaf& leaf : LeavesOf(tile)) cost += leaf.share * charge_[leaf.node];
    return cost;
  }

  // Selects the cheapest tile at `n`, and records the cost that each reader of `n` is charged.
  void Choose(ir::NodeIndex n, std::vector<Tile> tiles) {
    double least = kNever;
    size_t chosen = 0;
    double below = 0;
    candidates_ += tiles.size();
    for (size_t i = 0; i < tiles.size(); ++i) {
      const double under = CostBelow(tiles[i]);
      if (tiles[i].own_cost + under < least - 1e-9) least = tiles[i].own_cost + under, chosen = i, below = under;
    }
    if (tiles.empty()) {
      best_[n].reset();
      charge_[n] = 0;  // Tiles cannot change the cost of an opaque value.
      return;
    }
    best_[n] = std::make_unique<Tile>(std::move(tiles[chosen]));
    if (options_.kind == CoverKind::kTree) {
      charge_[n] = Shared(n) ? CostOf(rules_.machine(), best_[n]->code) : best_[n]->own_cost + below;
      return;
    }
    charge_[n] = best_[n]->own_cost + (Shared(n) ? below / scalar_.uses[n] : below);
  }

  // Runs bottom-up dynamic programming. In the second pass, tiles do not cover values in `fixed`, and only nodes in
  // `again` are recomputed (all nodes if `again` is empty).
  void RunBottomUp(const std::vector<bool>& fixed, const std::vector<bool>& again) {
    for (ir::NodeIndex n = 0; n < term_.nodes.size(); ++n) {
      if (!IsOp(n) || scalar_.uses[n] == 0) continue;
      if (!again.empty() && !again[n]) continue;
      Choose(n, builder_.TilesAt(n, fixed));
    }
  }

  // Marks the selected tiles top-down from the needed values.
  void MarkTopDown() {
    needed_.assign(term_.nodes.size(), false);
    covering_.assign(term_.nodes.size(), {});
    for (ir::NodeIndex n = 0; n < term_.nodes.size(); ++n) needed_[n] = scalar_.outside_uses[n] > 0;
    for (ir::NodeIndex n = static_cast<ir::NodeIndex>(term_.nodes.size()); n-- > 0;) {
      if (!needed_[n] || !IsOp(n)) continue;
      if (best_[n] == nullptr) {
        for (const ir::Source& source : term_.at(n).sources) needed_[source.node] = true;
        continue;
      }
      covering_[n].push_back(n);
      for (const ir::NodeIndex inner : best_[n]->inner) covering_[inner].push_back(n);
      for (const auto& [name, operand] : best_[n]->operands) needed_[operand.node] = true;
    }
  }

  // Returns the results of ops that `tile` reads below `through`, which is its root or an inner node.
  std::vector<ir::NodeIndex> LeavesThrough(const Tile& tile, ir::NodeIndex through) const {
    std::vector<ir::NodeIndex> open = {through}, leaves;
    for (size_t at = 0; at < open.size(); ++at) {
      for (const ir::Source& source : term_.at(open[at]).sources) {
        const bool inside = std::find(tile.inner.begin(), tile.inner.end(), source.node) != tile.inner.end();
        if (inside && std::find(open.begin(), open.end(), source.node) == open.end()) open.push_back(source.node);
        if (!inside && IsOp(source.node) && Reads(tile, source.node) &&
            std::find(leaves.begin(), leaves.end(), source.node) == leaves.end()) {
          leaves.push_back(source.node);
        }
      }
    }
    return leaves;
  }

  // Returns the cost of the tiles that cover `n`, with the cost below n counted once.
  double OverlapCost(ir::NodeIndex n) const {
    double cost = 0;
    std::vector<ir::NodeIndex> below;
    for (const ir::NodeIndex root : covering_[n]) {
      cost += best_[root]->own_cost;
      for (const ir::NodeIndex leaf : LeavesThrough(*best_[root], n)) {
        if (std::find(below.begin(), below.end(), leaf) == below.end()) below.push_back(leaf);
      }
    }
    for (const ir::NodeIndex leaf : below) cost += charge_[leaf];
    return cost;
  }

  // Returns the cost of computing `n` once and reading it in the tiles that covered it.
  double SplitCost(ir::NodeIndex n) {
    if (best_[n] == nullptr) return kNever;
    alone_.resize(term_.nodes.size(), false);
    alone_[n] = true;
    double cost = best_[n]->own_cost;
    for (const ir::NodeIndex leaf : LeavesThrough(*best_[n], n)) cost += charge_[leaf];
    for (const ir::NodeIndex root : covering_[n]) {
      if (root == n) continue;
      double cheapest = kNever;
      for (const Tile& tile : builder_.TilesAt(root, alone_)) {
        double with = tile.own_cost;
        for (const ir::NodeIndex leaf : LeavesThrough(tile, root)) with += leaf == n ? 0 : charge_[leaf];
        cheapest = std::min(cheapest, with);
      }
      // The covering tile reads its other values in either case.
      const std::vector<ir::NodeIndex> through = LeavesThrough(*best_[root], n);
      for (const ir::NodeIndex leaf : LeavesThrough(*best_[root], root)) {
        if (std::find(through.begin(), through.end(), leaf) == through.end()) cheapest -= charge_[leaf];
      }
      cost += cheapest;
    }
    alone_[n] = false;
    return cost;
  }

  // Fixes shared values that are cheaper to compute once, and selects new tiles above them.
  void Improve() {
    std::vector<bool> fixed(term_.nodes.size(), false);
    for (ir::NodeIndex n = 0; n < term_.nodes.size(); ++n) {
      if (covering_[n].size() < 2 || !Shared(n)) continue;
      if (SplitCost(n) < OverlapCost(n) - 1e-9) fixed[n] = true, ++fixed_count_;
    }
    if (fixed_count_ == 0) return;
    RunBottomUp(fixed, Above(fixed));
    MarkTopDown();
  }

  // Marks the fixed nodes and the nodes above them, because their costs have changed.
  std::vector<bool> Above(const std::vector<bool>& fixed) const {
    std::vector<bool> above = fixed;
    for (ir::NodeIndex n = 0; n < term_.nodes.size(); ++n) {
      for (const ir::Source& source : term_.at(n).sources) above[n] = above[n] || above[source.node];
    }
    return above;
  }

  absl::StatusOr<Cover> Finish() {
    Cover cover;
    cover.needed = std::move(needed_);
    cover.tile_of.assign(term_.nodes.size(), -1);
    cover.candidates = candidates_;
    cover.fixed = fixed_count_;
    for (ir::NodeIndex n = 0; n < term_.nodes.size(); ++n) {
      if (!cover.needed[n] || !IsOp(n)) continue;
      if (best_[n] == nullptr) {
        const std::string what = absl::StrCat(term_.at(n).op->name, " of ", term_.at(n).bits, " bits");
        if (!options_.allow_uncovered) {
          return absl::UnimplementedError(absl::StrCat(rules_.machine().id(), " has no rule for ", what));
        }
        ++cover.uncovered[what];
        continue;
      }
      cover.tile_of[n] = static_cast<int>(cover.tiles.size());
      cover.cost += CostOf(rules_.machine(), best_[n]->code);
      cover.tiles.push_back(std::move(*best_[n]));
    }
    return cover;
  }

  const RuleSet& rules_;
  const ScalarShader& scalar_;
  const ir::Term& term_;
  const CoverOptions& options_;
  const TileOptions tile_options_;
  TileBuilder builder_;
  std::vector<std::unique_ptr<Tile>> best_;  // Indexed by node.
  std::vector<double> charge_;               // The cost that each reader of a node is charged; indexed by node.
  std::vector<bool> needed_;
  std::vector<bool> alone_;                           // Scratch space of SplitCost; all false between calls.
  std::vector<std::vector<ir::NodeIndex>> covering_;  // The roots of the selected tiles that cover each node.
  uint64_t candidates_ = 0, fixed_count_ = 0;
};

}  // namespace

absl::StatusOr<Cover> CoverShader(const RuleSet& rules, const ScalarShader& scalar, const CoverOptions& options) {
  return Coverer(rules, scalar, options).Run();
}

}  // namespace rewrought::machine::select
