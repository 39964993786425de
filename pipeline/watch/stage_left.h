// How long a stage of a search may still take, in words: with its budget, and what comes after it.
#ifndef REWROUGHT_PIPELINE_WATCH_STAGE_LEFT_H_
#define REWROUGHT_PIPELINE_WATCH_STAGE_LEFT_H_

#include <cstddef>
#include <string>
#include <utility>

#include "pipeline/watch/time_left.h"

namespace rewrought::pipeline {

class StageLeft {
 public:
  // "NAME: 2 to 4 min left" and, where no budget ends it, `after`.
  StageLeft(std::string name, std::string after) : name_(std::move(name)), after_(std::move(after)) {}

  void SetAll(size_t all) { all_ = all; }

  // One of all was done, `seconds` after the run began. `budget`: of the run, in seconds; 0: none. With
  // `last_round_ends` it ends between rounds, however long these take.
  std::string Done(double seconds, double budget, bool last_round_ends);

 private:
  const std::string name_, after_;
  size_t done_ = 0, all_ = 0;
  TimeLeft left_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_STAGE_LEFT_H_
