// Estimates the remaining time of a stage of a search, as text.
#ifndef REWROUGHT_PIPELINE_WATCH_STAGE_LEFT_H_
#define REWROUGHT_PIPELINE_WATCH_STAGE_LEFT_H_

#include <cstddef>
#include <string>
#include <utility>

#include "pipeline/watch/time_left.h"

namespace rewrought::pipeline {

class StageEstimate {
 public:
  // The estimate is text such as "NAME: 2 to 4 min remaining", followed by `after` if no budget limits the stage.
  StageEstimate(std::string name, std::string after) : name_(std::move(name)), after_(std::move(after)) {}

  void SetAll(size_t all) { all_ = all; }

  // Counts one unit of work as done, `seconds` after the run began, and returns the estimate. `budget` is the run's
  // time limit in seconds, or 0 if there is none. If `last_round_ends`, the time limit ends the run only between
  // rounds.
  std::string Done(double seconds, double budget, bool last_round_ends);

 private:
  const std::string name_, after_;
  size_t done_ = 0, all_ = 0;
  TimeEstimate left_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_STAGE_LEFT_H_
