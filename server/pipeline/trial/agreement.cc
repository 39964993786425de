#include "server/pipeline/trial/agreement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "selection/driver_correlation.h"

namespace rewrought::pipeline {
namespace {

// Ranks of both sides, and from them the differences and the correlation.
void Compare(DriverAgreement* driver) {
  std::vector<double> modelled, measured;
  for (const ModelledAndMeasured& rule : driver->rules) {
    modelled.push_back(rule.modelled);
    measured.push_back(rule.measured);
  }
  driver->spearman = selection::Spearman(modelled, measured);
  modelled = selection::RanksOf(modelled);
  measured = selection::RanksOf(measured);
  for (size_t i = 0; i < driver->rules.size(); ++i)
    driver->rules[i].rank_difference = (modelled[i] - measured[i]) / static_cast<double>(modelled.size());
  std::stable_sort(driver->rules.begin(), driver->rules.end(),
                   [](const ModelledAndMeasured& x, const ModelledAndMeasured& y) {
                     return std::abs(x.rank_difference) > std::abs(y.rank_difference);
                   });
}

// The sources of the corpus on which rules were chosen for the driver.
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

}  // namespace

std::vector<DriverAgreement> AgreementOf(const std::vector<MeasuredRule>& rules,
                                         const std::vector<v1::DriverTrial>& trials) {
  std::map<std::string, DriverAgreement> by_driver;
  for (const v1::DriverTrial& trial : trials) {
    by_driver[trial.driver()].driver = trial.driver();
    by_driver[trial.driver()].sources = SharedSources(rules, trial);
  }
  for (const MeasuredRule& rule : rules) {
    for (const v1::RuleTrial& trial : rule.trials) {
      DriverAgreement& driver = by_driver[trial.driver()];
      driver.driver = trial.driver();
      ++driver.tried;
      driver.chosen += WorthOf(trial).chosen;
      if (trial.problem().empty()) {
        driver.rules.push_back({&rule, ModelledOf(rule, driver.sources), WorthAlone(trial).instructions});
      } else {
        driver.problems.emplace_back(rule.row.rule.id.hex(), trial.problem());
      }
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
