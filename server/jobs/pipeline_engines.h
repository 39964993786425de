// Implements the engines for runs and improvements, using the pipeline.
#ifndef REWROUGHT_SERVER_JOBS_PIPELINE_ENGINES_H_
#define REWROUGHT_SERVER_JOBS_PIPELINE_ENGINES_H_

#include <utility>

#include "server/jobs/engines.h"
#include "store/store.h"
#include "verifier/solvers.h"

namespace rewrought::rpc {

class PipelineRunEngine : public RunEngine {
 public:
  // Does not take ownership of `store`. `threads` is the number of search threads; 0 means one per core.
  PipelineRunEngine(store::Store* store, verifier::Solvers solvers, int threads)
      : store_(store), solvers_(std::move(solvers)), threads_(threads) {}

  // Discovers rules for each machine in turn, and divides the remaining time evenly among the remaining machines.
  absl::StatusOr<std::string> Execute(const RunTask& task) override;

 private:
  store::Store* const store_;
  const verifier::Solvers solvers_;
  const int threads_;
};

class PipelineImproveEngine : public ImproveEngine {
 public:
  explicit PipelineImproveEngine(verifier::Solvers solvers) : solvers_(std::move(solvers)) {}

  // First reports the program that base selection produces, and then each cheaper program that is not refuted in any
  // denormal mode. Sizes that the expression leaves open become 32 bits if that is allowed.
  absl::Status Improve(const ImproveTask& task, absl::FunctionRef<bool(const v1::ImproveResponse&)> found) override;

 private:
  const verifier::Solvers solvers_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_PIPELINE_ENGINES_H_
