// All terms of a named op set up to a named size, without a corpus: one representative of each function, and a proved
// rule wherever a longer term computes what an earlier one does and no rule found before says so.
#ifndef REWROUGHT_ENUMERATOR_SWEEP_TERM_SWEEP_H_
#define REWROUGHT_ENUMERATOR_SWEEP_TERM_SWEEP_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/prover_interface.h"
#include "enumerator/run_statistics.h"
#include "ir/op_row.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// A constant of a sweep, at any width.
struct SweepConstant {
  bool is_float = false;
  int64_t value = 0;  // cut to the width; of floats the bits of a double, rounded to it
};

struct SweepOptions {
  std::vector<const ir::OpRow*>
      ops;            // scalar; operands of the free size, of 1 bit, or of a fixed size equal to `width`
  int variables = 2;  // 1 to 4, all of `width` bits
  std::vector<SweepConstant> constants;    // beside the variables; floats at 16 and 32 bits only
  int width = 32;                          // 1 to 32
  int max_size = 2;                        // ops of a term, counted as a tree
  uint64_t max_bytes = uint64_t{1} << 31;  // of values and tables; the sweep ends there
  // In which searches that have float operations are verified.
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  std::vector<std::pair<ir::Term, ir::Term>> others;             // rules of another tool, to compare with
  std::function<void(const RunStatistics&, int size)> progress;  // now and then
  std::stop_token stop;
};

struct SweepRule {
  ir::Term search, replace;  // of `width` bits; InSize() gives other widths
  int search_ops = 0, replace_ops = 0;
};

struct SweepResult {
  std::vector<SweepRule> rules;           // in the order found: by size of the search; each needed beside the others
  std::vector<ir::Term> representatives;  // one term for each function, ops of at least one, in the order found
  RunStatistics run_statistics;           // `candidates` agree on all vectors with an earlier term; `general` were no
                                          // instances of rules found before; `minimal` are left
  uint64_t derived = 0;                   // candidates that are such instances
  // Candidates that `rules` alone, from the start, do not lead to what they are known to be, within the bounds of the
  // search for it. None, or what was dropped is not made up for.
  uint64_t underived = 0;
  // With `others`, derivability both ways: numbers of `rules` that these do not lead to, and of these that do not
  // follow from `rules` or have sides larger than the terms looked at.
  std::vector<size_t> not_from_others, others_not_known;
  double seconds_proving = 0;     // of the whole, in the prover
  double seconds_minimising = 0;  // in finding what follows from what
  bool exhaustive = false;        // the inputs are so few that a prover can evaluate all of them (12 bits)
  bool complete = false;          // false: stopped, or at the limit of memory
};

// Terms are built from representatives only: any other term follows from rules. Commutative operands are tried in
// one order, so commutativity itself is no rule here. Two terms agree if they do on all inputs when there are at most
// 512, else on 512 vectors with the corner values of integers and floats. Size by size what agrees is settled, the
// most general terms first: it follows from rules by congruence, one way only where there are floats, or `prover` has
// the last word on it as a rule. A pair that it refutes or leaves open becomes two functions. Deterministic unless
// stopped. InvalidArgument names an op that does not fit, or an option out of range.
absl::StatusOr<SweepResult> SweepTerms(const SweepOptions& options, ProverInterface* prover);

// `term` of a sweep at `width` bits where it had `from`: variables, nodes and constants (sign-extended).
ir::Term InSize(const ir::Term& term, int from, int width);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SWEEP_TERM_SWEEP_H_
