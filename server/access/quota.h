// Limits the call rate of each client with a token bucket per client. Full buckets are dropped when there are too many
// buckets.
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
  // Allows `per_second` calls per second on average, and bursts of twice as many calls. 0 means no limit.
  explicit Quota(double per_second) : per_second_(per_second) {}

  // Takes a token from the bucket of `client`. Fails with ResourceExhausted if `client` calls too often; the message
  // says when to try again.
  absl::Status Take(const std::string& client, absl::Time now);

 private:
  struct Bucket {
    double tokens = 0;
    absl::Time filled;
  };
  static constexpr size_t kClients = 10000;  // maximum number of buckets
  void Forget(absl::Time now);

  const double per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_QUOTA_H_
