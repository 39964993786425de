#include "pipeline/trial/agreement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "selection/driver_correlation.h"

namespace rewrought::pipeline {
namespace {

// Returns the correlations of `whole_shaders` with `measured` and with `measured_instructions` over the rules that the
// driver applied at least `least` times, and the number of these rules.
std::tuple<double, double, size_t> WholeShaders(const DriverAgreement& driver, uint64_t least) {
  std::vector<double> modelled, time, instructions;
  for (const ModelledAndMeasured& rule : driver.rules) {
    if (rule.applied < least) continue;
    modelled.push_back(rule.whole_shaders);
    time.push_back(rule.measured);
    instructions.push_back(rule.measured_instructions);
  }
  return {selection::Spearman(modelled, time), selection::Spearman(modelled, instructions), modelled.size()};
}

// Computes the correlations and the rank differences, and sorts the rules.
void Compare(DriverAgreement* driver) {
  std::vector<double> modelled, as_applied, measured, instructions;
  for (const ModelledAndMeasured& rule : driver->rules) {
    modelled.push_back(rule.modelled);
    as_applied.push_back(rule.as_applied);
    measured.push_back(rule.measured);
    instructions.push_back(rule.measured_instructions);
  }
  driver->spearman = selection::Spearman(modelled, measured);
  driver->spearman_instructions = selection::Spearman(modelled, instructions);
  driver->spearman_as_applied = selection::Spearman(as_applied, measured);
  if (!driver->modelled_as.empty()) {
    std::tie(driver->spearman_whole_shaders, driver->spearman_whole_shaders_instructions, driver->applied) =
        WholeShaders(*driver, 1);
    std::tie(driver->spearman_applied_often, driver->spearman_applied_often_instructions, driver->applied_often) =
        WholeShaders(*driver, kOften);
  }
  std::transform(driver->rules.begin(), driver->rules.end(), modelled.begin(),
                 [&](const ModelledAndMeasured& rule) { return driver->Compared(rule); });
  modelled = selection::RanksOf(modelled);
  measured = selection::RanksOf(measured);
  for (size_t i = 0; i < driver->rules.size(); ++i)
    driver->rules[i].rank_difference = (modelled[i] - measured[i]) / static_cast<double>(modelled.size());
  std::stable_sort(driver->rules.begin(), driver->rules.end(),
                   [](const ModelledAndMeasured& x, const ModelledAndMeasured& y) {
                     return std::abs(x.rank_difference) > std::abs(y.rank_difference);
                   });
}

// Returns the corpus sources that are also discovery sources of the trial.
std::vector<std::string> SharedSources(const std::vector<MeasuredRule>& rules, const v1::DriverTrial& trial) {
  std::set<std::string> known, shared;
  for (const MeasuredRule& rule : rules) {
    for (const auto& [source, cycles] : rule.source_cycles) known.insert(source);
  }
  for (const v1::DriverTrial::Figures& figures : trial.figures()) {
    if (!figures.held_out() && known.contains(figures.source())) shared.insert(figures.source());
  }
  return {shared.begin(), shared.end()};
}

double ModelledOf(const MeasuredRule& rule, const std::vector<std::string>& sources) {
  if (sources.empty()) return rule.row.discovery.tuned_cycles;
  double sum = 0;
  for (const std::string& source : sources) {
    const auto cycles = rule.source_cycles.find(source);
    if (cycles != rule.source_cycles.end()) sum += cycles->second;
  }
  return sum;
}

double CyclesOfSite(const RankedRule& row) {
  const int64_t hits = row.discovery.hits + row.held_out.hits;
  return hits == 0 ? 0 : (row.discovery.tuned_cycles + row.held_out.tuned_cycles) / static_cast<double>(hits);
}

// Returns the model's savings at `place`, where the driver gains most. If `place` is empty, because the driver never
// applied the rule, returns the model's largest savings at any place.
double WholeShadersOf(const v1::RuleTrial& trial, const std::string& place) {
  double most = 0;
  for (const v1::RuleTrial::Modelled& modelled : trial.modelled()) {
    if (modelled.place() == place) return -modelled.instructions();
    if (place.empty()) most = std::max(most, -modelled.instructions());
  }
  return most;
}

void Add(const MeasuredRule& rule, const v1::RuleTrial& trial, DriverAgreement* driver) {
  const std::string id = rule.row.rule.id.hex();
  ++driver->tried;
  driver->chosen += WorthOf(trial).chosen;
  if (!trial.problem().empty()) {
    driver->problems.emplace_back(id, trial.problem());
    return;
  }
  if (!trial.unmet().empty()) driver->unmet.emplace_back(id, trial.unmet());
  const MeasuredWorth best = WorthAlone(trial);
  driver->rules.push_back({.rule = &rule,
                           .modelled = trial.unmet().empty() ? ModelledOf(rule, driver->sources) : 0,
                           .as_applied = CyclesOfSite(rule.row) * static_cast<double>(best.applied),
                           .whole_shaders = trial.unmet().empty() ? WholeShadersOf(trial, best.place) : 0,
                           .measured = best.time,
                           .measured_instructions = best.instructions,
                           .applied = best.applied});
}

}  // namespace

std::vector<DriverAgreement> AgreementOf(const std::vector<MeasuredRule>& rules,
                                         const std::vector<v1::DriverTrial>& trials) {
  std::map<std::string, DriverAgreement> by_driver;
  for (const v1::DriverTrial& trial : trials) {
    by_driver[trial.driver()].driver = trial.driver();
    by_driver[trial.driver()].sources = SharedSources(rules, trial);
    by_driver[trial.driver()].modelled_as = trial.modelled_as();
  }
  for (const MeasuredRule& rule : rules) {
    for (const v1::RuleTrial& trial : rule.trials) {
      by_driver[trial.driver()].driver = trial.driver();
      Add(rule, trial, &by_driver[trial.driver()]);
    }
  }
  std::vector<DriverAgreement> drivers;
  for (auto& [name, driver] : by_driver) {
    Compare(&driver);
    drivers.push_back(std::move(driver));
  }
  return drivers;
}

}  // namespace rewrought::pipeline
