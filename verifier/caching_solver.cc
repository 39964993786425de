#include "verifier/caching_solver.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace rewrought::verifier {
namespace {

// The whole question: a digest could be met by another one.
std::string KeyOf(const SolverQuery& query) {
  std::string key = absl::StrCat(static_cast<int>(query.tactic));
  for (const std::string& name : query.wanted) absl::StrAppend(&key, " ", name);
  absl::StrAppend(&key, "\n", query.text);
  return key;
}

// Whether `answer`, which was asked for with `timeout_ms`, answers `query` too.
bool Serves(const SolverAnswer& answer, uint32_t timeout_ms, const SolverQuery& query) {
  return answer.answer != Answer::kUnknown || query.timeout_ms <= timeout_ms;
}

}  // namespace

SolverAnswer CachingSolver::Solve(const SolverQuery& query) {
  std::string key = KeyOf(query);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = answers_.find(key);
    if (found != answers_.end() && Serves(found->second.answer, found->second.timeout_ms, query)) {
      ++cached_;
      return found->second.answer;
    }
  }
  SolverAnswer answer = behind_->Solve(query);
  if (answer.answer == Answer::kUnknown && answer.reason != "timeout") return answer;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [place, added] = answers_.try_emplace(std::move(key), Cached{answer, query.timeout_ms});
  if (!added) {  // another thread asked the same, or there was less time before
    if (place->second.answer.answer == Answer::kUnknown) place->second = {answer, query.timeout_ms};
    return answer;
  }
  oldest_first_.push_back(&place->first);
  bytes_ += place->first.size();
  while (bytes_ > max_bytes_ && oldest_first_.size() > 1) {
    const std::string* const oldest = oldest_first_.front();
    oldest_first_.pop_front();
    bytes_ -= oldest->size();
    answers_.erase(answers_.find(*oldest));
  }
  return answer;
}

uint64_t CachingSolver::cached() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return cached_;
}

}  // namespace rewrought::verifier
