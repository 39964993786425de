// FMCAD 2024's sets: which machine, how large patterns and programs, and what Comb found in what time.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_SETS_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_SETS_H_

#include <string>
#include <vector>

#include "tests/benchmark/peers/comb/lowest_cost.h"

namespace rewrought::peers {

inline constexpr char kCombGroup[] = "fmcad";

struct CombSet {
  std::string name;
  std::string machine;        // MachineNamed
  LowestCostOptions counted;  // as Comb's run counted rules
  bool is_all = false;        // all unique rules, not the cheapest
  double peer_rules = 0, peer_seconds = 0;
};

// All of them, by machine.
const std::vector<CombSet>& AllCombSets();

// As rules are counted here: nothing that follows from others, and no reads to no effect.
LowestCostOptions Plain(const CombSet& set);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_SETS_H_
