// Enumerates all terms over a set of ops up to a size, without a corpus. Finds one representative of each function. For
// each longer term that computes the same function as an earlier one, finds a proved rule, unless the equality follows
// from earlier rules.
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

// A constant of a sweep, which may be used at any width.
struct SweepConstant {
  bool is_float = false;
  int64_t value = 0;  // Truncated to the width; for floats, the bits of a double that is rounded to the width.
};

struct SweepOptions {
  std::vector<const ir::OpRow*> ops;  // Scalar; operands have the free size, 1 bit, or a fixed size equal to `width`.
  int variables = 2;                  // From 1 to 4, all with `width` bits.
  std::vector<SweepConstant> constants;    // Leaves besides the variables; floats need 16 or 32 bits.
  int width = 32;                          // From 1 to 32.
  int max_size = 2;                        // The maximum number of ops of a term, counted as a tree.
  uint64_t max_bytes = uint64_t{1} << 31;  // The limit for values and tables, at which the sweep stops.
  // The modes in which rules are verified if their search sides have float operations.
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  std::vector<std::pair<ir::Term, ir::Term>> others;             // Rules of another tool to compare with.
  std::function<void(const RunStatistics&, int size)> progress;  // Called periodically.
  std::stop_token stop;
};

struct SweepRule {
  ir::Term search, replace;  // The rule in `width` bits; InSize() converts it to other widths.
  int search_ops = 0, replace_ops = 0;
};

struct SweepResult {
  std::vector<SweepRule> rules;  // In the order found, by size of the search side; no rule follows from the others.
  std::vector<ir::Term> representatives;  // One term for each function, with at least one op, in the order found.
  // `candidates` counts terms that agree with an earlier term on all vectors, `general` counts rules that did not
  // follow from earlier rules when they were found, and `minimal` counts the rules that remain.
  RunStatistics run_statistics;
  uint64_t derived = 0;  // The number of candidates that follow from earlier rules.
  // The number of candidates that `rules` alone do not derive within the search limits. The number is positive only if
  // a dropped rule could not be replaced.
  uint64_t underived = 0;
  // If `others` is set: the indices of `rules` that `others` do not derive, and the indices of `others` that `rules`
  // are not known to derive, among them most rules over terms larger than the sweep's.
  std::vector<size_t> not_from_others, others_not_known;
  double seconds_proving = 0;     // The time spent in the prover.
  double seconds_minimising = 0;  // The time spent on derivability checks.
  bool exhaustive = false;        // Whether the inputs have at most 12 bits, so that a prover can evaluate all of them.
  bool complete = false;          // False if the sweep was stopped or reached the memory limit.
};

// Runs the sweep. Enumerates only terms whose operands are representatives, because the equality of all other terms
// follows from rules. Tries only one order of commutative operands, so commutativity itself is not a rule. Two terms
// agree if they are equal on all inputs, or on 512 vectors with integer and float corner cases if there are more than
// 512 inputs. For each size, processes the terms that agree with earlier ones, those with the most variables first. If
// the equality of such a term does not follow from rules by congruence (in one direction only for floats), `prover`
// decides whether the pair becomes a rule. If the prover refutes the pair or cannot decide it, the terms count as two
// functions. The result is deterministic unless the sweep is stopped. Fails with InvalidArgument, naming the op or
// option, if an op is unsuitable or an option is out of range.
absl::StatusOr<SweepResult> SweepTerms(const SweepOptions& options, ProverInterface* prover);

// Converts a term of a sweep from `from` to `width` bits by changing the sizes of its variables, ops, and constants.
// Constants are sign-extended.
ir::Term InSize(const ir::Term& term, int from, int width);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SWEEP_TERM_SWEEP_H_
