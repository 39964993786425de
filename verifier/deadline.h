// Provides a stop token that is triggered after a time limit.
#ifndef REWROUGHT_VERIFIER_DEADLINE_H_
#define REWROUGHT_VERIFIER_DEADLINE_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace rewrought::verifier {

// Requests a stop on its token when `limit` has passed or a stop is requested on `outer`.
class Deadline {
 public:
  Deadline(std::chrono::milliseconds limit, const std::stop_token& outer)
      : outer_(outer, [this] { source_.request_stop(); }), timer_([this, limit](const std::stop_token& ended) {
          std::mutex mutex;
          std::unique_lock<std::mutex> lock(mutex);
          std::condition_variable_any wake;
          wake.wait_for(lock, ended, limit, [] { return false; });
          source_.request_stop();
        }) {}

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> outer_;
  std::jthread timer_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_DEADLINE_H_
