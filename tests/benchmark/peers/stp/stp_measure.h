// Searches STP's space, proves the resulting rules at 16 and 32 bits, and compares the results with STP's.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_STP_STP_MEASURE_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_STP_STP_MEASURE_H_

#include <cstddef>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/benchmark/peers/stp/float_proof.h"
#include "tests/benchmark/peers/stp/float_space.h"
#include "verifier/solvers.h"

namespace rewrought::peers {

// STP's published results for one depth (github.com/stp/stp, pull requests 797 and 799); the machine is not stated.
struct StpWorkload {
  std::string name;
  int depth = 1;
  size_t evaluations = 0;  // "candidate evaluations"
  size_t rules = 0;        // "sound rules", all confirmed in the second format
  double seconds = 0;      // for searching and confirming
};

const std::vector<StpWorkload>& StpWorkloads();

// Returns whether `name` is the name of an STP workload, or "stp-space", which selects all of them.
bool IsStpName(const std::string& name);

struct StpMeasured {
  const StpWorkload* workload = nullptr;
  FloatSpaceResult found;
  double seconds = 0;            // elapsed time for searching and confirming; the median of several runs
  double processor_seconds = 0;  // CPU time for the same work, which uses one thread
  FloatProofs at_16, at_32;      // for the confirmed rules
  // Rules that evaluation refutes on one of the 65,536 16-bit floats, even if a solver proves them, or that a solver
  // refutes at 16 or 32 bits.
  std::vector<std::string> wrong;
  std::vector<std::string> unknown;  // rules that no solver decides, with the reason

  size_t Confirmed() const { return at_16.proofs.size(); }
};

// Runs the search `times` times, and the proofs once.
StpMeasured MeasureStp(const StpWorkload& workload, const verifier::Solvers& solvers, int times);

// Measures the workloads in `names`, or all workloads if `names` is empty. Logs the current workload to `log`.
std::vector<StpMeasured> MeasureStpWorkloads(const std::set<std::string>& names, const verifier::Solvers& solvers,
                                             int times, std::ostream& log);

// Returns the rules that do not hold, each with a 16-bit float as counterexample.
std::vector<std::string> WrongAt16(const std::vector<FloatRule>& rules);

// Prints Markdown tables, followed by the wrong and unknown rules. Prints nothing if `all` is empty.
void PrintStpTables(const std::vector<StpMeasured>& all, std::ostream& out);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_STP_MEASURE_H_
