#include "pipeline/sites/measure.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "corpus/fragment_form.h"
#include "corpus/site_record.h"
#include "emitter/pass/pass_order.h"
#include "ir/digest.h"
#include "ir/facts/value_facts.h"
#include "machine/candidate.h"
#include "machine/semantics.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_record.h"
#include "pipeline/watch/done_before.h"
#include "rules/positions.h"
#include "rules/site_rule.h"
#include "store/content/content_digest.h"
#include "store/corpus_store.h"
#include "store/rule_store.h"

namespace rewrought::pipeline {
namespace {

constexpr store::Split kSplits[] = {store::Split::kDiscovery, store::Split::kHeldOut};

struct Measured {
  explicit Measured(rules::SiteRule site_rule) : rule(std::move(site_rule)) {}
  rules::SiteRule rule;
  bool avoids_positions = false;  // whether packs exclude it from shaders that compute positions
  ir::Digest id;
  store::MeasurementRecord splits[2];
  std::set<std::string> sources[2];
  std::set<ir::Digest> shaders[2];
  std::map<ir::Digest, store::HitRecord> hits;
};

// Returns whether a pack excludes the inexact rule from shaders that compute positions. A pack does so if the rule must
// check for other users (to save anything, or to decrease the measure of its pass) and, without these checks, does not
// decrease the measure of the second pass.
bool AvoidsPositions(const machine::Machine& machine, const machine::Candidate& candidate) {
  const ir::Rule tuple = machine::NirTuple(candidate);
  emitter::OpWeights weights;
  emitter::AddWeights(machine, tuple, &weights);
  const std::optional<emitter::PassFit> fit = emitter::FindPass(tuple, weights);
  const bool looks = !rules::MustHaveNoOtherUser(candidate).empty() || !fit.has_value() || !fit->marks.empty();
  return looks && !emitter::CheckLowersOrder(tuple, emitter::WithoutCycles(weights)).ok();
}

struct ShaderOrigin {
  std::vector<std::string> sources;
  bool computes_positions = false;
};

class Measurement {
 public:
  Measurement(store::Store* store, const machine::Machine& machine, const MeasureOptions& options)
      : store_(store), corpus_(store), machine_(machine), options_(options) {}

  absl::StatusOr<MeasureReport> Run();

 private:
  absl::Status LoadRules();
  absl::Status LookAt(const store::FragmentSummary& fragment, int split);
  absl::Status CountSites(const store::FragmentSummary& fragment, const ir::Term& term, int split, Measured* measured);
  absl::StatusOr<const ShaderOrigin*> OriginOf(const ir::Digest& shader);
  absl::Status Store();
  absl::StatusOr<MeasureReport> MeasureAll();
  // Return the digests of the measurement's inputs and of its stored results.
  absl::StatusOr<WorkLog::Inputs> MeasurementInputs() const;
  absl::StatusOr<WorkLog::Inputs> StoredResults() const;

  store::Store* const store_;
  store::CorpusStore corpus_;
  const machine::Machine& machine_;
  const MeasureOptions& options_;
  std::vector<std::unique_ptr<Measured>> rules_;
  absl::flat_hash_map<std::string, std::vector<Measured*>> by_ops_;
  absl::flat_hash_map<ir::Digest, ShaderOrigin> origins_;
  MeasureReport report_;
};

absl::Status Measurement::LoadRules() {
  absl::StatusOr<std::vector<store::RuleRecord>> records = RulesOf(store_, machine_.id());
  if (!records.ok()) return records.status();
  for (const store::RuleRecord& record : *records) {
    absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(record);
    if (!candidate.ok()) continue;  // this version cannot parse the rule; its old measurements are kept
    absl::StatusOr<rules::SiteRule> rule = rules::SiteRule::Create(*std::move(candidate));
    if (!rule.ok()) continue;
    rules_.push_back(std::make_unique<Measured>(*std::move(rule)));
    rules_.back()->id = record.id;
    rules_.back()->avoids_positions =
        record.rule_class == v1::RULE_CLASS_INEXACT && AvoidsPositions(machine_, rules_.back()->rule.candidate());
    by_ops_[rules::OpMultiset(rules_.back()->rule.candidate().search)].push_back(rules_.back().get());
  }
  report_.rules = rules_.size();
  return absl::OkStatus();
}

absl::StatusOr<const ShaderOrigin*> Measurement::OriginOf(const ir::Digest& shader) {
  const auto found = origins_.find(shader);
  if (found != origins_.end()) return &found->second;
  const absl::StatusOr<store::ShaderRecord> record = corpus_.GetShader(shader);
  if (!record.ok()) return record.status();
  absl::StatusOr<std::vector<store::Occurrence>> occurrences = corpus_.Occurrences(shader);
  if (!occurrences.ok()) return occurrences.status();
  ShaderOrigin& origin = origins_[shader];
  origin.computes_positions = rules::ComputesPositions(record->stage);
  for (const store::Occurrence& occurrence : *occurrences) {
    if (origin.sources.empty() || origin.sources.back() != occurrence.source)
      origin.sources.push_back(occurrence.source);
  }
  return &origin;
}

absl::Status Measurement::CountSites(const store::FragmentSummary& fragment, const ir::Term& term, int split,
                                     Measured* measured) {
  // Cache the results, because most sites of a fragment have the same flags and facts.
  const std::map<std::string, uint64_t> symbols = measured->rule.SymbolsIn(term);
  std::map<std::tuple<uint64_t, uint64_t, std::string>, bool> applies_at;
  std::map<std::tuple<uint64_t, uint64_t, std::string>, absl::StatusOr<rules::SiteSaving>> savings;
  return corpus_.ForEachSite(fragment.digest, kSplits[split], [&](const store::SiteView& site) -> absl::Status {
    const auto [applies, is_new] = applies_at.try_emplace({site.node_flags, site.multi_use, site.facts}, false);
    if (is_new) applies->second = measured->rule.AppliesAt(term, site.node_flags, site.multi_use, site.facts);
    if (!applies->second) return absl::OkStatus();
    const absl::StatusOr<const ShaderOrigin*> origin = OriginOf(site.shader);
    if (!origin.ok()) return origin.status();
    if (measured->avoids_positions && (*origin)->computes_positions) return absl::OkStatus();
    const auto [found, priced] =
        savings.try_emplace({site.node_flags, site.multi_use, site.facts}, rules::SiteSaving{});
    if (priced) {
      found->second = rules::SavingAt(measured->rule.candidate(), term, site.node_flags, site.multi_use,
                                      ir::ParseFactsSummary(site.facts), symbols);
    }
    if (!found->second.ok()) return absl::OkStatus();
    const rules::SiteSaving& saving = *found->second;
    const double weight = static_cast<double>(std::max<int64_t>(site.loop_weight, site.count));
    store::MeasurementRecord& record = measured->splits[split];
    record.hits += site.count;
    record.naive_instructions += weight * saving.naive_instructions;
    record.naive_cycles += weight * saving.naive_cycles;
    record.tuned_instructions += weight * saving.tuned_instructions;
    record.tuned_cycles += weight * saving.tuned_cycles;
    measured->shaders[split].insert(site.shader);
    measured->sources[split].insert((*origin)->sources.begin(), (*origin)->sources.end());
    store::HitRecord& hit = measured->hits[site.shader];
    hit.shader = site.shader;
    hit.hits += site.count;
    hit.saved_instructions += weight * saving.tuned_instructions;
    hit.saved_cycles += weight * saving.tuned_cycles;
    for (const int32_t line : site.lines) {
      if (hit.lines.size() < corpus::kMaxLines) hit.lines.push_back(line);
    }
    return absl::OkStatus();
  });
}

absl::Status Measurement::LookAt(const store::FragmentSummary& fragment, int split) {
  if (options_.stop.stop_requested()) return absl::CancelledError("stopped while measuring rules");
  ++report_.fragments;
  if (options_.progress != nullptr && report_.fragments % 1000 == 0) options_.progress(report_.fragments);
  absl::StatusOr<ir::Term> term = corpus::TermOfStored(fragment.fragment.text);
  if (!term.ok()) return absl::OkStatus();
  const auto candidates = by_ops_.find(rules::OpMultiset(*term));
  if (candidates == by_ops_.end()) return absl::OkStatus();
  bool matched = false;
  for (Measured* measured : candidates->second) {
    if (!measured->rule.Fits(*term)) continue;
    matched = true;
    const absl::Status counted = CountSites(fragment, *term, split, measured);
    if (!counted.ok()) return counted;
  }
  report_.matched += matched ? 1 : 0;
  return absl::OkStatus();
}

absl::Status Measurement::Store() {
  absl::StatusOr<std::unique_ptr<store::ScopedTransaction>> transaction = store::ScopedTransaction::Begin(store_);
  if (!transaction.ok()) return transaction.status();
  store::RuleStore rules(store_);
  for (const std::unique_ptr<Measured>& measured : rules_) {
    for (int split = 0; split < 2; ++split) {
      store::MeasurementRecord& record = measured->splits[split];
      record.rule = measured->id;
      record.split = kSplits[split];
      record.shaders = static_cast<int64_t>(measured->shaders[split].size());
      record.sources = static_cast<int64_t>(measured->sources[split].size());
      const absl::Status put = rules.PutMeasurement(record);
      if (!put.ok()) return put;
    }
    std::vector<store::HitRecord> hits;
    for (const auto& [shader, hit] : measured->hits) hits.push_back(hit);
    const absl::Status put = rules.PutHits(measured->id, hits);
    if (!put.ok()) return put;
  }
  return (*transaction)->Commit();
}

absl::StatusOr<WorkLog::Inputs> Measurement::MeasurementInputs() const {
  const absl::StatusOr<ir::Digest> corpus = store::CorpusDigest(store_);
  if (!corpus.ok()) return corpus.status();
  const absl::StatusOr<ir::Digest> rules = store::RulesDigest(store_, machine_.id());
  if (!rules.ok()) return rules.status();
  // The semantics include the machine's costs and the meanings of the NIR ops.
  return WorkLog::Inputs().Add(machine::SemanticsOf(machine_).hex()).Add(corpus->hex()).Add(rules->hex());
}

absl::StatusOr<WorkLog::Inputs> Measurement::StoredResults() const {
  const absl::StatusOr<ir::Digest> savings = store::SavingsDigest(store_, machine_.id());
  if (!savings.ok()) return savings.status();
  return WorkLog::Inputs().Add(savings->hex());
}

absl::StatusOr<MeasureReport> Measurement::Run() {
  const absl::StatusOr<WorkLog::Inputs> measured = MeasurementInputs();
  if (!measured.ok()) return measured.status();
  absl::StatusOr<WorkLog::Inputs> stored = StoredResults();
  if (!stored.ok()) return stored.status();
  WorkLog done(store_);
  const std::string work = absl::StrCat("measure ", machine_.id());
  const absl::StatusOr<bool> unchanged = done.Has(work, *measured, *stored);
  if (!unchanged.ok()) return unchanged.status();
  if (*unchanged) {
    MeasureReport report;
    report.unchanged = true;
    return report;
  }
  absl::StatusOr<MeasureReport> report = MeasureAll();
  if (!report.ok()) return report;
  // If other processes have changed the inputs in the meantime, do not record that the results are up to date.
  const absl::StatusOr<WorkLog::Inputs> now = MeasurementInputs();
  if (!now.ok()) return now.status();
  if (now->text() != measured->text()) return report;
  stored = StoredResults();
  if (!stored.ok()) return stored.status();
  if (absl::Status noted = done.Note(work, *measured, *stored); !noted.ok()) return noted;
  return report;
}

absl::StatusOr<MeasureReport> Measurement::MeasureAll() {
  const absl::Status loaded = LoadRules();
  if (!loaded.ok()) return loaded;
  for (int split = 0; split < 2 && !rules_.empty(); ++split) {
    store::CorpusStore::FragmentQuery query;
    query.split = kSplits[split];
    const absl::Status looked =
        corpus_.ForEachFragment(query, [&](const store::FragmentSummary& fragment) { return LookAt(fragment, split); });
    if (!looked.ok()) return looked;
  }
  const absl::Status stored = Store();
  if (!stored.ok()) return stored;
  return report_;
}

}  // namespace

absl::StatusOr<MeasureReport> MeasureRules(store::Store* store, const machine::Machine& machine,
                                           const MeasureOptions& options) {
  return Measurement(store, machine, options).Run();
}

absl::StatusOr<std::vector<RankedRule>> RankRules(store::Store* store, const std::string& machine) {
  absl::StatusOr<std::vector<store::RuleRecord>> records = RulesOf(store, machine);
  if (!records.ok()) return records.status();
  std::erase_if(*records, [](const store::RuleRecord& record) {
    return IsOut(record.state) || record.state == v1::RULE_STATE_DERIVED;
  });
  return RankRecords(store, *std::move(records));
}

absl::StatusOr<std::vector<RankedRule>> RankRecords(store::Store* store, std::vector<store::RuleRecord> records) {
  std::vector<RankedRule> ranked;
  for (store::RuleRecord& record : records) {
    RankedRule row;
    row.discovery.split = store::Split::kDiscovery;
    absl::StatusOr<std::vector<store::MeasurementRecord>> measured = store::RuleStore(store).Measurements(record.id);
    if (!measured.ok()) return measured.status();
    for (const store::MeasurementRecord& of : *measured) {
      (of.split == store::Split::kHeldOut ? row.held_out : row.discovery) = of;
    }
    row.beats_tuned_baseline = row.discovery.tuned_cycles + row.held_out.tuned_cycles > 0;
    row.rule = std::move(record);
    ranked.push_back(std::move(row));
  }
  std::sort(ranked.begin(), ranked.end(), [](const RankedRule& a, const RankedRule& b) {
    const auto key = [](const RankedRule& row) {
      return std::make_tuple(row.beats_tuned_baseline, row.discovery.sources + row.held_out.sources,
                             row.discovery.tuned_cycles + row.held_out.tuned_cycles,
                             row.discovery.naive_cycles + row.held_out.naive_cycles);
    };
    if (key(a) != key(b)) return key(a) > key(b);
    return a.rule.id < b.rule.id;
  });
  return ranked;
}

}  // namespace rewrought::pipeline
