// The solvers of a verifier as one value: the first solver (Z3), the confirming solver (cvc5), and optional caches.
// OpenSolvers (verifier/worker/open_solvers.h) creates them; a test may combine any two.
#ifndef REWROUGHT_VERIFIER_SOLVERS_H_
#define REWROUGHT_VERIFIER_SOLVERS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "verifier/solver.h"

namespace rewrought::verifier {

// Copies are cheap and share the solvers; the last copy destroys the owned solvers. This class is as thread-safe as the
// solvers. A query is cancelled through its own stop token.
class Solvers {
 public:
  // Creates a value without solvers. Cases that only a solver can decide stay unknown.
  Solvers() = default;
  // Does not own the solvers, which may be null.
  Solvers(Solver* first, Solver* confirming = nullptr)  // NOLINT: implicit conversion from a solver is intended
      : Solvers({std::shared_ptr<Solver>(), first}, {std::shared_ptr<Solver>(), confirming}, 1) {}
  // `parallel` is the number of queries that the first solver answers concurrently.
  Solvers(std::shared_ptr<Solver> first, std::shared_ptr<Solver> confirming, int parallel)
      : first_(std::move(first)), confirming_(std::move(confirming)), parallel_(parallel) {}

  Solver* first() const { return first_.get(); }            // may be null
  Solver* confirming() const { return confirming_.get(); }  // may be null
  int parallel() const { return parallel_; }

  Solvers FirstAlone() const { return {first_, nullptr, parallel_}; }

  // Returns the same solvers with caches (verifier/cache/caching_solver.h), which start empty and are shared by copies
  // of the result.
  Solvers Cached() const;

  // Returns the names and versions of the solvers. Starts solvers that are not running.
  std::vector<std::string> versions() const;

 private:
  std::shared_ptr<Solver> first_, confirming_;
  int parallel_ = 1;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_SOLVERS_H_
