#include "rules/sharing.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/term_order.h"
#include "ir/text/predicates.h"

namespace rewrought::rules {
namespace {

constexpr uint32_t kOfChains = ir::kCommutative | ir::kAssociative;

bool Has(const ir::Node& node, absl::string_view predicate) {
  return std::find(node.predicates.begin(), node.predicates.end(), predicate) != node.predicates.end();
}

// Returns the sorted names of the variables of `term`, or nullopt if the term is not a tree whose only op is `op`.
std::optional<std::vector<std::string>> LeavesOfOneOp(const ir::Term& term, const ir::OpRow* op) {
  std::vector<std::string> names;
  std::vector<ir::NodeIndex> open = {term.root};
  while (!open.empty()) {
    const ir::Node& node = term.at(open.back());
    open.pop_back();
    if (node.kind == ir::NodeKind::kConstant || (node.kind == ir::NodeKind::kOp && node.op != op)) return std::nullopt;
    if (node.kind == ir::NodeKind::kVariable) {
      names.push_back(node.name);
    } else {
      for (const ir::Source& source : node.sources) open.push_back(source.node);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Builds a term in which every op is a copy of `op` without its flags and predicates.
class Tree {
 public:
  explicit Tree(const ir::Node& op) : op_(op) {
    op_.flags = 0;
    op_.predicates.clear();
  }
  ir::NodeIndex Leaf(const ir::Node& variable, absl::string_view predicate = "") {
    ir::Node leaf = variable;
    leaf.predicates.clear();
    if (!predicate.empty()) leaf.predicates.emplace_back(predicate);
    term_.nodes.push_back(std::move(leaf));
    return static_cast<ir::NodeIndex>(term_.nodes.size() - 1);
  }
  ir::NodeIndex Of(ir::NodeIndex x, ir::NodeIndex y) {
    ir::Node node = op_;
    node.sources = {{x}, {y}};
    term_.nodes.push_back(std::move(node));
    return term_.root = static_cast<ir::NodeIndex>(term_.nodes.size() - 1);
  }
  ir::Term Take() { return std::move(term_); }

 private:
  ir::Node op_;
  ir::Term term_;
};

}  // namespace

std::optional<int> SharingLevels(const ir::Term& search) {
  for (const ir::Node& node : search.nodes) {
    if (Has(node, ir::kSharedWithOuter)) return 1;
    if (Has(node, ir::kSharedWithSecondOuter)) return 2;
  }
  return std::nullopt;
}

std::optional<ir::Rule> SharingRule(const ir::Term& fragment, const std::string& shared) {
  const std::vector<ir::NodeIndex> ops = ir::OpsInPrefixOrder(fragment);
  const ir::Node& root = fragment.root_node();
  if (ops.size() < 2 || ops.size() > 3 || (root.op->properties & kOfChains) != kOfChains) return std::nullopt;
  const std::optional<std::vector<std::string>> names = LeavesOfOneOp(fragment, root.op);
  if (!names.has_value() || names->size() != ops.size() + 1) return std::nullopt;
  if (std::adjacent_find(names->begin(), names->end()) != names->end()) return std::nullopt;
  const bool outer = ops.size() == 2;
  // Collect the leaves from the innermost instruction outwards: the shared variable's neighbor, the shared variable,
  // and the other sources.
  const ir::Node* inner = nullptr;
  for (const ir::NodeIndex op : ops) {
    const std::vector<ir::Source>& sources = fragment.at(op).sources;
    const bool reads = std::any_of(sources.begin(), sources.end(),
                                   [&](const ir::Source& source) { return fragment.at(source.node).name == shared; });
    if (reads) inner = &fragment.at(op);
  }
  if (inner == nullptr || inner == &root) return std::nullopt;
  std::vector<ir::Node> leaves;  // a, b, c (and d, at two levels) of (a b) c or ((a b) c) d, where b is shared
  const bool first = fragment.at(inner->sources[0].node).name == shared;
  leaves.push_back(fragment.at(inner->sources[first ? 1 : 0].node));
  leaves.push_back(fragment.at(inner->sources[first ? 0 : 1].node));
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (&fragment.at(*op) == inner) continue;
    const std::vector<ir::Source>& sources = fragment.at(*op).sources;
    const bool second = fragment.at(sources[0].node).kind == ir::NodeKind::kOp;
    leaves.push_back(fragment.at(sources[second ? 1 : 0].node));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind != ir::NodeKind::kVariable) return std::nullopt;  // not a chain
    leaves[i].name = std::string(1, static_cast<char>('a' + i));
  }
  // Create the nodes in the order of the rule's text, so that evidence recomputed from the parsed text is identical.
  Tree search(root), replace(root);
  ir::NodeIndex value = search.Leaf(leaves[0]);
  for (size_t i = 1; i < leaves.size(); ++i) {
    const bool is_shared = i == 1;
    const absl::string_view predicate = outer ? ir::kSharedWithOuter : ir::kSharedWithSecondOuter;
    const ir::NodeIndex leaf = search.Leaf(leaves[i], is_shared ? predicate : "");
    value = search.Of(value, leaf);
  }
  ir::NodeIndex rest = replace.Leaf(leaves[0]);
  if (!outer) {
    const ir::NodeIndex other = replace.Leaf(leaves[2]);
    rest = replace.Of(rest, other);
  }
  const ir::NodeIndex shared_leaf = replace.Leaf(leaves[1]), partner = replace.Leaf(leaves.back());
  const ir::NodeIndex together = replace.Of(shared_leaf, partner);
  replace.Of(rest, together);
  return ir::Rule{search.Take(), replace.Take(), "", 0};
}

bool IsSharing(const ir::Rule& rule) {
  const ir::Node& root = rule.search.root_node();
  if (root.kind != ir::NodeKind::kOp || (root.op->properties & kOfChains) != kOfChains) return false;
  if (!SharingLevels(rule.search).has_value()) return false;
  const auto gone = LeavesOfOneOp(rule.search, root.op), made = LeavesOfOneOp(rule.replace, root.op);
  return gone.has_value() && gone == made && std::adjacent_find(gone->begin(), gone->end()) == gone->end();
}

}  // namespace rewrought::rules
