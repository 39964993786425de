#include "server/rpc/handlers/verdict_cache.h"

#include <algorithm>

namespace rewrought::rpc {
namespace {

// What a verdict takes beside its own bytes: the node of the map, the place in the order, and what malloc adds to both
// and to the bytes.
constexpr size_t kOverhead = 192;

// Two requests with the same key get the same verdict; how long the caller waits is no part of it.
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
  const ir::Digest key = KeyOf(request);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = verdicts_.find(key);
  v1::RuleVerdict verdict;
  if (found == verdicts_.end() || !verdict.ParseFromString(found->second)) return std::nullopt;
  return verdict;
}

void VerdictCache::Keep(const v1::CheckRuleRequest& request, const v1::RuleVerdict& verdict) {
  if (!IsFinal(request, verdict)) return;
  const ir::Digest key = KeyOf(request);
  std::string value = verdict.SerializeAsString();
  const size_t size = kOverhead + value.size();
  if (size > may_hold_ / 16) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!verdicts_.emplace(key, std::move(value)).second) return;
  order_.push_back(key);
  holds_ += size;
  while (holds_ > may_hold_) {
    const auto oldest = verdicts_.find(order_.front());
    holds_ -= kOverhead + oldest->second.size();
    verdicts_.erase(oldest);
    order_.pop_front();
  }
}

}  // namespace rewrought::rpc
