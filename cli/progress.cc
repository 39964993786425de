#include "cli/progress.h"

#include <unistd.h>

#include <iostream>
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
  // Blanks cover what a longer line before has left.
  std::cerr << '\r' << line << std::string(width_ > line.size() ? width_ - line.size() : 0, ' ') << std::flush;
  width_ = line.size();
}

}  // namespace rewrought::cli
