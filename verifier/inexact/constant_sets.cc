#include "verifier/inexact/constant_sets.h"

#include <algorithm>
#include <cstddef>

namespace rewrought::verifier {

std::vector<std::set<std::string>> ConstantSets(const ir::Term& search) {
  constexpr size_t kMostVariables = 10;
  std::set<std::string> required, all;
  for (const ir::Node& node : search.nodes) {
    if (node.kind != ir::NodeKind::kVariable) continue;
    const auto& predicates = node.predicates;
    if (node.constant_only) required.insert(node.name);
    if (std::find(predicates.begin(), predicates.end(), "is_not_const") == predicates.end()) all.insert(node.name);
  }
  const std::vector<std::string> names(all.begin(), all.end());
  if (names.size() > kMostVariables) return {all};
  const auto is_folded = [&](const std::set<std::string>& constants) {
    std::vector<bool> known, varies;  // varies: contains a variable
    for (const ir::Node& node : search.nodes) {
      const bool is_op = node.kind == ir::NodeKind::kOp, is_variable = node.kind == ir::NodeKind::kVariable;
      bool is_constant = !is_variable || constants.contains(node.name), reads_variable = is_variable;
      for (const ir::Source& source : node.sources) {
        is_constant = is_constant && known[source.node];
        reads_variable = reads_variable || varies[source.node];
      }
      if (is_op && is_constant && reads_variable) return true;
      known.push_back(is_constant), varies.push_back(reads_variable);
    }
    return false;
  };
  if (is_folded(required)) return {all};  // the rule never matches
  const auto named = [&](size_t mask) {
    std::set<std::string> constants;
    for (size_t i = 0; i < names.size(); ++i) {
      if ((mask >> i & 1) != 0) constants.insert(names[i]);
    }
    return constants;
  };
  std::vector<size_t> possible;
  for (size_t mask = 0; mask < size_t{1} << names.size(); ++mask) {
    const std::set<std::string> constants = named(mask);
    const bool complete = std::includes(constants.begin(), constants.end(), required.begin(), required.end());
    if (complete && !is_folded(constants)) possible.push_back(mask);
  }
  std::vector<std::set<std::string>> sets;
  for (const size_t mask : possible) {
    const bool maximal = std::none_of(possible.begin(), possible.end(),
                                      [&](size_t other) { return other != mask && (other & mask) == mask; });
    if (maximal) sets.push_back(named(mask));
  }
  return sets;
}

}  // namespace rewrought::verifier
