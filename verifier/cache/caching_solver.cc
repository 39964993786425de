#include "verifier/cache/caching_solver.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "verifier/budget.h"

namespace rewrought::verifier {
namespace {

// Returns the complete query as the key, because digests could collide.
std::string KeyOf(const SolverQuery& query) {
  std::string key = absl::StrCat(static_cast<int>(query.tactic));
  for (const std::string& name : query.wanted) absl::StrAppend(&key, " ", name);
  absl::StrAppend(&key, "\n", query.text);
  return key;
}

// Returns the answer to `query` that follows from `answer`, which was computed with budget `work_ms`. Returns nullopt
// if a larger budget may decide the query.
std::optional<SolverAnswer> Answered(const SolverAnswer& answer, uint32_t work_ms, const SolverQuery& query) {
  if (answer.answer == Answer::kUnknown)
    return WorkOf(query) <= work_ms ? std::optional<SolverAnswer>(answer) : std::nullopt;
  if (answer.work_ms <= WorkOf(query)) return answer;
  SolverAnswer unknown;
  unknown.reason = kOutOfBudget;
  unknown.work_ms = WorkOf(query);
  return unknown;
}

}  // namespace

SolverAnswer CachingSolver::Solve(const SolverQuery& query) {
  std::string key = KeyOf(query);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = answers_.find(key);
    std::optional<SolverAnswer> known;
    if (found != answers_.end()) known = Answered(found->second.answer, found->second.work_ms, query);
    if (known.has_value()) {
      ++cached_;
      return *std::move(known);
    }
  }
  SolverAnswer answer = behind_->Solve(query);
  if (answer.answer == Answer::kUnknown && answer.reason != kOutOfBudget) return answer;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [place, added] = answers_.try_emplace(std::move(key), Cached{answer, WorkOf(query)});
  if (!added) {  // another thread ran the same query, or the cached budget was smaller
    if (place->second.answer.answer == Answer::kUnknown && place->second.work_ms < WorkOf(query))
      place->second = {answer, WorkOf(query)};
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
