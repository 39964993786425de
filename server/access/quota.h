// How many calls one client may make a second: a bucket of tokens for each, the least used forgotten first.
#ifndef REWROUGHT_SERVER_ACCESS_QUOTA_H_
#define REWROUGHT_SERVER_ACCESS_QUOTA_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace rewrought::rpc {

// Thread-safe.
class Quota {
 public:
  // `per_second` calls on average, twice that at once. 0: no limit.
  explicit Quota(double per_second) : per_second_(per_second) {}

  // ResourceExhausted: `client` has called too often; the message says when to try again.
  absl::Status Take(const std::string& client, absl::Time now);

 private:
  struct Bucket {
    double tokens = 0;
    absl::Time filled;
  };
  static constexpr size_t kClients = 10000;  // cached at once
  void Forget(absl::Time now);

  const double per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_QUOTA_H_
