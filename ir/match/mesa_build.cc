#include "ir/match/mesa_build.h"

#include <map>
#include <utility>

#include "ir/match/matcher_model.h"
#include "ir/match/relation.h"
#include "ir/op_table.h"

namespace rewrought::ir {
namespace {

// Copies a term as a tree of ops over shared leaves, sources before users.
class TreeBuilder {
 public:
  TreeBuilder(const Term& from, const Node& root, Term* to, std::map<NodeIndex, NodeIndex>* leaves)
      : from_(from), matched_root_(root), to_(*to), leaves_(*leaves) {}

  NodeIndex Copy(NodeIndex index) {
    if (to_.nodes.size() > kMaxBuiltNodes) return 0;
    Node node = from_.at(index);
    if (node.kind != NodeKind::kOp) {
      const auto [leaf, added] = leaves_.try_emplace(index, static_cast<NodeIndex>(to_.nodes.size()));
      if (added) to_.nodes.push_back(std::move(node));
      return leaf->second;
    }
    const bool exact = (node.flags & kExact) != 0;
    node.flags = static_cast<uint8_t>((node.flags & (kExact | kInexact)) |
                                      FlagsOfBuiltNode(matched_root_, *node.op, node.bits, exact));
    for (Source& source : node.sources) source.node = Copy(source.node);
    to_.nodes.push_back(std::move(node));
    return static_cast<NodeIndex>(to_.nodes.size() - 1);
  }

 private:
  const Term& from_;
  const Node& matched_root_;
  Term& to_;
  std::map<NodeIndex, NodeIndex>& leaves_;
};

}  // namespace

BaseType TypeOfUse(const Term& term, absl::string_view variable) {
  for (const Node& node : term.nodes) {
    for (size_t k = 0; k < node.sources.size(); ++k) {
      const Node& source = term.nodes[node.sources[k].node];
      if (source.kind == NodeKind::kVariable && source.name == variable) return TypeReadByPredicates(*node.op, k);
    }
  }
  return BaseType::kUint;
}

void BuildAsMesa(const Term& search, Term* replace) {
  Term built;
  std::map<NodeIndex, NodeIndex> leaves;
  built.root = TreeBuilder(*replace, search.at(MatchedRoot(search)), &built, &leaves).Copy(replace->root);
  if (built.nodes.size() > kMaxBuiltNodes) built = Term{};
  *replace = std::move(built);
}

}  // namespace rewrought::ir
