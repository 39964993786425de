#include "ir/term_order.h"

#include <algorithm>
#include <functional>

namespace rewrought::ir {
std::vector<NodeIndex> OpsInPrefixOrder(const Term& term) {
  std::vector<NodeIndex> order;
  std::vector<bool> seen(term.nodes.size(), false);
  const std::function<void(NodeIndex)> walk = [&](NodeIndex index) {
    if (seen[index] || term.at(index).kind != NodeKind::kOp) return;
    seen[index] = true;
    order.push_back(index);
    for (const Source& source : term.at(index).sources) walk(source.node);
  };
  if (!term.nodes.empty()) walk(term.root);
  return order;
}

std::vector<std::string> VariablesInOrder(const Term& term) {
  std::vector<std::string> names;
  std::vector<bool> seen(term.nodes.size(), false);
  const std::function<void(NodeIndex)> walk = [&](NodeIndex index) {
    if (seen[index]) return;
    seen[index] = true;
    const Node& node = term.at(index);
    if (node.kind == NodeKind::kVariable && std::find(names.begin(), names.end(), node.name) == names.end()) {
      names.push_back(node.name);
    }
    for (const Source& source : node.sources) walk(source.node);
  };
  if (!term.nodes.empty()) walk(term.root);
  return names;
}

}  // namespace rewrought::ir
