#include "pipeline/discovery/discovery_record.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "pipeline/run_record.h"
#include "store/rule_store.h"
#include "store/search_store.h"

namespace rewrought::pipeline {
namespace {

store::AttemptRecord AttemptOf(const store::AttemptKey& key, const FragmentResult& result, double milliseconds) {
  store::AttemptRecord attempt;
  attempt.key = key;
  attempt.outcome = result.found > 0              ? store::AttemptOutcome::kCandidates
                    : result.statistics.cut_short ? store::AttemptOutcome::kCutShort
                                                  : store::AttemptOutcome::kNothing;
  attempt.enumerated = static_cast<int64_t>(result.statistics.enumerated);
  attempt.candidates = static_cast<int64_t>(result.found);
  attempt.milliseconds = milliseconds;
  return attempt;
}

}  // namespace

absl::Status DiscoveryRecord::Open() {
  if (!owner_.run.empty()) {
    absl::StatusOr<store::RunRecord> run = store::RunStore(store_).GetRun(owner_.run);
    if (!run.ok()) return run.status();
    run_ = *std::move(run);
    return absl::OkStatus();
  }
  absl::StatusOr<OpenedRun> opened = OpenRun(store_, "discover", owner_.config);
  if (!opened.ok()) return opened.status();
  run_ = std::move(opened->run);
  statistics_ = RunStatisticsOfJson(run_.run_statistics);
  seconds_before_ = statistics_.seconds();
  return absl::OkStatus();
}

void DiscoveryRecord::Count(const FragmentResult& result) {
  statistics_.set_enumerated(statistics_.enumerated() + result.statistics.enumerated);
  statistics_.set_distinct(statistics_.distinct() + result.statistics.distinct);
  statistics_.set_candidates(statistics_.candidates() + result.found);
  statistics_.set_refuted(statistics_.refuted() + result.refuted);
  statistics_.set_proved(statistics_.proved() + result.proved);
  statistics_.set_unknown(statistics_.unknown() + result.unknown);
  statistics_.set_general(statistics_.general() + result.general);
}

absl::Status DiscoveryRecord::Keep(const store::AttemptKey& key, const store::FragmentSummary& fragment,
                                   const FragmentResult& result, double milliseconds) {
  absl::StatusOr<std::unique_ptr<store::ScopedTransaction>> transaction = store::ScopedTransaction::Begin(store_);
  if (!transaction.ok()) return transaction.status();
  store::SearchStore search(store_);
  for (const store::CandidateRecord& candidate : result.candidates) {
    const absl::Status put = search.PutCandidate(candidate);
    if (!put.ok()) return put;
  }
  for (const store::RuleRecord& rule : result.rules) {
    const absl::Status put = KeepRule(rule);
    if (!put.ok()) return put;
  }
  store::AttemptKey of_fragment = key;
  of_fragment.fragment = fragment.digest;
  absl::Status put = search.PutAttempt(AttemptOf(of_fragment, result, milliseconds));
  if (!put.ok()) return put;
  Count(result);
  put = Update(v1::RUN_STATE_RUNNING, fragment.fragment.text);
  return put.ok() ? (*transaction)->Commit() : put;
}

// Stores the rule. If several fragments yield the same rule, keeps the rule of the fragment with the smallest digest,
// regardless of which was found first. Merging does the same (store/shards/merge_steps.h).
absl::Status DiscoveryRecord::KeepRule(store::RuleRecord rule) {
  store::RuleStore rules(store_);
  rule.created_run = run_.id;
  rule.created = absl::Now();
  absl::StatusOr<store::RuleRecord> known = rules.GetRule(rule.id.hex());
  if (!known.ok() && !absl::IsNotFound(known.status())) return known.status();
  const bool is_known = known.ok() && known->semantics == rule.semantics && known->fragment.has_value() &&
                        rule.fragment.has_value() && *known->fragment < *rule.fragment;
  if (is_known) return absl::OkStatus();
  return rules.PutRule(rule);
}

absl::Status DiscoveryRecord::UpdateCounts() {
  store::RunStore runs(store_);
  absl::StatusOr<store::RunRecord> run = runs.GetRun(owner_.run);
  if (!run.ok()) return run.status();
  run->run_statistics = RunStatisticsJson(Sum(*owner_.counted_before, statistics_));
  run->updated = absl::Now();
  return runs.UpdateRun(*run);
}

absl::Status DiscoveryRecord::Update(v1::RunState state, const std::string& message) {
  statistics_.set_seconds(seconds_before_ + std::chrono::duration<double>(RunBudget::Clock::now() - opened_).count());
  statistics_.set_peak_bytes(std::max<uint64_t>(statistics_.peak_bytes(), PeakResidentBytes()));
  if (!owner_.run.empty()) return owner_.counted_before.has_value() ? UpdateCounts() : absl::OkStatus();
  run_.state = state;
  run_.message = message;
  run_.run_statistics = RunStatisticsJson(statistics_);
  run_.updated = absl::Now();
  if (state != v1::RUN_STATE_RUNNING) run_.ended = run_.updated;
  return store::RunStore(store_).UpdateRun(run_);
}

}  // namespace rewrought::pipeline
