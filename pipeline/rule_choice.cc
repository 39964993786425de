#include "pipeline/rule_choice.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "pipeline/evidence/verified_rules.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_record.h"
#include "rules/subsumption.h"
#include "store/rule_store.h"

namespace rewrought::pipeline {
namespace {

bool Counts(v1::RuleState state) {
  return state == v1::RULE_STATE_NEW || state == v1::RULE_STATE_KEPT || state == v1::RULE_STATE_DERIVED;
}

class Choosing {
 public:
  Choosing(store::Store* store, const machine::Machine& machine, const RuleVerifier& verifier)
      : store_(store), machine_(machine), verifier_(verifier), rules_(store), verified_(store) {}

  absl::StatusOr<RuleChoice> Run(const std::function<void(size_t, size_t)>& progress);

 private:
  absl::StatusOr<std::vector<store::RuleRecord>> RulesToCheck();
  void KeepOne(KnownRule* known);
  void OmitRedundant();
  absl::Status Rank();

  store::Store* const store_;
  const machine::Machine& machine_;
  const RuleVerifier& verifier_;
  store::RuleStore rules_;
  VerifiedRules verified_;
  std::map<ir::Digest, KnownRule> known_;
  std::set<ir::Digest> restored_;
  RuleChoice choice_;
};

// Returns all rules except the lost or refuted rules that this program has already failed to prove.
absl::StatusOr<std::vector<store::RuleRecord>> Choosing::RulesToCheck() {
  absl::StatusOr<std::vector<store::RuleRecord>> all = RulesOf(store_, machine_.id());
  if (!all.ok()) return all.status();
  std::vector<store::RuleRecord> rules;
  for (store::RuleRecord& rule : *all) {
    if (IsOut(rule.state)) {
      const absl::StatusOr<bool> failed = verified_.HasFailed(rule, verifier_.options().work_ms);
      if (!failed.ok()) return failed.status();
      if (*failed) continue;
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

// Stores the result for one rule. If the database is not writable, the rule will be verified again next time.
void Choosing::KeepOne(KnownRule* known) {
  if (known->anew && !known->again) ++choice_.verified;
  const bool counted = Counts(known->rule.state);
  if (!known->status.ok()) {
    if (!absl::IsUnavailable(known->status))
      verified_.NoteFailure(known->rule, verifier_.options().work_ms).IgnoreError();
    return;
  }
  absl::Status kept;
  if (known->anew) kept = verified_.Keep(known->rule, known->verdicts);
  if (kept.ok() && known->anew) kept = rules_.PutRule(known->rule);
  if (counted) return;
  restored_.insert(known->rule.id);
  known->rule.state = v1::RULE_STATE_KEPT;
  known->rule.reason.clear();
  if (kept.ok()) rules_.SetState(known->rule.id, known->rule.state, "").IgnoreError();
}

// Omits the rules that are marked as redundant and follow from other verified rules. The stored marks may be wrong,
// because another program may have stored them or because they rest on rules that do not hold.
void Choosing::OmitRedundant() {
  const bool any = std::any_of(known_.begin(), known_.end(),
                               [](const auto& one) { return one.second.rule.state == v1::RULE_STATE_DERIVED; });
  if (!any) return;
  std::vector<rules::SubsumptionRule> considered;
  std::vector<KnownRule*> known;
  for (auto& [id, one] : known_) {
    if (!one.status.ok()) continue;
    absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(one.rule);
    if (!candidate.ok()) continue;
    considered.push_back({*std::move(candidate), one.rule.rule_class == v1::RULE_CLASS_STRICT});
    known.push_back(&one);
  }
  const std::vector<bool> redundant = rules::Subsumed(machine_, considered);
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]->rule.state != v1::RULE_STATE_DERIVED) continue;
    const ir::Digest id = known[i]->rule.id;
    if (redundant[i]) {
      known_.erase(id);
      continue;
    }
    restored_.insert(id);
    known[i]->rule.state = v1::RULE_STATE_KEPT;
    known[i]->rule.reason.clear();
    rules_.SetState(id, v1::RULE_STATE_KEPT, "").IgnoreError();
  }
}

absl::Status Choosing::Rank() {
  std::vector<store::RuleRecord> records;
  for (const auto& [id, one] : known_) {
    if (one.status.ok() || !IsOut(one.rule.state)) records.push_back(one.rule);
  }
  absl::StatusOr<std::vector<RankedRule>> ranked = RankRecords(store_, records);
  if (!ranked.ok()) return ranked.status();
  const bool doubtful =
      std::any_of(ranked->begin(), ranked->end(), [](const RankedRule& row) { return !SavesOnCorpus(row).ok(); });
  if (doubtful) {
    const absl::Status measured = MeasureRules(store_, machine_, {verifier_.options().stop, nullptr}).status();
    if (absl::IsCancelled(measured)) return measured;
    if (measured.ok()) ranked = RankRecords(store_, records);
    if (!ranked.ok()) return ranked.status();
  }
  for (RankedRule& row : *ranked) {
    KnownRule& known = known_.at(row.rule.id);
    choice_.rules.push_back(
        {std::move(row), std::move(known.verdicts), known.status, restored_.contains(known.rule.id)});
  }
  return absl::OkStatus();
}

absl::StatusOr<RuleChoice> Choosing::Run(const std::function<void(size_t, size_t)>& progress) {
  absl::StatusOr<std::vector<store::RuleRecord>> rules = RulesToCheck();
  if (!rules.ok()) return rules.status();
  absl::StatusOr<std::vector<KnownRule>> known = verified_.Check(*std::move(rules), verifier_, nullptr, progress);
  if (!known.ok()) return known.status();
  for (KnownRule& one : *known) {
    KeepOne(&one);
    known_.emplace(one.rule.id, std::move(one));
  }
  OmitRedundant();
  if (absl::Status ranked = Rank(); !ranked.ok()) return ranked;
  return std::move(choice_);
}

}  // namespace

absl::StatusOr<RuleChoice> ChooseRules(store::Store* store, const machine::Machine& machine,
                                       const RuleVerifier& verifier,
                                       const std::function<void(size_t, size_t)>& progress) {
  return Choosing(store, machine, verifier).Run(progress);
}

absl::Status SavesOnCorpus(const RankedRule& row) {
  const double saved = row.discovery.tuned_cycles + row.held_out.tuned_cycles;
  const auto hits = row.discovery.hits + row.held_out.hits;
  const double fewer = row.discovery.tuned_instructions + row.held_out.tuned_instructions;
  if (saved < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("costs ", -saved, " cycles on the corpus, counting multi-use intermediates"));
  }
  if (saved == 0 && fewer <= 0 && hits > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("saves nothing at the ", hits, " sites of the corpus where it applies"));
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
