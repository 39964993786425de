// Finds a machine's cheapest program for each of many patterns. Enumerates every program up to a size, depth-first, and
// compares it with all patterns at the same time on 64 lanes. If a program and a pattern agree on the lanes, compares
// them on all inputs.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_CHEAPEST_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_CHEAPEST_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tests/benchmark/peers/comb/graph.h"

namespace rewrought::peers {

// The order of preference for programs: by cost, then by size. Ties are broken as in Comb's runs: programs with more
// kinds of instructions come first, then programs whose instructions are further down in the machine's table.
struct Preference {
  double cost = 0;
  int size = 0, kinds = 0;
  uint64_t ops = 0;  // one byte per instruction, in ascending order
  friend bool operator==(const Preference&, const Preference&) = default;
  friend std::partial_ordering operator<=>(const Preference& a, const Preference& b);
};

Preference PreferenceOf(const Graph& program, absl::Span<const CombOp> instructions);

struct Cheapest {
  Graph program;  // has the pattern's inputs, even if it does not read all of them
  Preference preference;
};

// Returns the cheapest program for each pattern. If `all_inputs` is set, programs must read all inputs that the pattern
// reads, even if the result does not depend on them.
std::vector<std::optional<Cheapest>> FindCheapest(absl::Span<const Graph> patterns, absl::Span<const CombOp> ops,
                                                  absl::Span<const CombOp> instructions, int most_steps,
                                                  bool all_inputs);

// Returns, for each pattern, equivalent programs that read the same inputs as the pattern. Includes at least one
// program for each value of KeyWithInputs.
std::vector<std::vector<Graph>> FindPrograms(absl::Span<const Graph> patterns, absl::Span<const CombOp> ops,
                                             absl::Span<const CombOp> instructions, int most_steps);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_CHEAPEST_H_
