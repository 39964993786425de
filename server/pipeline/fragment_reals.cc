// The part of fragment_work.h that is about forms equal over the reals.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "machine/base_selection.h"
#include "server/pipeline/fragment_form.h"
#include "server/pipeline/fragment_work.h"
#include "server/pipeline/host_reals.h"
#include "server/pipeline/rule_making.h"
#include "verifier/rule_case.h"

namespace rewrought::pipeline {
namespace {

constexpr uint64_t kOracleVectors = 100000;  // design, section 8
constexpr size_t kMostCandidates = 3;        // of one fragment that are judged
constexpr size_t kMutantPoints = 64;         // tell a wrong mutant nearly always

// A form may round more often than what it replaces, but not lose what that kept: docs/decisions.md, "What a licensed
// rule may lose".
constexpr double kMedianUlp = 2, kMedianGrowth = 2, kWorstUlp = 8, kWorstGrowth = 16;

bool KeepsAccuracy(const verifier::InexactJudgement& judgement) {
  const auto grows = [](std::optional<double> before, std::optional<double> after, double least, double growth) {
    return after.value_or(0) > std::max(least, growth * before.value_or(0));
  };
  return judgement.lost_after <= judgement.lost_before &&
         !grows(judgement.ulp_before_median, judgement.ulp_after_median, kMedianUlp, kMedianGrowth) &&
         !grows(judgement.ulp_before_max, judgement.ulp_after_max, kWorstUlp, kWorstGrowth);
}

v1::InexactStatement StatementOf(const verifier::InexactJudgement& judgement) {
  v1::InexactStatement statement;
  statement.set_reals(judgement.licensed ? v1::VERDICT_PROVED : v1::VERDICT_UNKNOWN);
  if (judgement.ulp_bound.has_value()) statement.set_ulp_bound(*judgement.ulp_bound);
  statement.set_ulp_before(judgement.ulp_before_max.value_or(0));
  statement.set_ulp_after(judgement.ulp_after_max.value_or(0));
  statement.set_ulp_typical_before(judgement.ulp_before_median.value_or(0));
  statement.set_ulp_typical_after(judgement.ulp_after_median.value_or(0));
  for (const auto& [input, results] : judgement.special) (*statement.mutable_special())[input] = results;
  return statement;
}

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

}  // namespace

std::optional<verifier::InexactJudgement> FragmentWorker::License(const RealCandidate& candidate, std::stop_token stop,
                                                                  RuleDraft* draft) const {
  *draft = candidate.general;
  ApplyMarks(0, &draft->search);
  draft->search.nodes[draft->search.root].flags = ir::kInexact;
  verifier::InexactOptions options;
  options.cancel = stop;
  const auto judge = [&](const RuleDraft& tried) -> std::optional<verifier::InexactJudgement> {
    const absl::StatusOr<ir::Term> replace = ReplacementTerm(tried);
    if (!replace.ok() || stop.stop_requested()) return std::nullopt;
    return JudgeOverReals(tried, *replace, solver_, options);
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

absl::Status FragmentWorker::KeepLicensed(const store::FragmentSummary& fragment, const RuleDraft& draft,
                                          const verifier::InexactJudgement& judgement, FragmentResult* result) const {
  RuleEvidence evidence;
  // The strict verdicts stand beside: what is refuted bit for bit is what needs the licence.
  for (const ir::DenormMode mode : options_.modes) {
    const absl::StatusOr<Judgement> strict = judge_->Decide(draft, {mode});
    if (!strict.ok()) return strict.status();
    if (strict->refuted || strict->proved) evidence.modes.push_back(mode);
  }
  if (evidence.modes.empty()) {
    ++result->unknown;
    return absl::OkStatus();
  }
  evidence.inexact = StatementOf(judgement);
  evidence.mutants = JudgeMutantsOverReals(draft, options_.mutants, {});
  const absl::StatusOr<ir::Term> replace = ReplacementTerm(draft);
  if (!replace.ok()) return replace.status();
  const OracleTally oracle = CompareOverHostReals(draft.search, *replace, kOracleVectors);
  if (oracle.disagreed > 0) {  // one of two encodings is wrong: nothing to build on
    ++result->unknown;
    return absl::OkStatus();
  }
  if (oracle.agreed >= kOracleVectors) {
    evidence.encoding = kHostRealsName;
    evidence.vectors = oracle.agreed;
  }
  result->rules.push_back(RecordOfRule(fragment.digest, draft, evidence));
  known_over_reals_->Add(draft);
  ++result->proved;
  return absl::OkStatus();
}

absl::Status FragmentWorker::JudgeRealCandidate(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                                const RealCandidate& candidate, std::stop_token stop,
                                                FragmentResult* result) const {
  result->candidates.push_back(
      {DraftId(candidate.special), machine_.id(), fragment.digest, DraftText(candidate.special)});
  RuleDraft draft = candidate.special;
  Judgement judgement;
  const absl::StatusOr<bool> proved = ProvedAtSites(profile, &draft, &judgement);
  if (!proved.ok()) return absl::IsInvalidArgument(proved.status()) ? absl::OkStatus() : proved.status();
  if (*proved) {
    const size_t before = result->rules.size();
    const absl::Status kept = KeepProved(fragment, draft, stop, result);
    if (kept.ok()) ++(result->rules.size() > before ? result->proved : result->unknown);
    return kept;
  }
  if (!judgement.refuted) {
    ++result->unknown;
    return absl::OkStatus();
  }
  const std::optional<verifier::InexactJudgement> licensed = License(candidate, stop, &draft);
  if (stop.stop_requested()) return absl::CancelledError("stopped while a form over the reals was judged");
  if (!licensed.has_value() || !KeepsAccuracy(*licensed)) {
    ++result->refuted;
    return absl::OkStatus();
  }
  return KeepLicensed(fragment, draft, *licensed, result);
}

absl::Status FragmentWorker::WorkOverReals(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                           std::stop_token stop, FragmentResult* result) const {
  const std::optional<SearchGoal> goal = GoalOf(fragment, profile);
  if (!goal.has_value()) return absl::OkStatus();
  machine::Cost base = goal->base;
  if (absl::StatusOr<machine::Cost> known = known_over_reals_->CostOf(goal->term, profile.facts);
      known.ok() && CheaperThan(*known, base)) {
    base = *std::move(known);
  }
  std::vector<RealCandidate> candidates =
      CheaperOverTheReals(machine_, goal->term, base, &prices_, kMostCandidates, stop);
  result->found += candidates.size();
  for (const RealCandidate& candidate : candidates) {
    if (stop.stop_requested()) return absl::CancelledError("stopped while forms over the reals were judged");
    const size_t before = result->rules.size();
    const absl::Status judged = JudgeRealCandidate(fragment, profile, candidate, stop, result);
    if (!judged.ok() || result->rules.size() > before) return judged;
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
