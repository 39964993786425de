#include "verifier/worker/open_solvers.h"

#include <memory>
#include <utility>

#include "verifier/worker/cvc5_process.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::verifier {

absl::StatusOr<Solvers> OpenSolvers(const SolversOptions& options) {
  WorkerPoolOptions pool_options;
  pool_options.workers = options.workers;
  pool_options.worker_path = options.worker_path;
  pool_options.niceness = options.niceness;
  absl::StatusOr<std::unique_ptr<WorkerPool>> pool = WorkerPool::Create(pool_options);
  if (!pool.ok()) return pool.status();
  const int workers = (*pool)->workers();
  return Solvers(*std::move(pool), std::make_shared<Cvc5Process>(Cvc5Options{.niceness = options.niceness}), workers);
}

}  // namespace rewrought::verifier
