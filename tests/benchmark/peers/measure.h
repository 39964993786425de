// Runs a workload of other rule miners, looks at what came out, and puts it beside their figures.
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
  double processor_seconds = 0;    // of this process and its solvers, of a run
  double seconds = 0;              // of the whole run, by the clock; the median of several
  double peak_bytes = 0;           // of this process, from before the run on; without solvers'
  size_t others = 0;               // rules that it was compared with
  std::vector<std::string> wrong;  // rules that do not hold
};

// Errors: those of Enumerate.
absl::StatusOr<Measured> Measure(const Workload& workload, const verifier::Solvers& solvers, const OtherRules& others,
                                 int times);

// Rules of a report, as their text says, that are refuted by evaluating both sides at the report's width on all inputs
// where there are few, else on special and random ones, those of floats in the modes `of_floats`; no solver, none of
// the sweep's tables and none of its terms takes part. Also those that are not said to be proved, or do not parse.
std::vector<std::string> WrongRules(const pipeline::EnumerateReport& report,
                                    absl::Span<const ir::DenormMode> of_floats);

// Two tables in Markdown: what was found, and what others reach with the ratios.
void PrintTables(const std::vector<Measured>& all, std::ostream& out);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_MEASURE_H_
