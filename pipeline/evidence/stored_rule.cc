#include "pipeline/evidence/stored_rule.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "machine/semantics.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "proto/names.h"
#include "verifier/inexact/inexact.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/message/verdict_message.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {
namespace {

constexpr ir::DenormMode kModes[] = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};

// Decides the cases of a candidate, each at most once.
class CaseDecisions {
 public:
  // Decides by test vectors alone if `solvers` has no solver.
  static absl::StatusOr<CaseDecisions> Create(const machine::Candidate& candidate, verifier::Solvers solvers,
                                              std::stop_token stop) {
    absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
    if (!replace.ok()) return replace.status();
    verifier::ProverOptions options;
    options.cancel = std::move(stop);
    return CaseDecisions(verifier::CaseAsMesa(candidate.search, *std::move(replace)), candidate.search,
                         machine::SemanticsOf(*candidate.machine).hex(), verifier::Prover(std::move(solvers), options));
  }

  // Returns the modes in which the candidate has cases.
  std::vector<ir::DenormMode> Modes() const {
    if (rule_case_.mode == ir::DenormMode::kNone) return {ir::DenormMode::kNone};
    return {std::begin(kModes), std::end(kModes)};
  }

  const v1::CaseVerdict& Decide(ir::DenormMode mode) {
    const auto [found, is_new] = decided_.try_emplace(mode);
    if (is_new) {
      verifier::RuleCase of_mode = rule_case_;
      of_mode.mode = mode;
      found->second = verifier::CaseProto(search_, mode, prover_.Prove(of_mode), semantics_);
    }
    return found->second;
  }

 private:
  CaseDecisions(verifier::RuleCase rule_case, ir::Term search, std::string semantics, verifier::Prover prover)
      : rule_case_(std::move(rule_case)),
        search_(std::move(search)),
        semantics_(std::move(semantics)),
        prover_(std::move(prover)) {}

  verifier::RuleCase rule_case_;
  ir::Term search_;
  std::string semantics_;
  verifier::Prover prover_;
  std::map<ir::DenormMode, v1::CaseVerdict> decided_;
};

std::string RefutationText(const v1::CaseVerdict& verdict) {
  const std::map<std::string, std::string> vars(verdict.witness().vars().begin(), verdict.witness().vars().end());
  return absl::StrCat("refuted in mode ", std::string(v1::NameOf(verdict.mode())), " at ",
                      absl::StrJoin(vars, ", ", absl::PairFormatter(" = ")));
}

bool IsRefuted(const v1::CaseVerdict& verdict) { return verdict.verdict() == v1::VERDICT_REFUTED; }

// Proves the rule from its text alone. If no case of a strict rule is proved, returns `first_failure`, extended by a
// witness if a case is refuted, or FailedPrecondition if `first_failure` is OK.
absl::StatusOr<VerifiedRule> ProveFromText(RuleClaim claim, const RuleVerifier& verifier, CaseDecisions* decisions,
                                           const absl::Status& first_failure) {
  const bool is_inexact = claim.rule_class == v1::RULE_CLASS_INEXACT;
  std::vector<v1::CaseVerdict> refuted;
  claim.verdicts.clear();
  for (const ir::DenormMode mode : decisions->Modes()) {
    if (verifier.options().stop.stop_requested()) return absl::CancelledError("stopped while verifying a rule");
    const v1::CaseVerdict& verdict = decisions->Decide(mode);
    if (is_inexact || verdict.verdict() == v1::VERDICT_PROVED) claim.verdicts.push_back(verdict);
    if (IsRefuted(verdict)) refuted.push_back(verdict);
  }
  if (claim.verdicts.empty()) {
    if (first_failure.ok()) return absl::FailedPreconditionError("no case is proved");
    if (refuted.empty()) return first_failure;
    return absl::FailedPreconditionError(absl::StrCat(first_failure.message(), "; ", RefutationText(refuted.front())));
  }
  absl::StatusOr<VerifiedRule> verified = verifier.Verify(claim);
  if (!verified.ok()) return verified;
  if (!is_inexact) verified->verdicts.insert(verified->verdicts.end(), refuted.begin(), refuted.end());
  return verified;
}

}  // namespace

absl::StatusOr<RuleClaim> ClaimOfRecord(const store::RuleRecord& rule, std::vector<v1::CaseVerdict> verdicts) {
  absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(rule);
  if (!candidate.ok()) return candidate.status();
  if (machine::CandidateId(*candidate) != rule.id) return absl::InvalidArgumentError("its id does not match its text");
  const v1::RuleClass rule_class =
      verifier::IsMarkedInexact(candidate->search) ? v1::RULE_CLASS_INEXACT : v1::RULE_CLASS_STRICT;
  return RuleClaim{*std::move(candidate), rule_class, std::move(verdicts)};
}

absl::StatusOr<VerifiedRule> ProveStoredRule(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts,
                                             const RuleVerifier& verifier) {
  absl::StatusOr<RuleClaim> claim = ClaimOfRecord(rule, {});
  if (!claim.ok()) return claim.status();
  absl::StatusOr<CaseDecisions> decisions =
      CaseDecisions::Create(claim->candidate, verifier.solvers(), verifier.options().stop);
  if (!decisions.ok()) return decisions.status();
  if (claim->rule_class == v1::RULE_CLASS_INEXACT) {
    claim->verdicts.assign(verdicts.begin(), verdicts.end());
    absl::StatusOr<VerifiedRule> verified = verifier.Verify(*claim);
    if (verified.ok() || absl::IsCancelled(verified.status())) return verified;
    return ProveFromText(*std::move(claim), verifier, &*decisions, verified.status());
  }
  std::set<v1::DenormMode> proved, doubtful;
  for (const v1::CaseVerdict& verdict : verdicts) {
    if (verdict.verdict() == v1::VERDICT_PROVED) {
      claim->verdicts.push_back(verdict);
      proved.insert(verdict.mode());
    } else if (verdict.verdict() != v1::VERDICT_UNKNOWN) {
      doubtful.insert(verdict.mode());
    }
  }
  const v1::PackEntry detail = DetailOf(rule);
  for (const int mode : detail.rule().generalisation().modes()) doubtful.insert(static_cast<v1::DenormMode>(mode));
  std::vector<v1::CaseVerdict> refuted;
  for (const ir::DenormMode mode : decisions->Modes()) {
    if (proved.empty() || proved.contains(verifier::ModeProto(mode)) || !doubtful.contains(verifier::ModeProto(mode)))
      continue;
    const v1::CaseVerdict& decided = decisions->Decide(mode);
    if (decided.verdict() == v1::VERDICT_PROVED) claim->verdicts.push_back(decided);
    if (IsRefuted(decided)) refuted.push_back(decided);
  }
  absl::StatusOr<VerifiedRule> verified = verifier.Verify(*claim);
  if (absl::IsCancelled(verified.status())) return verified;
  if (!verified.ok()) return ProveFromText(*std::move(claim), verifier, &*decisions, verified.status());
  if (verified->verdicts.size() < claim->verdicts.size()) {
    // A forged certificate may have used up the time for these cases, so decide them without it.
    absl::StatusOr<VerifiedRule> from_text = ProveFromText(*claim, verifier, &*decisions, absl::OkStatus());
    if (absl::IsCancelled(from_text.status())) return from_text;
    if (from_text.ok() && CountProofs(from_text->verdicts) > CountProofs(verified->verdicts)) return from_text;
  }
  verified->verdicts.insert(verified->verdicts.end(), refuted.begin(), refuted.end());
  return verified;
}

size_t CountProofs(absl::Span<const v1::CaseVerdict> verdicts) {
  return static_cast<size_t>(std::count_if(verdicts.begin(), verdicts.end(), [](const v1::CaseVerdict& one) {
    return one.verdict() == v1::VERDICT_PROVED;
  }));
}

std::vector<v1::CaseVerdict> ReproducedRefutations(const store::RuleRecord& rule,
                                                   absl::Span<const v1::CaseVerdict> claimed) {
  std::vector<v1::CaseVerdict> reproduced;
  if (std::none_of(claimed.begin(), claimed.end(), IsRefuted)) return reproduced;
  const absl::StatusOr<RuleClaim> claim = ClaimOfRecord(rule, {});
  if (!claim.ok()) return reproduced;
  absl::StatusOr<CaseDecisions> decisions = CaseDecisions::Create(claim->candidate, {}, {});
  if (!decisions.ok()) return reproduced;
  for (const v1::CaseVerdict& verdict : claimed) {
    const std::optional<ir::DenormMode> mode = verifier::ModeOf(verdict.mode());
    if (!IsRefuted(verdict) || !mode.has_value()) continue;
    const v1::CaseVerdict& decided = decisions->Decide(*mode);
    if (IsRefuted(decided)) reproduced.push_back(decided);
  }
  return reproduced;
}

store::RuleRecord WithEvidence(const store::RuleRecord& rule, const machine::Candidate& candidate,
                               const VerifiedRule& verified) {
  store::RuleRecord now = RecordOfRule(ir::Digest{}, candidate, verified.evidence);
  now.state = rule.state;
  now.reason = rule.reason;
  now.fragment = rule.fragment;
  now.generalised_from = rule.generalised_from;
  now.created_run = rule.created_run;
  now.created = rule.created;
  return now;
}

}  // namespace rewrought::pipeline
