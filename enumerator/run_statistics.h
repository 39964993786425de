// The counts that a search over all terms prints.
#ifndef REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_
#define REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_

#include <cstdint>

namespace rewrought::enumerator {

struct RunStatistics {
  uint64_t fragments = 0;   // goals of programs
  uint64_t enumerated = 0;  // terms and programs evaluated
  uint64_t distinct = 0;    // of these, kept
  uint64_t candidates = 0;  // that agree on the vectors and are cheaper
  uint64_t refuted = 0;
  uint64_t proved = 0;
  uint64_t unknown = 0;
  uint64_t general = 0;  // rules after generalisation, equal ones once
  uint64_t minimal = 0;  // of these, not derived by the others
  double seconds = 0;
  uint64_t peak_bytes = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_
