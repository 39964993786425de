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
#include "pipeline/evidence/stored_rule.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "pipeline/watch/done_before.h"
#include "store/rule_store.h"
#include "store/search_store.h"
#include "verifier/inexact/inexact.h"
#include "verifier/message/verdict_message.h"
#include "verifier/oracle/host_oracle.h"

namespace rewrought::pipeline {
namespace {

// Appends `text`, preceded by its length, so that different lists of strings never produce the same claim.
void AddText(absl::string_view text, std::string* claim) { absl::StrAppend(claim, text.size(), " ", text, "\n"); }

// Rules recorded with another version of the evidence must be verified again.
constexpr int kEvidenceVersion = 6;

// Returns the text recorded for a verified rule: all data of the rule and its verdicts that a pack uses, except the
// rule's state and savings.
std::string ClaimOf(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts) {
  std::string claim = absl::StrCat("rule ", kEvidenceVersion, "\n", rule.id.hex(), " ", rule.semantics.hex(), " ",
                                   rule.rule_class, "\n");
  // Unless the host oracle confirmed the rule, include the oracle's version, so that a new version of it tests the rule
  // again.
  if (!emitter::IsConfirmedByEncoding(DetailOf(rule)))
    absl::StrAppend(&claim, "not confirmed by oracle ", verifier::kHostOracleVersion, "\n");
  if (rule.rule_class == v1::RULE_CLASS_INEXACT) absl::StrAppend(&claim, verifier::kInexactVersion, "\n");
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

bool HasCurrentSemantics(const store::RuleRecord& rule) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(rule.machine);
  return machine.ok() && rule.semantics == machine::SemanticsOf(**machine);
}

bool AnyMayBeConfirmed(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts,
                       const RuleVerifier& verifier) {
  return rule.rule_class == v1::RULE_CLASS_STRICT && verifier.solvers().confirming() != nullptr &&
         std::any_of(verdicts.begin(), verdicts.end(), [&](const v1::CaseVerdict& verdict) {
           return MayBeConfirmed(verdict, verifier.options().work_ms);
         });
}

// Replaces the evidence and the verdicts of `known` with the verified ones.
absl::Status Take(VerifiedRule shown, KnownRule* known) {
  const absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(known->rule);
  if (!candidate.ok()) return candidate.status();
  known->rule = WithEvidence(known->rule, *candidate, shown);
  known->verdicts = std::move(shown.verdicts);
  return absl::OkStatus();
}

WorkLog::Inputs FailureInputs(const store::RuleRecord& rule, uint32_t work_ms) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(rule.machine);
  WorkLog::Inputs inputs;
  inputs.Add(rule.id.hex()).Add(machine.ok() ? machine::SemanticsOf(**machine).hex() : "").Add(absl::StrCat(work_ms));
  return inputs;
}

// The work that WorkLog records about a rule that could not be proved.
constexpr char kFailureWork[] = "no proof of a stored rule";

}  // namespace

absl::Status VerifiedRules::Keep(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts) {
  store::SearchStore search(store_);
  for (const v1::CaseVerdict& verdict : verdicts) {
    const absl::StatusOr<ir::Term> term = ir::ParseSearch(rule.search);
    const std::optional<ir::DenormMode> mode = verifier::ModeOf(verdict.mode());
    if (!term.ok() || !mode.has_value()) return absl::InvalidArgumentError("a verdict is not for a case of the rule");
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

absl::StatusOr<VerifiedRules::StoredVerdicts> VerifiedRules::VerdictsOf(const store::RuleRecord& rule,
                                                                        VerifiedRules* also) {
  StoredVerdicts verdicts;
  std::vector<store::VerdictRecord> records;
  const absl::Status read =
      store::SearchStore(store_).ForEachVerdict(rule.id, rule.semantics, [&](const store::VerdictRecord& record) {
        records.push_back(record);
        return absl::OkStatus();
      });
  if (!read.ok()) return read;
  for (const store::VerdictRecord& record : records) {
    absl::StatusOr<std::optional<v1::CaseVerdict>> own = OwnVerdict(record, &verified_);
    if (own.ok() && !own->has_value() && also != nullptr) own = OwnVerdict(record, &also->verified_);
    if (!own.ok()) return own.status();
    if (own->has_value()) {
      verdicts.own.push_back(**std::move(own));
    } else if (absl::StatusOr<v1::CaseVerdict> claimed = ProtoOfRecord(record); claimed.ok()) {
      verdicts.claimed.push_back(*std::move(claimed));
    }
  }
  return verdicts;
}

absl::StatusOr<std::vector<KnownRule>> VerifiedRules::Check(std::vector<store::RuleRecord> rules,
                                                            const RuleVerifier& verifier, VerifiedRules* also,
                                                            const std::function<void(size_t, size_t)>& progress) {
  std::vector<KnownRule> known;
  std::vector<std::vector<v1::CaseVerdict>> hints;
  std::vector<size_t> places;
  for (store::RuleRecord& rule : rules) {
    absl::StatusOr<StoredVerdicts> stored = VerdictsOf(rule, also);
    if (!stored.ok()) return stored.status();
    absl::StatusOr<bool> has = Has(rule, stored->own);
    if (has.ok() && !*has && also != nullptr) has = also->Has(rule, stored->own);
    if (!has.ok()) return has.status();
    if (!HasCurrentSemantics(rule)) has = false;
    const bool again = *has && AnyMayBeConfirmed(rule, stored->own, verifier);
    KnownRule& one = known.emplace_back(KnownRule{std::move(rule), std::move(stored->own), !*has, again, {}});
    if (*has) {
      // The MAC covers neither the flags nor the ops, so recompute them.
      if (const absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(one.rule); candidate.ok())
        SetFlagsAndOps(*candidate, &one.rule);
      for (v1::CaseVerdict& refuted : ReproducedRefutations(one.rule, stored->claimed))
        one.verdicts.push_back(std::move(refuted));
      if (!again) continue;
    }
    places.push_back(known.size() - 1);
    hints.push_back(one.verdicts);
    if (!*has) hints.back().insert(hints.back().end(), stored->claimed.begin(), stored->claimed.end());
  }
  const auto verify = [&](size_t place) -> absl::StatusOr<VerifiedRule> {
    const KnownRule& one = known[places[place]];
    if (!one.again) return ProveStoredRule(one.rule, hints[place], verifier);
    const absl::StatusOr<RuleClaim> claim = ClaimOfRecord(one.rule, hints[place]);
    return claim.ok() ? verifier.Verify(*claim) : claim.status();
  };
  std::vector<absl::StatusOr<VerifiedRule>> shown = VerifyEach(places.size(), verify, [&](size_t done) {
    if (progress != nullptr) progress(done, places.size());
  });
  for (size_t i = 0; i < shown.size(); ++i) {
    KnownRule& one = known[places[i]];
    if (absl::IsCancelled(shown[i].status())) return shown[i].status();
    if (one.again) {
      // Ignore the results if some proofs are missing, because a trusted rule must not lose proofs for lack of time.
      one.again = one.anew = shown[i].ok() && shown[i]->verdicts.size() == CountProofs(one.verdicts);
      if (!one.again) continue;
    }
    one.status = shown[i].ok() ? Take(*std::move(shown[i]), &one) : shown[i].status();
  }
  return known;
}

absl::Status VerifiedRules::NoteFailure(const store::RuleRecord& rule, uint32_t work_ms) {
  return WorkLog(store_).Note(kFailureWork, FailureInputs(rule, work_ms), {});
}

absl::StatusOr<bool> VerifiedRules::HasFailed(const store::RuleRecord& rule, uint32_t work_ms) {
  return WorkLog(store_).Has(kFailureWork, FailureInputs(rule, work_ms), {});
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
