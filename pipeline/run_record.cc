#include "pipeline/run_record.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace rewrought::pipeline {

std::string NewRunId() {
  std::random_device random;
  return absl::StrFormat("%016x%08x%08x", absl::ToUnixMicros(absl::Now()), random(), random());
}

absl::StatusOr<OpenedRun> OpenRun(store::Store* store, const std::string& kind, const std::string& config) {
  store::RunStore runs(store);
  absl::StatusOr<std::vector<store::RunRecord>> unfinished = runs.Resumable();
  if (!unfinished.ok()) return unfinished.status();
  for (store::RunRecord& run : *unfinished) {
    if (run.kind != kind || run.config != config) continue;
    run.state = v1::RUN_STATE_RUNNING;
    run.message.clear();
    run.ended.reset();
    run.updated = absl::Now();
    const absl::Status updated = runs.UpdateRun(run);
    if (!updated.ok()) return updated;
    return OpenedRun{std::move(run), true};
  }
  store::RunRecord run;
  run.id = NewRunId();
  run.kind = kind;
  run.config = config;
  run.state = v1::RUN_STATE_RUNNING;
  run.started = run.updated = absl::Now();
  const absl::Status created = runs.CreateRun(run);
  if (!created.ok()) return created;
  return OpenedRun{std::move(run), false};
}

v1::RunStatistics Sum(const v1::RunStatistics& a, const v1::RunStatistics& b) {
  v1::RunStatistics sum;
  sum.set_fragments(a.fragments() + b.fragments());
  sum.set_enumerated(a.enumerated() + b.enumerated());
  sum.set_distinct(a.distinct() + b.distinct());
  sum.set_candidates(a.candidates() + b.candidates());
  sum.set_refuted(a.refuted() + b.refuted());
  sum.set_proved(a.proved() + b.proved());
  sum.set_unknown(a.unknown() + b.unknown());
  sum.set_general(a.general() + b.general());
  sum.set_minimal(a.minimal() + b.minimal());
  sum.set_seconds(a.seconds() + b.seconds());
  sum.set_peak_bytes(std::max(a.peak_bytes(), b.peak_bytes()));
  return sum;
}

std::string RunStatisticsJson(const v1::RunStatistics& run_statistics) {
  // Protobuf's own JSON writes 64-bit numbers as strings, but the documented format of the command line has numbers.
  return absl::StrFormat(
      "{\"fragments\":%u,\"enumerated\":%u,\"distinct\":%u,\"candidates\":%u,\"refuted\":%u,\"proved\":%u,\"unknown\":%"
      "u,"
      "\"general\":%u,\"minimal\":%u,\"seconds\":%.3f,\"peak_bytes\":%u}",
      run_statistics.fragments(), run_statistics.enumerated(), run_statistics.distinct(), run_statistics.candidates(),
      run_statistics.refuted(), run_statistics.proved(), run_statistics.unknown(), run_statistics.general(),
      run_statistics.minimal(), run_statistics.seconds(), run_statistics.peak_bytes());
}

v1::RunStatistics RunStatisticsOfJson(const std::string& json) {
  v1::RunStatistics run_statistics;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  if (!google::protobuf::util::JsonStringToMessage(json, &run_statistics, options).ok()) run_statistics.Clear();
  return run_statistics;
}

}  // namespace rewrought::pipeline
