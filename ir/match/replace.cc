// Implements the part of ir/match/match.h that builds replacements.
#include <map>
#include <tuple>
#include <utility>

#include "ir/match/match.h"
#include "ir/text/generic_ops.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {

class Replacer {
 public:
  Replacer(const CompiledRule& rule, const Match& match, Term* term)
      : rule_(rule), match_(match), term_(term), first_new_(term->nodes.size()), root_(term->nodes[match.root]) {}

  std::optional<Source> Run() {
    const Term& replace = rule_.rule_.replace;
    Source value;
    if (Build({replace.root, kIdentitySwizzle}, root_.components, &value)) return value;
    term_->nodes.resize(first_new_);
    return std::nullopt;
  }

 private:
  int BitsOf(NodeIndex node) const {
    const SizeOrigin& origin = rule_.origins_[node];
    switch (origin.kind) {
      case SizeOrigin::kFixed:
        return origin.bits;
      case SizeOrigin::kVariable:
        return term_->nodes[match_.variables[origin.variable].node].bits;
      case SizeOrigin::kRoot:
        return root_.bits;
    }
    return 0;
  }

  // Sets `value` so that its first `components` lanes are the lanes that `use` reads.
  bool Build(const Source& use, int components, Source* value) {
    const Node& node = rule_.rule_.replace.nodes[use.node];
    switch (node.kind) {
      case NodeKind::kVariable:
        return BuildVariable(node, use, components, value);
      case NodeKind::kConstant:
        BuildLiteral(node, use, components, value);
        return true;
      case NodeKind::kOp:
        return BuildOp(node, use, components, value);
    }
    return false;
  }

  bool BuildVariable(const Node& node, const Source& use, int components, Source* value) const {
    for (size_t i = 0; i < rule_.variables_.size(); ++i) {
      if (rule_.variables_[i] != node.name) continue;
      const Binding& binding = match_.variables[i];
      value->node = binding.node;
      value->swizzle = kIdentitySwizzle;
      bool whole = true;
      for (int lane = 0; lane < components; ++lane) {
        value->swizzle[lane] = binding.lanes[use.swizzle[lane]];
        if (value->swizzle[lane] == kUnboundLane) return false;
        whole = whole && value->swizzle[lane] == lane;
      }
      // Unread lanes repeat the last read lane, as in rule text.
      for (int lane = components; !whole && lane < kMaxComponents; ++lane)
        value->swizzle[lane] = value->swizzle[lane - 1];
      return binding.bound;
    }
    return false;
  }

  void BuildLiteral(const Node& literal, const Source& use, int components, Source* value) {
    Node node;
    node.kind = NodeKind::kConstant;
    node.bits = static_cast<uint8_t>(BitsOf(use.node));
    node.components = static_cast<uint8_t>(components);
    const bool is_pattern = literal.literal == LiteralKind::kBits;
    for (int lane = 0; lane < components; ++lane) {
      node.values[lane] = is_pattern ? literal.values[use.swizzle[lane]] : BuiltLiteralBits(literal, node.bits);
    }
    *value = {static_cast<NodeIndex>(term_->nodes.size()), kIdentitySwizzle};
    term_->nodes.push_back(std::move(node));
  }

  bool BuildOp(const Node& from, const Source& use, int components, Source* value) {
    // Build a per-component op only for the lanes that are read. Build an op with a fixed number of result components
    // completely, and read it through a swizzle.
    const bool per_component = from.op->result.components == 0;
    value->swizzle = per_component ? kIdentitySwizzle : use.swizzle;
    const int built = per_component ? components : from.op->result.components;
    // If a per-component op is read through a swizzle, lane i of the op is computed from lane swizzle[i] of its
    // sources.
    const Swizzle lanes = per_component ? use.swizzle : kIdentitySwizzle;
    const auto key = std::make_tuple(use.node, built, lanes);
    const auto known = built_.find(key);
    if (known != built_.end()) {
      value->node = known->second;
      return true;
    }
    Node node;
    node.kind = NodeKind::kOp;
    node.bits = static_cast<uint8_t>(BitsOf(use.node));
    node.components = static_cast<uint8_t>(built);
    node.op = IsGenericConversion(from.op) ? SizedConversion(from.op, node.bits, rule_.find_) : from.op;
    if (node.op == nullptr) return false;
    node.flags =
        static_cast<uint8_t>((from.flags & kExact) | (root_.flags & kPermissions) | (match_.has_exact ? kExact : 0));
    for (size_t k = 0; k < from.sources.size(); ++k) {
      Source wanted = from.sources[k];
      const int fixed = from.op->sources[k].components;
      for (int lane = 0; fixed == 0 && lane < built; ++lane)
        wanted.swizzle[lane] = from.sources[k].swizzle[lanes[lane]];
      Source source;
      if (!Build(wanted, fixed != 0 ? fixed : built, &source)) return false;
      node.sources.push_back(source);
    }
    value->node = static_cast<NodeIndex>(term_->nodes.size());
    built_.emplace(key, value->node);
    term_->nodes.push_back(std::move(node));
    return true;
  }

  const CompiledRule& rule_;
  const Match& match_;
  Term* term_;
  const size_t first_new_;
  const Node root_;  // a copy, because nodes are appended
  std::map<std::tuple<NodeIndex, int, Swizzle>, NodeIndex> built_;
};

std::optional<Source> ApplyReplacement(const CompiledRule& rule, const Match& match, Term* term) {
  return Replacer(rule, match, term).Run();
}

}  // namespace rewrought::ir
