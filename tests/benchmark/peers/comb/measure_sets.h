// Runs FMCAD 2024's sets, looks at what came out, and puts it beside Comb's figures.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MEASURE_SETS_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MEASURE_SETS_H_

#include <array>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/benchmark/peers/comb/rule_check.h"
#include "tests/benchmark/peers/comb/sets.h"
#include "verifier/solvers.h"

namespace rewrought::peers {

inline constexpr std::array<int, 3> kWidths = {8, 16, 32};

// Rules of a set by one definition.
struct CombRun {
  std::vector<LowestCostRule> rules;
  double seconds = 0;  // by the clock; the median of several runs
};

struct CombMeasured {
  const CombSet* set = nullptr;
  CombRun counted;                               // as Comb counts
  std::optional<CombRun> plain;                  // as rules are counted here; none of all unique rules
  std::array<AtWidth, kWidths.size()> at_width;  // of the plain rules
  double wide_seconds = 0;                       // at all of these widths, without rules of sets before
  std::vector<std::string> wrong;                // rules that do not hold at 4 bits
};

// Whether a set, or their group, has this name.
bool IsCombName(const std::string& name);

// Searched `times` times. `prover` knows what it proved for other sets.
CombMeasured MeasureCombSet(const CombSet& set, WideProver* prover, int times);

// Those that `names` has, or the group of which it has; all if it is empty. Says in `log` which is at work.
std::vector<CombMeasured> MeasureCombSets(const std::set<std::string>& names, const verifier::Solvers& solvers,
                                          int times, std::ostream& log);

// A table in Markdown, and the rules that do not hold.
void PrintCombTable(const std::vector<CombMeasured>& all, std::ostream& out);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MEASURE_SETS_H_
