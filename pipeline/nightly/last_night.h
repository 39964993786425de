// The data of a night for comparison with the next one.
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
  std::map<std::string, double> worth;      // rule id -> cycles saved against the tuned baseline, both splits
  std::map<std::string, PackCounts> packs;  // by machine
};

// Converts to and from RunRecord::cursor: lines "ID CYCLES", with full precision, and "pack MACHINE EXPORTED
// BLOCKED". Other lines are skipped.
std::string TextOf(const LastNight& night);
LastNight ParseNight(absl::string_view text);

// Reads the newest completed night except the run `own`; empty if there is none. Returns store errors.
absl::StatusOr<LastNight> ReadLastNight(store::Store* store, absl::string_view own);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_LAST_NIGHT_H_
