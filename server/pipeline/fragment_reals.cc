// The part of fragment_work.h that is about forms equal over the reals.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emitter/pack.h"
#include "machine/base_selection.h"
#include "server/pipeline/case_record.h"
#include "server/pipeline/fragment_form.h"
#include "server/pipeline/fragment_work.h"
#include "server/pipeline/host_reals.h"
#include "server/pipeline/real_license.h"
#include "server/pipeline/rule_making.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kMostCandidates = 3;  // of one fragment that are judged

}  // namespace

absl::Status FragmentWorker::KeepLicensed(const store::FragmentSummary& fragment, const RuleDraft& draft,
                                          const verifier::InexactJudgement& judgement, FragmentResult* result) const {
  RuleEvidence evidence;
  // The strict verdicts stand beside. Where the solvers leave the bits open, other modes are not worth the time.
  for (const ir::DenormMode mode : options_.modes) {
    const absl::StatusOr<Judgement> strict = judge_->Decide(draft, {mode});
    if (!strict.ok()) return strict.status();
    evidence.modes.push_back(mode);
    if (!strict->refuted && !strict->proved) break;
  }
  evidence.inexact = InexactProto(judgement);
  evidence.mutants = JudgeMutantsOverReals(draft, options_.mutants, {});
  const absl::StatusOr<ir::Term> replace = ReplacementTerm(draft);
  if (!replace.ok()) return replace.status();
  const OracleTally oracle = CompareOverHostReals(draft.search, *replace, emitter::kConfirmingVectors);
  if (oracle.disagreed > 0) {  // one of two encodings is wrong: nothing to build on
    ++result->unknown;
    return absl::OkStatus();
  }
  if (oracle.agreed >= emitter::kConfirmingVectors) {
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
  ApplyMarks(0, &draft.search);
  absl::StatusOr<bool> proved = ProvedAs(draft, &judgement);
  if (!proved.ok()) return absl::IsInvalidArgument(proved.status()) ? absl::OkStatus() : proved.status();
  // What the solvers leave open is licensed like what they refute: nobody has shown it to hold bit for bit.
  if (!*proved && judgement.refuted) proved = ProvedAtSites(profile, &draft, &judgement);
  if (!proved.ok()) return proved.status();
  if (*proved) {
    const size_t before = result->rules.size();
    const absl::Status kept = KeepProved(fragment, draft, stop, result);
    if (kept.ok()) ++(result->rules.size() > before ? result->proved : result->unknown);
    return kept;
  }
  const std::optional<verifier::InexactJudgement> licensed = License(candidate, solver_, stop, &draft);
  if (stop.stop_requested()) return absl::CancelledError("stopped while a form over the reals was judged");
  if (!licensed.has_value() || !KeepsAccuracy(*licensed)) {
    ++result->refuted;
    return absl::OkStatus();
  }
  const std::optional<RuleDraft> rule = Terminating(draft);
  if (!rule.has_value()) {
    ++result->refuted;
    return absl::OkStatus();
  }
  return KeepLicensed(fragment, *rule, *licensed, result);
}

absl::Status FragmentWorker::WorkOverReals(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                           const SearchGoal& searched, std::stop_token stop,
                                           FragmentResult* result) const {
  // A rule found bit for bit lowers what is still worth a rule.
  const std::optional<SearchGoal> goal = result->rules.empty() ? searched : GoalOf(fragment, profile);
  if (!goal.has_value()) return absl::OkStatus();
  machine::Cost base = goal->base;
  if (absl::StatusOr<machine::Cost> known = known_over_reals_->CostOf(goal->term, profile.facts);
      known.ok() && CheaperThan(*known, base)) {
    base = *std::move(known);
  }
  std::vector<RealCandidate> candidates =
      CheaperOverTheReals(machine_, goal->term, base, &prices_, kMostCandidates, stop);
  std::erase_if(candidates,
                [&](const RealCandidate& candidate) { return !PaysSomewhere(candidate.special, *goal, profile); });
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
