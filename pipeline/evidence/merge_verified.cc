#include "pipeline/evidence/merge_verified.h"

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "ir/digest.h"
#include "machine/machine.h"
#include "machine/semantics.h"
#include "pipeline/case_record.h"
#include "pipeline/evidence/verified_rules.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "store/rule_store.h"
#include "store/verified_store.h"

namespace rewrought::pipeline {
namespace {

bool IsOfOtherSemantics(const store::RuleRecord& rule) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(rule.machine);
  return machine.ok() && rule.semantics != machine::SemanticsOf(**machine);
}

absl::StatusOr<bool> HasRules(const std::string& shard) {
  const absl::StatusOr<std::unique_ptr<store::Store>> source =
      store::Store::Open(shard, {.mode = store::OpenMode::kReadOnly});
  if (!source.ok()) return source.status();
  store::RuleStore::Query one;
  one.order = store::RuleStore::Order::kId;
  one.page_size = 1;
  const absl::StatusOr<store::RuleStore::Page> rules = store::RuleStore(source->get()).List(one);
  if (!rules.ok()) return rules.status();
  return !rules->rules.empty();
}

// Finds the verdicts in shards that this installation reached. The shard or the database records which verdicts these
// are (store::VerifiedStore).
class OwnVerdicts {
 public:
  explicit OwnVerdicts(store::Store* store) : ours_(store) {}

  absl::Status AddShard(const std::string& path) {
    absl::StatusOr<std::unique_ptr<store::Store>> shard =
        store::Store::Open(path, {.mode = store::OpenMode::kReadOnly});
    if (!shard.ok()) return shard.status();
    stores_.push_back(*std::move(shard));
    notes_.emplace_back(stores_.back().get());
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Contain(size_t shard, const store::VerdictRecord& record) {
    absl::StatusOr<std::optional<v1::CaseVerdict>> own = OwnVerdict(record, &notes_[shard]);
    if (own.ok() && !own->has_value()) own = OwnVerdict(record, &ours_);
    if (!own.ok()) return own.status();
    return own->has_value();
  }

 private:
  store::VerifiedStore ours_;
  std::vector<std::unique_ptr<store::Store>> stores_;
  std::deque<store::VerifiedStore> notes_;
};

// Stores the verified results for a rule in place of the data that the merge took from the shard.
absl::Status KeepVerified(store::Store* store, const KnownRule& one, VerifiedRules* ours) {
  store::RuleStore rules(store);
  const absl::StatusOr<store::RuleRecord> stored = rules.GetRule(one.rule.id.hex());
  if (!stored.ok()) return stored.status();
  const bool is_out = IsOut(stored->state);
  store::RuleRecord rule = one.rule;
  if (stored->semantics == rule.semantics) {
    if (!one.anew && !is_out) return absl::OkStatus();
    rule.fragment = stored->fragment;
    rule.generalised_from = stored->generalised_from;
  }
  if (absl::Status kept = ours->Keep(rule, one.verdicts); !kept.ok()) return kept;
  if (absl::Status put = rules.PutRule(rule); !put.ok()) return put;
  return is_out ? rules.SetState(rule.id, v1::RULE_STATE_KEPT, "") : absl::OkStatus();
}

}  // namespace

absl::StatusOr<VerifiedMergeReport> MergeVerified(store::Store* store, const std::string& shard,
                                                  const RuleVerifier& verifier, const MergeProgress& progress) {
  // Before verifying anything, reject a file that is not a shard.
  if (absl::Status status = store::CheckShard(store, shard); !status.ok()) return status;
  VerifiedMergeReport report;
  std::vector<KnownRule> known;
  VerifiedRules ours(store);
  {
    absl::StatusOr<std::unique_ptr<store::Store>> source =
        store::Store::Open(shard, {.mode = store::OpenMode::kReadOnly});
    if (!source.ok()) return source.status();
    absl::StatusOr<std::vector<store::RuleRecord>> rules = RulesOf(source->get(), "");
    if (!rules.ok()) return rules.status();
    std::erase_if(*rules, IsOfOtherSemantics);
    absl::StatusOr<std::vector<KnownRule>> checked =
        VerifiedRules(source->get()).Check(*std::move(rules), verifier, &ours, progress.verified);
    if (!checked.ok()) return checked.status();
    known = *std::move(checked);
  }
  OwnVerdicts own(store);
  if (absl::Status added = own.AddShard(shard); !added.ok()) return added;
  store::MergeOptions options;
  options.progress = progress.written;
  options.trusts = [&](size_t n, const store::VerdictRecord& record) { return own.Contain(n, record); };
  for (const KnownRule& one : known) {
    report.verified += one.anew && !one.again && one.status.ok() ? 1 : 0;
    if (one.status.ok()) {
      options.verified.push_back(one.rule.id);
      continue;
    }
    options.refused.push_back(one.rule.id);
    report.refused.push_back({one.rule.id.hex(), TupleText(one.rule), std::string(one.status.message())});
  }
  absl::StatusOr<store::MergeReport> merged = store::Merge(store, shard, options);
  if (!merged.ok()) return merged.status();
  report.merged = *merged;
  // After the merge, replace the shard's claims with the verified results and record the rules as verified. If the
  // process is killed before this, only time is lost.
  for (const KnownRule& one : known) {
    if (!one.status.ok()) continue;
    if (absl::Status kept = KeepVerified(store, one, &ours); !kept.ok()) return kept;
  }
  return report;
}

absl::Status MergeAllVerified(store::Store* store, const std::vector<std::string>& shards, const RuleVerifier& verifier,
                              const MergeProgress& progress,
                              absl::FunctionRef<void(size_t, const VerifiedMergeReport&)> merged) {
  bool rules = false;
  for (const std::string& shard : shards) {
    if (absl::Status status = store::CheckShard(store, shard); !status.ok()) return status;
    const absl::StatusOr<bool> some = HasRules(shard);
    if (!some.ok()) return some.status();
    rules = rules || *some;
  }
  if (!rules) {
    OwnVerdicts own(store);
    for (const std::string& shard : shards) {
      if (absl::Status added = own.AddShard(shard); !added.ok()) return added;
    }
    store::MergeOptions options;
    options.progress = progress.written;
    options.trusts = [&](size_t n, const store::VerdictRecord& record) { return own.Contain(n, record); };
    const absl::StatusOr<std::vector<store::MergeReport>> reports = store::MergeTogether(store, shards, options);
    if (!reports.ok()) return reports.status();
    for (size_t i = 0; i < shards.size(); ++i) merged(i, {.merged = (*reports)[i]});
    return absl::OkStatus();
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    const absl::StatusOr<VerifiedMergeReport> report = MergeVerified(store, shards[i], verifier, progress);
    if (!report.ok()) return report.status();
    merged(i, *report);
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
