// Generates the inputs of a case, lane by lane: first edge cases, then random values and values on boundaries of the
// case's function. A lane's values depend only on the case's name, the seed and the lane's number.
#ifndef REWROUGHT_TOOLS_SILICON_INPUTS_H_
#define REWROUGHT_TOOLS_SILICON_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/batch.h"
#include "ir/dag.h"
#include "tools/silicon/cases.h"

namespace rewrought::silicon {

inline constexpr size_t kLaneGroup = 1024;  // lanes of the same kind; Fill works on whole groups

class Lanes {
 public:
  // Generates `wanted` lanes, or fewer if the inputs have fewer combinations of values. `dag` is the case's meaning,
  // whose inputs have the case's names; the results of its operations determine the boundaries. The dag must outlive
  // this object.
  Lanes(const Case& one, const ir::Dag* dag, std::vector<ir::ValueIndex> roots, uint64_t seed, uint64_t wanted);

  uint64_t count() const { return count_; }
  uint64_t edges() const { return shown_edges_; }  // the first lanes; all others are random

  // Returns `lanes` lanes, starting with lane `first`, of each of the case's inputs; `first` must be a multiple of
  // kLaneGroup.
  std::vector<std::vector<uint64_t>> Fill(uint64_t first, size_t lanes) const;

 private:
  void Edge(uint64_t lane, std::vector<uint64_t>* values) const;
  void RandomGroup(uint64_t group, size_t lanes, std::vector<std::vector<uint64_t>>* values) const;
  void OnBoundaries(uint64_t seed, std::vector<std::vector<uint64_t>>* values) const;

  const std::vector<CaseInput> inputs_;
  const ir::Dag* const dag_;
  const std::vector<ir::ValueIndex> roots_;
  uint64_t seed_ = 0;
  uint64_t count_ = 0, edges_ = 0, shown_edges_ = 0;
  bool exhaustive_ = false;                       // every combination of all inputs' values
  std::vector<size_t> words_;                     // indices of the 32-bit inputs
  std::vector<uint64_t> long_list_, short_list_;  // edge values of a word
};

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_INPUTS_H_
