// Reimplements the search space of STP's tool fp_rewrite_gen (github.com/stp/stp, pull requests 797 and 799):
// enumerates the candidates, and finds those that equal a target on all floats of a small format and of a second
// format.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_SPACE_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_SPACE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/benchmark/peers/stp/float_rule.h"
#include "tests/benchmark/peers/stp/small_float.h"

namespace rewrought::peers {

// Returns the candidates of depth `depth`, which is 1 or 2. At depth 1, each candidate applies one op whose operands
// are the variable (at least once) and, optionally, constants. Classifications (fp.isNaN, ...) are excluded because
// they are targets. At depth 2, candidates apply an op other than fp.fma to exactly one inner term (abs, neg, sqrt,
// roundToIntegral, x * x, x + x or x - x); the other operand is the variable or a constant.
std::vector<FloatCandidate> FloatCandidates(int depth);

// Returns the first target that the candidate equals on all floats, for every choice of a zero's sign. Targets of a
// term are x, -x, |x|, constants, and its inner term. Targets of a predicate are true, false, and the classification of
// x.
std::optional<FloatTarget> FindTarget(const FloatMeaning& meaning, const FloatCandidate& candidate, Rounding rounding);

// The formats for finding rules and for confirming them; fp.fma has separate formats.
struct SearchFormats {
  SmallFormat search = {3, 4}, confirm = {3, 5};
  SmallFormat fma_search = {2, 4}, fma_confirm = {3, 4};
};

struct FloatSpaceResult {
  // The numbers of evaluations of one candidate in one mode and format, during the search and during confirmation. STP
  // counts their sum.
  size_t searched = 0, confirming = 0;
  std::vector<FloatRule> rules;  // ordered by candidate, then by the first mode; one for each candidate and target
};

FloatSpaceResult SearchFloatSpace(int depth, const SearchFormats& formats = {});

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_SPACE_H_
