// Finds lowest-cost rules as Comb (FMCAD 2024) counts them: patterns of an IR, each with a machine's cheapest program,
// excluding patterns that follow from other rules.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_LOWEST_COST_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_LOWEST_COST_H_

#include <vector>

#include "absl/types/span.h"
#include "tests/benchmark/peers/comb/cheapest.h"
#include "tests/benchmark/peers/comb/graph.h"

namespace rewrought::peers {

// Selects the patterns to exclude because rules for smaller patterns cover them at no higher cost.
enum class Composites {
  kAll,                // all compositions
  kRepeated,           // only if each op occurs less often in each part than in the whole, as in Comb's published runs
  kRepeatedAtAnyCost,  // the same, even if the parts cost more, as in Comb's first runs
  kNone,               // no patterns
};

struct LowestCostOptions {
  int pattern_steps = 2, program_steps = 2;
  Composites composites = Composites::kAll;
  // Programs must read all inputs that the pattern reads, even if these have no effect.
  bool all_inputs = false;
  // If true, a pattern with equal inputs also becomes a rule if its program costs the same as its general form's
  // program but comes first in Preference's order. If false, it becomes a rule only if its program costs less.
  bool special_first = false;
};

struct LowestCostRule {
  Graph pattern, program;
  Preference preference;
};

struct LowestCostResult {
  std::vector<LowestCostRule> rules;  // ordered by the size of the pattern
  size_t patterns = 0;                // patterns considered
  size_t covered = 0;                 // patterns that have a program
};

LowestCostResult FindLowestCost(absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions,
                                const LowestCostOptions& options);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_LOWEST_COST_H_
