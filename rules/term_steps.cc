#include "rules/term_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/fold.h"
#include "ir/match/relation.h"
#include "ir/text/predicates.h"
#include "ir/text/sizes.h"

namespace rewrought::rules {
namespace {

// Returns true unless the term shows that the predicate is false.
bool MayHold(const ir::PredicateQuery& query) {
  const ir::Node& node = query.term->nodes[query.value.node];
  const bool constant = node.kind == ir::NodeKind::kConstant;
  const bool fmul = node.kind == ir::NodeKind::kOp && node.op->name == "fmul";
  if (query.predicate == "is_not_const" || query.predicate == "is_not_const_and_not_fsign") return !constant;
  if (query.predicate == "is_fmul") return fmul;
  if (query.predicate == "is_not_fmul") return !fmul;
  const ir::PredicateInfo* info = ir::FindPredicate(query.predicate);
  return info == nullptr || info->kind != ir::PredicateKind::kConstant || constant;
}

// Returns a source that reads `replacement` the way `use` reads the replaced value.
ir::Source Through(const ir::Source& use, const ir::Source& replacement) {
  ir::Source result = replacement;
  for (size_t i = 0; i < result.swizzle.size(); ++i) result.swizzle[i] = replacement.swizzle[use.swizzle[i]];
  return result;
}

void Step(const ir::CompiledRule& rule, const ir::Term& term, ir::NodeIndex root, const ir::Match& match,
          const std::function<void(const ir::Term&)>& visit) {
  ir::Term rewritten = term;
  const std::optional<ir::Source> value = ir::ApplyReplacement(rule, match, &rewritten);
  if (!value.has_value()) return;
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    for (ir::Source& source : rewritten.nodes[i].sources) {
      if (source.node == root && i != root) source = Through(source, *value);
    }
  }
  if (rewritten.root == root) {
    if (value->swizzle != ir::kIdentitySwizzle) return;  // a copy of some components: no op remains to rewrite
    rewritten.root = value->node;
  }
  visit(ir::FoldConstants(Sorted(rewritten)));
}

}  // namespace

void CopyBelow(const ir::Term& from, ir::NodeIndex index, std::map<ir::NodeIndex, ir::NodeIndex>* moved, ir::Term* to) {
  if (moved->contains(index)) return;
  ir::Node node = from.nodes[index];
  for (ir::Source& source : node.sources) {
    CopyBelow(from, source.node, moved, to);
    source.node = moved->at(source.node);
  }
  (*moved)[index] = static_cast<ir::NodeIndex>(to->nodes.size());
  to->nodes.push_back(std::move(node));
}

ir::Term Sorted(const ir::Term& term) {
  ir::Term sorted;
  std::map<ir::NodeIndex, ir::NodeIndex> moved;
  CopyBelow(term, term.root, &moved, &sorted);
  sorted.root = moved.at(term.root);
  return sorted;
}

ir::Term WithSamples(ir::Term term) {
  uint64_t sample = 3;
  for (ir::Node& node : term.nodes) {
    node.predicates.clear();
    node.flags = 0;
    if (node.kind != ir::NodeKind::kVariable) continue;
    node.typed = false;
    if (!node.constant_only) continue;
    node.kind = ir::NodeKind::kConstant;
    node.constant_only = false;
    node.name.clear();
    node.literal = ir::LiteralKind::kBits;
    const uint64_t one = node.bits == 64   ? 0x3ff0000000000000u
                         : node.bits == 32 ? 0x3f800000u
                         : node.bits == 16 ? 0x3c00u
                                           : 0u;
    node.values.fill(node.bits == 1 ? sample & 1 : one + sample);
    sample += 2;
  }
  return term;
}

std::vector<ir::Term> SearchTerms(const ir::Rule& rule) {
  std::vector<ir::Term> terms;
  const auto assignments = ir::EnumerateSizes(rule);
  if (!assignments.ok()) return terms;
  for (size_t i = 0; i < std::min(kSizesTried, assignments->size()); ++i) {
    const auto at_sizes = ir::Instantiate(rule, (*assignments)[i]);
    if (at_sizes.ok()) terms.push_back(WithSamples(ir::Matched(at_sizes->search)));
  }
  return terms;
}

void ForEachStep(const ir::CompiledRule& rule, const ir::Term& term, ir::NodeIndex root,
                 const std::function<void(const ir::Term&)>& visit) {
  static const ir::MatchOptions* const options = [] {
    auto* made = new ir::MatchOptions;
    made->facts = &MayHold;
    return made;
  }();
  // The driver may choose any order of operands.
  for (const ir::Match& match : ir::MatchesAt(rule, term, root, *options)) Step(rule, term, root, match, visit);
}

}  // namespace rewrought::rules
