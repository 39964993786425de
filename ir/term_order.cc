#include "ir/term_order.h"

#include <algorithm>

namespace rewrought::ir {
std::vector<NodeIndex> ValuesInPrefixOrder(const Term& term) {
  std::vector<NodeIndex> order, stack;
  if (!term.nodes.empty()) stack.push_back(term.root);
  std::vector<bool> seen(term.nodes.size(), false);
  while (!stack.empty()) {
    const NodeIndex index = stack.back();
    stack.pop_back();
    if (seen[index]) continue;
    seen[index] = true;
    order.push_back(index);
    const std::vector<Source>& sources = term.at(index).sources;
    for (auto source = sources.rbegin(); source != sources.rend(); ++source) stack.push_back(source->node);
  }
  return order;
}

std::vector<NodeIndex> OpsInPrefixOrder(const Term& term) {
  std::vector<NodeIndex> order = ValuesInPrefixOrder(term);
  std::erase_if(order, [&](NodeIndex index) { return term.at(index).kind != NodeKind::kOp; });
  return order;
}

std::vector<std::string> VariablesInOrder(const Term& term) {
  std::vector<std::string> names;
  for (const NodeIndex index : ValuesInPrefixOrder(term)) {
    const Node& node = term.at(index);
    if (node.kind == NodeKind::kVariable && std::find(names.begin(), names.end(), node.name) == names.end()) {
      names.push_back(node.name);
    }
  }
  return names;
}

void InsertNodes(NodeIndex at, const std::vector<Node>& nodes, Term* term) {
  term->nodes.insert(term->nodes.begin() + at, nodes.begin(), nodes.end());
  const auto moved = static_cast<NodeIndex>(nodes.size());
  for (size_t i = at + nodes.size(); i < term->nodes.size(); ++i) {
    for (Source& source : term->nodes[i].sources) {
      if (source.node >= at) source.node += moved;
    }
  }
  if (term->root >= at) term->root += moved;
}

}  // namespace rewrought::ir
