// What a solver is to the rest of the verifier: SMT-LIB text in, verdict out, independent of the IR.
// WorkerPool (Z3) and Cvc5Process implement it; a test may inject one that lies.
#ifndef REWROUGHT_VERIFIER_SOLVER_H_
#define REWROUGHT_VERIFIER_SOLVER_H_

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace rewrought::verifier {

// How Z3 goes about a query. Other solvers ignore it. A query that holds what its tactic cannot do is kUnknown.
enum class Tactic : uint8_t {
  kUninterpreted,  // bit vectors and uninterpreted functions, no floats: solver for QF_UFBV
  kNative,  // floats, bit vectors, also functions beside them: simplify, fpa2bv, bit-blast, sat; a new solver per query
  kReal,    // polynomials over the reals, also functions beside them
};

enum class Answer : uint8_t { kUnsat, kSat, kUnknown };

struct SolverQuery {
  Tactic tactic = Tactic::kNative;
  // SMT-LIB 2.6: only set-logic, set-info, declare-*, define-fun, define-const, define-sort and assert; no check-sat,
  // no push, no options (worker/script.h). Anything else is answered kUnknown, "parse: ...".
  std::string text;
  // Budget of counted work, in what a quiet core does in so many milliseconds (verifier/budget.h). 0: as timeout_ms, or
  // 1000 without that.
  uint32_t work_ms = 0;
  // Names (unquoted) of declared constants whose values are wanted if the answer is kSat; no duplicates.
  std::vector<std::string> wanted = {};
  // Ends the query early with kUnknown, "cancelled".
  std::stop_token cancel = {};
  // Milliseconds by the clock, for who waits; 0: no such limit. A solver that does not end by itself is killed 1 s
  // later.
  uint32_t timeout_ms = 0;
};

struct SolverAnswer {
  Answer answer = Answer::kUnknown;
  // Why kUnknown, else empty: "budget" (the work was done), "budget (processor)", "time", "memory", "cancelled",
  // "parse: ...", "tactic: ...", "worker died: signal 9", "worker: bad reply", ...
  std::string reason = {};
  // Of the wanted constants, those of a bit-vector or Boolean sort: lower-case hex, width / 4 digits rounded up, no
  // prefix; a Boolean is "0" or "1". Constants of other sorts are left out.
  std::map<std::string, std::string> model = {};
  std::string solver = {};  // name and version of what answered; empty if nothing did
  double milliseconds = 0;  // wall time of the solver, parsing included, waiting for a free worker excluded
  double work_ms = 0;       // counted, as the query's budget; 0 where the solver does not say
};

class Solver {
 public:
  virtual ~Solver() = default;

  // Decides whether the assertions of `query` can be met. Blocks; may be called from several threads at once. Never
  // fails: whatever goes wrong is kUnknown with a reason.
  virtual SolverAnswer Solve(const SolverQuery& query) = 0;

  // Returns for example "Z3 4.8.12.0"; "unknown" with a reason in parentheses if the solver cannot be run.
  virtual std::string name_and_version() = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_SOLVER_H_
