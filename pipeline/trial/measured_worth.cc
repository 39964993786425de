#include "pipeline/trial/measured_worth.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "store/rule_store.h"

namespace rewrought::pipeline {
namespace {

double Percent(double saved, double total) { return total > 0 ? -100 * saved / total : 0; }

// Returns whether the rule is chosen for any driver, and the sums of the gains of all drivers.
std::tuple<bool, double, double> KeyOf(const std::vector<v1::RuleTrial>& trials) {
  MeasuredWorth sum;
  for (const v1::RuleTrial& trial : trials) {
    const MeasuredWorth worth = WorthOf(trial);
    sum.chosen = sum.chosen || worth.chosen;
    sum.time += worth.time;
    sum.instructions += worth.instructions;
  }
  return {sum.chosen, sum.time, sum.instructions};
}

}  // namespace

bool IsBetter(const MeasuredWorth& x, const MeasuredWorth& y) {
  return std::tie(x.time, x.instructions) > std::tie(y.time, y.instructions);
}

bool IsOfOlderVersion(const v1::RuleTrial& trial) { return trial.time() == 0 && trial.instructions() > 0; }

MeasuredWorth WorthOf(const v1::RuleTrial& trial) {
  MeasuredWorth worth;
  for (const v1::RuleTrial::Place& place : trial.places()) {
    if (!place.chosen()) continue;
    worth.chosen = true;
    worth.time += Percent(place.in_set().time(), trial.time());
    worth.instructions += Percent(place.in_set().instructions(), trial.instructions());
  }
  return worth.chosen ? worth : WorthAlone(trial);
}

MeasuredWorth WorthAlone(const v1::RuleTrial& trial) {
  std::map<v1::RuleTrial::Stages, MeasuredWorth> best;
  for (const v1::RuleTrial::Place& place : trial.places()) {
    const MeasuredWorth here{.time = Percent(place.alone().time(), trial.time()),
                             .instructions = Percent(place.alone().instructions(), trial.instructions()),
                             .applied = place.applied(),
                             .place = place.name()};
    MeasuredWorth& form = best.try_emplace(place.stages(), here).first->second;
    if (IsBetter(here, form)) form = here;
  }
  MeasuredWorth sum;
  const MeasuredWorth* most = nullptr;
  for (const auto& [stages, worth] : best) {
    if (most == nullptr || IsBetter(worth, *most)) most = &worth;
    sum.time += worth.time;
    sum.instructions += worth.instructions;
    sum.applied += worth.applied;
  }
  if (most != nullptr) sum.place = most->place;
  return sum;
}

absl::StatusOr<std::vector<MeasuredRule>> RankByTrials(store::Store* store, std::vector<RankedRule> ranked,
                                                       const std::string& driver) {
  std::vector<MeasuredRule> rules;
  for (RankedRule& row : ranked) {
    absl::StatusOr<std::vector<v1::RuleTrial>> trials = store::RuleStore(store).Trials(row.rule.id);
    if (!trials.ok()) return trials.status();
    std::erase_if(*trials, [&](const v1::RuleTrial& trial) { return !driver.empty() && trial.driver() != driver; });
    if (!trials->empty()) rules.push_back({.row = std::move(row), .trials = *std::move(trials), .source_cycles = {}});
  }
  std::stable_sort(rules.begin(), rules.end(),
                   [](const MeasuredRule& x, const MeasuredRule& y) { return KeyOf(x.trials) > KeyOf(y.trials); });
  return rules;
}

}  // namespace rewrought::pipeline
