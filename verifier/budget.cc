#include "verifier/budget.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace rewrought::verifier {
namespace {

// Z3's counter has 32 bits.
constexpr double kMostUnits = 4e9;
// A lowest-priority process beside two normal processes received 1/66 of a core.
constexpr uint64_t kWallFactor = 100, kLeastWall = 60'000;
// A solver's time for startup, tables and parsing, before it counts work.
constexpr uint64_t kLeastProcessor = 1000;
constexpr uint32_t kUsualWork = 1000;

}  // namespace

// Units per millisecond of Z3 4.8.12 on a quiet core, for 217 queries of at least 0.1 s: 2,070 to 6,290 and one 7,540,
// with median 4,600; shorter queries from 830. A few queries over the reals have 80 to 1,900, because algebraic numbers
// hardly count.
Counting CountingOfZ3(Tactic tactic) { return tactic == Tactic::kReal ? Counting{2000, 2} : Counting{6300, 4}; }

// Units per millisecond of cvc5 1.0.3: 82 to 360 for queries without floats of at least 0.1 s, out of 180. Queries with
// floats have up to 410 before bit-blasting, then 6 to 9.
Counting CountingOfCvc5(absl::string_view text) {
  return absl::StrContains(text, "Float") ? Counting{60, 2} : Counting{300, 4};
}

uint32_t WorkOf(const SolverQuery& query) {
  return query.work_ms > 0 ? query.work_ms : query.timeout_ms > 0 ? query.timeout_ms : kUsualWork;
}

QueryLimits LimitsOf(const SolverQuery& query, const Counting& counting) {
  const uint64_t work = WorkOf(query);
  QueryLimits limits;
  limits.units = static_cast<uint64_t>(std::clamp(static_cast<double>(work) * counting.units_per_ms, 1.0, kMostUnits));
  limits.processor_ms = kLeastProcessor + work * counting.processor_factor;
  limits.wall_ms = query.timeout_ms > 0 ? query.timeout_ms : kLeastWall + kWallFactor * work;
  return limits;
}

bool IsRetryable(absl::string_view reason) {
  for (const char* const word : {kOutOfTime, "cancelled", "died", "bad reply"}) {
    if (absl::StrContains(reason, word)) return true;
  }
  return false;
}

}  // namespace rewrought::verifier
