#include "pipeline/repair_rules.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "machine/machine.h"
#include "machine/semantics.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_choice.h"
#include "pipeline/rule_message.h"
#include "pipeline/settle.h"
#include "store/rule_store.h"
#include "store/search_store.h"

namespace rewrought::pipeline {
namespace {

absl::Status RepairMachine(store::Store* store, const machine::Machine& machine, const RuleVerifier& verifier,
                           const std::function<void(const std::string&)>& progress, RepairReport* report) {
  const absl::StatusOr<RuleChoice> choice = ChooseRules(store, machine, verifier, [&](size_t done, size_t all) {
    if (progress != nullptr) progress(absl::StrCat("rules of ", machine.id(), ": ", done, " of ", all));
  });
  if (!choice.ok()) return choice.status();
  report->verified += choice->verified;
  for (const ChosenRule& chosen : choice->rules) {
    const store::RuleRecord& rule = chosen.row.rule;
    if (!chosen.status.ok()) {
      const std::string reason(chosen.status.message());
      report->failed.push_back({rule.id.hex(), TupleText(rule), reason});
      const absl::Status set = store::RuleStore(store).SetState(rule.id, v1::RULE_STATE_LOST, reason);
      if (!set.ok()) return set;
      continue;
    }
    if (chosen.restored) report->restored.push_back({rule.id.hex(), TupleText(rule), ""});
    const absl::StatusOr<int64_t> removed =
        store::SearchStore(store).DropContradictions(rule.id, machine::SemanticsOf(machine));
    if (!removed.ok()) return removed.status();
    report->contradictions += static_cast<size_t>(*removed);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RepairReport> RepairRules(store::Store* store, const RuleVerifier& verifier,
                                         const std::function<void(const std::string&)>& progress) {
  const absl::StatusOr<std::vector<store::RuleRecord>> rules = RulesOf(store, "");
  if (!rules.ok()) return rules.status();
  RepairReport report;
  std::set<std::string> machines;
  for (const store::RuleRecord& rule : *rules) {
    if (!machine::FindMachine(rule.machine).ok()) continue;
    ++report.rules;
    machines.insert(rule.machine);
  }
  for (const std::string& id : machines) {
    const absl::Status repaired = RepairMachine(store, **machine::FindMachine(id), verifier, progress, &report);
    if (!repaired.ok()) return repaired;
  }
  const absl::Status settled = SettleRules(store, verifier.options().stop, [&](const std::string& machine) {
    if (progress != nullptr) progress(absl::StrCat("measuring savings: ", machine));
  });
  if (!settled.ok()) return settled;
  return report;
}

}  // namespace rewrought::pipeline
