#include "server/handlers/verdict_cache.h"

#include <algorithm>

#include "ir/digest.h"

namespace rewrought::rpc {
namespace {

// Returns the key of a request: requests with the same key get the same verdict. The time limit is not part of the key.
ir::Digest KeyOf(v1::CheckRuleRequest request) {
  request.clear_time_limit();
  return ir::Digest::Of(request.SerializeAsString());
}

bool IsFinal(const v1::CheckRuleRequest& request, const v1::RuleVerdict& verdict) {
  if (verdict.verdict() == v1::VERDICT_REFUTED && request.infer()) return false;
  if (verdict.has_inexact() && verdict.inexact().reals() == v1::VERDICT_UNKNOWN) return false;
  return std::none_of(verdict.cases().begin(), verdict.cases().end(), [](const v1::CaseVerdict& one) {
    return one.verdict() == v1::VERDICT_UNKNOWN || one.verdict() == v1::VERDICT_UNSPECIFIED;
  });
}

}  // namespace

std::optional<v1::RuleVerdict> VerdictCache::Find(const v1::CheckRuleRequest& request) {
  v1::RuleVerdict verdict;
  if (!verdicts_.Find(KeyOf(request), &verdict)) return std::nullopt;
  return verdict;
}

void VerdictCache::Keep(const v1::CheckRuleRequest& request, const v1::RuleVerdict& verdict) {
  if (IsFinal(request, verdict)) verdicts_.Keep(KeyOf(request), verdict);
}

}  // namespace rewrought::rpc
