#include "enumerator/block_compare.h"

#include <algorithm>
#include <bit>

#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

constexpr uint8_t kFlags = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;

uint8_t Look(uint32_t bits, int width, uint8_t denormal) {
  const ir::FloatFormat format = ir::FormatOf(width);
  const uint64_t magnitude = bits & format.magnitude_mask();
  if (magnitude == 0) return ir::kNoSignedZero;
  if (magnitude > format.infinity()) return ir::kNoNan;
  if (magnitude == format.infinity()) return ir::kNoInf;
  return magnitude <= format.smallest_normal() ? denormal : 0;
}

}  // namespace

absl::StatusOr<FragmentValues> FragmentValues::Create(const ir::Term& term, absl::Span<const std::string> variables,
                                                      absl::Span<const ValueSet> sets) {
  FragmentValues values;
  values.roots_.resize(kBlockKindCount);
  values.seen_.assign(kBlockKindCount, Seen{});
  values.root_bits_ = term.root_node().bits;
  const ir::Node& root = term.root_node();
  if (root.kind == ir::NodeKind::kOp) values.root_is_float_ = root.op->result.base == ir::BaseType::kFloat;
  // Which nodes are floats: results of float ops, and whatever a float op reads.
  std::vector<bool> is_float(term.nodes.size(), false);
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.at(static_cast<ir::NodeIndex>(i));
    if (node.kind != ir::NodeKind::kOp) continue;
    is_float[i] = node.op->result.base == ir::BaseType::kFloat;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      if (node.op->sources[k].base == ir::BaseType::kFloat) is_float[node.sources[k].node] = true;
    }
  }
  TapeScratch scratch;
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    const bool is_root = i == term.root;
    const int bits = term.at(static_cast<ir::NodeIndex>(i)).bits;
    if (!is_root && (!is_float[i] || !ir::IsFloatWidth(bits) || bits > 32)) continue;
    ir::Term part = term;
    part.root = static_cast<ir::NodeIndex>(i);
    part.nodes.resize(i + 1);
    absl::StatusOr<Tape> tape = CompileTerm(part, variables);
    if (!tape.ok()) {
      if (is_root) return tape.status();
      continue;
    }
    for (int block = 0; block < kBlockKindCount; ++block) {
      const LaneBlock* inputs[kMaxInputs] = {};
      for (size_t v = 0; v < sets.size(); ++v) {
        inputs[v] = &InputLanes(sets[v], static_cast<int>(v), static_cast<BlockKind>(block));
      }
      LaneBlock out;
      tape->Run(Kernels(), inputs, &out, &scratch);
      if (is_root) values.roots_[block] = out;
      if (!is_float[i]) continue;
      for (int lane = 0; lane < kLanes; ++lane)
        values.seen_[block].lane[lane] |= Look(out.lane[lane], bits, kDenormalSeen);
    }
  }
  return values;
}

std::vector<uint8_t> FragmentValues::FlagProposals(const std::function<LaneBlock(BlockKind)>& candidate) const {
  std::vector<uint8_t> needs;  // per differing lane: any of these flags explains it
  for (int block = 0; block < kBlockKindCount; ++block) {
    const LaneBlock values = candidate(static_cast<BlockKind>(block));
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t s = roots_[block].lane[lane], t = values.lane[lane];
      if (s == t) continue;
      uint8_t seen = seen_[block].lane[lane];
      if (root_is_float_ && ir::IsFloatWidth(root_bits_)) {
        if (ir::IsNan(s, root_bits_) && ir::IsNan(t, root_bits_)) continue;
        // What the candidate gives may be what a flag permits as well.
        seen |= Look(t, root_bits_, kDenormalSeen) & ~kDenormalSeen;
      }
      if (seen & kDenormalSeen) continue;
      if ((seen & kFlags) == 0) return {};
      needs.push_back(seen & kFlags);
    }
  }
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  std::vector<uint8_t> sets;
  for (uint8_t set = 0; set <= kFlags; ++set) {
    if ((set & ~kFlags) != 0) continue;
    if (std::all_of(needs.begin(), needs.end(), [&](uint8_t need) { return (need & set) != 0; })) sets.push_back(set);
  }
  std::stable_sort(sets.begin(), sets.end(), [](uint8_t x, uint8_t y) { return std::popcount(x) < std::popcount(y); });
  std::vector<uint8_t> minimal;
  for (const uint8_t set : sets) {
    const bool implied = std::any_of(minimal.begin(), minimal.end(), [&](uint8_t m) { return (m & ~set) == 0; });
    if (!implied) minimal.push_back(set);
  }
  return minimal;
}

}  // namespace rewrought::enumerator
