#include "pipeline/discovery/found_rules.h"

#include <vector>

#include "absl/status/statusor.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"

namespace rewrought::pipeline {

void FoundRules::Add(const machine::Candidate& candidate, const store::RuleRecord& rule) {
  if (rule.rule_class == v1::RULE_CLASS_STRICT) strict.Add(candidate);
  const v1::AccuracyClass accuracy = DetailOf(rule).rule().inexact().accuracy_class();
  const bool cancels = rule.rule_class == v1::RULE_CLASS_INEXACT && accuracy != v1::ACCURACY_CLASS_NOT_LESS_ACCURATE;
  (cancels ? cancelling : over_reals).Add(candidate);
}

absl::Status FoundRules::Load(store::Store* store, const machine::Machine& machine, const ir::Digest& semantics,
                              std::optional<absl::Time> before) {
  const absl::StatusOr<std::vector<store::RuleRecord>> rules = RulesOf(store, machine.id());
  if (!rules.ok()) return rules.status();
  for (const store::RuleRecord& rule : *rules) {
    if (rule.semantics != semantics || (before.has_value() && rule.created >= *before)) continue;
    if (const absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(rule); candidate.ok())
      Add(*candidate, rule);
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
