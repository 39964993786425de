#include "pipeline/discovery/candidate_verifier.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "ir/text/rule_text.h"
#include "machine/semantics.h"
#include "pipeline/case_record.h"
#include "store/search_store.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::pipeline {
absl::StatusOr<v1::CaseVerdict> CandidateVerifier::DecideCase(const ir::Digest& rule, const ir::Digest& semantics,
                                                              const verifier::RuleCase& rule_case) {
  const std::string key = verifier::CaseKey(rule_case.search, rule_case.mode);
  store::SearchStore search(store_);
  absl::StatusOr<std::optional<store::VerdictRecord>> known = search.FindVerdict(rule, key, semantics);
  if (!known.ok()) return known.status();
  // If the stored verdict is unknown, verify the case again, because that verdict depended on a budget and possibly on
  // time. The solvers' cache answers repeated queries.
  if (known->has_value() && (*known)->verdict != v1::VERDICT_UNKNOWN) {
    absl::StatusOr<std::optional<v1::CaseVerdict>> own = OwnVerdict(**known, &verified_);
    if (!own.ok()) return own.status();
    if (own->has_value()) {
      ++cached_;
      return **std::move(own);
    }
  }
  ++asked_;
  const verifier::CaseResult result = prover_->Prove(rule_case);
  const bool cancelled = result.verdict == v1::VERDICT_UNKNOWN && absl::StrContains(result.reason, "cancelled");
  if (stop_.stop_requested() || cancelled) return absl::CancelledError("stopped while verifying a case");
  v1::CaseVerdict proto = verifier::CaseProto(rule_case.search, rule_case.mode, result, semantics.hex());
  const store::VerdictRecord record = RecordOf(rule, semantics, key, proto);
  absl::Status status = known->has_value() ? search.DropVerdict(rule, key, semantics) : absl::OkStatus();
  if (status.ok()) status = search.PutVerdict(record);
  if (status.ok()) status = verified_.Put(ClaimOf(record, proto));
  if (!status.ok()) return status;
  return proto;
}

absl::StatusOr<CandidateVerdict> CandidateVerifier::DecideCases(const ir::Digest& rule, const ir::Digest& semantics,
                                                                verifier::RuleCase rule_case,
                                                                const std::vector<ir::DenormMode>& modes) {
  CandidateVerdict decided;
  decided.proved = true;
  const bool by_mode = rule_case.mode != ir::DenormMode::kNone;
  for (const ir::DenormMode mode : by_mode ? modes : std::vector<ir::DenormMode>{ir::DenormMode::kNone}) {
    rule_case.mode = mode;
    absl::StatusOr<v1::CaseVerdict> verdict = DecideCase(rule, semantics, rule_case);
    if (!verdict.ok()) return verdict.status();
    decided.proved = decided.proved && verdict->verdict() == v1::VERDICT_PROVED;
    decided.refuted = verdict->verdict() == v1::VERDICT_REFUTED;
    decided.cases.push_back(*std::move(verdict));
    if (!decided.proved) break;
  }
  return decided;
}

absl::StatusOr<CandidateVerdict> CandidateVerifier::Decide(const machine::Candidate& candidate,
                                                           const std::vector<ir::DenormMode>& modes) {
  absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  if (!replace.ok()) return replace.status();
  return DecideCases(machine::CandidateId(candidate), machine::SemanticsOf(*candidate.machine),
                     verifier::CaseAsMesa(candidate.search, *std::move(replace)), modes);
}

absl::StatusOr<CandidateVerdict> CandidateVerifier::DecideTerms(const machine::Machine& machine, const ir::Term& search,
                                                                const ir::Term& replace,
                                                                const std::vector<ir::DenormMode>& modes) {
  const std::string text = absl::StrCat("terms (", ir::PrintTerm(search), ", ", ir::PrintTerm(replace), ")");
  return DecideCases(ir::RuleId(text, machine.id()), machine::SemanticsOf(machine),
                     verifier::CaseAsMesa(search, replace), modes);
}

}  // namespace rewrought::pipeline
