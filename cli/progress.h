// Shows the progress of a command on standard error. On a terminal, one line is rewritten in place; a log gets a new
// line from time to time.
#ifndef REWROUGHT_CLI_PROGRESS_H_
#define REWROUGHT_CLI_PROGRESS_H_

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "pipeline/watch/worker_board.h"

namespace rewrought::cli {

// This class is thread-safe. Show prints at most ten updates per second on a terminal and at most one every ten seconds
// elsewhere.
class Progress {
 public:
  explicit Progress(std::string name);
  ~Progress();  // ends the line on the terminal

  void Show(const std::string& text);

  // Prints a separate line without a rate limit.
  void Say(const std::string& text);

 private:
  const std::string name_;
  const bool terminal_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_;
  size_t width_ = 0;
};

// Reports starving workers (pipeline/watch/worker_board.h) on a separate line: once when starvation begins, then every
// minute until it ends. Checks the board every `look_every` on its own thread. Does not take ownership of its
// arguments.
class StarvationWatch {
 public:
  StarvationWatch(Progress* progress, const pipeline::WorkerBoard* board,
                  std::chrono::milliseconds look_every = std::chrono::seconds(1));

 private:
  void Look(std::stop_token stop, std::chrono::milliseconds look_every);

  Progress* const progress_;
  const pipeline::WorkerBoard* const board_;
  std::jthread thread_;  // must be the last member, because the thread uses the others
};

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_PROGRESS_H_
