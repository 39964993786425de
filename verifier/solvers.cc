#include "verifier/solvers.h"

#include "verifier/cache/caching_solver.h"

namespace rewrought::verifier {
namespace {

std::shared_ptr<Solver> Cache(const std::shared_ptr<Solver>& behind) {
  if (behind == nullptr) return nullptr;
  // The deleter destroys the cache before the solver that it wraps.
  return {new CachingSolver(behind.get()), [behind](Solver* cache) { delete cache; }};
}

}  // namespace

Solvers Solvers::Cached() const { return {Cache(first_), Cache(confirming_), parallel_}; }

std::vector<std::string> Solvers::versions() const {
  std::vector<std::string> versions;
  for (Solver* const solver : {first(), confirming()}) {
    if (solver != nullptr) versions.push_back(solver->name_and_version());
  }
  return versions;
}

}  // namespace rewrought::verifier
