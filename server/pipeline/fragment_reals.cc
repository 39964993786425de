// The part of fragment_work.h that is about forms equal over the reals.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emitter/pack.h"
#include "ir/site_flags.h"
#include "machine/base_selection.h"
#include "machine/candidate.h"
#include "machine/cost.h"
#include "server/pipeline/fragment_work.h"
#include "server/pipeline/inexact_proposal.h"
#include "server/pipeline/rule_record.h"
#include "verifier/oracle/host_reals.h"
#include "verifier/verdict_message.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kMostCandidates = 3;  // of one fragment that are verified

}  // namespace

absl::Status FragmentWorker::KeepInexact(const store::FragmentSummary& fragment, const machine::Candidate& candidate,
                                         const verifier::InexactVerdict& decided, FragmentResult* result) const {
  RuleEvidence evidence;
  // The strict verdicts stand beside. Where the solvers leave the bits open, other modes are not worth the time.
  for (const ir::DenormMode mode : options_.modes) {
    const absl::StatusOr<CandidateVerdict> strict = verifier_->Decide(candidate, {mode});
    if (!strict.ok()) return strict.status();
    evidence.modes.push_back(mode);
    if (!strict->refuted && !strict->proved) break;
  }
  evidence.inexact = verifier::InexactProto(decided);
  evidence.mutants = VerifyMutantsOverReals(candidate, options_.mutants, {});
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  if (!replace.ok()) return replace.status();
  const verifier::OracleTally oracle =
      verifier::CompareOverHostReals(candidate.search, *replace, emitter::kConfirmingVectors);
  if (oracle.disagreed > 0) {  // one of two encodings is wrong: nothing to build on
    ++result->unknown;
    return absl::OkStatus();
  }
  if (oracle.agreed >= emitter::kConfirmingVectors) {
    evidence.encoding = verifier::kHostRealsName;
    evidence.vectors = oracle.agreed;
  }
  result->rules.push_back(RecordOfRule(fragment.digest, candidate, evidence));
  known_over_reals_->Add(candidate);
  ++result->proved;
  return absl::OkStatus();
}

absl::Status FragmentWorker::VerifyRealForm(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                            const enumerator::RealForm& form, std::stop_token stop,
                                            FragmentResult* result) const {
  result->candidates.push_back(
      {machine::CandidateId(form.special), machine_.id(), fragment.digest, machine::CandidateText(form.special)});
  machine::Candidate candidate = form.special;
  CandidateVerdict decided;
  ir::ApplyNodeFlags(0, &candidate.search);
  absl::StatusOr<bool> proved = ProvedAs(candidate, &decided);
  if (!proved.ok()) return absl::IsInvalidArgument(proved.status()) ? absl::OkStatus() : proved.status();
  // What the solvers leave open is over_reals like what they refute: nobody has shown it to hold bit for bit.
  if (!*proved && decided.refuted) proved = ProvedAtSites(profile, &candidate, &decided);
  if (!proved.ok()) return proved.status();
  if (*proved) {
    const size_t before = result->rules.size();
    const absl::Status kept = KeepProved(fragment, candidate, stop, result);
    if (kept.ok()) ++(result->rules.size() > before ? result->proved : result->unknown);
    return kept;
  }
  const std::optional<verifier::InexactVerdict> over_reals = VerifyInexactProposal(form, solver_, stop, &candidate);
  if (stop.stop_requested()) return absl::CancelledError("stopped while a form over the reals was verified");
  if (!over_reals.has_value() || !verifier::NotLessAccurate(*over_reals)) {
    ++result->refuted;
    return absl::OkStatus();
  }
  const std::optional<machine::Candidate> rule = Terminating(candidate);
  if (!rule.has_value()) {
    ++result->refuted;
    return absl::OkStatus();
  }
  return KeepInexact(fragment, *rule, *over_reals, result);
}

absl::Status FragmentWorker::WorkOverReals(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                           const enumerator::SearchGoal& searched, std::stop_token stop,
                                           FragmentResult* result) const {
  // A rule found bit for bit lowers what is still worth a rule.
  const std::optional<enumerator::SearchGoal> goal = result->rules.empty() ? searched : GoalOf(fragment, profile);
  if (!goal.has_value()) return absl::OkStatus();
  machine::Cost base = goal->base;
  if (absl::StatusOr<machine::Cost> known = known_over_reals_->CostOf(goal->term, profile.facts);
      known.ok() && machine::CheaperThan(*known, base)) {
    base = *std::move(known);
  }
  std::vector<enumerator::RealForm> forms =
      enumerator::CheaperOverTheReals(machine_, goal->term, base, &prices_, kMostCandidates, stop);
  std::erase_if(forms, [&](const enumerator::RealForm& form) { return !PaysSomewhere(form.special, *goal, profile); });
  result->found += forms.size();
  for (const enumerator::RealForm& form : forms) {
    if (stop.stop_requested()) return absl::CancelledError("stopped while forms over the reals were verified");
    const size_t before = result->rules.size();
    const absl::Status verified = VerifyRealForm(fragment, profile, form, stop, result);
    if (!verified.ok() || result->rules.size() > before) return verified;
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
