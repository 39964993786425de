// Estimates the remaining time of some work from its speed: a range, or unknown, because the remaining work may be
// harder than the work done.
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
  // Records `done` of `all` units at a time in seconds since some start. `all` may grow. Times must not decrease.
  void At(double seconds, double done, double all);

  // Calls At with the time since construction, and returns TimeLeftText without a deadline.
  std::string Now(double done, double all);

  // Extrapolates the rate over the whole run and the rate over its last third; the faster gives `least`, the slower
  // `most`, each widened by a quarter. Returns no value before kLeastSeconds or kLeastUnits, without progress in the
  // last third, or if the rates differ by more than kMostSpread.
  std::optional<SecondsRange> Left() const;

  static constexpr double kLeastSeconds = 10, kLeastUnits = 10, kMostSpread = 10;

 private:
  struct Seen {
    double seconds = 0, done = 0;
  };
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::deque<Seen> seen_;  // the first entry and some of the later ones
  double all_ = 0;
};

// Returns "2 to 4 min remaining", "at most 6 min remaining" if only a deadline is known, "2 to 6 min remaining" if
// the deadline limits the range, "past the deadline" after it, or "remaining time unknown". `deadline` is the number
// of seconds until the work is stopped, if it has a limit.
std::string TimeLeftText(const std::optional<SecondsRange>& left, std::optional<double> deadline);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_TIME_LEFT_H_
