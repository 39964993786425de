#include "verifier/budget.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace rewrought::verifier {
namespace {

// Z3's counter has 32 bits.
constexpr double kMostUnits = 4e9;
// A lowest-priority process that competed with two normal processes received 1/66 of a core, so the wall-clock limit is
// far above the budget.
constexpr uint64_t kWallFactor = 100, kLeastWall = 60'000;
// The time that a solver needs for startup, tables and parsing before it counts work.
constexpr uint64_t kLeastProcessor = 1000;
constexpr uint32_t kUsualWork = 1000;

}  // namespace

// On an idle core, in 217 queries of at least 0.1 s, Z3 4.8.12 counted 2,070 to 6,290 units per millisecond (median
// 4,600, one outlier of 7,540). In shorter queries, it counted at least 830. In a few queries over the reals, it
// counted 80 to 1,900, because it counts hardly any of the work on algebraic numbers. In three queries over the
// integers, it counted 890 to 1,120.
Counting CountingOfZ3(Tactic tactic) {
  return tactic == Tactic::kReal || tactic == Tactic::kInteger ? Counting{2000, 2} : Counting{6300, 4};
}

// cvc5 1.0.3 counted 82 to 360 units per millisecond in 180 queries without floats of at least 0.1 s. In queries with
// floats, it counts up to 410 per millisecond before bit-blasting and 6 to 9 afterwards.
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
