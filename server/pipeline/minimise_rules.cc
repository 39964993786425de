#include "server/pipeline/minimise_rules.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "server/pipeline/candidate.h"
#include "server/pipeline/candidate_search.h"
#include "server/pipeline/candidate_verifier.h"
#include "server/pipeline/fragment_form.h"
#include "server/pipeline/known_rules.h"
#include "server/pipeline/sample_constants.h"
#include "server/store/rule_store.h"

namespace rewrought::pipeline {
namespace {

struct Entry {
  store::RuleRecord record;
  Candidate candidate;
  ir::Term sample;     // the search at some constants
  machine::Cost cost;  // of the right side at these
  size_t ops = 0;      // of the search side
  bool derived = false;
};

absl::StatusOr<std::vector<Entry>> EntriesOf(store::Store* store, const machine::Machine& machine) {
  absl::StatusOr<std::vector<store::RuleRecord>> records = RulesOf(store, machine.id());
  if (!records.ok()) return records.status();
  std::vector<Entry> entries;
  for (store::RuleRecord& record : *records) {
    const bool counts = record.state == store::RuleState::kNew || record.state == store::RuleState::kKept ||
                        record.state == store::RuleState::kDerived;
    if (!counts || record.semantics != SemanticsOf(machine)) continue;
    absl::StatusOr<Candidate> candidate = CandidateOfRecord(record);
    if (!candidate.ok()) continue;
    Candidate sample = AtSomeConstants(*candidate);
    const absl::StatusOr<machine::Cost> cost = RightSideCost(sample);
    if (!cost.ok()) continue;
    const size_t ops = OpsInPrefixOrder(candidate->search).size();
    entries.push_back({std::move(record), *std::move(candidate), std::move(sample.search), *cost, ops, false});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.ops > b.ops; });
  return entries;
}

// Predicates of the search's own variables hold where it matches; other facts are not known.
std::vector<corpus::ValueFacts> NoFacts(const ir::Term& search) {
  return std::vector<corpus::ValueFacts>(VariablesInOrder(search).size());
}

}  // namespace

absl::StatusOr<std::vector<store::RuleRecord>> RulesOf(store::Store* store, const std::string& machine) {
  store::RuleStore rules(store);
  store::RuleStore::Query query;
  query.machine = machine;
  query.order = store::RuleStore::Order::kId;
  query.page_size = 1000;
  std::vector<store::RuleRecord> all;
  do {
    absl::StatusOr<store::RuleStore::Page> page = rules.List(query);
    if (!page.ok()) return page.status();
    for (store::RuleRecord& rule : page->rules) all.push_back(std::move(rule));
    query.page_token = page->next_page_token;
  } while (!query.page_token.empty());
  return all;
}

absl::StatusOr<MinimiseReport> MarkDerivedRules(store::Store* store, const machine::Machine& machine) {
  absl::StatusOr<std::vector<Entry>> entries = EntriesOf(store, machine);
  if (!entries.ok()) return entries.status();
  MinimiseReport report;
  store::RuleStore rules(store);
  for (Entry& entry : *entries) {
    KnownRules others(machine);
    for (const Entry& other : *entries) {
      const bool twin = other.record.search == entry.record.search;
      // What is equal bit for bit does not follow from what is equal over the reals only.
      const bool counts =
          entry.record.rule_class == store::RuleClass::kInexact || other.record.rule_class == store::RuleClass::kStrict;
      if (!other.derived && !twin && counts) others.Add(other.candidate);
    }
    const absl::StatusOr<machine::Cost> cost = others.CostOf(entry.sample, NoFacts(entry.sample));
    entry.derived = cost.ok() && !CheaperThan(entry.cost, *cost);
    ++(entry.derived ? report.derived : report.minimal);
    const bool was = entry.record.state == store::RuleState::kDerived;
    if (was == entry.derived) continue;
    const absl::Status set =
        rules.SetState(entry.record.id, entry.derived ? store::RuleState::kDerived : store::RuleState::kKept,
                       entry.derived ? "other rules give as much" : "");
    if (!set.ok()) return set;
  }
  return report;
}

}  // namespace rewrought::pipeline
