// Runs and improvements as the pipeline carries them out.
#ifndef REWROUGHT_SERVER_JOBS_PIPELINE_ENGINES_H_
#define REWROUGHT_SERVER_JOBS_PIPELINE_ENGINES_H_

#include <utility>

#include "server/jobs/engines.h"
#include "store/store.h"
#include "verifier/solvers.h"

namespace rewrought::rpc {

class PipelineRunEngine : public RunEngine {
 public:
  // The store is not owned. `threads` search at once; 0: one per core.
  PipelineRunEngine(store::Store* store, verifier::Solvers solvers, int threads)
      : store_(store), solvers_(std::move(solvers)), threads_(threads) {}

  // Discovers rules for each machine in turn, the time split evenly over those that are left.
  absl::StatusOr<std::string> Execute(const RunTask& task) override;

 private:
  store::Store* const store_;
  const verifier::Solvers solvers_;
  const int threads_;
};

class PipelineImproveEngine : public ImproveEngine {
 public:
  explicit PipelineImproveEngine(verifier::Solvers solvers) : solvers_(std::move(solvers)) {}

  // Reports base selection's program first, then those that are cheaper and not refuted in any denormal mode. What the
  // expression leaves open in size is 32 bits where its typing allows that.
  absl::Status Improve(const ImproveTask& task, absl::FunctionRef<bool(const v1::ImproveResponse&)> found) override;

 private:
  const verifier::Solvers solvers_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_PIPELINE_ENGINES_H_
