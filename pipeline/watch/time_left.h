// How long work may still take, from how fast it went: a range, or that it is not known. Never one number: what is left
// may be harder than what was done.
#ifndef REWROUGHT_PIPELINE_WATCH_TIME_LEFT_H_
#define REWROUGHT_PIPELINE_WATCH_TIME_LEFT_H_

#include <chrono>
#include <deque>
#include <optional>
#include <string>

namespace rewrought::pipeline {

struct SecondsLeft {
  double least = 0, most = 0;
};

class TimeLeft {
 public:
  // Units of work done of all, at a time in seconds since some start. `all` may grow. Times do not fall.
  void At(double seconds, double done, double all);

  // At, by a clock that began with this object, and what is left then: TimeLeftText without a deadline.
  std::string Now(double done, double all);

  // From the rates over all of the time and over its last third: the faster one gives `least`, the slower one `most`,
  // each a quarter wider. Nothing where too little was seen to say: less than kLeastSeconds or kLeastUnits, no progress
  // in the last third, or rates that differ by more than kMostSpread.
  std::optional<SecondsLeft> Left() const;

  static constexpr double kLeastSeconds = 10, kLeastUnits = 10, kMostSpread = 10;

 private:
  struct Seen {
    double seconds = 0, done = 0;
  };
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::deque<Seen> seen_;  // the first, and some of the later ones
  double all_ = 0;
};

// "2 to 4 min left", "at most 6 min left" where only a deadline is known, "2 to 6 min left" where it cuts the range,
// "over its time" behind it, "time left unknown" where nothing is known. `deadline`: seconds until the work is ended
// anyway, if it is.
std::string TimeLeftText(const std::optional<SecondsLeft>& left, std::optional<double> deadline);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_TIME_LEFT_H_
