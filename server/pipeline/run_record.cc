#include "server/pipeline/run_record.h"

#include <google/protobuf/util/json_util.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace rewrought::pipeline {

std::string NewRunId() {
  std::random_device random;
  return absl::StrFormat("%016x%08x%08x", absl::ToUnixMicros(absl::Now()), random(), random());
}

absl::StatusOr<store::RunRecord> OpenRun(store::Store* store, const std::string& kind, const std::string& config) {
  store::RunStore runs(store);
  absl::StatusOr<std::vector<store::RunRecord>> unfinished = runs.Resumable();
  if (!unfinished.ok()) return unfinished.status();
  for (store::RunRecord& run : *unfinished) {
    if (run.kind != kind || run.config != config) continue;
    run.state = store::RunState::kRunning;
    run.message.clear();
    run.ended.reset();
    run.updated = absl::Now();
    const absl::Status updated = runs.UpdateRun(run);
    if (!updated.ok()) return updated;
    return run;
  }
  store::RunRecord run;
  run.id = NewRunId();
  run.kind = kind;
  run.config = config;
  run.state = store::RunState::kRunning;
  run.started = run.updated = absl::Now();
  const absl::Status created = runs.CreateRun(run);
  if (!created.ok()) return created;
  return run;
}

std::string FunnelJson(const v1::Funnel& funnel) {
  // By hand: protobuf's JSON spells 64-bit numbers as strings, which the command line's contract does not.
  return absl::StrFormat(
      "{\"fragments\":%u,\"enumerated\":%u,\"distinct\":%u,\"candidates\":%u,\"refuted\":%u,\"proved\":%u,\"unknown\":%"
      "u,"
      "\"general\":%u,\"minimal\":%u,\"seconds\":%.3f,\"peak_bytes\":%u}",
      funnel.fragments(), funnel.enumerated(), funnel.distinct(), funnel.candidates(), funnel.refuted(),
      funnel.proved(), funnel.unknown(), funnel.general(), funnel.minimal(), funnel.seconds(), funnel.peak_bytes());
}

v1::Funnel FunnelOfJson(const std::string& json) {
  v1::Funnel funnel;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  if (!google::protobuf::util::JsonStringToMessage(json, &funnel, options).ok()) funnel.Clear();
  return funnel;
}

}  // namespace rewrought::pipeline
