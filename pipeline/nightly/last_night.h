// Stores the data of one nightly run for comparison with the next run.
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
  // The cycles that each rule saves relative to tuned baseline selection in both splits, by rule id.
  std::map<std::string, double> worth;
  std::map<std::string, PackCounts> packs;  // by machine
};

// Convert the data to the text in RunRecord::cursor and back. The text consists of lines "ID CYCLES", with full
// precision, and "pack MACHINE EXPORTED BLOCKED". ParseNight skips other lines.
std::string TextOf(const LastNight& night);
LastNight ParseNight(absl::string_view text);

// Returns the data of the newest completed nightly run other than the run `own`, or no data if none exists. Propagates
// store errors.
absl::StatusOr<LastNight> ReadLastNight(store::Store* store, absl::string_view own);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_LAST_NIGHT_H_
