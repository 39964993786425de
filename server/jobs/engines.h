// What the service asks of the pipeline, declared here so that handlers and their tests depend on no search.
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
  std::string machine;  // a known id
  absl::Duration limit;
  std::stop_token stop;
};

class ImproveEngine {
 public:
  virtual ~ImproveEngine() = default;

  // Calls `found` for each program as it is found, in the calling thread; ends early when `found` returns false or
  // `stop` is requested. InvalidArgument for an expression that does not parse, Unimplemented for one that the search
  // cannot take.
  virtual absl::Status Improve(const ImproveTask& task, absl::FunctionRef<bool(const v1::ImproveResponse&)> found) = 0;
};

struct RunTask {
  std::string id;  // of the stored run
  v1::NightlyConfig config;
  v1::RunStatistics before;  // what an earlier server got to
  std::stop_token stop;
  // How far the run is, what was done before included, and what it is doing; from any thread, as often as wanted.
  std::function<void(const v1::RunStatistics&, absl::string_view doing)> progress;
};

class RunEngine {
 public:
  virtual ~RunEngine() = default;

  // Carries a run out, or on from where it was, and returns when it has ended or shortly after `stop` was requested;
  // what was found until then is stored. The caller stores the run's state. Gives the budget that ended it before it
  // was done, "time" or "memory"; empty: it is done. Errors: why it failed.
  virtual absl::StatusOr<std::string> Execute(const RunTask& task) = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_ENGINES_H_
