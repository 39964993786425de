// Estimates the remaining time of some work from its rate. The estimate, if known, is a range, because the remaining
// work may be harder than the completed work.
#ifndef REWROUGHT_PIPELINE_WATCH_TIME_LEFT_H_
#define REWROUGHT_PIPELINE_WATCH_TIME_LEFT_H_

#include <chrono>
#include <deque>
#include <optional>
#include <string>

namespace rewrought::pipeline {

struct SecondsRange {
  double least = 0, most = 0;
};

class TimeEstimate {
 public:
  // Records that `done` of `all` units are complete at the time `seconds`, which is counted from an arbitrary start.
  // `all` may grow. `seconds` must not decrease.
  void At(double seconds, double done, double all);

  // Calls At with the time since this object was created, and returns TimeLeftText without a deadline.
  std::string Now(double done, double all);

  // Extrapolates the rate over the whole run and the rate over its last third. The faster rate gives `least` and the
  // slower rate `most`; the range is widened by a quarter in both directions. Returns nullopt if less than
  // kLeastSeconds have passed, fewer than kLeastUnits are done, there was no progress in the last third, or one rate is
  // more than kMostSpread times the other.
  std::optional<SecondsRange> Left() const;

  static constexpr double kLeastSeconds = 10, kLeastUnits = 10, kMostSpread = 10;

 private:
  struct Seen {
    double seconds = 0, done = 0;
  };
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::deque<Seen> seen_;  // the first entry and some of the later entries
  double all_ = 0;
};

// Returns text such as "2 to 4 min remaining", "at most 6 min remaining" if the deadline comes first or only the
// deadline is known, "past the deadline", or "remaining time unknown". The upper end of the range is at most the
// deadline. `deadline` is the number of seconds until the work is stopped, or nullopt if it has no limit.
std::string TimeLeftText(const std::optional<SecondsRange>& left, std::optional<double> deadline);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_TIME_LEFT_H_
