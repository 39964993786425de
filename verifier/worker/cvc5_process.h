// cvc5 as a second opinion: one process of Debian's binary per query, on the same text that Z3 gets.
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
  std::string path = {};  // of the binary; empty: the variable REWROUGHT_CVC5, then `cvc5` on PATH
  uint64_t memory_bytes = uint64_t{1536} << 20;  // RLIMIT_AS of each process; 0: unlimited
  int niceness = 0;                              // of each process, beyond this one's
};

class Cvc5Process : public Solver {
 public:
  explicit Cvc5Process(const Cvc5Options& options);

  // Runs one process, ended by its count (verifier/budget.h) or its time. Only a clean exit with a well-formed reply
  // counts; everything else is kUnknown. Ignores the tactic. Text as cvc5 1.0.3 takes it: no fp.to_ieee_bv, no Z3
  // extensions. As many processes run as there are callers.
  SolverAnswer Solve(const SolverQuery& query) override;

  // Returns "cvc5 1.0.3", asked once.
  std::string name_and_version() override;

 private:
  // Output of one run. `trouble`: why it does not count, else empty.
  struct Run {
    std::string output, errors, trouble;
  };

  Run Execute(const std::vector<std::string>& arguments, absl::string_view input, const QueryLimits& allowed,
              const std::stop_token& cancel) const;
  std::string AskVersion() const;

  std::string path_;  // empty: not found
  uint64_t memory_bytes_;
  int niceness_;
  std::mutex mutex_;
  std::string name_and_version_;
};

// Whether the text holds sizes of floats that cvc5 only takes with --fp-exp: half precision, by name, by numbers or as
// a literal (fp ...).
bool NeedsExperimentalFloats(absl::string_view text);

// Turns what cvc5 printed into an answer: "sat" and a model, "unsat" and nothing else, or "unknown".
SolverAnswer ReadCvc5Output(absl::string_view output, const std::vector<std::string>& wanted);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_CVC5_PROCESS_H_
