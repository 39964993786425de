#include "ir/match/relation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rewrought::ir {
namespace {

constexpr size_t kOfX = 0, kOfR = 1;  // the source indices of x and r in `where`

std::vector<bool> NodesBelow(const Term& term, NodeIndex root) {
  std::vector<bool> below(term.nodes.size(), false);
  below[root] = true;
  for (size_t i = root + 1; i-- > 0;) {
    if (!below[i]) continue;
    for (const Source& source : term.nodes[i].sources) below[source.node] = true;
  }
  return below;
}

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the relation of a search (`where`) ", what));
}

bool IsSymbolOf(const Term& search, const std::vector<bool>& in_x, const Node& variable) {
  if (!variable.constant_only) return false;
  for (size_t i = 0; i < search.nodes.size(); ++i) {
    const Node& node = search.nodes[i];
    if (in_x[i] && node.kind == NodeKind::kVariable && node.name == variable.name) return node.constant_only;
  }
  return false;
}

// Returns whether the literal is an integer with the same value in all components, as all constants in r must be.
bool IsInteger(const Node& literal) {
  bool same = literal.literal != LiteralKind::kFloat && literal.predicates.empty();
  for (int c = 1; literal.literal == LiteralKind::kBits && c < literal.components; ++c) {
    same = same && literal.values[c] == literal.values[0];
  }
  return same;
}

absl::Status CheckNode(const Term& search, const std::vector<bool>& in_x, const Node& node) {
  switch (node.kind) {
    case NodeKind::kVariable:
      if (IsSymbolOf(search, in_x, node)) return absl::OkStatus();
      return Malformed(absl::StrCat("reads '", node.name, "', which is not a `#` variable of the search"));
    case NodeKind::kConstant:
      return IsInteger(node) ? absl::OkStatus() : Malformed("has a literal that is not an integer");
    case NodeKind::kOp:
      break;
  }
  if (const std::string why = WhyUnfitForRelation(*node.op); !why.empty()) {
    return Malformed(absl::StrCat("has ", node.op->name, ", which ", why));
  }
  for (const Source& source : node.sources) {
    if (source.swizzle != kIdentitySwizzle) return Malformed("has a swizzle");
  }
  const bool plain = node.flags == 0 && node.write_mask == kWritesAll;
  return plain ? absl::OkStatus() : Malformed("has an op with flags or a write mask");
}

}  // namespace

const OpRow& WhereRow() {
  static const OpRow& row = *new OpRow{.name = std::string(kWhere),
                                       .result = {BaseType::kUint},
                                       .sources = {{BaseType::kUint}, {BaseType::kBool, 1}},
                                       .meaning = "a",
                                       .poison = "(not b)",
                                       .reference = "docs/decisions/packs.md"};
  return row;
}

bool IsWhere(const Node& node) { return node.kind == NodeKind::kOp && node.op == &WhereRow(); }

bool HasRelation(const Term& search) { return !search.nodes.empty() && IsWhere(search.root_node()); }

NodeIndex MatchedRoot(const Term& search) {
  return HasRelation(search) ? search.root_node().sources[kOfX].node : search.root;
}

Term Matched(const Term& search) {
  if (!HasRelation(search)) return search;
  Term matched = search;
  matched.root = MatchedRoot(search);
  matched.nodes.resize(matched.root + 1);  // sources precede users, and r follows x (CheckRelation)
  return matched;
}

Term RelationOf(const Term& search) {
  Term relation;
  if (!HasRelation(search)) return relation;
  const std::vector<bool> wanted = NodesOfRelation(search);
  std::vector<NodeIndex> place(search.nodes.size());
  for (NodeIndex i = 0; i < search.nodes.size(); ++i) {
    if (!wanted[i]) continue;
    Node node = search.nodes[i];
    for (Source& source : node.sources) source.node = place[source.node];
    place[i] = static_cast<NodeIndex>(relation.nodes.size());
    relation.nodes.push_back(std::move(node));
  }
  relation.root = place[search.root_node().sources[kOfR].node];
  return relation;
}

Term WithRelation(Term matched, const Term& relation) {
  if (relation.nodes.empty()) return matched;
  const auto first = static_cast<NodeIndex>(matched.nodes.size());
  for (Node node : relation.nodes) {
    for (Source& source : node.sources) source.node += first;
    matched.nodes.push_back(std::move(node));
  }
  Node where;
  where.kind = NodeKind::kOp;
  where.op = &WhereRow();
  where.bits = matched.root_node().bits;
  where.components = matched.root_node().components;
  where.sources = {{matched.root}, {first + relation.root}};
  matched.root = static_cast<NodeIndex>(matched.nodes.size());
  matched.nodes.push_back(std::move(where));
  return matched;
}

std::vector<bool> NodesOfRelation(const Term& search) {
  if (!HasRelation(search)) return std::vector<bool>(search.nodes.size(), false);
  return NodesBelow(search, search.root_node().sources[kOfR].node);
}

std::string WhyUnfitForRelation(const OpRow& op) {
  if (&op == &WhereRow()) return "can only enclose a whole search";
  const auto is_float = [](const OperandType& type) { return type.base == BaseType::kFloat; };
  const auto is_wide_bool = [](const OperandType& type) { return type.base == BaseType::kBool && type.bits != 1; };
  const auto is_vector = [](const OperandType& type) { return type.components != 0; };
  const auto any = [&](const auto& is) {
    return is(op.result) || std::any_of(op.sources.begin(), op.sources.end(), is);
  };
  if (any(is_float)) return "works on floats, which devices may flush; compare integers";
  if (op.contract != Contract::kBits || !op.free_zero.empty()) return "may have more than one result";
  if (!op.poison.empty()) return "is undefined for some operands; use an op that is always defined";
  // A Boolean in a shader is 0 or all ones, but a constant may have other bits.
  if (any(is_wide_bool)) return "reads or returns a Boolean of more than 1 bit; use the 1-bit variant";
  if (any(is_vector)) return "does not work per component";
  if (op.meaning.empty()) return "has no size; write the size, as in u2u32";
  return "";
}

absl::Status CheckRelation(const Term& search) {
  if (!HasRelation(search)) return CheckNoRelation(search);
  const Node& where = search.root_node();
  const NodeIndex matched = MatchedRoot(search);
  for (size_t i = 0; i < search.nodes.size(); ++i) {
    if (i != search.root && IsWhere(search.nodes[i])) return Malformed("is nested in another relation");
  }
  const bool plain = where.flags == 0 && where.predicates.empty() && where.write_mask == kWritesAll &&
                     where.sources.size() == 2 && where.sources[kOfX].swizzle == kIdentitySwizzle &&
                     where.sources[kOfR].swizzle == kIdentitySwizzle;
  if (!plain) return Malformed("has flags, predicates or a swizzle of its own");
  if (search.nodes[matched].kind != NodeKind::kOp) return Malformed("encloses a bare value instead of an op");
  if (search.nodes[where.sources[kOfR].node].kind != NodeKind::kOp)
    return Malformed("is a bare value instead of an op");
  const std::vector<bool> in_x = NodesBelow(search, matched), in_r = NodesOfRelation(search);
  for (size_t i = 0; i < search.nodes.size(); ++i) {
    if (i <= matched && !in_x[i]) return Malformed("precedes the matched term");
    if (!in_r[i]) continue;
    if (absl::Status status = CheckNode(search, in_x, search.nodes[i]); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckNoRelation(const Term& term) {
  if (std::none_of(term.nodes.begin(), term.nodes.end(), IsWhere)) return absl::OkStatus();
  return absl::InvalidArgumentError("`where` may only enclose a rule's whole search");
}

}  // namespace rewrought::ir
