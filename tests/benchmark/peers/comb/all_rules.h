// Finds all unique rules as Comb (FMCAD 2024) counts them: pairs of a pattern and an equivalent program of any cost,
// excluding pairs that follow from others.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_ALL_RULES_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_ALL_RULES_H_

#include <vector>

#include "absl/types/span.h"
#include "tests/benchmark/peers/comb/graph.h"
#include "tests/benchmark/peers/comb/lowest_cost.h"

namespace rewrought::peers {

// Considers patterns of at most `pattern_steps` operations, and programs that read the same inputs. Pairs that differ
// only in the names of inputs count once. Excludes a pair in which inputs are equal if the pair with separate inputs is
// a rule. Also excludes pairs that compose two rules, one above the other; `composites` selects these compositions by
// the operations of both sides.
std::vector<LowestCostRule> FindAllRules(absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions,
                                         int pattern_steps, int program_steps, Composites composites);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_ALL_RULES_H_
