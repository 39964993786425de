// Runs a workload of other rule miners, checks the rules, and compares the results with those of the miners.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_MEASURE_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_MEASURE_H_

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "pipeline/enumerate.h"
#include "tests/benchmark/peers/workloads.h"
#include "verifier/solvers.h"

namespace rewrought::peers {

using OtherRules = std::vector<std::pair<ir::Term, ir::Term>>;

struct Measured {
  const Workload* workload = nullptr;
  pipeline::EnumerateReport report;
  double processor_seconds = 0;    // CPU time of this process and its solvers, for one run
  double seconds = 0;              // elapsed time of the whole run; the median of several runs
  double peak_bytes = 0;           // peak memory of this process during the run, without solvers
  size_t others = 0;               // the number of the peer's rules in the comparison
  std::vector<std::string> wrong;  // rules that do not hold
};

// Runs the workload `times` times and measures it. Fails with the errors of Enumerate.
absl::StatusOr<Measured> Measure(const Workload& workload, const verifier::Solvers& solvers, const OtherRules& others,
                                 int times);

// Returns the rules of a report that evaluation refutes. Evaluates both sides of each rule's text at the report's
// width, on all inputs if there are few, otherwise on special and random inputs. Evaluates float rules in the modes
// `of_floats`. Uses neither a solver nor the sweep's tables and terms. Also returns rules that are not marked as proved
// or cannot be parsed.
std::vector<std::string> WrongRules(const pipeline::EnumerateReport& report,
                                    absl::Span<const ir::DenormMode> of_floats);

// Prints two tables in Markdown: the results, and a comparison with the peers' results, including ratios.
void PrintTables(const std::vector<Measured>& all, std::ostream& out);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_MEASURE_H_
