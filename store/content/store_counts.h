// How many of what a database holds, by kind and state: for those who watch it.
#ifndef REWROUGHT_STORE_CONTENT_STORE_COUNTS_H_
#define REWROUGHT_STORE_CONTENT_STORE_COUNTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "store/store.h"

namespace rewrought::store {

struct StoreCounts {
  std::map<std::pair<std::string, int>, int64_t> runs;   // by kind and v1::RunState
  std::map<int, int64_t> shards;                         // runs of one part of the fragments, by v1::RunState
  std::map<std::pair<std::string, int>, int64_t> rules;  // by machine and v1::RuleState
  std::map<int, int64_t> verdicts;                       // on cases, by v1::Verdict
  int64_t contradictions = 0;  // cases both proved and refuted: 0 unless the verifier is wrong
};

// Reads all rules and verdicts. The store's errors.
absl::StatusOr<StoreCounts> CountAll(Store* store);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_CONTENT_STORE_COUNTS_H_
