// Formats the report as text for a terminal.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "pipeline/report/report.h"
#include "pipeline/rule_message.h"

namespace rewrought::pipeline {
namespace {

std::string MeasurementLine(absl::string_view name, const store::MeasurementRecord& of) {
  return absl::StrFormat("    %-10s %7d hits %5d shaders %3d sources  %10.0f cycles vs one per op %10.0f vs tuned\n",
                         name, of.hits, of.shaders, of.sources, of.naive_cycles, of.tuned_cycles);
}

std::string CorpusText(const Report& report) {
  std::string text =
      absl::StrFormat("corpus: %d shaders of %d sources, %d distinct fragments at %d sites\n", report.corpus.shaders,
                      report.corpus.sources, report.corpus.fragments, report.corpus.sites);
  for (const SourceReport& source : report.sources) {
    std::vector<std::pair<int64_t, std::string>> ops;
    for (const auto& [op, count] : source.ops) ops.emplace_back(-count, op);
    std::sort(ops.begin(), ops.end());
    if (ops.size() > 8) ops.resize(8);
    absl::StrAppendFormat(&text, "  %-20s %-9s %6d shaders %8d instructions  %s\n", source.name,
                          source.held_out ? "held out" : "discovery", source.shaders, source.instructions,
                          absl::StrJoin(ops, " ", [](std::string* out, const std::pair<int64_t, std::string>& of) {
                            absl::StrAppend(out, of.second, ":", -of.first);
                          }));
  }
  return text;
}

std::string RunStatisticsText(const Report& report) {
  const v1::RunStatistics& f = report.run_statistics;
  return absl::StrCat("last run ", report.run, " (", report.run_state, ")\n") +
         absl::StrFormat(
             "  %d fragments, %d enumerated, %d distinct, %d candidates, %d refuted, %d proved, %d unknown,\n"
             "  %d general, %d minimal; %.1f s, %d bytes at peak\n",
             f.fragments(), f.enumerated(), f.distinct(), f.candidates(), f.refuted(), f.proved(), f.unknown(),
             f.general(), f.minimal(), f.seconds(), f.peak_bytes());
}

std::string DetailText(size_t place, const FamilyDetail& family) {
  const v1::RewriteRule& of = family.detail.rule();
  std::string text = absl::StrCat(place, ". ", TupleText(family.first.rule), "\n");
  absl::StrAppendFormat(&text, "    id %s; %g -> %g cycles, %d -> %d instructions\n",
                        family.first.rule.id.hex().substr(0, 12), of.base_cost().cycles(), of.cost().cycles(),
                        of.base_cost().instructions(), of.cost().instructions());
  absl::StrAppend(&text, MeasurementLine("held out", family.first.held_out),
                  MeasurementLine("discovery", family.first.discovery), "    ", EvidenceLine(family), "\n");
  for (const ShaderHit& hit : family.shaders) {
    absl::StrAppendFormat(&text, "    %6d hits %9.0f cycles  %s\n", hit.hits, hit.cycles, hit.name);
  }
  for (const RankedRule& other : family.others) {
    absl::StrAppend(&text, "    also ", TupleText(other.rule), "\n        id ", other.rule.id.hex().substr(0, 12), "; ",
                    other.discovery.hits + other.held_out.hits, " hits in ",
                    other.discovery.shaders + other.held_out.shaders, " shaders\n");
  }
  for (const std::string& special : family.special) absl::StrAppend(&text, "    covers ", special, "\n");
  return text;
}

}  // namespace

std::string ReportText(const Report& report) {
  std::string text = absl::StrCat(report.machine, "\n", CorpusText(report));
  if (!report.run.empty()) text += RunStatisticsText(report);
  absl::StrAppendFormat(
      &text, "rules: %d ranked in %d families, %d beat tuned baseline selection, %d of them on held-out sources (%s)\n",
      report.ranked, report.all_families, report.beat_tuned_baseline, report.beat_held_out,
      report.states.empty() ? "none stored" : absl::StrJoin(report.states, ", ", absl::PairFormatter(" ")));
  text += SavingsText(report.savings);
  for (const DriverReport& driver : report.drivers) text += DriverText(driver);
  for (size_t i = 0; i < report.families.size(); ++i) text += DetailText(i + 1, report.families[i]);
  if (report.all_families > report.families.size())
    absl::StrAppend(&text, "and ", report.all_families - report.families.size(), " more families\n");
  if (const std::string missing = MissingParts(report); !missing.empty()) absl::StrAppend(&text, missing, "\n");
  return text;
}

}  // namespace rewrought::pipeline
