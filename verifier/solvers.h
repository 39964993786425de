// The solvers that a verifier asks, as one value: the first (Z3), the one that confirms it (cvc5), caches before both.
// OpenSolvers (verifier/worker/open_solvers.h) makes them; a test puts them together from any two.
#ifndef REWROUGHT_VERIFIER_SOLVERS_H_
#define REWROUGHT_VERIFIER_SOLVERS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "verifier/solver.h"

namespace rewrought::verifier {

// Copies are cheap and share the solvers; the last one ends those that are owned. Thread-safe as solvers are; queries
// are cancelled by their own stop token.
class Solvers {
 public:
  // None: what only a solver can decide stays unknown.
  Solvers() = default;
  // Not owned; each may be null.
  Solvers(Solver* first, Solver* confirming = nullptr)  // NOLINT: a solver stands for itself
      : Solvers({std::shared_ptr<Solver>(), first}, {std::shared_ptr<Solver>(), confirming}, 1) {}
  // `parallel`: queries that the first answers at a time.
  Solvers(std::shared_ptr<Solver> first, std::shared_ptr<Solver> confirming, int parallel)
      : first_(std::move(first)), confirming_(std::move(confirming)), parallel_(parallel) {}

  Solver* first() const { return first_.get(); }            // or null
  Solver* confirming() const { return confirming_.get(); }  // or null
  int parallel() const { return parallel_; }

  // Without the one that confirms.
  Solvers FirstAlone() const { return {first_, nullptr, parallel_}; }

  // The same behind caches (verifier/cache/caching_solver.h) that start empty and are shared by copies of what this
  // returns.
  Solvers Cached() const;

  // Name and version of each; starts them where they do not run yet.
  std::vector<std::string> versions() const;

 private:
  std::shared_ptr<Solver> first_, confirming_;
  int parallel_ = 1;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_SOLVERS_H_
