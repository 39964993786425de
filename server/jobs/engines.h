// Defines the service's interface to the pipeline, which keeps handlers and their tests independent of the search.
#ifndef REWROUGHT_SERVER_JOBS_ENGINES_H_
#define REWROUGHT_SERVER_JOBS_ENGINES_H_

#include <functional>
#include <stop_token>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/rewrought/v1/improve_service.pb.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::rpc {

struct ImproveTask {
  std::string expression;
  std::string machine;  // the id of a known machine
  absl::Duration limit;
  std::stop_token stop;
};

class ImproveEngine {
 public:
  virtual ~ImproveEngine() = default;

  // Searches for cheaper programs, and calls `found` for each program as it is found, on the calling thread. Ends early
  // when `found` returns false or `stop` is requested. Fails with InvalidArgument if the expression does not parse, and
  // with Unimplemented if the search does not support it.
  virtual absl::Status Improve(const ImproveTask& task, absl::FunctionRef<bool(const v1::ImproveResponse&)> found) = 0;
};

struct RunTask {
  std::string id;  // id of the stored run
  v1::NightlyConfig config;
  v1::RunStatistics before;  // statistics from earlier servers that worked on this run
  std::stop_token stop;
  // Receives the run's statistics, including `before`, and a description of its current step. Any thread may call it,
  // any number of times.
  std::function<void(const v1::RunStatistics&, absl::string_view doing)> progress;
};

class RunEngine {
 public:
  virtual ~RunEngine() = default;

  // Executes or resumes a run. Returns when the run has ended, or shortly after `stop` is requested; all results found
  // by then have been stored. The caller stores the run's state. Returns the budget that ended the run early, "time" or
  // "memory", or an empty string if the run is done. If the run fails, returns an error that states the reason.
  virtual absl::StatusOr<std::string> Execute(const RunTask& task) = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_ENGINES_H_
