// Fragments that are left to be tried with programs longer than the banks hold: goals of one signature are searched
// together.
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
  // Keeps what the work on a fragment gave in some milliseconds.
  using KeepResult = std::function<absl::Status(const store::FragmentSummary&, const FragmentResult&, double)>;

  // With `independent` no goal sees rules that others of its group gave. What is named must outlive this.
  LongerPrograms(store::Store* store, const FragmentContext& context, bool independent)
      : store_(store), context_(context), independent_(independent) {}

  // Goals of `fragments`, of the first alone where `until` comes or the budget is spent. The store's errors.
  absl::Status FindGoals(const std::vector<store::FragmentSummary>& fragments, RunBudget* budget,
                         RunBudget::Clock::time_point until);
  size_t goals() const;                             // of all groups
  size_t groups() const { return groups_.size(); }  // by signature, of few variables and many cycles first
  const std::string& TextOf(size_t group) const { return groups_[group].front().fragment.fragment.text; }

  // Any number of groups at a time. OK where `stop` ended it: what was not kept then says nothing. Else the errors of
  // `keep` and of VerifyPrograms.
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
