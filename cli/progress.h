// A progress line on standard error: rewritten in place on a terminal, now and then a line of its own elsewhere.
#ifndef REWROUGHT_CLI_PROGRESS_H_
#define REWROUGHT_CLI_PROGRESS_H_

#include <chrono>
#include <mutex>
#include <string>

namespace rewrought::cli {

// Thread-safe. At most ten updates a second on a terminal, one in ten seconds elsewhere.
class Progress {
 public:
  explicit Progress(std::string name);
  ~Progress();  // leaves the line standing

  void Show(const std::string& text);

 private:
  const std::string name_;
  const bool terminal_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_;
  size_t width_ = 0;
};

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_PROGRESS_H_
