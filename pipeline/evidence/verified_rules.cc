#include "pipeline/evidence/verified_rules.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "emitter/evidence.h"
#include "ir/digest.h"
#include "ir/text/rule_text.h"
#include "machine/semantics.h"
#include "pipeline/case_record.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "store/rule_store.h"
#include "store/search_store.h"
#include "verifier/message/verdict_message.h"
#include "verifier/oracle/host_oracle.h"

namespace rewrought::pipeline {
namespace {

// Appends `text`, preceded by its length, so that different lists of strings never produce the same claim.
void AddText(absl::string_view text, std::string* claim) { absl::StrAppend(claim, text.size(), " ", text, "\n"); }

// Rules recorded with another version of the evidence must be verified again.
constexpr int kEvidenceVersion = 5;

// Returns the text recorded for a verified rule: all data of the rule and its verdicts that a pack uses, except the
// rule's state and savings.
std::string ClaimOf(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts) {
  std::string claim = absl::StrCat("rule ", kEvidenceVersion, "\n", rule.id.hex(), " ", rule.semantics.hex(), " ",
                                   rule.rule_class, "\n");
  // Unless the host oracle confirmed the rule, include the oracle's version, so that a new version tries again.
  if (!emitter::IsConfirmedByEncoding(DetailOf(rule)))
    absl::StrAppend(&claim, "not confirmed by oracle ", verifier::kHostOracleVersion, "\n");
  for (const std::string* text :
       {&rule.machine, &rule.search, &rule.replace, &rule.program, &rule.condition, &rule.detail}) {
    AddText(*text, &claim);
  }
  std::vector<std::string> texts;
  for (const v1::CaseVerdict& verdict : verdicts) {
    // A strict rule makes claims only about its proved cases.
    if (rule.rule_class == v1::RULE_CLASS_STRICT && verdict.verdict() != v1::VERDICT_PROVED) continue;
    texts.push_back(pipeline::ClaimOf(verdict));
  }
  std::sort(texts.begin(), texts.end());
  for (const std::string& text : texts) AddText(text, &claim);
  return claim;
}

bool AnyMayBeConfirmed(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts,
                       const RuleVerifier& verifier) {
  return rule.rule_class == v1::RULE_CLASS_STRICT && verifier.solvers().confirming() != nullptr &&
         std::any_of(verdicts.begin(), verdicts.end(), [&](const v1::CaseVerdict& verdict) {
           return MayBeConfirmed(verdict, verifier.options().work_ms);
         });
}

// Replaces the evidence and the verdicts of `known` with the verified ones.
void Take(VerifiedRule shown, const machine::Candidate& candidate, KnownRule* known) {
  known->rule.detail = RecordOfRule(known->rule.fragment.value_or(ir::Digest{}), candidate, shown.evidence).detail;
  known->verdicts = std::move(shown.verdicts);
}

size_t Proofs(absl::Span<const v1::CaseVerdict> verdicts) {
  return std::count_if(verdicts.begin(), verdicts.end(),
                       [](const v1::CaseVerdict& one) { return one.verdict() == v1::VERDICT_PROVED; });
}

}  // namespace

absl::StatusOr<RuleClaim> ClaimOfRecord(const store::RuleRecord& rule, std::vector<v1::CaseVerdict> verdicts) {
  absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(rule);
  if (!candidate.ok()) return candidate.status();
  if (machine::CandidateId(*candidate) != rule.id) return absl::InvalidArgumentError("its id is not that of its text");
  return RuleClaim{*std::move(candidate), rule.rule_class, std::move(verdicts)};
}

absl::Status VerifiedRules::Keep(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts) {
  store::SearchStore search(store_);
  for (const v1::CaseVerdict& verdict : verdicts) {
    const absl::StatusOr<ir::Term> term = ir::ParseSearch(rule.search);
    const std::optional<ir::DenormMode> mode = verifier::ModeOf(verdict.mode());
    if (!term.ok() || !mode.has_value()) return absl::InvalidArgumentError("a verdict of no case of the rule");
    const std::string key = verifier::CaseKey(*term, *mode);
    const store::VerdictRecord record = RecordOf(rule.id, rule.semantics, key, verdict);
    absl::Status status = search.DropVerdict(rule.id, key, rule.semantics);
    if (status.ok()) status = search.PutVerdict(record);
    if (status.ok()) status = verified_.Put(pipeline::ClaimOf(record, verdict));
    if (!status.ok()) return status;
  }
  return verified_.Put(ClaimOf(rule, verdicts));
}

absl::StatusOr<bool> VerifiedRules::Has(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts) {
  return verified_.Has(ClaimOf(rule, verdicts));
}

absl::StatusOr<std::vector<KnownRule>> VerifiedRules::Check(std::vector<store::RuleRecord> rules,
                                                            const RuleVerifier& verifier, VerifiedRules* also,
                                                            const std::function<void(size_t, size_t)>& progress) {
  std::vector<KnownRule> known;
  std::vector<RuleClaim> claims;
  std::vector<size_t> places;
  for (store::RuleRecord& rule : rules) {
    absl::StatusOr<std::vector<v1::CaseVerdict>> verdicts = ProofsOf(store_, rule);
    if (!verdicts.ok()) return verdicts.status();
    absl::StatusOr<bool> has = Has(rule, *verdicts);
    if (has.ok() && !*has && also != nullptr) has = also->Has(rule, *verdicts);
    if (!has.ok()) return has.status();
    const bool again = *has && AnyMayBeConfirmed(rule, *verdicts, verifier);
    KnownRule& one = known.emplace_back(KnownRule{std::move(rule), *std::move(verdicts), !*has, again, {}});
    if (*has && !again) continue;
    absl::StatusOr<RuleClaim> claim = ClaimOfRecord(one.rule, one.verdicts);
    one.status = claim.status();
    if (!claim.ok()) continue;
    places.push_back(known.size() - 1);
    claims.push_back(*std::move(claim));
  }
  std::vector<absl::StatusOr<VerifiedRule>> shown = VerifyAll(verifier, claims, [&](size_t done) {
    if (progress != nullptr) progress(done, claims.size());
  });
  for (size_t i = 0; i < shown.size(); ++i) {
    KnownRule& one = known[places[i]];
    if (absl::IsCancelled(shown[i].status())) return shown[i].status();
    if (one.again) {
      // Ignore the results if some proofs are missing, because a trusted rule must not lose proofs for lack of time.
      one.again = one.anew = shown[i].ok() && shown[i]->verdicts.size() == Proofs(one.verdicts);
      if (!one.again) continue;
    }
    one.status = shown[i].status();
    if (shown[i].ok()) Take(*std::move(shown[i]), claims[i].candidate, &one);
  }
  return known;
}

absl::Status VerifiedRules::ConfirmAgain(const machine::Machine& machine, const RuleVerifier& verifier,
                                         const std::function<void(size_t, size_t)>& progress, ConfirmReport* report) {
  absl::StatusOr<std::vector<store::RuleRecord>> rules = RulesOf(store_, machine.id());
  if (!rules.ok()) return rules.status();
  const ir::Digest semantics = machine::SemanticsOf(machine);
  std::vector<store::RuleRecord> asked;
  for (store::RuleRecord& rule : *rules) {
    if (rule.semantics != semantics) continue;
    absl::StatusOr<std::vector<v1::CaseVerdict>> verdicts = ProofsOf(store_, rule);
    if (!verdicts.ok()) return verdicts.status();
    if (AnyMayBeConfirmed(rule, *verdicts, verifier)) asked.push_back(std::move(rule));
  }
  const size_t at_once = std::max(1u, std::thread::hardware_concurrency());
  for (size_t first = 0; first < asked.size(); first += at_once) {
    if (progress != nullptr) progress(first, asked.size());
    const auto begin = asked.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = asked.begin() + static_cast<std::ptrdiff_t>(std::min(first + at_once, asked.size()));
    absl::StatusOr<std::vector<KnownRule>> known =
        Check({std::make_move_iterator(begin), std::make_move_iterator(end)}, verifier, nullptr, nullptr);
    if (!known.ok()) return known.status();
    for (const KnownRule& one : *known) {
      ++report->asked;
      if (!one.anew || !one.status.ok()) continue;
      if (absl::Status kept = Keep(one.rule, one.verdicts); !kept.ok()) return kept;
      if (absl::Status put = store::RuleStore(store_).PutRule(one.rule); !put.ok()) return put;
      report->confirmed += std::all_of(one.verdicts.begin(), one.verdicts.end(), IsConfirmed) ? 1 : 0;
    }
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
