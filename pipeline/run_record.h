// Runs in the store: made, found again after a kill, kept up to date.
#ifndef REWROUGHT_PIPELINE_RUN_RECORD_H_
#define REWROUGHT_PIPELINE_RUN_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/run_store.h"

namespace rewrought::pipeline {

// A name that no other database uses: time and random bits, hex.
std::string NewRunId();

struct OpenedRun {
  store::RunRecord run;
  bool resumed = false;
};

// The unfinished run of this kind and config, now running, or else a new one. The caller holds a store::DatabaseLock on
// what the run is about, so that nobody else carries it out. The store's errors.
absl::StatusOr<OpenedRun> OpenRun(store::Store* store, const std::string& kind, const std::string& config);

// Counts add up, seconds too; of memory the highest counts.
v1::RunStatistics Sum(const v1::RunStatistics& a, const v1::RunStatistics& b);

// The run statistics as JSON with the proto's field names, zeros included, and back (unknown fields are ignored).
std::string RunStatisticsJson(const v1::RunStatistics& run_statistics);
v1::RunStatistics RunStatisticsOfJson(const std::string& json);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RUN_RECORD_H_
