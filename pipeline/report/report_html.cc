// Formats the report as one HTML page without scripts or external resources.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "pipeline/report/html.h"
#include "pipeline/report/report.h"
#include "pipeline/rule_message.h"
#include "pipeline/support.h"

namespace rewrought::pipeline {
namespace {

constexpr char kPageHead[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Rewrought "
    "report</title>\n<style>\n"
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;color:#1c1c1c}\n"
    "table{border-collapse:collapse;margin:.5rem 0 1.5rem}th,td{padding:.2rem "
    ".7rem;text-align:left;vertical-align:top}\n"
    "th{border-bottom:1px solid #999;font-weight:600}td{border-bottom:1px solid #e4e4e4}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums}code{font:13px/1.4 "
    "ui-monospace,monospace;overflow-wrap:anywhere}\n"
    ".bar{background:#4a7ab5;height:.7rem;display:inline-block;min-width:1px}.bar-cell{width:22rem}\n"
    ".hurt{color:#a01818}.better{color:#17653a;font-weight:600}article{border-top:1px solid #bbb;padding:.6rem 0}\n"
    "article h3{margin:.2rem 0;font-size:1rem}.muted{color:#666}.missing{background:#fff4d6;padding:.5rem .8rem}\n"
    "pre{font:13px/1.4 ui-monospace,monospace;overflow-x:auto;margin:.3rem 0 1rem;padding:.4rem .8rem;border:1px solid "
    "#ccc}\npre span{display:block}.minus{background:#ffe3e3}.plus{background:#dff5e4}summary{cursor:pointer}\n"
    ".bar.worse{background:#a01818}svg text{font-size:11px;fill:currentColor}\n"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}td{border-color:#333}.muted{color:#999}\n"
    ".hurt{color:#ff8f8f}.better{color:#7fd8a4}.missing{background:#40361a}\n"
    ".minus{background:#4a1f1f}.plus{background:#173d24}}\n"
    "</style></head><body>\n";

std::string RunStatisticsHtml(const Report& report) {
  const v1::RunStatistics& f = report.run_statistics;
  const std::pair<const char*, uint64_t> stages[] = {
      {"fragments", f.fragments()},   {"enumerated", f.enumerated()}, {"distinct", f.distinct()},
      {"candidates", f.candidates()}, {"refuted", f.refuted()},       {"proved", f.proved()},
      {"unknown", f.unknown()},       {"general", f.general()},       {"minimal", f.minimal()}};
  std::string html = absl::StrCat("<h2>The last run</h2>\n<p class=\"muted\">Run ", Code(report.run), ", ",
                                  Escaped(report.run_state), absl::StrFormat("; %.1f s, ", f.seconds()), f.peak_bytes(),
                                  " bytes at peak. Bars are logarithmic.</p>\n<table>\n");
  for (const auto& [name, count] : stages) {
    double width = 0;
    for (double rest = static_cast<double>(count); rest >= 1; rest /= 2) width += 0.6;
    absl::StrAppend(
        &html, "<tr><td>", name, "</td>", Number(static_cast<double>(count)),
        absl::StrFormat("<td class=\"bar-cell\"><span class=\"bar\" style=\"width:%.1frem\"></span></td></tr>\n",
                        count == 0 ? 0.0 : width));
  }
  return html + "</table>\n";
}

std::string CorpusHtml(const Report& report) {
  std::string html = absl::StrCat("<h2>Corpus</h2>\n<p>", report.corpus.shaders, " shaders of ", report.corpus.sources,
                                  " sources, ", report.corpus.fragments, " distinct fragments at ") +
                     absl::StrCat(report.corpus.sites, " sites.</p>\n<table>\n") +
                     Heads({"source", "split", "shaders", "ALU ops", "ops, most frequent first"});
  for (const SourceReport& source : report.sources) {
    std::vector<std::pair<int64_t, std::string>> ops;
    for (const auto& [op, count] : source.ops) ops.emplace_back(-count, op);
    std::sort(ops.begin(), ops.end());
    absl::StrAppend(&html, "<tr><td>", Escaped(source.name), "</td><td>", source.held_out ? "held out" : "discovery",
                    "</td>", Number(static_cast<double>(source.shaders)),
                    Number(static_cast<double>(source.instructions)), "<td>");
    for (const auto& [count, op] : ops) absl::StrAppend(&html, Escaped(op), "&nbsp;", -count, " ");
    absl::StrAppend(&html, "</td></tr>\n");
  }
  return html + "</table>\n";
}

std::string MeasurementRow(absl::string_view split, const store::MeasurementRecord& of) {
  return absl::StrCat("<tr><td>", split, "</td>", Number(static_cast<double>(of.hits)),
                      Number(static_cast<double>(of.shaders)), Number(static_cast<double>(of.sources)),
                      Number(of.naive_cycles)) +
         absl::StrCat(Number(of.naive_instructions), Number(of.tuned_cycles), Number(of.tuned_instructions), "</tr>\n");
}

std::string ConditionsOf(const FamilyDetail& family) {
  std::vector<std::string> conditions;
  if (!family.first.rule.condition.empty()) conditions.push_back(family.first.rule.condition);
  const v1::Generalisation& general = family.detail.rule().generalisation();
  for (const auto& one : general.preconditions()) conditions.push_back(absl::StrCat(one.node(), ": ", one.predicate()));
  for (const auto& constant : general.constants()) {
    conditions.push_back(
        absl::StrCat("#", constant.name(), ": ", constant.condition().empty() ? "any" : constant.condition()));
  }
  if (conditions.empty()) return "none beyond the search side";
  return absl::StrJoin(conditions, "; ");
}

std::string CasesHtml(const FamilyDetail& family) {
  std::string html =
      "<details><summary>Proofs</summary><table>\n" + Heads({"sizes", "mode", "verdict", "tier", "confirmed by"});
  for (const v1::CaseVerdict& proof : family.proofs) {
    std::map<std::string, uint32_t> sizes(proof.sizes().begin(), proof.sizes().end());
    absl::StrAppend(&html, "<tr><td>", Escaped(absl::StrJoin(sizes, " ", absl::PairFormatter(":"))), "</td><td>",
                    Escaped(v1::DenormMode_Name(proof.mode())), "</td><td>", Escaped(v1::Verdict_Name(proof.verdict())),
                    "</td><td>", Escaped(v1::Tier_Name(proof.tier())), "</td><td>",
                    Escaped(absl::StrJoin(proof.confirmed_by(), ", ")), "</td></tr>\n");
  }
  return html + "</table></details>\n";
}

// Returns the other rules of the family.
std::string OthersHtml(const FamilyDetail& family) {
  if (family.others.empty() && family.special.empty()) return "";
  std::string html =
      absl::StrCat("<details><summary>", CountText(family.others.size() + family.special.size(), "more rule"),
                   " of the family</summary><table>\n", Heads({"rule", "hits", "shaders"}));
  for (const RankedRule& other : family.others) {
    absl::StrAppend(&html, "<tr><td>", Code(TupleText(other.rule)), "</td>",
                    Number(static_cast<double>(other.discovery.hits + other.held_out.hits)),
                    Number(static_cast<double>(other.discovery.shaders + other.held_out.shaders)), "</tr>\n");
  }
  for (const std::string& special : family.special)
    absl::StrAppend(&html, "<tr><td>", Code(special), "</td><td colspan=\"2\">redundant</td></tr>\n");
  return html + "</table></details>\n";
}

std::string DetailHtml(size_t place, const FamilyDetail& family) {
  const v1::RewriteRule& of = family.detail.rule();
  const store::RuleRecord& record = family.first.rule;
  const std::string id = record.id.hex();
  const ir::DisplayedSides sides = SidesText(record);
  std::string html = absl::StrCat("<article id=\"", Escaped(record.machine), "-", id, "\"><h3>", place, ". ",
                                  Code(sides.search), "</h3>\n<p>&rarr; ", Code(sides.replace), "</p>\n");
  absl::StrAppend(
      &html, "<p>Conditions: ", Code(ConditionsOf(family)), "</p>\n<p>Cost ",
      absl::StrFormat("%g &rarr; %g cycles, %d &rarr; %d instructions. ", of.base_cost().cycles(), of.cost().cycles(),
                      of.base_cost().instructions(), of.cost().instructions()),
      family.first.beats_tuned_baseline ? "<span class=\"better\">Beats tuned baseline selection.</span>" : "",
      record.rule_class == v1::RULE_CLASS_INEXACT ? " Inexact (~), not bit for bit." : "", "</p>\n<p>",
      Escaped(EvidenceLine(family)), " <span class=\"muted\">", id.substr(0, 12), "</span></p>\n");
  absl::StrAppend(&html, "<table>\n",
                  Heads({"split", "hits", "shaders", "sources", "cycles saved vs one instruction per op",
                         "instructions", "cycles saved vs tuned baseline", "instructions"}),
                  MeasurementRow("held out", family.first.held_out),
                  MeasurementRow("discovery", family.first.discovery), "</table>\n");
  if (!family.shaders.empty()) {
    absl::StrAppend(&html, "<table>\n", Heads({"shader", "hits", "cycles saved vs tuned baseline"}));
    for (const ShaderHit& hit : family.shaders) {
      absl::StrAppend(&html, "<tr><td>", Escaped(hit.name), "</td>", Number(static_cast<double>(hit.hits)),
                      Number(hit.cycles), "</tr>\n");
    }
    absl::StrAppend(&html, "</table>\n");
  }
  return html + CasesHtml(family) + OthersHtml(family) + "</article>\n";
}

std::string MachineHtml(const Report& report) {
  std::string html = absl::StrCat("<h1>Rewrought: ", Escaped(report.machine), "</h1>\n");
  if (const std::string missing = MissingParts(report); !missing.empty()) {
    absl::StrAppend(&html, "<p class=\"missing\">", Escaped(missing), "</p>\n");
  }
  absl::StrAppend(&html, "<p>", report.ranked, " rules ranked in ", report.all_families, " families; ",
                  report.beat_tuned_baseline, " beat tuned baseline selection, ", report.beat_held_out,
                  " of them on held-out sources");
  if (!report.states.empty()) {
    absl::StrAppend(&html, " (", absl::StrJoin(report.states, ", ", absl::PairFormatter(" ")), ")");
  }
  html += ".</p>\n";
  if (!report.run.empty()) html += RunStatisticsHtml(report);
  html += SavingsHtml(report.savings);
  for (const DriverReport& driver : report.drivers) html += DriverHtml(driver);
  html += "<h2>Families of rules, best first</h2>\n";
  for (size_t i = 0; i < report.families.size(); ++i) html += DetailHtml(i + 1, report.families[i]);
  if (report.all_families > report.families.size()) {
    absl::StrAppend(&html, "<p class=\"muted\">", report.all_families - report.families.size(),
                    " more are not shown.</p>\n");
  }
  return html + CorpusHtml(report);
}

}  // namespace

std::string ReportHtml(const Report& report) { return ReportHtml(std::vector<Report>{report}); }

std::string ReportHtml(const std::vector<Report>& reports) {
  std::string html = kPageHead;
  for (const Report& report : reports) html += MachineHtml(report);
  return html + "</body></html>\n";
}

}  // namespace rewrought::pipeline
