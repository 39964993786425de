#include "rules/positions.h"

#include <algorithm>

#include "ir/text/predicates.h"

namespace rewrought::rules {

bool ComputesPositions(absl::string_view stage) { return stage == "vertex" || stage == "geometry"; }

namespace {

bool IsOfUsers(const std::string& name) {
  const ir::PredicateInfo* const predicate = ir::FindPredicate(name);
  return predicate != nullptr &&
         (predicate->kind == ir::PredicateKind::kExpression || predicate->kind == ir::PredicateKind::kSharing);
}

}  // namespace

bool DependsOnOtherUsers(const ir::Term& search) {
  return std::any_of(search.nodes.begin(), search.nodes.end(), [](const ir::Node& node) {
    return std::any_of(node.predicates.begin(), node.predicates.end(), &IsOfUsers);
  });
}

ir::Rule FormForPositions(const ir::Rule& rule) {
  ir::Rule form = rule;
  for (ir::Node& node : form.search.nodes) std::erase_if(node.predicates, &IsOfUsers);
  return form;
}

}  // namespace rewrought::rules
