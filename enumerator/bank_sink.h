// What a bank does with the candidates of a step, for its own files.
#ifndef REWROUGHT_ENUMERATOR_BANK_SINK_H_
#define REWROUGHT_ENUMERATOR_BANK_SINK_H_

#include <deque>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "enumerator/bank.h"

namespace rewrought::enumerator {

inline constexpr size_t kBatch = 32;  // candidates whose classes are fetched from memory side by side

// A deque never moves its elements.
struct Bank::FormCache {
  std::deque<AlignedBlock> blocks;
  std::map<std::pair<EntryIndex, int>, Values> found;
};

// Where candidates go, and the one that is being put together.
struct Bank::Sink {
  int size = 1;
  uint8_t required = 0;    // fresh bits
  uint8_t wanted = 0;      // inputs that must be read
  uint8_t fresh_mask = 0;  // inputs of the fresh entry, of which there is one
  float base_cost = 0;     // of the fresh entries
  int max_modified = kMaxSlots, max_immediates = kMaxSlots;
  // Of a search for goals.
  absl::Span<const Goal> goals;
  absl::flat_hash_map<uint64_t, std::vector<size_t>> by_key;  // goals all of whose bits matter
  std::vector<size_t> of_some_bits;                           // the others
  uint8_t goal_mask = 0;                                      // all goals' masks, if they agree
  bool same_mask = false;
  const std::function<void(size_t, const Expression&)>* found = nullptr;
  // The candidate.
  int step = 0;
  std::array<const Choice*, kMaxSlots> chosen = {};
  // Evaluated, not yet offered to their classes.
  std::array<Candidate, kBatch> batch;
  size_t batched = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_BANK_SINK_H_
