// A solver that caches answers. Queries repeat because rules are proved during the search and again when they are
// stored, programs and their NIR forms lower to the same text, and machines share rules.
#ifndef REWROUGHT_VERIFIER_CACHE_CACHING_SOLVER_H_
#define REWROUGHT_VERIFIER_CACHE_CACHING_SOLVER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

#include "verifier/solver.h"

namespace rewrought::verifier {

class CachingSolver : public Solver {
 public:
  // `behind` must outlive this object. Caches up to `max_bytes` of query text in total, and evicts the
  // oldest entries first.
  explicit CachingSolver(Solver* behind, size_t max_bytes = size_t{128} << 20)
      : behind_(behind), max_bytes_(max_bytes) {}

  // Returns the previous answer of `behind` if the text, the tactic and the wanted names are identical. The result is
  // the answer that `behind` would return if the budget were its only limit. Its reason is "budget" if the cached
  // answer needed more work than this query allows, or if an equal or larger budget was exceeded before. The order of
  // the queries therefore does not matter. Queries with other unknown answers, in particular wall-clock timeouts, are
  // retried.
  SolverAnswer Solve(const SolverQuery& query) override;
  std::string name_and_version() override { return behind_->name_and_version(); }

  // Returns the number of queries answered from the cache.
  uint64_t cached() const;

 private:
  Solver* const behind_;
  const size_t max_bytes_;
  mutable std::mutex mutex_;
  struct Cached {
    SolverAnswer answer;
    uint32_t work_ms = 0;  // the budget of the cached query
  };
  std::unordered_map<std::string, Cached> answers_;
  std::deque<const std::string*> oldest_first_;  // keys of answers_, whose nodes have stable addresses
  size_t bytes_ = 0;
  uint64_t cached_ = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_CACHE_CACHING_SOLVER_H_
