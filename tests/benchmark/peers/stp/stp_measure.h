// Searches STP's space, proves what comes out at 16 and 32 bits, and puts it beside STP's figures.
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

// What STP published of one depth (github.com/stp/stp, pull requests 797 and 799); its machine is not stated.
struct StpWorkload {
  std::string name;
  int depth = 1;
  size_t evaluations = 0;  // "candidate evaluations"
  size_t rules = 0;        // "sound rules", all confirmed at the second format
  double seconds = 0;      // of searching and confirming
};

const std::vector<StpWorkload>& StpWorkloads();

// Whether a word of the command line is one of theirs, or "stp-space", which stands for all.
bool IsStpName(const std::string& name);

struct StpMeasured {
  const StpWorkload* workload = nullptr;
  FloatSpaceResult found;
  double seconds = 0;            // of searching and confirming, by the clock; the median of several
  double processor_seconds = 0;  // the same of this process, which uses one thread for it
  FloatProofs at_16, at_32;      // of the rules that were confirmed
  // Rules that evaluation refutes on one of the 65,536 floats of 16 bits, or a solver at 16 or 32; rules that a solver
  // proves at 16 bits though evaluation refutes them.
  std::vector<std::string> wrong;
  std::vector<std::string> unknown;  // rules that no solver decides, with the reason

  size_t Confirmed() const { return at_16.proofs.size(); }
};

// `times`: of the search; proofs run once.
StpMeasured MeasureStp(const StpWorkload& workload, const verifier::Solvers& solvers, int times);

// Of the workloads that `names` holds, or of all if it is empty; says to `log` what runs.
std::vector<StpMeasured> MeasureStpWorkloads(const std::set<std::string>& names, const verifier::Solvers& solvers,
                                             int times, std::ostream& log);

// Rules that do not hold, each with a float of 16 bits for which it does not.
std::vector<std::string> WrongAt16(const std::vector<FloatRule>& rules);

// Tables in Markdown, and what is wrong and what is unknown; nothing of nothing.
void PrintStpTables(const std::vector<StpMeasured>& all, std::ostream& out);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_STP_MEASURE_H_
