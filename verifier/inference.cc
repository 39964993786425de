#include "verifier/inference.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "ir/text/sizes.h"
#include "verifier/deadline.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/vectors.h"

namespace rewrought::verifier {
namespace {

constexpr size_t kMostAlternatives = 8;
constexpr std::chrono::seconds kBudget(10);  // per rule; afterwards the sets found so far are returned

bool VectorsRefute(const ir::Rule& rule, const CheckedCase& refuted, const RuleCheckOptions& options) {
  const ir::SizeOptions size_options = SizeOptionsOf(options, true);
  absl::StatusOr<std::vector<ir::SizeAssignment>> assignments = ir::EnumerateSizes(rule, size_options);
  if (!assignments.ok()) return true;
  for (const ir::SizeAssignment& assignment : *assignments) {
    std::vector<std::pair<std::string, int>> sizes = assignment.names;
    std::sort(sizes.begin(), sizes.end());
    if (sizes != refuted.sizes) continue;
    absl::StatusOr<ir::Rule> concrete = ir::Instantiate(rule, assignment, size_options);
    if (!concrete.ok()) return true;
    RuleCase rule_case{std::move(concrete->search), std::move(concrete->replace), refuted.mode};
    ReadCase(options, &rule_case);
    absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
    if (!prepared.ok()) return true;
    VectorOptions vectors;
    vectors.lanes = 4096;
    vectors.lanes_when_approximate = 128;
    vectors.max_checks = 128;
    absl::StatusOr<VectorOutcome> outcome = TryVectors(prepared->get(), vectors);
    return !outcome.ok() || outcome->witness.has_value() || !outcome->admitted;
  }
  return true;
}

}  // namespace

std::vector<ir::AssumptionSet> InferWeakest(const Prover& prover, const ir::Rule& rule, const RuleVerdict& refuted,
                                            const RuleCheckOptions& options) {
  RuleCheckOptions check = options;
  check.infer = false;
  check.stop_at_refuted = true;
  const Deadline deadline(kBudget, prover.options().cancel);
  const auto spent = [&] { return deadline.token().stop_requested(); };
  ProverOptions limited = prover.options();
  limited.cancel = deadline.token();
  const Prover stoppable(prover.solvers(), limited);
  const auto holds = [&](const ir::Term& search) -> absl::StatusOr<ir::Answer> {
    ir::Rule tried = rule;
    tried.search = search;
    // Try the previously refuted cases first, because they are the most likely to fail again.
    for (const CheckedCase& checked : refuted.cases) {
      if (checked.result.verdict == v1::VERDICT_REFUTED && VectorsRefute(tried, checked, check)) {
        return ir::Answer::kFails;
      }
    }
    const absl::StatusOr<RuleVerdict> verdict = CheckRule(stoppable, tried, check);
    return verdict.ok() && verdict->verdict == v1::VERDICT_PROVED ? ir::Answer::kHolds : ir::Answer::kFails;
  };
  return ir::SmallestSets(rule.search, kMostAlternatives, spent, holds).value_or(std::vector<ir::AssumptionSet>{});
}

}  // namespace rewrought::verifier
