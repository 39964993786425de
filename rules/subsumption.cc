#include "rules/subsumption.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ir/facts/value_facts.h"
#include "ir/match/relation.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "machine/cost.h"
#include "machine/sample_constants.h"
#include "rules/known_rules.h"
#include "rules/sharing.h"

namespace rewrought::rules {
namespace {

struct Entry {
  size_t rule = 0;
  std::string search;
  ir::Term sample;     // the search side with sample constants
  machine::Cost cost;  // the cost of the right side with the same constants
  size_t ops = 0;      // number of ops in the search side
  KnownRulePointer known;
};

bool IsRelated(const SubsumptionRule& rule) { return ir::HasRelation(rule.candidate.search); }

std::vector<Entry> EntriesOf(const machine::Machine& machine, const std::vector<SubsumptionRule>& rules,
                             machine::BaseKind baseline) {
  std::vector<Entry> entries;
  for (size_t i = 0; i < rules.size(); ++i) {
    const machine::Candidate& candidate = rules[i].candidate;
    if (SharingLevels(candidate.search).has_value())
      continue;  // both sides cost the same; a sharing rule saves instructions in other chains
    machine::Candidate sample = machine::WithSampleConstants(candidate);
    const absl::StatusOr<machine::Cost> cost = machine::RightSideCost(sample);
    if (!cost.ok()) continue;
    entries.push_back({i, ir::PrintTerm(candidate.search), std::move(sample.search), *cost,
                       ir::OpsInPrefixOrder(ir::Matched(candidate.search)).size(),
                       MakeKnownRule(machine, candidate, baseline)});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.ops > b.ops; });
  return entries;
}

}  // namespace

std::vector<bool> Subsumed(const machine::Machine& machine, const std::vector<SubsumptionRule>& rules,
                           machine::BaseKind baseline) {
  std::vector<bool> subsumed(rules.size(), false);
  const std::vector<Entry> entries = EntriesOf(machine, rules, baseline);
  for (const Entry& entry : entries) {
    std::vector<KnownRulePointer> others;
    for (const Entry& other : entries) {
      // Inexact rules cannot replace strict ones. A rule with a relation between constants covers only some of the
      // cases of a rule without one.
      const bool counts = (!rules[entry.rule].strict || rules[other.rule].strict) &&
                          (!IsRelated(rules[other.rule]) || IsRelated(rules[entry.rule]));
      if (other.known != nullptr && counts && !subsumed[other.rule] && other.search != entry.search) {
        others.push_back(other.known);
      }
    }
    // Where the search side matches, the predicates on its own variables hold. Nothing else is known about the
    // variables.
    const std::vector<ir::ValueFacts> no_facts(ir::VariablesInOrder(entry.sample).size());
    const absl::StatusOr<machine::Cost> cost =
        KnownRules(machine, baseline, std::move(others)).CostOf(entry.sample, no_facts);
    subsumed[entry.rule] = cost.ok() && !machine::CheaperThan(entry.cost, *cost);
  }
  return subsumed;
}

}  // namespace rewrought::rules
