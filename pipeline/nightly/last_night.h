// What a night leaves for the next one to compare with: what each rule was worth, and how many were in each pack.
#ifndef REWROUGHT_PIPELINE_NIGHTLY_LAST_NIGHT_H_
#define REWROUGHT_PIPELINE_NIGHTLY_LAST_NIGHT_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct PackCounts {
  uint64_t exported = 0, blocked = 0;
};

struct LastNight {
  std::map<std::string, double> worth;      // rule's id -> cycles saved against the tuned baseline, both splits
  std::map<std::string, PackCounts> packs;  // by machine
};

// As a run keeps it (RunRecord::cursor): "ID CYCLES" and "pack MACHINE EXPORTED BLOCKED" lines. Cycles have all their
// digits. Other lines are passed over.
std::string TextOf(const LastNight& night);
LastNight ParseNight(absl::string_view text);

// Of the newest night that is done, other than the run `own`; empty if there is none. The store's errors.
absl::StatusOr<LastNight> ReadLastNight(store::Store* store, absl::string_view own);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_LAST_NIGHT_H_
