#include "server/pipeline/trial/agreement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace rewrought::pipeline {
namespace {

// From 0, rising; equal values have the mean of their ranks.
std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return values[x] < values[y]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return ranks;
}

double Correlation(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 2) return 0;
  const double count = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count,
               mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double BestAlone(const v1::RuleTrial& trial) {
  double best = 0;
  bool any = false;
  for (const v1::RuleTrial::Place& place : trial.places()) {
    if (trial.instructions() <= 0) continue;
    const double saved = -100 * place.alone().instructions() / trial.instructions();
    best = any ? std::max(best, saved) : saved;
    any = true;
  }
  return best;
}

// Ranks of both sides, and from them the differences and the correlation.
void Compare(DriverAgreement* driver) {
  std::vector<double> modelled, measured;
  for (const ModelledAndMeasured& rule : driver->rules) {
    modelled.push_back(rule.modelled);
    measured.push_back(rule.measured);
  }
  modelled = Ranks(modelled);
  measured = Ranks(measured);
  driver->spearman = Correlation(modelled, measured);
  for (size_t i = 0; i < driver->rules.size(); ++i)
    driver->rules[i].rank_difference = (modelled[i] - measured[i]) / static_cast<double>(modelled.size());
  std::stable_sort(driver->rules.begin(), driver->rules.end(),
                   [](const ModelledAndMeasured& x, const ModelledAndMeasured& y) {
                     return std::abs(x.rank_difference) > std::abs(y.rank_difference);
                   });
}

}  // namespace

double Spearman(const std::vector<std::pair<double, double>>& pairs) {
  std::vector<double> x, y;
  for (const auto& [first, second] : pairs) {
    x.push_back(first);
    y.push_back(second);
  }
  return Correlation(Ranks(x), Ranks(y));
}

std::vector<DriverAgreement> AgreementOf(const std::vector<MeasuredRule>& rules) {
  std::map<std::string, DriverAgreement> by_driver;
  for (const MeasuredRule& rule : rules) {
    for (const v1::RuleTrial& trial : rule.trials) {
      DriverAgreement& driver = by_driver[trial.driver()];
      driver.driver = trial.driver();
      ++driver.tried;
      driver.chosen += WorthOf(trial).chosen;
      if (trial.problem().empty()) {
        driver.rules.push_back({&rule, rule.row.discovery.tuned_cycles, BestAlone(trial)});
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
