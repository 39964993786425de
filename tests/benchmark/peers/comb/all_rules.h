// All unique rules as Comb (FMCAD 2024) counts them: pairs of a pattern and a program, whatever that costs, without
// those that other pairs give.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_ALL_RULES_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_ALL_RULES_H_

#include <vector>

#include "absl/types/span.h"
#include "tests/benchmark/peers/comb/graph.h"
#include "tests/benchmark/peers/comb/lowest_cost.h"

namespace rewrought::peers {

// Patterns of at most two operations, programs that read what the pattern reads. Pairs are one that differ in how
// inputs are named. Left out are pairs with inputs that are the same, where the pair that tells them apart is a rule,
// and, as `composites` says of both sides' operations, pairs that two rules make one above the other.
std::vector<LowestCostRule> FindAllRules(absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions,
                                         int pattern_steps, int program_steps, Composites composites);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_ALL_RULES_H_
