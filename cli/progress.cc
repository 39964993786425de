#include "cli/progress.h"

#include <unistd.h>

#include <condition_variable>
#include <iostream>
#include <stop_token>
#include <utility>

namespace rewrought::cli {

Progress::Progress(std::string name)
    : name_(std::move(name)), terminal_(isatty(STDERR_FILENO) == 1), last_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (terminal_ && width_ > 0) std::cerr << std::endl;
}

void Progress::Show(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000))) return;
  last_ = now;
  const std::string line = name_ + ": " + text;
  if (!terminal_) {
    std::cerr << line << std::endl;
    return;
  }
  // If the previous line was longer, spaces overwrite the rest of it.
  std::cerr << '\r' << line << std::string(width_ > line.size() ? width_ - line.size() : 0, ' ') << std::flush;
  width_ = line.size();
}

void Progress::Say(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (terminal_ && width_ > 0) std::cerr << '\n';
  width_ = 0;
  std::cerr << name_ << ": " << text << std::endl;
}

StarvationWatch::StarvationWatch(Progress* progress, const pipeline::WorkerBoard* board,
                                 std::chrono::milliseconds look_every)
    : progress_(progress),
      board_(board),
      thread_([this, look_every](std::stop_token stop) { Look(stop, look_every); }) {}

void StarvationWatch::Look(std::stop_token stop, std::chrono::milliseconds look_every) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock<std::mutex> lock(mutex);
  auto next = std::chrono::steady_clock::time_point::min();
  while (!never.wait_for(lock, stop, look_every, [&] { return stop.stop_requested(); })) {
    const std::string starved = StarvedText(board_->Starved());
    if (starved.empty()) next = std::chrono::steady_clock::time_point::min();
    if (starved.empty() || std::chrono::steady_clock::now() < next) continue;
    progress_->Say("starved: " + starved);
    next = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  }
}

}  // namespace rewrought::cli
