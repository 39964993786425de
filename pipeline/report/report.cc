#include "pipeline/report/report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/fragment_form.h"
#include "ir/digest.h"
#include "pipeline/report/rule_families.h"
#include "pipeline/rule_message.h"
#include "pipeline/run_record.h"
#include "proto/names.h"
#include "store/rule_store.h"
#include "store/run_store.h"

namespace rewrought::pipeline {
namespace {

constexpr store::Split kSplits[] = {store::Split::kDiscovery, store::Split::kHeldOut};

class Gathering {
 public:
  Gathering(store::Store* store, const ReportOptions& options) : store_(store), corpus_(store), options_(options) {}

  absl::Status Corpus(Report* report);
  absl::Status Runs(Report* report);
  absl::Status Rules(Report* report);

 private:
  absl::Status CountOps(store::Split split);
  absl::StatusOr<const std::vector<store::Occurrence>*> OccurrencesOf(const ir::Digest& shader);
  absl::StatusOr<FamilyDetail> DetailOfFamily(ReportedFamily family);

  store::Store* const store_;
  store::CorpusStore corpus_;
  const ReportOptions& options_;
  std::map<std::string, SourceReport> sources_;
  std::vector<store::RunRecord> runs_;  // the runs for the machine, newest first
  absl::flat_hash_map<ir::Digest, std::vector<store::Occurrence>> occurrences_;
};

absl::StatusOr<const std::vector<store::Occurrence>*> Gathering::OccurrencesOf(const ir::Digest& shader) {
  const auto found = occurrences_.find(shader);
  if (found != occurrences_.end()) return &found->second;
  absl::StatusOr<std::vector<store::Occurrence>> occurrences = corpus_.Occurrences(shader);
  if (!occurrences.ok()) return occurrences.status();
  return &(occurrences_[shader] = *std::move(occurrences));
}

// Counts the ops of each source as the sites of single-op fragments, because every occurrence of an op is such a site.
absl::Status Gathering::CountOps(store::Split split) {
  store::CorpusStore::FragmentQuery query;
  query.split = split;
  query.max_nodes = 1;
  return corpus_.ForEachFragment(query, [&](const store::FragmentSummary& fragment) -> absl::Status {
    const absl::StatusOr<ir::Term> term = corpus::TermOfStored(fragment.fragment.text);
    if (!term.ok() || term->root_node().kind != ir::NodeKind::kOp) return absl::OkStatus();
    const std::string op(term->root_node().op->name);
    return corpus_.ForEachSite(fragment.digest, split, [&](const store::SiteView& site) -> absl::Status {
      const auto occurrences = OccurrencesOf(site.shader);
      if (!occurrences.ok()) return occurrences.status();
      for (const store::Occurrence& occurrence : **occurrences) sources_[occurrence.source].ops[op] += site.count;
      return absl::OkStatus();
    });
  });
}

absl::Status Gathering::Corpus(Report* report) {
  const absl::StatusOr<store::CorpusStore::Counts> counts = corpus_.Count();
  if (!counts.ok()) return counts.status();
  report->corpus = *counts;
  for (const store::Split split : kSplits) {
    absl::Status status =
        corpus_.ForEachShader(split, std::nullopt, -1, [&](const store::ShaderRecord& shader) -> absl::Status {
          const auto occurrences = OccurrencesOf(shader.digest);
          if (!occurrences.ok()) return occurrences.status();
          for (const store::Occurrence& occurrence : **occurrences) {
            SourceReport& source = sources_[occurrence.source];
            source.held_out = split == store::Split::kHeldOut;
            ++source.shaders;
            source.instructions += shader.alu_instructions;
          }
          return absl::OkStatus();
        });
    if (status.ok()) status = CountOps(split);
    if (!status.ok()) return status;
  }
  for (auto& [name, source] : sources_) {
    source.name = name;
    report->sources.push_back(std::move(source));
  }
  return absl::OkStatus();
}

absl::Status Gathering::Runs(Report* report) {
  absl::StatusOr<std::vector<store::RunRecord>> runs = RunsAbout(store_, report->machine);
  if (!runs.ok()) return runs.status();
  runs_ = *std::move(runs);
  if (runs_.empty()) return absl::OkStatus();
  const store::RunRecord& run = runs_.front();
  report->run = run.id;
  report->run_state = absl::StrCat(run.state == v1::RUN_STATE_RUNNING ? "not finished" : v1::NameOf(run.state),
                                   run.message.empty() ? "" : ": ", run.message);
  report->run_statistics = RunStatisticsOfJson(run.run_statistics);
  return absl::OkStatus();
}

absl::StatusOr<FamilyDetail> Gathering::DetailOfFamily(ReportedFamily family) {
  FamilyDetail detail{std::move(family), {}, {}, {}};
  const store::RuleRecord& rule = detail.first.rule;
  detail.detail = DetailOf(rule);
  absl::StatusOr<std::vector<v1::CaseVerdict>> proofs = ProofsOf(store_, rule);
  if (!proofs.ok()) return proofs.status();
  for (v1::CaseVerdict& proof : *proofs) proof.clear_certificate();
  detail.proofs = *std::move(proofs);
  const absl::Status visited = store::RuleStore(store_).ForEachHit(
      rule.id, 0, static_cast<int64_t>(options_.max_shaders), [&](const store::HitRecord& hit) -> absl::Status {
        const auto occurrences = OccurrencesOf(hit.shader);
        if (!occurrences.ok()) return occurrences.status();
        std::string name = hit.shader.hex().substr(0, 12);
        if (!(*occurrences)->empty()) name = absl::StrCat((**occurrences)[0].source, ": ", (**occurrences)[0].name);
        detail.shaders.push_back({std::move(name), hit.hits, hit.saved_cycles});
        return absl::OkStatus();
      });
  if (!visited.ok()) return visited;
  return detail;
}

absl::Status Gathering::Rules(Report* report) {
  store::RuleStore::Query query;
  query.machine = report->machine;
  query.order = store::RuleStore::Order::kId;
  query.page_size = 1000;
  std::vector<store::RuleRecord> redundant;
  do {
    const absl::StatusOr<store::RuleStore::Page> page = store::RuleStore(store_).List(query);
    if (!page.ok()) return page.status();
    for (const store::RuleRecord& rule : page->rules) {
      ++report->states[std::string(v1::NameOf(rule.state))];
      if (rule.state == v1::RULE_STATE_DERIVED) redundant.push_back(rule);
    }
    query.page_token = page->next_page_token;
  } while (!query.page_token.empty());
  const absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store_, report->machine);
  if (!ranked.ok()) return ranked.status();
  report->ranked = ranked->size();
  report->savings = SavingsOverTime(*ranked, runs_);
  for (const RankedRule& row : *ranked) {
    report->beat_tuned_baseline += row.beats_tuned_baseline ? 1 : 0;
    report->beat_held_out += row.held_out.tuned_cycles > 0 ? 1 : 0;
  }
  std::vector<ReportedFamily> families = GroupIntoFamilies(*ranked, redundant);
  report->all_families = families.size();
  families.resize(std::min(families.size(), options_.max_families));
  for (ReportedFamily& family : families) {
    absl::StatusOr<FamilyDetail> detail = DetailOfFamily(std::move(family));
    if (!detail.ok()) return detail.status();
    report->families.push_back(*std::move(detail));
  }
  absl::StatusOr<std::vector<MeasuredRule>> measured = RankByTrials(store_, *ranked, "");
  if (!measured.ok()) return measured.status();
  report->measured = *std::move(measured);
  for (MeasuredRule& rule : report->measured) {
    const absl::Status summed =
        store::RuleStore(store_).ForEachHit(rule.row.rule.id, 0, -1, [&](const store::HitRecord& hit) -> absl::Status {
          const auto occurrences = OccurrencesOf(hit.shader);
          if (!occurrences.ok()) return occurrences.status();
          if (!(*occurrences)->empty()) rule.source_cycles[(**occurrences)[0].source] += hit.saved_cycles;
          return absl::OkStatus();
        });
    if (!summed.ok()) return summed;
  }
  absl::StatusOr<std::vector<v1::DriverTrial>> trials = store::RuleStore(store_).DriverTrials(report->machine);
  if (!trials.ok()) return trials.status();
  report->drivers = DriverReportsOf(report->measured, *trials);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Report> MakeReport(store::Store* store, const std::string& machine, const ReportOptions& options) {
  Report report;
  report.machine = machine;
  Gathering gathering(store, options);
  absl::Status status = gathering.Corpus(&report);
  if (status.ok()) status = gathering.Runs(&report);
  if (status.ok()) status = gathering.Rules(&report);
  if (!status.ok()) return status;
  return report;
}

std::string EvidenceLine(const FamilyDetail& family) {
  size_t proved = 0;
  std::set<std::string> by;
  for (const v1::CaseVerdict& proof : family.proofs) {
    proved += proof.verdict() == v1::VERDICT_PROVED ? 1 : 0;
    by.insert(proof.confirmed_by().begin(), proof.confirmed_by().end());
  }
  for (const v1::Confirmation& confirmation : family.detail.confirmations()) {
    by.insert(confirmation.vectors() > 0 ? absl::StrCat(confirmation.by(), " (", confirmation.vectors(), " vectors)")
                                         : confirmation.by());
  }
  const v1::MutantCounts& mutants = family.detail.mutants();
  return absl::StrCat(proved, " of ", family.proofs.size(), " cases proved; ",
                      by.empty() ? "not confirmed" : absl::StrCat("confirmed by ", absl::StrJoin(by, ", ")),
                      "; mutants ", mutants.refuted(), " refuted, ", mutants.equivalent(), " equivalent, ") +
         absl::StrCat(mutants.undecided(), " undecided");
}

std::string MissingParts(const Report& report) {
  if (report.corpus.shaders == 0)
    return "The database contains no shaders; add some with 'rewrought harvest PATH --db DB'.";
  if (report.run.empty()) {
    return absl::StrCat("No discovery has run for ", report.machine, "; start one with 'rewrought discover --machine ",
                        report.machine, " --db DB'.");
  }
  if (report.ranked == 0) return absl::StrCat("No rules have been found for ", report.machine, " yet.");
  return "";
}

}  // namespace rewrought::pipeline
