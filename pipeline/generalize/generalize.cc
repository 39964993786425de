#include "pipeline/generalize/generalize.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/facts/assumptions.h"
#include "ir/match/relation.h"
#include "ir/term_order.h"
#include "ir/text/canonical.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "pipeline/generalize/assumptions.h"
#include "pipeline/generalize/constant_symbols.h"
#include "pipeline/generalize/coverage.h"
#include "pipeline/generalize/judge.h"
#include "pipeline/generalize/op_families.h"
#include "pipeline/generalize/open_sizes.h"
#include "pipeline/generalize/rule_edit.h"
#include "pipeline/generalize/shape.h"

namespace rewrought::pipeline {
namespace {

// Returns the remaining flags, predicates, and constants of the rule, each with the reason why it is needed.
std::vector<KeptPart> Explain(const ir::Rule& rule, Judge* judge) {
  std::vector<KeptPart> kept;
  const auto explain = [&](std::string part, const ir::Rule& without) {
    const Judgment judgment = judge->Verify(without);
    kept.push_back({std::move(part), judgment.proved ? "the rule would save nothing" : judgment.reason});
  };
  for (const ir::Assumption& one : ir::AssumptionsIn(rule.search)) {
    ir::Rule without = rule;
    if (ir::Drop({one}, &without.search)) explain(ir::NamesOf(rule.search, {one})[0], without);
  }
  for (const ir::NodeIndex op : ir::OpsInPrefixOrder(rule.search)) {
    if (!IsUsedOnce(rule.search.at(op))) continue;
    ir::Rule without = rule;
    std::erase(without.search.nodes[op].predicates, "is_used_once");
    const RuleCost cost = CostOf(without);
    kept.push_back({absl::StrCat("is_used_once on ", rule.search.at(op).op->name),
                    absl::StrCat("where another instruction reads the value, the rule adds ", cost.added,
                                 " instructions and removes ", cost.removed)});
  }
  const std::vector<bool> reached = ReachedNodes(rule.search);
  for (ir::NodeIndex i = 0; i < reached.size(); ++i) {
    const ir::Node& node = rule.search.at(i);
    if (!reached[i] || node.kind != ir::NodeKind::kConstant) continue;
    ir::Rule without = rule;
    without.search.nodes[i] = VariableNode(FreshName(rule), node.bits);
    without.search.nodes[i].constant_only = true;
    explain(absl::StrCat("the constant ", ir::PrintTerm({{node}, 0})), without);
  }
  return kept;
}

// Generalizes the parts of the rule that do not depend on its size.
ir::Rule GeneralizeAtSize(ir::Rule rule, Judge* judge, std::vector<std::string>* steps) {
  SimplifyShape(judge, &rule, steps);
  ReplaceConstants(judge, &rule, steps);
  SimplifyShape(judge, &rule, steps);
  WeakenAssumptions(judge, &rule, steps);
  return rule;
}

absl::Status RelationError() {
  return absl::InvalidArgumentError("a rule with a relation between constants ('where') cannot be generalized");
}

}  // namespace

absl::StatusOr<GeneralizedRule> Generalize(const verifier::Prover& prover, const ir::Rule& rule,
                                           const GeneralizeOptions& options) {
  if (ir::HasRelation(rule.search)) return RelationError();
  Judge judge(prover, options.check, options.limit, options.stop);
  absl::StatusOr<ir::Rule> usual = AtUsualSizes(rule, judge.size_options());
  if (usual.ok()) usual = Normalized(*usual, judge.dialect());
  if (!usual.ok()) return usual.status();
  const Judgment holds = judge.Verify(rule);
  if (!holds.proved) return absl::FailedPreconditionError(absl::StrCat("the rule is not proved: ", holds.reason));
  if (KeepsAccuracy(holds.accuracy)) judge.RequireAccuracy();

  GeneralizedRule result;
  result.accuracy = holds.accuracy;
  ir::Rule general = GeneralizeAtSize(*usual, &judge, &result.steps);
  OpenedSizes opened = OpenSizes(general, &judge);
  if (!Covers(opened.rules, rule, judge.size_options())) {
    // The general rule does not cover all sizes of the given rule.
    result.steps.clear();
    general = *usual;
    opened = OpenSizes(general, &judge);
    if (!Covers(opened.rules, rule, judge.size_options())) {
      opened.rules = {rule};
      opened.reason = "the sizes of the rule are as given";
    }
  }
  ir::RenameInOrder(&general);
  for (ir::Rule& one : opened.rules) ir::RenameInOrder(&one);
  result.members = std::move(opened.rules);
  result.own_sizes = result.members.size();
  if (opened.reason.empty()) {
    result.steps.push_back("the sizes are open");
  } else {
    result.kept.push_back({"the sizes", opened.reason});
  }
  std::vector<KeptPart> kept = Explain(general, &judge);
  result.kept.insert(result.kept.end(), std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end()));
  // A driver condition refers to the rule's own ops, not to those of its family.
  if (options.families && rule.condition.empty()) {
    std::set<std::string> known;
    for (const ir::Rule& one : result.members) known.insert(ir::CanonicalDigest(one));
    for (const ir::Rule& other : FamilyOf(general, &judge)) {
      for (ir::Rule& one : OpenSizes(other, &judge).rules) {
        ir::RenameInOrder(&one);
        if (known.insert(ir::CanonicalDigest(one)).second) result.members.push_back(std::move(one));
      }
    }
  }
  result.complete = !judge.time_is_up();
  return result;
}

absl::StatusOr<ir::Rule> GeneralizeAtOwnSizes(const verifier::Prover& prover, const ir::Rule& rule,
                                              const GeneralizeOptions& options) {
  if (ir::HasRelation(rule.search)) return RelationError();
  Judge judge(prover, options.check, options.limit, options.stop);
  absl::StatusOr<ir::Rule> usual = AtUsualSizes(rule, judge.size_options());
  if (usual.ok()) usual = Normalized(*usual, judge.dialect());
  if (!usual.ok()) return usual.status();
  const Judgment holds = judge.Verify(*usual);
  if (!holds.proved) return absl::FailedPreconditionError(absl::StrCat("the rule is not proved: ", holds.reason));
  if (KeepsAccuracy(holds.accuracy)) judge.RequireAccuracy();
  std::vector<std::string> steps;
  ir::Rule general = GeneralizeAtSize(*usual, &judge, &steps);
  ir::RenameInOrder(&general);
  absl::StatusOr<ir::Rule> sized = AtUsualSizes(general, judge.size_options());
  if (sized.ok() && !Covers({*sized}, rule, judge.size_options()))
    return absl::FailedPreconditionError("the general rule does not cover the rule");
  return sized;
}

}  // namespace rewrought::pipeline
