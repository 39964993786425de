#include "server/pipeline/real_license.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "emitter/termination.h"
#include "server/pipeline/fragment_form.h"
#include "server/pipeline/known_rules.h"

namespace rewrought::pipeline {
namespace {

// What a search can wait for a form that normal forms do not decide.
constexpr uint32_t kSolverMilliseconds = 1000;
constexpr size_t kTerminationStates = 200;  // reached from one term; more counts as no end
constexpr size_t kMutantPoints = 64;        // tell a wrong mutant nearly always

// A form may round more often than what it replaces, but not lose what that kept: docs/decisions.md, "What a licensed
// rule may lose".
constexpr double kMedianUlp = 2, kMedianGrowth = 2, kWorstUlp = 8, kWorstGrowth = 16;

void SetPredicates(const std::map<std::string, std::string>& predicates, ir::Term* search) {
  for (ir::Node& node : search->nodes) {
    const auto found = node.kind == ir::NodeKind::kVariable ? predicates.find(node.name) : predicates.end();
    if (found != predicates.end()) node.predicates = {found->second};
  }
}

verifier::InexactJudgement JudgeOverReals(const RuleDraft& draft, const ir::Term& replace, verifier::Solver* solver,
                                          const verifier::InexactOptions& options) {
  const absl::StatusOr<verifier::InexactJudgement> judgement =
      verifier::JudgeInexact({draft.search, replace, ir::DenormMode::kAny}, solver, options);
  return judgement.value_or(verifier::InexactJudgement{});
}

// Variables that may be any float.
std::vector<std::string> FreeFloats(const ir::Term& search) {
  std::vector<std::string> names;
  for (const ir::Node& node : search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.constant_only || node.bits == 1 || !node.predicates.empty())
      continue;
    if (std::find(names.begin(), names.end(), node.name) == names.end()) names.push_back(node.name);
  }
  return names;
}

}  // namespace

bool KeepsAccuracy(const verifier::InexactJudgement& judgement) {
  const auto grows = [](std::optional<double> before, std::optional<double> after, double least, double growth) {
    return after.value_or(0) > std::max(least, growth * before.value_or(0));
  };
  return judgement.lost_after <= judgement.lost_before &&
         !grows(judgement.ulp_before_median, judgement.ulp_after_median, kMedianUlp, kMedianGrowth) &&
         !grows(judgement.ulp_before_max, judgement.ulp_after_max, kWorstUlp, kWorstGrowth);
}

bool IsLicensed(RuleDraft draft, verifier::Solver* solver, std::stop_token stop) {
  draft.search.nodes[draft.search.root].flags |= ir::kInexact;
  const absl::StatusOr<ir::Term> replace = ReplacementTerm(draft);
  verifier::InexactOptions options;
  options.cancel = std::move(stop);
  return replace.ok() && JudgeOverReals(draft, *replace, solver, options).licensed;
}

std::optional<verifier::InexactJudgement> License(const RealCandidate& candidate, verifier::Solver* solver,
                                                  std::stop_token stop, RuleDraft* draft) {
  *draft = candidate.general;
  ApplyMarks(0, &draft->search);
  draft->search.nodes[draft->search.root].flags = ir::kInexact;
  verifier::InexactOptions options;
  options.solver_timeout_ms = kSolverMilliseconds;
  options.cancel = stop;
  const auto judge = [&](const RuleDraft& tried) -> std::optional<verifier::InexactJudgement> {
    const absl::StatusOr<ir::Term> replace = ReplacementTerm(tried);
    if (!replace.ok() || stop.stop_requested()) return std::nullopt;
    return JudgeOverReals(tried, *replace, solver, options);
  };
  std::optional<verifier::InexactJudgement> judgement = judge(*draft);
  if (!judgement.has_value() || judgement->licensed) return judgement;
  if (!absl::StartsWith(judgement->reals, "refuted")) return std::nullopt;
  // The signs of the constants at hand, then as few of them as are needed.
  std::map<std::string, std::string> signs;
  for (const auto& [name, number] : candidate.symbol_numbers) {
    if (number != 0) signs[name] = number > 0 ? "is_gt_zero" : "is_lt_zero";
  }
  if (signs.empty()) return std::nullopt;
  const RuleDraft plain = *draft;
  SetPredicates(signs, &draft->search);
  judgement = judge(*draft);
  if (!judgement.has_value() || !judgement->licensed) return std::nullopt;
  const std::map<std::string, std::string> all = signs;
  for (const auto& [name, sign] : all) {
    std::map<std::string, std::string> fewer = signs;
    fewer.erase(name);
    RuleDraft weaker = plain;
    SetPredicates(fewer, &weaker.search);
    std::optional<verifier::InexactJudgement> judged = judge(weaker);
    if (!judged.has_value() || !judged->licensed) continue;
    signs = std::move(fewer);
    *draft = std::move(weaker);
    judgement = std::move(judged);
  }
  return judgement;
}

std::optional<RuleDraft> Terminating(const RuleDraft& rule) {
  const auto ends = [](const RuleDraft& tried) {
    const auto findings = emitter::CheckTermination({{tried.search, tried.replace, "", 0}}, {}, kTerminationStates);
    return findings.ok() && findings->empty();
  };
  if (ends(rule)) return rule;
  std::vector<std::map<std::string, std::string>> guards;
  for (const char* guard : {kIsNoProduct, kIsNoConstant}) {
    for (const std::string& name : FreeFloats(rule.search)) guards.push_back({{name, guard}});
  }
  const size_t single = guards.size();
  for (size_t i = 0; i < single; ++i) {
    for (size_t k = i + 1; k < single; ++k) {
      guards.push_back(guards[i]);
      if (!guards.back().insert(*guards[k].begin()).second) guards.pop_back();
    }
  }
  for (const auto& predicates : guards) {
    RuleDraft tried = rule;
    SetPredicates(predicates, &tried.search);
    if (ends(tried)) return tried;
  }
  return std::nullopt;
}

MutantTally JudgeMutantsOverReals(const RuleDraft& draft, size_t limit, std::stop_token stop) {
  verifier::InexactOptions options;
  options.points = options.points_when_approximate = kMutantPoints;
  options.cancel = std::move(stop);
  MutantTally tally;
  for (const ir::Term& mutant : MutantsOf(draft, limit)) {
    const verifier::InexactJudgement judged = JudgeOverReals(draft, mutant, nullptr, options);
    ++(absl::StartsWith(judged.reals, "refuted") ? tally.refuted
       : judged.reals_equal                      ? tally.equivalent
                                                 : tally.undecided);
  }
  return tally;
}

}  // namespace rewrought::pipeline
