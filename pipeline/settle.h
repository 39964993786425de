// Recomputes which rules of a machine are redundant and what each rule saves. Needed after a merge, because each
// shard knew only part of the rules.
#ifndef REWROUGHT_PIPELINE_SETTLE_H_
#define REWROUGHT_PIPELINE_SETTLE_H_

#include <functional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Processes each machine that this program knows and the store has rules for. Repeating it changes nothing.
// `progress` (may be null) receives the machine's id. Returns Cancelled if stopped, or store errors.
absl::Status SettleRules(store::Store* store, std::stop_token stop,
                         const std::function<void(const std::string& machine)>& progress);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SETTLE_H_
