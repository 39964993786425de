// Verdicts that this process has given and that no longer budget would change; the oldest go first.
#ifndef REWROUGHT_SERVER_HANDLERS_VERDICT_CACHE_H_
#define REWROUGHT_SERVER_HANDLERS_VERDICT_CACHE_H_

#include <cstddef>
#include <optional>

#include "proto/rewrought/v1/check_service.pb.h"
#include "server/messages/message_cache.h"

namespace rewrought::rpc {

// Thread-safe.
class VerdictCache {
 public:
  // Holds at most `bytes` of verdicts, what holding them takes included.
  explicit VerdictCache(size_t bytes = 8 << 20) : verdicts_(bytes) {}

  std::optional<v1::RuleVerdict> Find(const v1::CheckRuleRequest& request);

  // Keeps a verdict if it is final: every case decided, over the reals too where that was asked, and no search for
  // assumptions behind it, which a longer budget may extend.
  void Keep(const v1::CheckRuleRequest& request, const v1::RuleVerdict& verdict);

 private:
  MessageCache verdicts_;  // by request
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_VERDICT_CACHE_H_
