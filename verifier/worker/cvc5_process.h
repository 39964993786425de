// Runs cvc5 as the confirming solver. Starts Debian's binary once for each query, with the same text as for Z3.
#ifndef REWROUGHT_VERIFIER_WORKER_CVC5_PROCESS_H_
#define REWROUGHT_VERIFIER_WORKER_CVC5_PROCESS_H_

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "verifier/budget.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

struct Cvc5Options {
  std::string path = {};                         // of the binary; if empty, the constructor looks for one
  uint64_t memory_bytes = uint64_t{1536} << 20;  // RLIMIT_AS of each process; 0 for unlimited
  int niceness = 0;                              // of each process, relative to this process
};

class Cvc5Process : public Solver {
 public:
  // If the options name no binary, uses the first among: the variable REWROUGHT_CVC5; the places of cvc5 according to
  // proto/own_files.h, because packages may bundle it; the folders in PATH.
  explicit Cvc5Process(const Cvc5Options& options);

  // Runs one process, and kills it when it reaches its resource limit (verifier/budget.h) or time limit. Returns
  // kUnknown unless the process exits cleanly with a well-formed reply. Ignores the tactic. The text must be valid for
  // cvc5 1.0.3: no fp.to_ieee_bv, no Z3 extensions. Thread-safe.
  SolverAnswer Solve(const SolverQuery& query) override;

  // Returns, for example, "cvc5 1.0.3". Queries the binary once.
  std::string name_and_version() override;

 private:
  // The output of a run. `trouble` is the reason why the output is unusable, or empty.
  struct Run {
    std::string output, errors, trouble;
  };

  Run Execute(const std::vector<std::string>& arguments, absl::string_view input, const QueryLimits& allowed,
              const std::stop_token& cancel) const;
  std::string QueryVersion() const;

  std::string path_;  // empty if not found
  uint64_t memory_bytes_;
  int niceness_;
  std::mutex mutex_;
  std::string name_and_version_;
};

// Returns whether the text may use half precision (by name, by size, or in a literal (fp ...)), which cvc5 supports
// only with --fp-exp.
bool NeedsExperimentalFloats(absl::string_view text);

// Parses cvc5's output: "sat" and a model, "unsat" and nothing else, or "unknown".
SolverAnswer ReadCvc5Output(absl::string_view output, const std::vector<std::string>& wanted);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_CVC5_PROCESS_H_
