#include "pipeline/watch/time_left.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kMostSeen = 512;
constexpr double kWider = 1.25;

// Formats a time as whole minutes or, below 100 seconds, as a multiple of 5 seconds. Rounds up if `up`, and down
// otherwise. Sets `is_minutes`.
std::string Span(double seconds, bool up, bool* is_minutes) {
  const auto round = [&](double of) { return up ? std::ceil(of) : std::floor(of); };
  *is_minutes = seconds >= 100;
  if (!*is_minutes) return absl::StrFormat("%.0f", 5 * round(seconds / 5));
  return absl::StrFormat("%.0f", round(seconds / 60));
}

}  // namespace

void TimeEstimate::At(double seconds, double done, double all) {
  all_ = all;
  seen_.push_back({seconds, done});
  if (seen_.size() <= kMostSeen) return;
  // Drop every second entry, but keep the first and the last entry.
  std::deque<Seen> kept;
  for (size_t i = 0; i < seen_.size(); i += 2) kept.push_back(seen_[i]);
  if (seen_.size() % 2 == 0) kept.push_back(seen_.back());
  seen_ = std::move(kept);
}

std::string TimeEstimate::Now(double done, double all) {
  At(std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(), done, all);
  return TimeLeftText(Left(), std::nullopt);
}

std::optional<SecondsRange> TimeEstimate::Left() const {
  if (seen_.empty()) return std::nullopt;
  const Seen first = seen_.front(), last = seen_.back();
  if (last.done >= all_) return SecondsRange{};
  const double seconds = last.seconds - first.seconds, done = last.done - first.done;
  if (seconds < kLeastSeconds || done < kLeastUnits) return std::nullopt;
  const double third = first.seconds + seconds * 2 / 3;
  const auto since = std::find_if(seen_.rbegin(), seen_.rend(), [&](const Seen& at) { return at.seconds <= third; });
  const double late = (last.done - since->done) / std::max(1e-9, last.seconds - since->seconds);
  const double whole = done / seconds;
  // This condition also holds if there was no progress.
  if (std::max(late, whole) > kMostSpread * std::min(late, whole)) return std::nullopt;
  const double left = all_ - last.done;
  return SecondsRange{left / std::max(late, whole) / kWider, left / std::min(late, whole) * kWider};
}

std::string TimeLeftText(const std::optional<SecondsRange>& left, std::optional<double> deadline) {
  if (!left.has_value() && !deadline.has_value()) return "remaining time unknown";
  if (deadline.has_value() && *deadline <= 0) return "past the deadline";  // work in progress is being finished
  bool minutes = false;
  if (!left.has_value() || (deadline.has_value() && *deadline <= left->least)) {
    const std::string most = Span(*deadline, true, &minutes);
    return absl::StrCat("at most ", most, minutes ? " min remaining" : " s remaining");
  }
  const double most_seconds = deadline.has_value() ? std::min(*deadline, left->most) : left->most;
  bool least_minutes = false;
  const std::string most = Span(most_seconds, true, &minutes), least = Span(left->least, false, &least_minutes);
  if (minutes == least_minutes) return absl::StrCat(least, " to ", most, minutes ? " min remaining" : " s remaining");
  return absl::StrCat(least, " s to ", most, " min remaining");
}

}  // namespace rewrought::pipeline
