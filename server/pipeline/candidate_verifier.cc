#include "server/pipeline/candidate_verifier.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "ir/semantics.h"
#include "ir/text/rule_text.h"
#include "server/pipeline/case_record.h"
#include "server/store/search_store.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::pipeline {
namespace {

bool IsConfirmed(const v1::CaseVerdict& verdict) {
  return verdict.confirmed_by_size() > 0 || verdict.tier() == v1::TIER_CANONICAL ||
         verdict.tier() == v1::TIER_EXHAUSTIVE;
}

// A proof that rests on one query, which another solver can be asked as it is.
bool HasQuery(const v1::CaseVerdict& verdict) {
  return (verdict.tier() == v1::TIER_NATIVE || verdict.tier() == v1::TIER_UNINTERPRETED) &&
         !verdict.certificate().query().empty();
}

}  // namespace

ir::Digest SemanticsOf(const machine::Machine& machine) {
  static std::mutex mutex;
  static auto& digests = *new std::map<const machine::Machine*, ir::Digest>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, added] = digests.try_emplace(&machine);
  if (added) {
    std::string rows;
    for (const ir::OpRow& row : machine.rows()) absl::StrAppend(&rows, ir::DigestOfRow(row), "\n");
    found->second = ir::Digest::Of(
        absl::StrCat(ir::SemanticsDigest(), " ", machine.id(), "\n", rows, machine.description().SerializeAsString()));
  }
  return found->second;
}

absl::StatusOr<v1::CaseVerdict> CandidateVerifier::DecideCase(const ir::Digest& rule, const ir::Digest& semantics,
                                                              const verifier::RuleCase& rule_case, bool confirm) {
  const std::string key = verifier::CaseKey(rule_case.search, rule_case.mode);
  store::SearchStore search(store_);
  absl::StatusOr<std::optional<store::VerdictRecord>> known = search.FindVerdict(rule, key, semantics);
  if (!known.ok()) return known.status();
  if (known->has_value()) {
    absl::StatusOr<v1::CaseVerdict> before = ProtoOfRecord(**known);
    if (!before.ok()) return before.status();
    if (!confirm || before->verdict() != v1::VERDICT_PROVED || IsConfirmed(*before)) {
      ++cached_;
      return before;
    }
    if (HasQuery(*before)) {
      ++asked_;
      return ConfirmStored(rule, semantics, key, *std::move(before));
    }
  }
  ++asked_;
  const verifier::CaseResult result = (confirm ? confirming_ : prover_)->Prove(rule_case);
  const bool cancelled = result.verdict == v1::VERDICT_UNKNOWN && absl::StrContains(result.reason, "cancelled");
  if (stop_.stop_requested() || cancelled) return absl::CancelledError("stopped while a case was verified");
  v1::CaseVerdict proto = verifier::CaseProto(rule_case.search, rule_case.mode, result, semantics.hex());
  const absl::Status put = search.PutVerdict(RecordOf(rule, semantics, key, proto));
  if (!put.ok()) return put;
  return proto;
}

absl::StatusOr<v1::CaseVerdict> CandidateVerifier::ConfirmStored(const ir::Digest& rule, const ir::Digest& semantics,
                                                                 const std::string& key, v1::CaseVerdict proved) {
  verifier::CaseResult result;
  result.verdict = v1::VERDICT_PROVED;
  result.tier = proved.tier() == v1::TIER_NATIVE ? v1::TIER_NATIVE : v1::TIER_UNINTERPRETED;
  result.certificate.emplace();
  result.certificate->query = proved.certificate().query();
  result.certificate->solver = proved.certificate().solver();
  confirming_->Confirm(&result);
  if (stop_.stop_requested()) return absl::CancelledError("stopped while a case was confirmed");
  for (const std::string& solver : result.confirmed_by) proved.add_confirmed_by(solver);
  if (result.verdict != v1::VERDICT_PROVED) {
    proved.set_verdict(result.verdict);
    proved.set_reason(result.reason);
  }
  const absl::Status put = store::SearchStore(store_).PutVerdict(RecordOf(rule, semantics, key, proved));
  if (!put.ok()) return put;
  return proved;
}

absl::StatusOr<CandidateVerdict> CandidateVerifier::DecideCases(const ir::Digest& rule, const ir::Digest& semantics,
                                                                verifier::RuleCase rule_case,
                                                                const std::vector<ir::DenormMode>& modes,
                                                                bool confirm) {
  const bool floats = ir::HasFloatOperation(rule_case.search) || ir::HasFloatOperation(rule_case.replace);
  CandidateVerdict decided;
  decided.proved = decided.confirmed = true;
  for (const ir::DenormMode mode : floats ? modes : std::vector<ir::DenormMode>{ir::DenormMode::kNone}) {
    rule_case.mode = mode;
    absl::StatusOr<v1::CaseVerdict> verdict = DecideCase(rule, semantics, rule_case, confirm);
    if (!verdict.ok()) return verdict.status();
    decided.proved = decided.proved && verdict->verdict() == v1::VERDICT_PROVED;
    decided.confirmed = decided.confirmed && IsConfirmed(*verdict);
    decided.refuted = verdict->verdict() == v1::VERDICT_REFUTED;
    decided.cases.push_back(*std::move(verdict));
    if (!decided.proved) break;
  }
  decided.confirmed = decided.confirmed && decided.proved;
  return decided;
}

absl::StatusOr<CandidateVerdict> CandidateVerifier::Decide(const machine::Candidate& candidate,
                                                           const std::vector<ir::DenormMode>& modes, bool confirm) {
  absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  if (!replace.ok()) return replace.status();
  return DecideCases(machine::CandidateId(candidate), SemanticsOf(*candidate.machine),
                     {candidate.search, *std::move(replace), ir::DenormMode::kNone}, modes, confirm);
}

absl::StatusOr<CandidateVerdict> CandidateVerifier::DecideTerms(const machine::Machine& machine, const ir::Term& search,
                                                                const ir::Term& replace,
                                                                const std::vector<ir::DenormMode>& modes) {
  const std::string text = absl::StrCat("terms (", ir::PrintTerm(search), ", ", ir::PrintTerm(replace), ")");
  return DecideCases(ir::RuleId(text, machine.id()), SemanticsOf(machine), {search, replace, ir::DenormMode::kNone},
                     modes, false);
}

}  // namespace rewrought::pipeline
