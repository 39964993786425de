#include "ir/term_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rewrought::ir {
std::set<std::string> OpNames(const Term& term) {
  std::set<std::string> names;
  for (const Node& node : term.nodes) {
    if (node.kind == NodeKind::kOp) names.insert(node.op->name);
  }
  return names;
}

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

namespace {

// Inserts `nodes` before node `at` and adjusts the indices of the following nodes.
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

}  // namespace

void RenameInOrder(Rule* rule) {
  std::map<std::string, std::string> names;
  for (const std::string& name : VariablesInOrder(rule->search)) {
    names.emplace(name, std::string(1, static_cast<char>('a' + names.size())));  // a rule has at most 24 variables
  }
  for (Term* term : {&rule->search, &rule->replace}) {
    for (Node& node : term->nodes) {
      const auto found = names.find(node.name);
      if (node.kind == NodeKind::kVariable && found != names.end()) node.name = found->second;
    }
  }
}

void WriteAsFunction(NodeIndex at, const OpRow& op, Node variable, std::optional<uint64_t> number, bool variable_first,
                     Term* term) {
  const uint8_t bits = term->at(at).bits;
  std::vector<Node> before = {std::move(variable)};
  Node result;
  result.kind = NodeKind::kOp;
  result.op = &op;
  result.bits = bits;
  result.sources = {{at}};
  if (number.has_value()) {
    Node constant;
    constant.kind = NodeKind::kConstant;
    constant.bits = bits;
    constant.values[0] = *number;
    before.push_back(std::move(constant));
    result.sources.insert(variable_first ? result.sources.end() : result.sources.begin(), {at + 1});
  }
  InsertNodes(at, before, term);
  term->nodes[at + before.size()] = std::move(result);
}

void ShareVariables(Term* term) {
  std::map<std::string, NodeIndex> first;
  std::vector<NodeIndex> place(term->nodes.size());
  std::vector<Node> kept;
  for (NodeIndex i = 0; i < term->nodes.size(); ++i) {
    Node& node = term->nodes[i];
    const auto next = static_cast<NodeIndex>(kept.size());
    place[i] = node.kind == NodeKind::kVariable ? first.try_emplace(node.name, next).first->second : next;
    if (place[i] != next) continue;
    for (Source& source : node.sources) source.node = place[source.node];
    kept.push_back(std::move(node));
  }
  term->root = place[term->root];
  term->nodes = std::move(kept);
}

}  // namespace rewrought::ir
