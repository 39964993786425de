// Lists the workloads of other rule miners: grammars for `enumerate`, and results that the miners published or that we
// measured (docs/peers.md).
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_WORKLOADS_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_WORKLOADS_H_

#include <string>
#include <vector>

#include "pipeline/enumerate.h"

namespace rewrought::peers {

// A peer's results. A negative value means that the result is unknown.
struct PeerFigure {
  std::string peer;
  double rules = -1, seconds = -1;
  std::string source;  // "published", "repository", "memory" or "measured", and the machine
};

struct Workload {
  std::string name;
  std::string group;  // a command-line name for several workloads
  pipeline::EnumerateOptions options;
  std::vector<PeerFigure> figures;
};

// Returns all workloads, the smallest first.
const std::vector<Workload>& AllWorkloads();

// Returns the workload called `name`, or null if there is none.
const Workload* FindWorkload(const std::string& name);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_WORKLOADS_H_
