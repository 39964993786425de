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
      bool all = !is_variable || constants.contains(node.name), any = is_variable;
      for (const ir::Source& source : node.sources) {
        all = all && known[source.node];
        any = any || varies[source.node];
      }
      if (is_op && all && any) return true;
      known.push_back(all), varies.push_back(any);
    }
    return false;
  };
  std::vector<size_t> possible;
  for (size_t mask = 0; mask < size_t{1} << names.size(); ++mask) {
    std::set<std::string> constants;
    for (size_t i = 0; i < names.size(); ++i) {
      if ((mask >> i & 1) != 0) constants.insert(names[i]);
    }
    const bool complete = std::includes(constants.begin(), constants.end(), required.begin(), required.end());
    if (complete && (constants == required || !is_folded(constants))) possible.push_back(mask);
  }
  std::vector<std::set<std::string>> sets;
  for (const size_t mask : possible) {
    const bool maximal = std::none_of(possible.begin(), possible.end(),
                                      [&](size_t other) { return other != mask && (other & mask) == mask; });
    if (!maximal) continue;
    sets.emplace_back();
    for (size_t i = 0; i < names.size(); ++i) {
      if ((mask >> i & 1) != 0) sets.back().insert(names[i]);
    }
  }
  return sets;
}

}  // namespace rewrought::verifier
