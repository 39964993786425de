#include "emitter/pass/automaton.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "emitter/pass/pass_order.h"

namespace rewrought::emitter {
namespace {

constexpr uint64_t kMaxStates = 65535;

// Sizes of the generated C, measured on the output of Mesa 25.0.7's generator. The generator writes a repeated value
// once and then refers to it by name. Nearly all variables and constants, and some ops, are repeated.
constexpr uint64_t kOpBytes = 230, kLeafBytes = 50;
constexpr uint64_t kTableLine = 11, kOffsetLine = 5, kTransformLine = 21, kSentinelLine = 35;
constexpr uint64_t kFixedBytes = 2500, kTupleBytes = 280;

// Processor time of python3 in seconds, fitted to packs of 20 to 196 rules (docs/decisions/packs.md): per combination
// of sub-patterns, per entry, per byte, and at startup.
constexpr double kPairing = 0.09e-6, kEntry = 5e-6, kByte = 0.03e-6, kStart = 0.15;

uint64_t Digits(uint64_t number) {
  uint64_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

using ItemId = uint32_t;
using ItemSet = std::vector<ItemId>;  // Sorted.
constexpr ItemId kWildcard = 0, kConstant = 1;

// A sub-pattern, reduced to the properties that the automaton distinguishes. The matcher checks constants, variable
// names, and conditions later.
struct Shape {
  std::vector<ItemId> children;
  ItemId item = 0;
};

struct Op {
  std::vector<Shape> shapes;  // Both operand orders if the op is commutative.
  size_t sources = 0;
  std::vector<ItemSet> filtered;  // Sets of relevant sub-patterns below this op, by number.
  std::map<ItemSet, uint32_t> numbers;
  size_t done = 0;               // The number of elements of `filtered` that the table covers.
  std::vector<uint32_t> filter;  // Indices into `filtered`, by state.
  uint64_t filter_bytes = 0;
  // Indexed by source and set number: a bit set of the shapes whose sub-pattern at the source is in the set.
  std::vector<std::vector<std::vector<uint64_t>>> fits;
};

class Builder {
 public:
  explicit Builder(const TableLimits& limits) : limits_(limits) {
    parents_.resize(2);
    roots_.resize(2);
  }

  TableFigures Count(const std::vector<SearchPattern>& patterns) {
    for (const SearchPattern& pattern : patterns) {
      std::set<ir::NodeIndex> seen;
      const ItemId root = ItemOf(pattern.rule->search, pattern.rule->search.root, &seen);
      roots_[root] += pattern.copies;
      figures_.tuples += pattern.copies;
      bytes_ += pattern.copies * (kTupleBytes + ValueBytes(pattern.rule->search) + ValueBytes(pattern.rule->replace));
    }
    bytes_ += kFixedBytes;
    AddState({kWildcard});
    AddState({kWildcard, kConstant});
    bool more = true;
    while (more && figures_.complete) {
      FilterNewStates();
      more = false;
      for (auto& [name, op] : ops_) {
        if (op.done == op.filtered.size()) continue;
        more = true;
        Extend(op);
        if (!figures_.complete) break;
      }
    }
    return Sum();
  }

 private:
  // Returns the item of a value. `seen` contains the variables that occurred earlier; only a variable's first
  // occurrence has marks.
  ItemId ItemOf(const ir::Term& term, ir::NodeIndex index, std::set<ir::NodeIndex>* seen) {
    const ir::Node& node = term.nodes[index];
    if (node.kind == ir::NodeKind::kConstant) return kConstant;
    if (node.kind == ir::NodeKind::kVariable) {
      return seen->insert(index).second && node.constant_only ? kConstant : kWildcard;
    }
    std::vector<ItemId> children;
    for (const ir::Source& source : node.sources) children.push_back(ItemOf(term, source.node, seen));
    const bool commutes = (node.op->properties & ir::kCommutative) && children.size() >= 2;
    if (commutes && children[0] > children[1]) std::swap(children[0], children[1]);
    const std::string name = OrderName(node.op->name);
    const auto [place, is_new] = items_.try_emplace({name, children}, static_cast<ItemId>(parents_.size()));
    const ItemId item = place->second;
    if (!is_new) return item;
    parents_.emplace_back();
    roots_.push_back(0);
    Op& op = ops_[name];
    op.sources = children.size();
    for (const ItemId child : children) parents_[child].insert(name);
    op.shapes.push_back({children, item});
    if (commutes && children[0] != children[1]) {
      std::swap(children[0], children[1]);
      op.shapes.push_back({children, item});
    }
    return item;
  }

  // Returns the size of a side's values in the generated C, in which the side is a tree.
  static uint64_t ValueBytes(const ir::Term& term) { return ValueBytes(term, term.root); }
  static uint64_t ValueBytes(const ir::Term& term, ir::NodeIndex index) {
    const ir::Node& node = term.nodes[index];
    if (node.kind != ir::NodeKind::kOp) return kLeafBytes;
    uint64_t bytes = kOpBytes;
    for (const ir::Source& source : node.sources) bytes += ValueBytes(term, source.node);
    return bytes;
  }

  uint64_t AddState(ItemSet state) {
    const auto [place, is_new] = numbers_.try_emplace(std::move(state), states_.size());
    if (is_new) states_.push_back(place->first);
    return place->second;
  }

  void FilterNewStates() {
    for (; filtered_states_ < states_.size(); ++filtered_states_) {
      const ItemSet state = states_[filtered_states_];
      uint64_t matches = 0;
      for (const ItemId item : state) matches += roots_[item];
      bytes_ += kOffsetLine + Digits(transforms_);
      if (matches > 0) {
        bytes_ += matches * kTransformLine + kSentinelLine;
        transforms_ += matches + 1;
      }
      for (auto& [name, op] : ops_) {
        ItemSet kept;
        for (const ItemId item : state) {
          if (parents_[item].contains(name)) kept.push_back(item);
        }
        const auto [place, is_new] = op.numbers.try_emplace(kept, static_cast<uint32_t>(op.filtered.size()));
        if (is_new) {
          op.filtered.push_back(kept);
          AddFits(op, kept);
        }
        op.filter_bytes += kTableLine + Digits(place->second);
      }
    }
  }

  static void AddFits(Op& op, const ItemSet& kept) {
    op.fits.resize(op.sources);
    for (size_t source = 0; source < op.sources; ++source) {
      std::vector<uint64_t> bits((op.shapes.size() + 63) / 64);
      for (size_t i = 0; i < op.shapes.size(); ++i) {
        if (std::binary_search(kept.begin(), kept.end(), op.shapes[i].children[source])) {
          bits[i / 64] |= uint64_t{1} << (i % 64);
        }
      }
      op.fits[source].push_back(std::move(bits));
    }
  }

  // Adds the entries in which the set of at least one source is new.
  void Extend(Op& op) {
    const size_t end = op.filtered.size();
    std::vector<size_t> at(op.sources, 0);
    for (;;) {
      if (std::any_of(at.begin(), at.end(), [&](size_t number) { return number >= op.done; })) AddEntry(op, at);
      if (!figures_.complete) return;
      size_t source = op.sources;
      while (source > 0 && ++at[source - 1] == end) at[--source] = 0;
      if (source == 0) break;
    }
    op.done = end;
  }

  void AddEntry(const Op& op, const std::vector<size_t>& at) {
    std::vector<uint64_t> fit = op.fits[0][at[0]];
    double pairings = static_cast<double>(op.filtered[at[0]].size());
    for (size_t source = 1; source < op.sources; ++source) {
      const std::vector<uint64_t>& other = op.fits[source][at[source]];
      for (size_t word = 0; word < fit.size(); ++word) fit[word] &= other[word];
      pairings *= static_cast<double>(op.filtered[at[source]].size());
    }
    ItemSet state = {kWildcard};
    for (size_t i = 0; i < op.shapes.size(); ++i) {
      if (fit[i / 64] >> (i % 64) & 1) state.push_back(op.shapes[i].item);
    }
    std::sort(state.begin(), state.end());
    state.erase(std::unique(state.begin(), state.end()), state.end());
    ++figures_.entries;
    pairings_ += pairings;
    bytes_ += kTableLine + Digits(AddState(std::move(state)));
    if (states_.size() > kMaxStates || bytes_ > limits_.bytes || Seconds() > limits_.seconds) figures_.complete = false;
  }

  double Seconds() const {
    return kStart + kPairing * pairings_ + kEntry * static_cast<double>(figures_.entries) +
           kByte * static_cast<double>(bytes_);
  }

  TableFigures Sum() {
    figures_.states = states_.size();
    for (const auto& [name, op] : ops_) {
      if (op.filtered.size() > 1) bytes_ += op.filter_bytes;  // Mesa omits a table that contains only zeros.
    }
    figures_.bytes = bytes_;
    figures_.seconds = Seconds();
    return figures_;
  }

  const TableLimits limits_;
  std::map<std::pair<std::string, std::vector<ItemId>>, ItemId> items_;
  std::vector<std::set<std::string>> parents_;  // By item: the ops directly above.
  std::vector<uint64_t> roots_;                 // By item: the number of tuples whose whole search side is this item.
  std::map<std::string, Op> ops_;
  std::vector<ItemSet> states_;
  absl::flat_hash_map<ItemSet, uint64_t> numbers_;
  size_t filtered_states_ = 0;
  uint64_t bytes_ = 0, transforms_ = 1;
  double pairings_ = 0;
  TableFigures figures_;
};

}  // namespace

TableFigures CountTables(const std::vector<SearchPattern>& patterns, const TableLimits& limits) {
  return Builder(limits).Count(patterns);
}

bool Within(const TableFigures& figures, const TableLimits& limits) {
  return figures.complete && figures.bytes <= limits.bytes && figures.seconds <= limits.seconds &&
         figures.states <= kMaxStates;
}

}  // namespace rewrought::emitter
