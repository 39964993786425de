// Defines the sink for the candidates of a step. The source files of the bank share it.
#ifndef REWROUGHT_ENUMERATOR_BANK_SINK_H_
#define REWROUGHT_ENUMERATOR_BANK_SINK_H_

#include <deque>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "enumerator/bank.h"

namespace rewrought::enumerator {

inline constexpr size_t kBatch = 32;  // The number of candidates whose classes are prefetched together.

// The blocks are in a deque, because a deque's elements have stable addresses.
struct Bank::FormCache {
  std::deque<AlignedBlock> blocks;
  std::map<std::pair<EntryIndex, int>, Values> found;
};

// The state of an enumeration: the limits and goals for its candidates, and the current candidate.
struct Bank::Sink {
  int size = 1;
  uint8_t required = 0;    // The fresh bits that a candidate needs.
  uint8_t wanted = 0;      // The inputs that a candidate must read.
  uint8_t fresh_mask = 0;  // The inputs of the fresh entry, if there is only one.
  float base_cost = 0;     // The cost of the fresh entries.
  int max_modified = kMaxSlots, max_immediates = kMaxSlots;
  // The following fields are used only in a search for goals.
  absl::Span<const Goal> goals;
  absl::flat_hash_map<uint64_t, std::vector<size_t>> by_key;  // Goals without irrelevant bits.
  std::vector<size_t> of_some_bits;                           // The other goals.
  uint8_t goal_mask = 0;                                      // The common mask of all goals, if there is one.
  bool same_mask = false;
  const std::function<void(size_t, const Expression&)>* found = nullptr;
  // The current candidate.
  int step = 0;
  std::array<const Choice*, kMaxSlots> chosen = {};
  // Candidates that have been evaluated but not yet offered to their classes.
  std::array<Candidate, kBatch> batch;
  size_t batched = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_BANK_SINK_H_
