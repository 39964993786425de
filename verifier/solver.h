// The interface of a solver, which decides queries in SMT-LIB and does not depend on the IR. WorkerPool (Z3) and
// Cvc5Process implement it; a test may provide a solver that lies.
#ifndef REWROUGHT_VERIFIER_SOLVER_H_
#define REWROUGHT_VERIFIER_SOLVER_H_

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace rewrought::verifier {

// Z3's strategy for a query; other solvers ignore it. The answer to a query with constructs that its tactic does not
// support is kUnknown.
enum class Tactic : uint8_t {
  kUninterpreted,  // bit vectors and uninterpreted functions, no floats; the solver for QF_UFBV
  kNative,         // floats, bit vectors, and functions: simplify, fpa2bv, bit-blast, sat; a new solver per query
  kReal,           // polynomials over the reals, and functions
  kInteger,        // linear arithmetic over the integers, and functions
};

enum class Answer : uint8_t { kUnsat, kSat, kUnknown };

struct SolverQuery {
  Tactic tactic = Tactic::kNative;
  // SMT-LIB 2.6 with only set-logic, set-info, declare-*, define-fun, define-const, define-sort and assert; no
  // check-sat, push or options (worker/script.h). Any other text is answered with kUnknown and a reason that starts
  // with "parse:".
  std::string text;
  // Budget of counted work, in milliseconds on an idle core (verifier/budget.h). 0 means timeout_ms, or 1000 if there
  // is no timeout.
  uint32_t work_ms = 0;
  // Names (unquoted, without duplicates) of declared constants whose values are wanted if the answer is kSat.
  std::vector<std::string> wanted = {};
  // Ends the query early, with kUnknown and the reason "cancelled".
  std::stop_token cancel = {};
  // Wall-clock limit in milliseconds, for interactive callers; 0 for none. A solver that does not end by itself is
  // killed 1 s later.
  uint32_t timeout_ms = 0;
};

struct SolverAnswer {
  Answer answer = Answer::kUnknown;
  // The reason for kUnknown, else empty: "budget" (the work limit was reached), "budget (processor)", "time", "memory",
  // "cancelled", "parse: ...", "tactic: ...", "worker died: signal 9", "worker: bad reply", ...
  std::string reason = {};
  // The values of the wanted constants of bit-vector or Boolean sort: lower-case hex, width / 4 digits rounded up, no
  // prefix; "0" or "1" for a Boolean. An integer from 0 to 2^64 - 1 has as many digits as it needs. Other values are
  // omitted.
  std::map<std::string, std::string> model = {};
  std::string solver = {};  // name and version of the solver that answered, or empty
  double milliseconds = 0;  // wall time in the solver, including parsing but not waiting for a worker
  double work_ms = 0;       // counted work, in the unit of the query's budget; 0 if unknown
};

class Solver {
 public:
  virtual ~Solver() = default;

  // Decides whether the assertions of `query` are satisfiable. Blocks. Thread-safe. Never fails: reports an error as
  // kUnknown with a reason.
  virtual SolverAnswer Solve(const SolverQuery& query) = 0;

  // Returns, for example, "Z3 4.8.12.0", or "unknown" with a reason in parentheses if the solver cannot run.
  virtual std::string name_and_version() = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_SOLVER_H_
