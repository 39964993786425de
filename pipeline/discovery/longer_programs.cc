#include "pipeline/discovery/longer_programs.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "pipeline/sites/site_profile.h"

namespace rewrought::pipeline {
namespace {

// Longer programs are sought only if base selection needs at least this many instructions for the goal. Otherwise, the
// banks contain all cheaper programs.
constexpr int kLeastLonger = 4;

bool ReadsFloats(const ir::Term& term) {
  return std::any_of(term.nodes.begin(), term.nodes.end(), [](const ir::Node& node) {
    return node.kind == ir::NodeKind::kOp &&
           std::any_of(node.op->sources.begin(), node.op->sources.end(),
                       [](const auto& source) { return source.base == ir::BaseType::kFloat; });
  });
}

}  // namespace

absl::Status LongerPrograms::FindGoals(const std::vector<store::FragmentSummary>& fragments, RunBudget* budget,
                                       RunBudget::Clock::time_point until) {
  std::map<std::string, std::vector<Goal>> by_signature;
  for (const store::FragmentSummary& fragment : fragments) {
    if (budget->spent()) return absl::OkStatus();
    if (RunBudget::Clock::now() > until) break;
    absl::StatusOr<rules::SiteProfile> profile = ProfileOf(store_, fragment.digest);
    if (!profile.ok()) return profile.status();
    std::optional<FragmentGoal> goal = GoalOf(context_, fragment, *std::move(profile));
    if (!goal.has_value() || goal->sought.base.instructions < kLeastLonger) continue;
    const std::string signature = context_.search->SignatureOf(goal->sought);
    if (!signature.empty()) by_signature[signature].push_back({fragment, *std::move(goal)});
  }
  // With one variable, the search covers all integer programs within seconds, and nearly all float programs before it
  // reaches its limit. With three variables, it covers only a small part of the programs. Therefore, search goals with
  // few variables first.
  std::multimap<std::tuple<size_t, bool, double>, std::vector<Goal>> ordered;
  for (auto& [signature, goals] : by_signature) {
    double cycles = 0;
    for (const Goal& goal : goals)
      cycles += goal.goal.sought.base.issue_cycles * static_cast<double>(goal.fragment.sites);
    const enumerator::SearchGoal& first = goals.front().goal.sought;
    ordered.emplace(std::tuple(first.facts.size(), ReadsFloats(first.term), -cycles), std::move(goals));
  }
  for (auto& [order, goals] : ordered) groups_.push_back(std::move(goals));
  return absl::OkStatus();
}

size_t LongerPrograms::goals() const {
  size_t goals = 0;
  for (const std::vector<Goal>& group : groups_) goals += group.size();
  return goals;
}

// Recreates the goal before verifying the programs, because a rule found for another fragment in the meantime may
// already save as much.
absl::StatusOr<FragmentResult> LongerPrograms::Verify(const Goal& goal, std::vector<machine::Program> programs,
                                                      std::stop_token stop) const {
  std::optional<FoundRules> own;
  FragmentContext context = context_;
  if (independent_) context.found = &own.emplace(*context_.found);
  const std::optional<FragmentGoal> now = GoalOf(context, goal.fragment, goal.goal.sites);
  if (!now.has_value()) return FragmentResult{};
  return VerifyPrograms(context, *now, std::move(programs), std::move(stop));
}

absl::Status LongerPrograms::WorkOn(size_t group, std::stop_token stop, const KeepResult& keep) const {
  using Clock = RunBudget::Clock;
  const std::vector<Goal>& goals = groups_[group];
  std::vector<enumerator::SearchGoal> sought;
  for (const Goal& goal : goals) sought.push_back(goal.goal.sought);
  std::vector<std::vector<machine::Program>> programs(goals.size());
  enumerator::SearchStatistics statistics = context_.search->SearchLonger(
      sought, stop, [&](size_t goal, machine::Program program) { programs[goal].push_back(std::move(program)); });
  // An interrupted search is incomplete, so its results are not stored. If the time limit ends the run only between
  // pieces of work, the group is completed and stored; otherwise, runs shorter than the work on one group would search
  // the same group repeatedly.
  if (stop.stop_requested()) return absl::OkStatus();
  for (size_t i = 0; i < goals.size(); ++i) {
    const Clock::time_point start = Clock::now();
    absl::StatusOr<FragmentResult> result = Verify(goals[i], std::move(programs[i]), stop);
    if (absl::IsCancelled(result.status())) return absl::OkStatus();
    if (!result.ok()) return result.status();
    // The statistics of the group's search are added only to the first result.
    result->statistics = std::exchange(statistics, enumerator::SearchStatistics{});
    const double milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    const absl::Status kept = keep(goals[i].fragment, *result, milliseconds);
    if (!kept.ok()) return kept;
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
