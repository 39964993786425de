// Finds the rule sets of the Comb paper (FMCAD 2024), checks the rules, and compares their counts with Comb's.
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

// The rules of a set, counted according to one definition of a rule.
struct CombRun {
  std::vector<LowestCostRule> rules;
  double seconds = 0;  // elapsed time; the median of several runs
};

struct CombMeasured {
  const CombSet* set = nullptr;
  CombRun counted;                               // counted as Comb does
  std::optional<CombRun> plain;                  // counted as this project does; empty for sets of all unique rules
  std::array<AtWidth, kWidths.size()> at_width;  // the verdicts of the plain rules
  double wide_seconds = 0;                       // for proofs at all widths, excluding the rules of earlier sets
  std::vector<std::string> wrong;                // rules that do not hold at 4 bits
};

// Returns whether `name` is the name of a set or of the group of all sets.
bool IsCombName(const std::string& name);

// Runs the search `times` times. `prover` reuses its proofs of rules from other sets.
CombMeasured MeasureCombSet(const CombSet& set, WideProver* prover, int times);

// Measures the sets in `names`, or all sets if `names` is empty or contains the group's name. Logs the current set to
// `log`.
std::vector<CombMeasured> MeasureCombSets(const std::set<std::string>& names, const verifier::Solvers& solvers,
                                          int times, std::ostream& log);

// Prints a Markdown table, followed by the rules that do not hold.
void PrintCombTable(const std::vector<CombMeasured>& all, std::ostream& out);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MEASURE_SETS_H_
