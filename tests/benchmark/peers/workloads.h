// What other rule miners were run on, as data: grammars that `enumerate` can state, and the figures that others
// published or that were measured of them (docs/peers.md).
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_WORKLOADS_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_WORKLOADS_H_

#include <string>
#include <vector>

#include "pipeline/enumerate.h"

namespace rewrought::peers {

// One figure of somebody else; negative: not known.
struct PeerFigure {
  std::string peer;
  double rules = -1, seconds = -1;
  std::string source;  // "published", "repository", "memory" or "measured", and on what
};

struct Workload {
  std::string name;
  std::string group;  // of workloads that one word names on the command line
  pipeline::EnumerateOptions options;
  std::vector<PeerFigure> figures;
};

// All of them, the smallest first.
const std::vector<Workload>& AllWorkloads();

// Null if there is none.
const Workload* FindWorkload(const std::string& name);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_WORKLOADS_H_
