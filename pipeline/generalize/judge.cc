#include "pipeline/generalize/judge.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/match/matcher_model.h"
#include "ir/text/rule_text.h"
#include "ir/text/value_text.h"
#include "ir/text/value_types.h"
#include "verifier/entry_check.h"
#include "verifier/inexact/inexact.h"

namespace rewrought::pipeline {
namespace {

// The time limit of each solver query. Test vectors refute most attempts. A rule whose proof takes longer is rarely
// worth adding to a driver.
constexpr uint32_t kQueryMilliseconds = 1000;

constexpr char kTimeIsUp[] = "undecided when the time limit was reached";

verifier::Prover WithLimits(const verifier::Prover& prover, const std::stop_token& stop) {
  verifier::ProverOptions options = prover.options();
  options.LimitQueries(kQueryMilliseconds);
  options.keep_query = false;
  options.cancel = stop;
  return verifier::Prover(prover.solvers(), options);
}

std::string WitnessText(const verifier::CheckedCase& checked) {
  const ir::ValueTypes types = ir::InferTypes({checked.rule_case.search, checked.rule_case.replace, "", 0});
  // Show a flag of the matched root only if it is set.
  std::vector<verifier::WitnessVariable> shown = checked.result.witness->variables;
  std::erase_if(shown, [](const auto& variable) { return ir::IsRootFlagInput(variable.name) && variable.value == 0; });
  return absl::StrJoin(shown, ", ", [&](std::string* out, const auto& variable) {
    if (ir::IsRootFlagInput(variable.name)) {
      absl::StrAppend(out, "a root with ", ir::RootFlagText(variable.name, checked.result.witness->root_bits));
      return;
    }
    std::optional<ir::BaseType> type;
    for (size_t i = 0; i < types.search.size(); ++i) {
      const ir::Node& node = checked.rule_case.search.nodes[i];
      if (node.kind == ir::NodeKind::kVariable && node.name == variable.name) type = types.search[i];
    }
    absl::StrAppend(out, variable.name, " = ", ir::NumberText(variable.value, variable.bits, type));
  });
}

std::string ReasonOf(const verifier::RuleVerdict& verdict) {
  for (const verifier::CheckedCase& checked : verdict.cases) {
    const verifier::CaseResult& result = checked.result;
    if (result.verdict == v1::VERDICT_PROVED) continue;
    std::string reason = absl::StrCat("at ", checked.width, checked.width == 1 ? " bit" : " bits");
    if (result.verdict == v1::VERDICT_REFUTED && result.witness.has_value())
      return absl::StrCat("refuted ", reason, " by ", WitnessText(checked));
    if (result.verdict == v1::VERDICT_VACUOUS) return absl::StrCat("no input meets the conditions ", reason);
    const bool unknown = result.verdict == v1::VERDICT_UNKNOWN;
    return absl::StrCat(unknown ? "undecided " : "", reason, result.reason.empty() ? "" : ": ", result.reason);
  }
  return "the rule has no valid size";
}

}  // namespace

bool KeepsAccuracy(v1::AccuracyClass accuracy) {
  return accuracy == v1::ACCURACY_CLASS_UNSPECIFIED || accuracy == v1::ACCURACY_CLASS_NOT_LESS_ACCURATE;
}

Judge::Judge(const verifier::Prover& prover, const verifier::RuleCheckOptions& check, std::chrono::milliseconds limit,
             const std::stop_token& stop)
    : check_(check), deadline_(limit, stop), prover_(WithLimits(prover, deadline_.token())) {}

Judgment Judge::WithRequiredAccuracy(Judgment judgment) const {
  if (judgment.proved && requires_accuracy_ && !KeepsAccuracy(judgment.accuracy)) {
    judgment.proved = false;
    judgment.reason = "the replacement is not shown to be as accurate as the search";
  }
  return judgment;
}

Judgment Judge::Verify(const ir::Rule& rule) {
  const std::string key = ir::PrintRule(rule);
  if (const auto found = known_.find(key); found != known_.end()) return WithRequiredAccuracy(found->second);
  if (time_is_up()) return {.reason = kTimeIsUp};
  ir::RuleEntry entry;
  entry.rule = rule;
  verifier::RuleCheckOptions check = check_;
  // Every width of an inexact rule must be verified over the reals.
  check.stop_at_refuted = !verifier::IsMarkedInexact(rule.search);
  const verifier::CheckedEntry checked = verifier::CheckEntry(entry, prover_, check, nullptr);
  if (time_is_up()) return {.reason = kTimeIsUp};
  Judgment judgment;
  if (!checked.error.empty()) {
    judgment.reason = checked.error;
  } else if (checked.inexact.has_value()) {
    judgment.proved = checked.IsInexact();
    judgment.accuracy = checked.accuracy;
    if (!judgment.proved) judgment.reason = absl::StrCat("over the reals: ", checked.inexact->reals);
  } else {
    judgment.proved = checked.verdict.verdict == v1::VERDICT_PROVED;
    if (!judgment.proved) judgment.reason = ReasonOf(checked.verdict);
  }
  return WithRequiredAccuracy(known_.emplace(key, judgment).first->second);
}

}  // namespace rewrought::pipeline
