// Recomputes which rules are redundant and how much each rule saves. This is necessary after a merge, because each
// shard contained only some of the rules.
#ifndef REWROUGHT_PIPELINE_SETTLE_H_
#define REWROUGHT_PIPELINE_SETTLE_H_

#include <functional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Processes each machine that this program knows and that has rules in the store. A second call changes nothing.
// `progress`, which may be null, is called with the id of each machine. Returns Cancelled if stopped. Propagates store
// errors.
absl::Status SettleRules(store::Store* store, std::stop_token stop,
                         const std::function<void(const std::string& machine)>& progress);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SETTLE_H_
