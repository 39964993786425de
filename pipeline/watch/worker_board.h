// Tracks the work of this process's workers, so that progress lines, /healthz, and /metrics can name starving workers.
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

// The number of seconds without work or a result after which a worker counts as starved. Queries are limited by the
// solver's work, not by time, so it is not a fault if a query takes a minute on a loaded machine.
inline constexpr double kStarvedSeconds = 120;

// The list of workers and their current work. Thread-safe.
class WorkerBoard {
 public:
  using Clock = std::chrono::steady_clock;
  explicit WorkerBoard(std::function<Clock::time_point()> now = [] { return Clock::now(); }) : now_(std::move(now)) {}
  WorkerBoard(const WorkerBoard&) = delete;
  WorkerBoard& operator=(const WorkerBoard&) = delete;

  // Returns this process's board, which is never destroyed.
  static WorkerBoard* OfProcess();

  // A worker, which is idle at first. The board must outlive it.
  class Worker {
   public:
    Worker(WorkerBoard* board, std::string name);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void Begin(std::string what);
    void Result();  // restarts the time without a result
    void Idle();

   private:
    WorkerBoard* const board_;
    const uint64_t id_;
  };

  struct State {
    std::string name;  // need not be unique
    bool idle = true;
    std::string what;    // the current work; empty if idle
    double seconds = 0;  // the time without work or a result
    uint64_t results = 0;
  };
  std::vector<State> All() const;  // in the order in which they were created
  // Returns the workers that have had no work or no result for at least `seconds`, longest time first.
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

// Returns text such as "search 2 of vc4: nothing to do for 130 s; search 1 of vc4: no result for 125 s, at ('fadd', a,
// b)", or "" if no workers are starved.
std::string StarvedText(const std::vector<WorkerBoard::State>& starved);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_WORKER_BOARD_H_
