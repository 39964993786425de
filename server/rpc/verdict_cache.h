// Verdicts that this process has given and that no longer budget would change; the oldest go first.
#ifndef REWROUGHT_SERVER_RPC_VERDICT_CACHE_H_
#define REWROUGHT_SERVER_RPC_VERDICT_CACHE_H_

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "proto/rewrought/v1/services.pb.h"

namespace rewrought::rpc {

// Thread-safe.
class VerdictCache {
 public:
  // Holds at most `bytes` of requests and verdicts.
  explicit VerdictCache(size_t bytes = 32 << 20) : may_hold_(bytes) {}

  std::optional<v1::RuleVerdict> Find(const v1::CheckRuleRequest& request);

  // Keeps a verdict if it is final: every case decided, and no search for assumptions behind it, which a longer budget
  // may extend.
  void Keep(const v1::CheckRuleRequest& request, const v1::RuleVerdict& verdict);

 private:
  const size_t may_hold_;
  std::mutex mutex_;
  std::map<std::string, std::string> verdicts_;  // serialised, by request
  std::deque<std::string> order_;                // oldest first
  size_t holds_ = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_VERDICT_CACHE_H_
