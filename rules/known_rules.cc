#include "rules/known_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ir/facts/fact_predicates.h"
#include "ir/facts/value_facts.h"
#include "ir/fold.h"
#include "ir/match/facts.h"
#include "ir/match/relation.h"
#include "ir/match/rewriter.h"
#include "ir/term_order.h"
#include "ir/text/predicates.h"
#include "machine/sample_constants.h"
#include "rules/sharing.h"

namespace rewrought::rules {
namespace {

// Every rule reduces the cost of the term, so this bound on the number of steps matters only if a rule is faulty.
constexpr size_t kMaxSteps = 200;

// Subtracts all components of a cost except registers, which are not additive.
void Subtract(const machine::Cost& less, machine::Cost* cost) {
  cost->instructions -= less.instructions;
  cost->issue_cycles -= less.issue_cycles;
  cost->latency -= less.latency;
  cost->bytes -= less.bytes;
}

}  // namespace

absl::StatusOr<ir::CompiledRule> CompileSearch(const ir::Term& search) {
  // This rule is matched but never applied, so the search side also serves as its replacement.
  ir::Rule rule;
  rule.search = search;
  rule.replace = ir::Matched(search);
  for (ir::Node& node : rule.replace.nodes) {
    node.predicates.clear();
    node.constant_only = false;
    node.flags = 0;
  }
  return ir::CompiledRule::Compile(std::move(rule), {.literals_exact = true});
}

ir::FactCallback FactsOfSite(const ir::Term& term, const std::vector<ir::ValueFacts>& facts) {
  std::map<std::string, ir::ValueFacts> by_name;
  const std::vector<std::string> names = ir::VariablesInOrder(term);
  for (size_t i = 0; i < names.size() && i < facts.size(); ++i) by_name[names[i]] = facts[i];
  return [by_name = std::move(by_name)](const ir::PredicateQuery& query) {
    const ir::Node& node = query.term->nodes[query.value.node];
    if (node.kind != ir::NodeKind::kVariable) return ir::FactsOfNodes(query);
    if (query.predicate == kIsNotConstant) return true;  // a constant would be part of the fragment
    const auto known = by_name.find(node.name);
    if (query.predicate == kIsNotProduct) return known == by_name.end() || !known->second.product;
    if (known == by_name.end()) return false;
    if (query.predicate == ir::kSharedWithOuter) return known->second.chains > 0;
    if (query.predicate == ir::kSharedWithSecondOuter) return known->second.second_chains > 0;
    return ir::FactsGrant(known->second, query.predicate);
  };
}

KnownRulePointer MakeKnownRule(const machine::Machine& machine, const machine::Candidate& candidate,
                               machine::BaseKind baseline) {
  if (SharingLevels(candidate.search).has_value()) return nullptr;  // saves nothing within a fragment
  if (!candidate.program.has_value()) {
    absl::StatusOr<ir::CompiledRule> rule =
        ir::CompiledRule::Compile({candidate.search, candidate.replace, ""}, {.literals_exact = true});
    return rule.ok() ? std::make_shared<const KnownRule>(KnownRule{*std::move(rule), std::nullopt}) : nullptr;
  }
  absl::StatusOr<ir::CompiledRule> rule = CompileSearch(candidate.search);
  const machine::Candidate sample = machine::WithSampleConstants(candidate);
  absl::StatusOr<machine::Cost> saving = machine::BaseCost(machine, sample.search, baseline);
  if (!rule.ok() || !saving.ok()) return nullptr;
  Subtract(machine::ProgramCost(machine, *sample.program), &*saving);
  return std::make_shared<const KnownRule>(KnownRule{*std::move(rule), *saving});
}

void KnownRules::Add(const machine::Candidate& candidate) {
  KnownRulePointer rule = MakeKnownRule(machine_, candidate, baseline_);
  if (rule == nullptr) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  auto rules = std::make_shared<Rules>(*rules_);
  rules->push_back(std::move(rule));
  rules_ = std::move(rules);
}

void KnownRules::SubtractMachineRules(const Rules& rules, const ir::Term& term, const ir::MatchOptions& options,
                                      machine::Cost* cost) {
  std::vector<bool> covered(term.nodes.size(), false);
  for (ir::NodeIndex root = static_cast<ir::NodeIndex>(term.nodes.size()); root-- > 0;) {
    if (term.at(root).kind != ir::NodeKind::kOp || covered[root]) continue;
    std::optional<ir::Match> best;
    const machine::Cost* saving = nullptr;
    for (const KnownRulePointer& known : rules) {
      if (!known->saving.has_value()) continue;
      if (saving != nullptr && known->saving->issue_cycles <= saving->issue_cycles) continue;
      std::optional<ir::Match> match = ir::MatchAt(known->rule, term, root, options);
      if (!match.has_value()) continue;
      best = std::move(match);
      saving = &*known->saving;
    }
    if (saving == nullptr) continue;
    for (const ir::NodeIndex op : best->ops) covered[op] = true;
    Subtract(*saving, cost);
  }
}

absl::StatusOr<machine::Cost> KnownRules::CostOf(const ir::Term& fragment,
                                                 const std::vector<ir::ValueFacts>& facts) const {
  ir::MatchOptions options;
  options.facts = FactsOfSite(fragment, facts);
  options.literals_exact = true;
  ir::Term term = fragment;
  const std::shared_ptr<const Rules> rules = Snapshot();
  std::vector<const ir::CompiledRule*> nir;
  for (const KnownRulePointer& known : *rules) {
    if (!known->saving.has_value()) nir.push_back(&known->rule);
  }
  ir::Rewriter(std::move(nir), options, kMaxSteps).Run(&term);
  term = ir::FoldConstants(std::move(term));  // constants that the rules brought together
  // If the fragment is now an input or a constant, its cost is zero or that of a load.
  absl::StatusOr<machine::Cost> cost = machine::BaseCost(machine_, term, baseline_);
  if (cost.ok()) SubtractMachineRules(*rules, term, options, &*cost);
  return cost;
}

}  // namespace rewrought::rules
