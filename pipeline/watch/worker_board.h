// Who works at what in this process, so that a worker that has nothing to do, or gets no result, is seen and named:
// in progress lines, by /healthz and /metrics.
#ifndef REWROUGHT_PIPELINE_WATCH_WORKER_BOARD_H_
#define REWROUGHT_PIPELINE_WATCH_WORKER_BOARD_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace rewrought::pipeline {

// Seconds after which a worker without work or without a result is named. A fragment's queries are bounded by work, not
// by time; on a loaded machine one that takes a minute is no fault yet.
inline constexpr double kStarvedSeconds = 120;

// Thread-safe.
class WorkerBoard {
 public:
  using Clock = std::chrono::steady_clock;
  explicit WorkerBoard(std::function<Clock::time_point()> now = [] { return Clock::now(); }) : now_(std::move(now)) {}
  WorkerBoard(const WorkerBoard&) = delete;
  WorkerBoard& operator=(const WorkerBoard&) = delete;

  // The one of this process. Never destroyed.
  static WorkerBoard* OfProcess();

  // A worker for as long as it lives: without work at first. The board must outlive it.
  class Worker {
   public:
    Worker(WorkerBoard* board, std::string name);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void Begin(std::string what);  // has something to do
    void Result();                 // got a result: the time without one begins anew
    void Idle();                   // waits for something to do

   private:
    WorkerBoard* const board_;
    const uint64_t id_;
  };

  struct State {
    std::string name;  // as given; several workers may have the same
    bool idle = true;
    std::string what;    // what it works at; empty: nothing
    double seconds = 0;  // without work, or without a result, until now
    uint64_t results = 0;
  };
  std::vector<State> All() const;  // by when they came
  // Those without work or result for `seconds` or longer, the longest first.
  std::vector<State> Starved(double seconds = kStarvedSeconds) const;

 private:
  struct Entry {
    State state;
    Clock::time_point since;
  };
  void Change(uint64_t id, const std::function<void(State*)>& change);

  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  uint64_t next_ = 0;
  std::map<uint64_t, Entry> entries_;
};

// "search 2 of vc4: nothing to do for 130 s; search 1 of vc4: no result for 125 s, at ('fadd', a, b)"; "" for none.
std::string StarvedText(const std::vector<WorkerBoard::State>& starved);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_WORKER_BOARD_H_
