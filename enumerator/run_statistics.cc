#include "enumerator/run_statistics.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace rewrought::enumerator {

void RunStatistics::Add(const RunStatistics& other) {
  fragments += other.fragments;
  skipped += other.skipped;
  enumerated += other.enumerated;
  distinct += other.distinct;
  candidates += other.candidates;
  refuted += other.refuted;
  proved += other.proved;
  unknown += other.unknown;
  general += other.general;
  minimal += other.minimal;
  seconds += other.seconds;
  peak_bytes = std::max(peak_bytes, other.peak_bytes);
}

std::string RunStatistics::Text() const {
  return absl::StrCat("fragments ", fragments, " skipped ", skipped, " enumerated ", enumerated, " distinct ", distinct,
                      " candidates ", candidates, " refuted ", refuted) +
         absl::StrCat(" proved ", proved, " unknown ", unknown, " general ", general, " minimal ", minimal, " seconds ",
                      seconds, " peak_bytes ", peak_bytes);
}

}  // namespace rewrought::enumerator
