#include "pipeline/settle.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/sites/measure.h"
#include "store/records.h"

namespace rewrought::pipeline {

absl::Status SettleRules(store::Store* store, std::stop_token stop,
                         const std::function<void(const std::string&)>& progress) {
  std::set<std::string> ids;
  {
    const absl::StatusOr<std::vector<store::RuleRecord>> rules = RulesOf(store, "");
    if (!rules.ok()) return rules.status();
    for (const store::RuleRecord& rule : *rules) ids.insert(rule.machine);
  }
  for (const std::string& id : ids) {
    const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(id);
    if (!machine.ok()) continue;  // rules of the IR, or of a machine that only another version knows
    if (progress != nullptr) progress(id);
    const absl::StatusOr<MinimiseReport> minimal = MarkDerivedRules(store, **machine);
    if (!minimal.ok()) return minimal.status();
    MeasureOptions measure;
    measure.stop = stop;
    if (absl::Status measured = MeasureRules(store, **machine, measure).status(); !measured.ok()) return measured;
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
