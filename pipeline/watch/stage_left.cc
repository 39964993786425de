#include "pipeline/watch/stage_left.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"

namespace rewrought::pipeline {

std::string StageEstimate::Done(double seconds, double budget, bool last_round_ends) {
  if (done_ == 0) left_.At(seconds, 0, static_cast<double>(all_));
  ++done_;
  left_.At(seconds, static_cast<double>(done_), static_cast<double>(all_));
  if (budget <= 0) return absl::StrCat(name_, ": ", TimeLeftText(left_.Left(), std::nullopt), after_);
  const double rest = std::max(0.0, budget - seconds);
  if (!last_round_ends) return absl::StrCat(name_, ": ", TimeLeftText(left_.Left(), rest));
  return absl::StrCat(name_, ": ", TimeLeftText(left_.Left(), std::nullopt), "; the last round starts within ",
                      static_cast<int64_t>(rest), " s");
}

}  // namespace rewrought::pipeline
