// A solver that caches what it answered: one rule is proved on its way and again when it is kept, a program and what it
// says in NIR give one text, and two machines often do.
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
  // `behind` must outlive this. Holds up to `max_bytes` of texts and forgets the oldest.
  explicit CachingSolver(Solver* behind, size_t max_bytes = size_t{128} << 20)
      : behind_(behind), max_bytes_(max_bytes) {}

  // Answers as `behind` did before if text, tactic and wanted names are the same to the letter, and as it would if its
  // budget were all that it had: "budget" where the answer took more work than the question allows, or where more did
  // not suffice before. So who asked first changes nothing. Other unknowns, of the clock above all, are asked anew.
  SolverAnswer Solve(const SolverQuery& query) override;
  std::string name_and_version() override { return behind_->name_and_version(); }

  // Queries that were not asked of `behind`.
  uint64_t cached() const;

 private:
  Solver* const behind_;
  const size_t max_bytes_;
  mutable std::mutex mutex_;
  struct Cached {
    SolverAnswer answer;
    uint32_t work_ms = 0;  // that it was asked with
  };
  std::unordered_map<std::string, Cached> answers_;
  std::deque<const std::string*> oldest_first_;  // keys of answers_, whose nodes stay where they are
  size_t bytes_ = 0;
  uint64_t cached_ = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_CACHE_CACHING_SOLVER_H_
