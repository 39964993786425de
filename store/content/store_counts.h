// Counts the content of a database by kind and state, for monitoring.
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
  std::map<std::pair<std::string, int>, int64_t> runs;   // number of runs by kind and v1::RunState
  std::map<int, int64_t> shards;                         // number of runs that process one shard of the fragments, by
                                                         // v1::RunState
  std::map<std::pair<std::string, int>, int64_t> rules;  // number of rules by machine and v1::RuleState
  std::map<int, int64_t> verdicts;                       // number of verdicts on cases, by v1::Verdict
  int64_t contradictions = 0;  // number of cases that were both proved and refuted; nonzero only if the verifier is
                               // wrong
};

// Reads all rules and verdicts. Fails with the store's errors.
absl::StatusOr<StoreCounts> CountAll(Store* store);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_CONTENT_STORE_COUNTS_H_
