// The cheapest program of a machine for each of many patterns: every program up to a size, by depth, compared on 64
// lanes with all patterns at once, and on all inputs where those agree.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_CHEAPEST_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_CHEAPEST_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tests/benchmark/peers/comb/graph.h"

namespace rewrought::peers {

// The order in which programs are preferred: by cost, then by size; among equals in the order of Comb's runs: more
// kinds of instructions first, then those further down in the machine's table.
struct Preference {
  double cost = 0;
  int size = 0, kinds = 0;
  uint64_t ops = 0;  // ascending, a byte each
  friend bool operator==(const Preference&, const Preference&) = default;
  friend std::partial_ordering operator<=>(const Preference& a, const Preference& b);
};

Preference PreferenceOf(const Graph& program, absl::Span<const CombOp> instructions);

struct Cheapest {
  Graph program;  // its inputs are the pattern's; `inputs` is the pattern's too, whether or not all are read
  Preference preference;
};

// By pattern. `all_inputs`: programs must read whatever the pattern reads, also where the result does not depend on it.
std::vector<std::optional<Cheapest>> FindCheapest(absl::Span<const Graph> patterns, absl::Span<const CombOp> ops,
                                                  absl::Span<const CombOp> instructions, int most_steps,
                                                  bool all_inputs);

// By pattern, all programs that read what it reads; one of those with equal KeyWithInputs, at least.
std::vector<std::vector<Graph>> FindPrograms(absl::Span<const Graph> patterns, absl::Span<const CombOp> ops,
                                             absl::Span<const CombOp> instructions, int most_steps);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_CHEAPEST_H_
