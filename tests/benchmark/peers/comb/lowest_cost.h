// Lowest-cost rules as Comb (FMCAD 2024) counts them: patterns of an IR with the cheapest program of a machine, without
// those that other rules give.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_LOWEST_COST_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_LOWEST_COST_H_

#include <vector>

#include "absl/types/span.h"
#include "tests/benchmark/peers/comb/cheapest.h"
#include "tests/benchmark/peers/comb/graph.h"

namespace rewrought::peers {

// Which patterns are left out because rules of smaller patterns give them at no higher cost.
enum class Composites {
  kAll,                // whatever they are put together from
  kRepeated,           // those whose parts have each op less often than the whole: so Comb's published runs took it
  kRepeatedAtAnyCost,  // also where the parts cost more: so its first runs
  kNone,               // none is left out
};

struct LowestCostOptions {
  int pattern_steps = 2, program_steps = 2;
  Composites composites = Composites::kAll;
  // Whether programs must read all that patterns read, even to no effect.
  bool all_inputs = false;
  // Whether a pattern with inputs that are the same is a rule beside its general form where that costs as much, but has
  // instructions that come later (Preference). If not, a general form comes first.
  bool special_first = false;
};

struct LowestCostRule {
  Graph pattern, program;
  Preference preference;
};

struct LowestCostResult {
  std::vector<LowestCostRule> rules;  // by size of the pattern
  size_t patterns = 0;                // looked at
  size_t covered = 0;                 // that have a program
};

LowestCostResult FindLowestCost(absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions,
                                const LowestCostOptions& options);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_LOWEST_COST_H_
