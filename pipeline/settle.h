// What follows from all rules of a machine together: which of them others make needless, and what each saves.
// After shards were put into one database it is made anew, since each shard knew a part of the rules.
#ifndef REWROUGHT_PIPELINE_SETTLE_H_
#define REWROUGHT_PIPELINE_SETTLE_H_

#include <functional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "store/store.h"

namespace rewrought::pipeline {

// For each machine that this program knows and the store has rules of. Repeated, it changes nothing. `progress` (may be
// null) is told the machine. Cancelled: stopped; else the store's errors.
absl::Status SettleRules(store::Store* store, std::stop_token stop,
                         const std::function<void(const std::string& machine)>& progress);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SETTLE_H_
