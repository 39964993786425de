// Runs and improvements as the pipeline carries them out.
#ifndef REWROUGHT_SERVER_RPC_JOBS_PIPELINE_ENGINES_H_
#define REWROUGHT_SERVER_RPC_JOBS_PIPELINE_ENGINES_H_

#include "server/rpc/jobs/engines.h"
#include "server/store/store.h"
#include "verifier/solver.h"

namespace rewrought::rpc {

class PipelineRunEngine : public RunEngine {
 public:
  // Nothing is owned. `threads` search at once; 0: one per core.
  PipelineRunEngine(store::Store* store, verifier::Solver* solver, verifier::Solver* second_solver, int threads)
      : store_(store), solver_(solver), second_solver_(second_solver), threads_(threads) {}

  // Discovers rules for each machine in turn, the time split evenly over those that are left.
  absl::StatusOr<std::string> Execute(const RunTask& task) override;

 private:
  store::Store* const store_;
  verifier::Solver* const solver_;
  verifier::Solver* const second_solver_;
  const int threads_;
};

class PipelineImproveEngine : public ImproveEngine {
 public:
  // Nothing is owned.
  PipelineImproveEngine(verifier::Solver* solver, verifier::Solver* second_solver)
      : solver_(solver), second_solver_(second_solver) {}

  // Reports base selection's program first, then those that are cheaper and not refuted in any denormal mode. What the
  // expression leaves open in size is 32 bits where its typing allows that.
  absl::Status Improve(const ImproveTask& task, absl::FunctionRef<bool(const v1::ImproveResponse&)> found) override;

 private:
  verifier::Solver* const solver_;
  verifier::Solver* const second_solver_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_JOBS_PIPELINE_ENGINES_H_
