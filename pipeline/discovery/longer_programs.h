// Searches for programs longer than those in the banks. Goals with the same signature are searched together.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_LONGER_PROGRAMS_H_
#define REWROUGHT_PIPELINE_DISCOVERY_LONGER_PROGRAMS_H_

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "pipeline/discovery/fragment_work.h"
#include "pipeline/run_budget.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::pipeline {

class LongerPrograms {
 public:
  // Stores the result of the work on a fragment, which took the given number of milliseconds.
  using KeepResult = std::function<absl::Status(const store::FragmentSummary&, const FragmentResult&, double)>;

  // If `independent`, the work on a goal does not use the rules found for other goals. `store` and `context` must
  // outlive this object.
  LongerPrograms(store::Store* store, const FragmentContext& context, bool independent)
      : store_(store), context_(context), independent_(independent) {}

  // Finds the goals of the fragments, in order, until the time `until` or until the budget is spent, and groups them.
  // Propagates store errors.
  absl::Status FindGoals(const std::vector<store::FragmentSummary>& fragments, RunBudget* budget,
                         RunBudget::Clock::time_point until);
  size_t goals() const;  // the number of goals in all groups
  // Returns the number of groups. Groups are sorted by number of variables (fewest first), then integers before floats,
  // then by cycles (most first).
  size_t groups() const { return groups_.size(); }
  const std::string& TextOf(size_t group) const { return groups_[group].front().fragment.fragment.text; }

  // Searches and verifies programs for the goals of one group. May be called concurrently for different groups. Returns
  // OK if `stop` ended the work, in which case fragments without a stored result remain untried. Propagates errors from
  // `keep` and VerifyPrograms.
  absl::Status WorkOn(size_t group, std::stop_token stop, const KeepResult& keep) const;

 private:
  struct Goal {
    store::FragmentSummary fragment;
    FragmentGoal goal;
  };
  absl::StatusOr<FragmentResult> Verify(const Goal& goal, std::vector<machine::Program> programs,
                                        std::stop_token stop) const;

  store::Store* const store_;
  const FragmentContext& context_;
  const bool independent_;
  std::vector<std::vector<Goal>> groups_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_LONGER_PROGRAMS_H_
