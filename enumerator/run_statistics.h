// The counts that every search prints.
#ifndef REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_
#define REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_

#include <cstdint>
#include <string>

namespace rewrought::enumerator {

struct RunStatistics {
  uint64_t fragments = 0;   // looked at
  uint64_t skipped = 0;     // of these, with sizes or ops that no bank covers
  uint64_t enumerated = 0;  // programs evaluated
  uint64_t distinct = 0;    // programs kept in banks
  uint64_t candidates = 0;  // that agree on the ordinary block and are cheaper
  uint64_t refuted = 0;     // by the other blocks or by the prover
  uint64_t proved = 0;
  uint64_t unknown = 0;
  uint64_t general = 0;  // rules after generalisation, equal ones once
  uint64_t minimal = 0;  // of these, not derived by the others
  double seconds = 0;
  uint64_t peak_bytes = 0;  // of one bank, the largest

  void Add(const RunStatistics& other);  // all counts; the larger peak
  std::string Text() const;              // "fragments 3 skipped 0 …", in the order above
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_RUN_STATISTICS_H_
