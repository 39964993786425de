// Opens the solvers of this build: Z3 in worker processes, confirmed by cvc5. To add or replace a solver, implement
// verifier::Solver and instantiate it in open_solvers.cc; no other code depends on the choice.
#ifndef REWROUGHT_VERIFIER_WORKER_OPEN_SOLVERS_H_
#define REWROUGHT_VERIFIER_WORKER_OPEN_SOLVERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "verifier/solvers.h"

namespace rewrought::verifier {

struct SolversOptions {
  int workers = 0;               // maximum number of processes of the first solver; 0 for one per core
  std::string worker_path = {};  // if empty, LocateWorker finds it
  int niceness = 0;              // of solver processes, relative to this process, so that a server serves reads first
};

// Opens the solvers, whose processes start on first use. Fails like WorkerPool::Create. A missing cvc5 is not an error;
// its answers are kUnknown.
absl::StatusOr<Solvers> OpenSolvers(const SolversOptions& options);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_OPEN_SOLVERS_H_
