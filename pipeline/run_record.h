// Creates runs in the store, finds unfinished ones after a kill, and updates them.
#ifndef REWROUGHT_PIPELINE_RUN_RECORD_H_
#define REWROUGHT_PIPELINE_RUN_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/run_store.h"

namespace rewrought::pipeline {

// Returns a unique hex id, made from the time and random bits.
std::string NewRunId();

struct OpenedRun {
  store::RunRecord run;
  bool resumed = false;
};

// Returns the unfinished run of this kind and config, set to running, or a new run. The caller must hold a
// store::DatabaseLock on the run's subject, so that no other process executes it. Returns store errors.
absl::StatusOr<OpenedRun> OpenRun(store::Store* store, const std::string& kind, const std::string& config);

// Adds counts and seconds, and takes the maximum of memory.
v1::RunStatistics Sum(const v1::RunStatistics& a, const v1::RunStatistics& b);

// Convert run statistics to JSON with the proto's field names, including zeros, and back, ignoring unknown fields.
std::string RunStatisticsJson(const v1::RunStatistics& run_statistics);
v1::RunStatistics RunStatisticsOfJson(const std::string& json);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RUN_RECORD_H_
