// Tries the remaining fragments with programs longer than those in the banks. Goals with the same signature are
// searched together.
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
  // Stores the result of the work on a fragment, which took the given milliseconds.
  using KeepResult = std::function<absl::Status(const store::FragmentSummary&, const FragmentResult&, double)>;

  // With `independent`, no goal sees rules found by other goals of its group. The arguments must outlive this object.
  LongerPrograms(store::Store* store, const FragmentContext& context, bool independent)
      : store_(store), context_(context), independent_(independent) {}

  // Finds the goals of `fragments`, in order, until `until` or the end of the budget. Returns store errors.
  absl::Status FindGoals(const std::vector<store::FragmentSummary>& fragments, RunBudget* budget,
                         RunBudget::Clock::time_point until);
  size_t goals() const;  // in all groups
  size_t groups() const {
    return groups_.size();
  }  // by signature; groups with few variables and many cycles come first
  const std::string& TextOf(size_t group) const { return groups_[group].front().fragment.fragment.text; }

  // Thread-safe for different groups. Returns OK if `stop` ended the work; fragments without a stored result then
  // count as untried. Otherwise returns the errors of `keep` and of VerifyPrograms.
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
