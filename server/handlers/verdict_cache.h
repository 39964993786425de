// A bounded cache of verdicts that a larger budget would not change. It evicts the oldest verdict first.
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
  // Stores at most `bytes` bytes, including overhead.
  explicit VerdictCache(size_t bytes = 8 << 20) : verdicts_(bytes) {}

  std::optional<v1::RuleVerdict> Find(const v1::CheckRuleRequest& request);

  // Stores the verdict if it is final, that is, if every case is decided and, if requested, also decided over the
  // reals. A refutation that includes a search for assumptions is not final, because a larger budget may extend that
  // search.
  void Keep(const v1::CheckRuleRequest& request, const v1::RuleVerdict& verdict);

 private:
  MessageCache verdicts_;  // by request
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_VERDICT_CACHE_H_
