#include "server/work_metrics.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/names.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "proto/rewrought/v1/run.pb.h"
#include "server/metrics.h"

namespace rewrought::rpc {
namespace {

constexpr auto kGauge = prometheus::MetricType::Gauge;

template <typename Enum>
std::string Name(int number) {
  return std::string(v1::NameOf(static_cast<Enum>(number)));
}

void AddCounts(const store::StoreCounts& counts, std::vector<prometheus::MetricFamily>* families) {
  std::vector<LabelledValue> runs, shards, rules, verdicts;
  const auto value = [](int64_t count) { return static_cast<double>(count); };
  for (const auto& [of, count] : counts.runs)
    runs.push_back({{{"kind", of.first}, {"state", Name<v1::RunState>(of.second)}}, value(count)});
  for (const auto& [state, count] : counts.shards)
    shards.push_back({{{"state", Name<v1::RunState>(state)}}, value(count)});
  for (const auto& [of, count] : counts.rules)
    rules.push_back({{{"machine", of.first}, {"state", Name<v1::RuleState>(of.second)}}, value(count)});
  for (const auto& [verdict, count] : counts.verdicts)
    verdicts.push_back({{{"verdict", Name<v1::Verdict>(verdict)}}, value(count)});
  families->push_back(FamilyOf("runs", kGauge, "Stored runs, by kind and state.", runs));
  families->push_back(FamilyOf("shards", kGauge, "Runs that process one shard of the fragments, by state.", shards));
  families->push_back(FamilyOf("rules", kGauge, "Stored rules, by machine and state.", rules));
  families->push_back(FamilyOf("verdicts", kGauge, "Decided rule cases, by verdict.", verdicts));
  families->push_back(FamilyOf("contradictions", kGauge,
                               "Cases both proved and refuted; anything but 0 is a verifier bug.",
                               {{{}, value(counts.contradictions)}}));
}

}  // namespace

std::string HealthText(const pipeline::WorkerBoard& workers) {
  std::vector<pipeline::WorkerBoard::State> starved = workers.Starved();
  for (pipeline::WorkerBoard::State& state : starved) state.what.clear();
  return starved.empty() ? "" : absl::StrCat("starved: ", StarvedText(starved), "\n");
}

std::optional<store::StoreCounts> WorkMetrics::Counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (absl::Now() - counted_ < fresh_) return counts_;
  absl::StatusOr<store::StoreCounts> counts = store::CountAll(store_);
  counts_ = counts.ok() ? std::optional<store::StoreCounts>(*std::move(counts)) : std::nullopt;
  counted_ = absl::Now();
  return counts_;
}

std::vector<prometheus::MetricFamily> WorkMetrics::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  if (runs_ != nullptr) {
    const RunQueue::Load load = runs_->load();
    families.push_back(FamilyOf("queue_runs", kGauge, "Runs in this server's queue, by state.",
                                {{{{"state", "waiting"}}, static_cast<double>(load.waiting)},
                                 {{{"state", "running"}}, static_cast<double>(load.running)}}));
  }
  double idle = 0, busy = 0, results = 0, longest = 0;
  for (const pipeline::WorkerBoard::State& state : workers_->All()) {
    ++(state.idle ? idle : busy);
    results += static_cast<double>(state.results);
    longest = std::max(longest, state.seconds);
  }
  families.push_back(FamilyOf("workers", kGauge, "Search threads, by state.",
                              {{{{"state", "idle"}}, idle}, {{{"state", "busy"}}, busy}}));
  families.push_back(FamilyOf("worker_results", kGauge, "Results of the current workers.", {{{}, results}}));
  families.push_back(FamilyOf("worker_silence_seconds", kGauge,
                              "Longest time that a worker has been without work or without a result.",
                              {{{}, longest}}));
  families.push_back(FamilyOf("workers_starved", kGauge,
                              "Workers without work or a result for too long; /healthz names them.",
                              {{{}, static_cast<double>(workers_->Starved().size())}}));
  if (const std::optional<store::StoreCounts> counts = Counts(); counts.has_value()) AddCounts(*counts, &families);
  return families;
}

}  // namespace rewrought::rpc
