// Creates runs in the store, and finds unfinished runs after a process has been killed.
#ifndef REWROUGHT_PIPELINE_RUN_RECORD_H_
#define REWROUGHT_PIPELINE_RUN_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/run_store.h"

namespace rewrought::pipeline {

// Returns a new unique id in hex, which consists of the time and random bits.
std::string NewRunId();

struct OpenedRun {
  store::RunRecord run;
  bool resumed = false;
};

// Returns the unfinished run of this kind and config, with its state set to running, or creates a run. The caller must
// hold a store::DatabaseLock that prevents other processes from executing the same run. Propagates store errors.
absl::StatusOr<OpenedRun> OpenRun(store::Store* store, const std::string& kind, const std::string& config);

// Returns the sums of the counts and seconds, and the maximum of the peak memory.
v1::RunStatistics Sum(const v1::RunStatistics& a, const v1::RunStatistics& b);

// Convert run statistics to JSON and back. The JSON has the proto's field names and includes fields that are 0. The
// parser ignores unknown fields.
std::string RunStatisticsJson(const v1::RunStatistics& run_statistics);
v1::RunStatistics RunStatisticsOfJson(const std::string& json);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RUN_RECORD_H_
