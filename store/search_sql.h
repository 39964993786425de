// Defines SQL clauses that resolve conflicts between rows. Writing and merging share these clauses, because shards must
// produce the same result as a single process. Each clause keeps the greater row, so the result does not depend on the
// order of writes or on repetitions.
#ifndef REWROUGHT_STORE_SEARCH_SQL_H_
#define REWROUGHT_STORE_SEARCH_SQL_H_

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "proto/rewrought/v1/proof.pb.h"

#define REWROUGHT_ATTEMPT_CONFLICT                                                                            \
  " ON CONFLICT (fragment_id, machine_id, semantics, search) DO UPDATE SET outcome = excluded.outcome, "      \
  "enumerated = excluded.enumerated, candidates = excluded.candidates, milliseconds = excluded.milliseconds " \
  "WHERE (excluded.outcome, excluded.enumerated, excluded.candidates, excluded.milliseconds) > "              \
  "(attempts.outcome, attempts.enumerated, attempts.candidates, attempts.milliseconds)"

#define REWROUGHT_VERDICT_CONFLICT                                                                           \
  " ON CONFLICT (rule, case_id, semantics) DO UPDATE SET verdict = excluded.verdict, tier = excluded.tier, " \
  "reason = excluded.reason, confirmed_by = excluded.confirmed_by, witness = excluded.witness, "             \
  "certificate = excluded.certificate, milliseconds = excluded.milliseconds "                                \
  "WHERE (excluded.verdict, excluded.tier, excluded.reason, excluded.confirmed_by, excluded.witness, "       \
  "excluded.certificate, excluded.milliseconds) > (verdicts.verdict, verdicts.tier, verdicts.reason, "       \
  "verdicts.confirmed_by, verdicts.witness, verdicts.certificate, verdicts.milliseconds)"

namespace rewrought::store {

// On disk, a verdict is stored as its 1-based position in this list. A verdict later in the list replaces one earlier
// in the list.
inline constexpr v1::Verdict kVerdictsOnDisk[] = {v1::VERDICT_UNKNOWN, v1::VERDICT_UNSUPPORTED, v1::VERDICT_VACUOUS,
                                                  v1::VERDICT_PROVED, v1::VERDICT_REFUTED};

// Returns the number of the verdict on disk. Verdicts not in the list are stored as unknown.
constexpr int DiskNumber(v1::Verdict verdict) {
  const auto* const found = std::find(std::begin(kVerdictsOnDisk), std::end(kVerdictsOnDisk), verdict);
  return found == std::end(kVerdictsOnDisk) ? 1 : static_cast<int>(found - kVerdictsOnDisk) + 1;
}

constexpr v1::Verdict VerdictOfDisk(int64_t number) {
  return number < 1 || number > static_cast<int64_t>(std::size(kVerdictsOnDisk)) ? v1::VERDICT_UNKNOWN
                                                                                 : kVerdictsOnDisk[number - 1];
}

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SEARCH_SQL_H_
