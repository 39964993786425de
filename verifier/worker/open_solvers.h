// The solvers of this build: Z3 in worker processes, confirmed by cvc5. To add or exchange one, implement
// verifier::Solver and name it in open_solvers.cc; nothing else knows which they are.
#ifndef REWROUGHT_VERIFIER_WORKER_OPEN_SOLVERS_H_
#define REWROUGHT_VERIFIER_WORKER_OPEN_SOLVERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "verifier/solvers.h"

namespace rewrought::verifier {

struct SolversOptions {
  int workers = 0;               // processes of the first solver at most; 0: one per core
  std::string worker_path = {};  // empty: LocateWorker finds it
  int niceness = 0;              // of solver processes, beyond this one's: a server answers reads before it proves
};

// Processes are started when they are needed first. Errors: those of WorkerPool::Create. A missing cvc5 is none: what
// is asked of it is unknown.
absl::StatusOr<Solvers> OpenSolvers(const SolversOptions& options);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_OPEN_SOLVERS_H_
