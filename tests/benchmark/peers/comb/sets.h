// Lists the rule sets of the Comb paper (FMCAD 2024): the machine, the size limits of patterns and programs, and Comb's
// results and times.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_SETS_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_SETS_H_

#include <string>
#include <vector>

#include "tests/benchmark/peers/comb/lowest_cost.h"

namespace rewrought::peers {

inline constexpr char kCombGroup[] = "fmcad";

struct CombSet {
  std::string name;
  std::string machine;        // a name for MachineNamed
  LowestCostOptions counted;  // counts rules as Comb's run does
  bool is_all = false;        // all unique rules, not only the cheapest
  double peer_rules = 0, peer_seconds = 0;
};

// Returns all sets, grouped by machine.
const std::vector<CombSet>& AllCombSets();

// Returns the options for counting rules as this project does: without rules that follow from others, and without reads
// that have no effect.
LowestCostOptions Plain(const CombSet& set);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_SETS_H_
