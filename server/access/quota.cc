#include "server/access/quota.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace rewrought::rpc {

absl::Status Quota::Take(const std::string& client, absl::Time now) {
  if (per_second_ <= 0) return absl::OkStatus();
  const double most = 2 * per_second_;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (buckets_.size() >= kClients && !buckets_.contains(client)) Forget(now);
  Bucket& bucket = buckets_.try_emplace(client, Bucket{most, now}).first->second;
  const double passed = std::max(0.0, absl::ToDoubleSeconds(now - bucket.filled));
  bucket.tokens = std::min(most, bucket.tokens + passed * per_second_);
  bucket.filled = now;
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrFormat("more than %g calls a second; try again in %.3f seconds",
                                                      per_second_, (1 - bucket.tokens) / per_second_));
}

// Drops full buckets, which changes nothing for their clients. If no bucket is full, clears the table, because a short
// time without limits is better than memory use that grows with the number of addresses.
void Quota::Forget(absl::Time now) {
  std::erase_if(buckets_, [&](const auto& entry) {
    return entry.second.tokens + absl::ToDoubleSeconds(now - entry.second.filled) * per_second_ >= 2 * per_second_;
  });
  if (buckets_.size() >= kClients) buckets_.clear();
}

}  // namespace rewrought::rpc
