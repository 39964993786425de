// The space that STP's tool fp_rewrite_gen searches (github.com/stp/stp, pull requests 797 and 799), stated anew: which
// candidates there are, and which equal one of the targets on all floats of a small format and of a second one.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_SPACE_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_SPACE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/benchmark/peers/stp/float_rule.h"
#include "tests/benchmark/peers/stp/small_float.h"

namespace rewrought::peers {

// Depth 1: each op but classifications (fp.isNaN, ...), which are targets, on the variable and constants, the variable
// at least once. Depth 2: each op but fp.fma with just one inner term, out of abs, neg, sqrt, roundToIntegral, x * x,
// x + x and x - x; the other operand is the variable or a constant.
std::vector<FloatCandidate> FloatCandidates(int depth);

// The first target that the candidate equals on all floats, whichever zero it chooses: of a term x, -x, |x|, a
// constant, its inner term; of a predicate true, false, and what x itself is.
std::optional<FloatTarget> FindTarget(const FloatMeaning& meaning, const FloatCandidate& candidate, Rounding rounding);

// Where rules are looked for, and where they are confirmed; of fp.fma apart.
struct SearchFormats {
  SmallFormat search = {3, 4}, confirm = {3, 5};
  SmallFormat fma_search = {2, 4}, fma_confirm = {3, 4};
};

struct FloatSpaceResult {
  // Evaluations of a candidate in one mode at one format: to search, and to confirm. STP counts the sum.
  size_t searched = 0, confirming = 0;
  std::vector<FloatRule> rules;  // by candidate, then by the first mode; of one candidate and target one
};

FloatSpaceResult SearchFloatSpace(int depth, const SearchFormats& formats = {});

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_SPACE_H_
