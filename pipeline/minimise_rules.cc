#include "pipeline/minimise_rules.h"

#include <utility>

#include "machine/candidate.h"
#include "machine/semantics.h"
#include "pipeline/rule_record.h"
#include "rules/subsumption.h"
#include "store/rule_store.h"

namespace rewrought::pipeline {
namespace {

bool Counts(const store::RuleRecord& record, const machine::Machine& machine) {
  const bool stands = record.state == v1::RULE_STATE_NEW || record.state == v1::RULE_STATE_KEPT ||
                      record.state == v1::RULE_STATE_DERIVED;
  return stands && record.semantics == machine::SemanticsOf(machine) && CandidateOfRecord(record).ok();
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
  absl::StatusOr<std::vector<store::RuleRecord>> records = RulesOf(store, machine.id());
  if (!records.ok()) return records.status();
  std::vector<rules::SubsumptionRule> considered;
  std::vector<const store::RuleRecord*> record_of;
  for (const store::RuleRecord& record : *records) {
    if (!Counts(record, machine)) continue;
    absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(record);
    if (!candidate.ok()) return candidate.status();
    considered.push_back({*std::move(candidate), record.rule_class == v1::RULE_CLASS_STRICT});
    record_of.push_back(&record);
  }
  const std::vector<bool> derived = rules::Subsumed(machine, considered);
  MinimiseReport report;
  store::RuleStore rules(store);
  for (size_t i = 0; i < derived.size(); ++i) {
    ++(derived[i] ? report.derived : report.minimal);
    if (derived[i] == (record_of[i]->state == v1::RULE_STATE_DERIVED)) continue;
    const absl::Status set = rules.SetState(record_of[i]->id, derived[i] ? v1::RULE_STATE_DERIVED : v1::RULE_STATE_KEPT,
                                            derived[i] ? "other rules save as much" : "");
    if (!set.ok()) return set;
  }
  return report;
}

absl::StatusOr<MinimiseReport> CountDerivedRules(store::Store* store, const machine::Machine& machine) {
  const absl::StatusOr<std::vector<store::RuleRecord>> records = RulesOf(store, machine.id());
  if (!records.ok()) return records.status();
  MinimiseReport report;
  for (const store::RuleRecord& record : *records) {
    if (Counts(record, machine)) ++(record.state == v1::RULE_STATE_DERIVED ? report.derived : report.minimal);
  }
  return report;
}

}  // namespace rewrought::pipeline
