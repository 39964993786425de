#include "pipeline/generalize/generalize_rules.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "ir/text/canonical.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "machine/candidate.h"
#include "machine/sample_constants.h"
#include "machine/semantics.h"
#include "pipeline/evidence/stored_rule.h"
#include "pipeline/evidence/verified_rules.h"
#include "pipeline/generalize/generalize.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_record.h"
#include "pipeline/settle.h"
#include "pipeline/watch/done_before.h"
#include "rules/sharing.h"
#include "store/rule_store.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::pipeline {
namespace {

bool IsWanted(const store::RuleRecord& rule) {
  if (IsOut(rule.state) || !rule.program.empty() || rule.rule_class != v1::RULE_CLASS_STRICT) return false;
  const absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(rule);
  return candidate.ok() && !rules::SharingLevels(candidate->search).has_value();
}

bool SavesOnMachine(const machine::Machine& machine, const machine::Candidate& candidate) {
  const machine::Candidate sample = machine::WithSampleConstants(candidate);
  const absl::StatusOr<machine::Cost> base = machine::BaseCost(machine, sample.search, machine::BaseKind::kTuned);
  const absl::StatusOr<machine::Cost> cost = machine::RightSideCost(sample);
  return base.ok() && cost.ok() && machine::CheaperThan(*cost, *base);
}

// Returns the modes in which the rule holds.
std::vector<ir::DenormMode> ModesOf(const verifier::Prover& prover, const ir::Rule& rule) {
  std::vector<ir::DenormMode> modes;
  for (const ir::DenormMode mode : {ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush}) {
    verifier::RuleCheckOptions check;
    check.modes = {mode};
    const absl::StatusOr<verifier::RuleVerdict> verdict = verifier::CheckRule(prover, rule, check);
    if (verdict.ok() && verdict->verdict == v1::VERDICT_PROVED) modes.push_back(mode);
  }
  return modes;
}

// Returns whether the verdicts prove the rule in all `modes`. A rule without float operations has a single verdict.
bool AreProved(const std::vector<v1::CaseVerdict>& verdicts, const std::vector<ir::DenormMode>& modes) {
  const auto proves = [&](v1::DenormMode mode) {
    return std::any_of(verdicts.begin(), verdicts.end(), [&](const v1::CaseVerdict& verdict) {
      return verdict.verdict() == v1::VERDICT_PROVED && verdict.mode() == mode;
    });
  };
  return proves(verifier::ModeProto(ir::DenormMode::kNone)) ||
         std::all_of(modes.begin(), modes.end(),
                     [&](ir::DenormMode mode) { return proves(verifier::ModeProto(mode)); });
}

// The rules of the database by the canonical digests of their searches.
using KnownRules = std::multimap<std::string, machine::Candidate>;

std::string SearchDigestOf(const machine::Candidate& candidate) {
  return ir::CanonicalDigest(machine::NirTuple(candidate).search);
}

// Returns whether a known rule has the same search and costs no more. Subsumption does not compare such rules.
bool IsKnown(const KnownRules& known, const machine::Candidate& candidate) {
  const absl::StatusOr<machine::Cost> cost = machine::RightSideCost(machine::WithSampleConstants(candidate));
  const auto [begin, end] = known.equal_range(SearchDigestOf(candidate));
  return std::any_of(begin, end, [&](const auto& entry) {
    const absl::StatusOr<machine::Cost> other = machine::RightSideCost(machine::WithSampleConstants(entry.second));
    return cost.ok() && other.ok() && !machine::CheaperThan(*cost, *other);
  });
}

struct GeneralForm {
  machine::Candidate candidate;
  std::vector<ir::DenormMode> modes;  // in which the special rule holds
};

// Returns the general form of a rule, or nullopt if there is none or if it saves no cycles on the machine.
std::optional<GeneralForm> FindGeneralForm(const machine::Machine& machine, const store::RuleRecord& record,
                                           const RuleVerifier& verifier, const GeneralizeRulesOptions& options) {
  const absl::StatusOr<machine::Candidate> special = CandidateOfRecord(record);
  if (!special.ok()) return std::nullopt;
  verifier::ProverOptions prover_options;
  prover_options.cancel = verifier.options().stop;
  const verifier::Prover prover(verifier.solvers(), prover_options);
  GeneralizeOptions generalize;
  generalize.limit = options.limit;
  generalize.stop = verifier.options().stop;
  generalize.check.modes = ModesOf(prover, machine::NirTuple(*special));
  // Like every discovered rule, the general rule must hold in mode `any`.
  if (generalize.check.modes.empty() || generalize.check.modes.front() != ir::DenormMode::kAny) return std::nullopt;
  const absl::StatusOr<ir::Rule> general = GeneralizeAtOwnSizes(prover, machine::NirTuple(*special), generalize);
  if (!general.ok()) return std::nullopt;
  absl::StatusOr<machine::Candidate> candidate =
      CandidateOfTexts(record.machine, ir::PrintTerm(general->search), ir::PrintTerm(general->replace), "");
  if (!candidate.ok() || !SavesOnMachine(machine, *candidate)) return std::nullopt;
  return GeneralForm{*std::move(candidate), generalize.check.modes};
}

}  // namespace

absl::StatusOr<GeneralizeRulesReport> GeneralizeRules(store::Store* store, const machine::Machine& machine,
                                                      const RuleVerifier& verifier,
                                                      const GeneralizeRulesOptions& options) {
  absl::StatusOr<std::vector<store::RuleRecord>> rules = RulesOf(store, machine.id());
  if (!rules.ok()) return rules.status();
  KnownRules known;
  for (const store::RuleRecord& rule : *rules) {
    if (absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(rule); candidate.ok() && rule.program.empty())
      known.emplace(SearchDigestOf(*candidate), *std::move(candidate));
  }
  std::erase_if(*rules, [](const store::RuleRecord& rule) { return !IsWanted(rule); });
  GeneralizeRulesReport report;
  WorkLog log(store);
  const auto work_on = [](const store::RuleRecord& rule) { return absl::StrCat("generalize ", rule.id.hex()); };
  const WorkLog::Inputs inputs = WorkLog::Inputs().Add(machine::SemanticsOf(machine).hex());
  std::vector<store::RuleRecord> untried;
  for (store::RuleRecord& rule : *rules) {
    const absl::StatusOr<bool> tried = log.Has(work_on(rule), inputs, {});
    if (!tried.ok()) return tried.status();
    if (*tried) {
      ++report.tried_before;
    } else {
      untried.push_back(std::move(rule));
    }
  }
  *rules = std::move(untried);
  report.rules = rules->size();
  std::mutex mutex;  // guards `known`, `report`, `failed`, and the store
  absl::Status failed;
  const auto work = [&](size_t i) {
    if (verifier.options().stop.stop_requested()) return;
    const store::RuleRecord& special = (*rules)[i];
    const auto start = std::chrono::steady_clock::now();
    const std::optional<GeneralForm> form = FindGeneralForm(machine, special, verifier, options);
    // Under load, an attempt that reached its limit may have missed the general rule.
    const bool complete = std::chrono::steady_clock::now() - start < options.limit;
    const auto note_attempt = [&] {
      if (complete) failed.Update(log.Note(work_on(special), inputs, {}));
    };
    if (verifier.options().stop.stop_requested()) return;
    if (!form.has_value()) {
      const std::lock_guard<std::mutex> lock(mutex);
      return note_attempt();
    }
    const machine::Candidate& general = form->candidate;
    store::RuleRecord record = RecordOfRule(special.fragment.value_or(ir::Digest()), general, {});
    record.fragment = special.fragment;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (IsKnown(known, general)) return note_attempt();
      known.emplace(SearchDigestOf(general), general);
    }
    const absl::StatusOr<VerifiedRule> verified = ProveStoredRule(record, {}, verifier);
    const RuleGeneralization pair{ir::DisplayRule(machine::NirTuple(*CandidateOfRecord(special))),
                                  ir::DisplayRule(machine::NirTuple(general))};
    if (absl::IsCancelled(verified.status())) return;
    const std::lock_guard<std::mutex> lock(mutex);
    note_attempt();
    if (!verified.ok() || !AreProved(verified->verdicts, form->modes)) {
      report.rejected.push_back(pair);
      return;
    }
    record = WithEvidence(record, general, *verified);
    record.generalised_from = special.id;
    record.created_run = special.created_run;
    record.created = absl::Now();
    absl::Status kept = VerifiedRules(store).Keep(record, verified->verdicts);
    if (kept.ok()) kept = store::RuleStore(store).PutRule(record);
    failed.Update(kept);
    if (kept.ok()) report.added.push_back(pair);
  };
  RunEach(rules->size(), work, [&](size_t done) {
    if (options.progress != nullptr) options.progress(done, rules->size());
  });
  if (!failed.ok()) return failed;
  const auto by_text = [](const RuleGeneralization& a, const RuleGeneralization& b) { return a.special < b.special; };
  std::sort(report.added.begin(), report.added.end(), by_text);
  std::sort(report.rejected.begin(), report.rejected.end(), by_text);
  if (verifier.options().stop.stop_requested()) return absl::CancelledError("stopped while generalizing rules");
  if (report.rules > 0) {
    const absl::Status settled = SettleRules(store, verifier.options().stop, nullptr);
    if (!settled.ok()) return settled;
  }
  const absl::StatusOr<MinimiseReport> counts = CountDerivedRules(store, machine);
  if (!counts.ok()) return counts.status();
  report.derived = counts->derived;
  return report;
}

}  // namespace rewrought::pipeline
