// Records which queries a solver finds unsatisfiable, and answers recorded queries without a solver. Whether a query is
// satisfiable depends only on its text, so a recorded answer holds for every rule and in every version.
#ifndef REWROUGHT_VERIFIER_CACHE_UNSAT_DIGESTS_H_
#define REWROUGHT_VERIFIER_CACHE_UNSAT_DIGESTS_H_

#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

// The length of a short digest: 96 bits in URL-safe base64.
inline constexpr size_t kShortDigestLength = 16;

// Returns the first 96 bits of a digest, as kShortDigestLength characters from A-Z, a-z, 0-9, '-', and '_'.
std::string ShortForm(const ir::Digest& digest);

// Returns the short form of the SHA-256 digest of `content`.
std::string ShortDigest(absl::string_view content);

// Returns whether `text` has the form of a short digest.
bool IsShortDigest(absl::string_view text);

// Passes each query to another solver, and stores the short digest of the query's text if the answer is kUnsat.
class UnsatRecorder : public Solver {
 public:
  // `behind` and `digests` must outlive this object. `mutex` guards `digests`, which several recorders may share.
  UnsatRecorder(Solver* behind, std::mutex* mutex, std::set<std::string>* digests)
      : behind_(behind), mutex_(mutex), digests_(digests) {}

  SolverAnswer Solve(const SolverQuery& query) override;
  std::string name_and_version() override { return behind_->name_and_version(); }

 private:
  Solver* const behind_;
  std::mutex* const mutex_;
  std::set<std::string>* const digests_;
};

// Answers kUnsat to the queries whose short digests are known, and kUnknown with the reason "not recorded" to all other
// queries. Starts no process.
class RecordedSolver : public Solver {
 public:
  // `is_known` must be thread-safe.
  explicit RecordedSolver(std::function<bool(const std::string&)> is_known) : is_known_(std::move(is_known)) {}

  SolverAnswer Solve(const SolverQuery& query) override;
  std::string name_and_version() override { return "recorded answers"; }

 private:
  const std::function<bool(const std::string&)> is_known_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_CACHE_UNSAT_DIGESTS_H_
