// Replays a nondeterministic evaluation until all combinations of its choices are visited; used by ir/evaluate and
// ir/exclusion.
#ifndef REWROUGHT_IR_ODOMETER_H_
#define REWROUGHT_IR_ODOMETER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rewrought::ir {

// The maximum number of combinations per evaluation; an evaluation that needs more is undecided.
inline constexpr int kMaxRuns = 4096;

// Each choice that a run queries is a wheel that steps through the choice's candidates. The last wheel turns fastest.
// Choices that a run does not query do not multiply the number of runs.
class Odometer {
 public:
  void Rewind() { position_ = 0; }

  // Returns the candidate (0 <= result < count) for the next choice that this run queries.
  size_t Next(uint32_t choice, size_t count) {
    for (size_t i = 0; i < position_; ++i) {
      if (wheels_[i].choice == choice) return wheels_[i].at;
    }
    if (position_ == wheels_.size()) wheels_.push_back({choice, 0, count});
    return wheels_[position_++].at;
  }

  // Advances to the next combination. Returns false after the last one.
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
