#include "server/pipeline/foreign_rules.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ir/fold.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "machine/base_selection.h"
#include "server/pipeline/sample_constants.h"

namespace rewrought::pipeline {
namespace {

// A tree's rules may undo each other outside the order in which its driver runs them.
constexpr size_t kMaxSteps = 200;
// A pass and constant folding take turns.
constexpr int kRounds = 3;

// What the rule's preconditions say of variables, by name; constants speak for themselves.
ir::FactCallback FactsOfRule(const ir::Term& search) {
  std::map<std::string, std::vector<std::string>> predicates;
  for (const ir::Node& node : search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && !node.predicates.empty()) predicates[node.name] = node.predicates;
  }
  return [predicates = std::move(predicates)](const ir::PredicateQuery& query) {
    const ir::Node& node = query.term->nodes[query.value.node];
    if (node.kind != ir::NodeKind::kVariable) return ir::FactsOfNodes(query);
    const auto known = predicates.find(node.name);
    return known != predicates.end() &&
           std::find(known->second.begin(), known->second.end(), query.predicate) != known->second.end();
  };
}

}  // namespace

bool ForeignRules::GiveAsMuch(const RuleDraft& rule) const {
  const RuleDraft sample = AtSomeConstants(rule);
  const absl::StatusOr<machine::Cost> ours = RightSideCost(sample);
  if (!ours.ok()) return false;
  ir::MatchOptions options;
  options.facts = FactsOfRule(sample.search);
  ir::Term term = sample.search;
  for (ir::Node& node : term.nodes) {
    node.flags &= static_cast<uint8_t>(~ir::kInexact);
    if (node.kind == ir::NodeKind::kOp) node.predicates.clear();
  }
  for (const std::vector<ir::CompiledRule>& pass : passes_.passes) {
    for (int round = 0; round < kRounds; ++round) {
      ir::Rewriter(pass, options, kMaxSteps).Run(&term);
      term = ir::FoldConstants(std::move(term));
    }
    const absl::StatusOr<machine::Cost> theirs = machine::BaseCost(*rule.machine, term, machine::BaseKind::kStrong);
    if (theirs.ok() && std::make_pair(theirs->issue_cycles, theirs->instructions) <=
                           std::make_pair(ours->issue_cycles, ours->instructions)) {
      return true;
    }
  }
  return false;
}

}  // namespace rewrought::pipeline
