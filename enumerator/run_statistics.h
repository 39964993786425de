// The counts reported for a search over all terms.
#ifndef REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_
#define REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_

#include <cstdint>

namespace rewrought::enumerator {

struct RunStatistics {
  uint64_t fragments = 0;   // The number of search goals.
  uint64_t enumerated = 0;  // The number of terms and programs evaluated.
  uint64_t distinct = 0;    // The number of terms and programs kept.
  uint64_t candidates = 0;  // Cheaper programs that agree with a goal on the vectors.
  uint64_t refuted = 0;
  uint64_t proved = 0;
  uint64_t unknown = 0;
  uint64_t general = 0;  // Distinct rules after generalization.
  uint64_t minimal = 0;  // General rules that do not follow from the others.
  double seconds = 0;
  uint64_t peak_bytes = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_
