#include "ir/fold.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/evaluate.h"
#include "ir/scalar.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {
namespace {

std::optional<uint64_t> ValueOf(const Term& term, const Node& op) {
  Term alone;
  Node root = op;
  root.flags = 0;
  for (size_t s = 0; s < op.sources.size(); ++s) {
    Node literal = term.at(op.sources[s].node);
    if (literal.literal != LiteralKind::kBits) {
      literal.values[0] = LiteralBits(literal, literal.bits);
      literal.literal = LiteralKind::kBits;
    }
    alone.nodes.push_back(std::move(literal));
    root.sources[s] = Source{static_cast<NodeIndex>(s)};
  }
  alone.root = static_cast<NodeIndex>(alone.nodes.size());
  alone.nodes.push_back(std::move(root));
  Dag dag;
  const absl::StatusOr<ChoiceTerm> lowered = LowerWithChoices(&dag, alone, DenormMode::kPreserve, 0);
  if (!lowered.ok()) return std::nullopt;
  const AllowedSet allowed = AllowedResults(dag, *lowered, {}, 2);
  if (allowed.results.empty() || allowed.results[0].size() != 1) return std::nullopt;
  switch (allowed.results[0][0].kind) {
    case AllowedKind::kValue:
      return allowed.results[0][0].value;
    case AllowedKind::kAnyNan:
      return IsFloatWidth(op.bits) ? std::optional(FormatOf(op.bits).quiet_nan()) : std::nullopt;
    case AllowedKind::kAnyValue:
      return 0;
  }
  return std::nullopt;
}

}  // namespace

bool FoldConstant(Term* term, NodeIndex index) {
  Node& node = term->nodes[index];
  if (node.kind != NodeKind::kOp || node.components != 1) return false;
  const bool constant = std::all_of(node.sources.begin(), node.sources.end(), [&](const Source& source) {
    return term->at(source.node).kind == NodeKind::kConstant && term->at(source.node).components == 1;
  });
  const std::optional<uint64_t> value = constant ? ValueOf(*term, node) : std::nullopt;
  if (!value.has_value()) return false;
  Node literal;
  literal.kind = NodeKind::kConstant;
  literal.bits = node.bits;
  literal.values[0] = *value;
  node = std::move(literal);
  return true;
}

Term FoldConstants(Term term) {
  for (NodeIndex i = 0; i < term.nodes.size(); ++i) FoldConstant(&term, i);
  return term;
}

}  // namespace rewrought::ir
