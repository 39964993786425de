// Replays a nondeterministic evaluation until every combination of its choices was seen: ir/evaluate and ir/exclusion.
#ifndef REWROUGHT_IR_ODOMETER_H_
#define REWROUGHT_IR_ODOMETER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rewrought::ir {

// Combinations tried of one evaluation; beyond, it counts as not decided.
inline constexpr int kMaxRuns = 4096;

// Each choice asked for takes its candidates in turn, like an odometer whose last wheel turns first. Choices that a run
// does not ask for do not multiply the runs.
class Odometer {
 public:
  void Rewind() { position_ = 0; }

  // The candidate (0 <= result < count) for the next choice asked for in this run.
  size_t Next(uint32_t choice, size_t count) {
    for (size_t i = 0; i < position_; ++i) {
      if (wheels_[i].choice == choice) return wheels_[i].at;
    }
    if (position_ == wheels_.size()) wheels_.push_back({choice, 0, count});
    return wheels_[position_++].at;
  }

  // Turns to the next combination; false when all were seen.
  bool Turn() {
    wheels_.resize(position_);
    while (!wheels_.empty()) {
      if (++wheels_.back().at < wheels_.back().count) return true;
      wheels_.pop_back();
    }
    return false;
  }

 private:
  struct Wheel {
    uint32_t choice;
    size_t at, count;
  };
  std::vector<Wheel> wheels_;
  size_t position_ = 0;
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_ODOMETER_H_
