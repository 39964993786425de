#include "verifier/budget.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace rewrought::verifier {
namespace {

// Z3's counter is a 32-bit number.
constexpr double kMostUnits = 4e9;
// A process of the lowest priority beside two of the usual one got a 66th of a core.
constexpr uint64_t kWallFactor = 100, kLeastWall = 60'000;
// What a solver takes before it counts: its start, tables, the text.
constexpr uint64_t kLeastProcessor = 1000;
constexpr uint32_t kUsualWork = 1000;

}  // namespace

// Units per millisecond, Z3 4.8.12 on a quiet core, of 217 queries that take 0.1 s and more: 2,070 to 6,290 and one
// 7,540, median 4,600; shorter ones from 830. Over the reals 80 to 1,900 in a few: algebraic numbers hardly count.
Counting CountingOfZ3(Tactic tactic) { return tactic == Tactic::kReal ? Counting{2000, 2} : Counting{6300, 4}; }

// cvc5 1.0.3: 180 queries without floats, in those of 0.1 s and more 82 to 360 units per millisecond. With floats up to
// 410 before bits, then 6 to 9.
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

bool MayBeDecidedAgain(absl::string_view reason) {
  for (const char* const word : {kOutOfTime, "cancelled", "died", "bad reply"}) {
    if (absl::StrContains(reason, word)) return true;
  }
  return false;
}

}  // namespace rewrought::verifier
