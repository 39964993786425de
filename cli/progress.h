// A progress line on standard error: rewritten in place on a terminal, now and then a line of its own elsewhere.
#ifndef REWROUGHT_CLI_PROGRESS_H_
#define REWROUGHT_CLI_PROGRESS_H_

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "pipeline/watch/worker_board.h"

namespace rewrought::cli {

// Thread-safe. Show: at most ten updates a second on a terminal, one in ten seconds elsewhere.
class Progress {
 public:
  explicit Progress(std::string name);
  ~Progress();  // leaves the line standing

  void Show(const std::string& text);

  // A line of its own, whenever it is.
  void Say(const std::string& text);

 private:
  const std::string name_;
  const bool terminal_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_;
  size_t width_ = 0;
};

// Says, as a line of its own, which workers starve (pipeline/watch/worker_board.h): once when it begins, then each
// minute as long as it lasts. Looks once in `look_every` from a thread of its own. Nothing is owned.
class StarvationWatch {
 public:
  StarvationWatch(Progress* progress, const pipeline::WorkerBoard* board,
                  std::chrono::milliseconds look_every = std::chrono::seconds(1));

 private:
  void Look(std::stop_token stop, std::chrono::milliseconds look_every);

  Progress* const progress_;
  const pipeline::WorkerBoard* const board_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_PROGRESS_H_
