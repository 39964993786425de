#include "audit/report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "audit/reproducer.h"
#include "proto/names.h"
#include "verifier/prover.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

std::string NoteOf(const std::vector<std::string>& notes, size_t index) {
  return index < notes.size() ? notes[index] : "";
}

// Returns a result or an input as text: a bit pattern, "nan", or a comma-separated list.
std::string Spell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const Json& part : value) parts.push_back(part.is_array() ? "(" + Spell(part) + ")" : Spell(part));
  return absl::StrJoin(parts, ", ");
}

std::string WitnessText(const Json& one, absl::string_view indent) {
  const Json& witness = one["witness"];
  std::vector<std::string> inputs;
  for (const auto& [name, value] : witness["vars"].items()) inputs.push_back(absl::StrCat(name, " = ", Spell(value)));
  return absl::StrCat(indent, "width ", one.value("width", 0), ", mode ", one.value("mode", ""), ": ",
                      absl::StrJoin(inputs, ", "), "\n", indent, "  search allows ", Spell(witness["search"]), "\n",
                      indent, "  replace gives ", Spell(witness["replace"]), "\n");
}

const Json* FirstRefuted(const AuditedRule& rule) {
  for (const Json& one : rule.cases) {
    if (one.value("verdict", "") == "refuted" && one.contains("witness")) return &one;
  }
  return nullptr;
}

// Returns whether each refuted case of the rule needs flags of the matched root that the rule does not name.
bool NeedsRootFlags(const AuditedRule& rule) {
  return std::all_of(rule.cases.begin(), rule.cases.end(), [](const Json& one) {
    return one.value("verdict", "") != "refuted" ||
           absl::StartsWith(one.value("reason", ""), verifier::kOnlyWithRootFlags);
  });
}

std::string Place(const AuditedRule& rule) { return absl::StrCat(rule.source.file, ":", rule.source.line); }

std::string SuggestedFixText(const SuggestedFix& suggested_fix) {
  return absl::StrCat(suggested_fix.change, " (", suggested_fix.verdict, "): ", suggested_fix.rule);
}

void AppendCases(const AuditedRule& rule, std::string* html) {
  for (const Json& one : rule.cases) {
    const std::string verdict = one.value("verdict", "");
    absl::StrAppend(html, "<h4>width ", one.value("width", 0), ", mode ", EscapeMarkup(one.value("mode", "")), ": ",
                    EscapeMarkup(verdict), "</h4>");
    if (!one.value("reason", "").empty() && verdict != "proved")
      absl::StrAppend(html, "<p>", EscapeMarkup(one.value("reason", "")), "</p>");
    if (!one.contains("witness")) continue;
    absl::StrAppend(html, "<pre>", EscapeMarkup(WitnessText(one, "")), "</pre>");
    if (!one.contains("explain") || one["explain"].empty()) continue;
    absl::StrAppend(html, "<table><tr><th>side</th><th>node</th><th>value for the witness</th></tr>");
    for (const Json& node : one["explain"]) {
      absl::StrAppend(html, "<tr><td>", EscapeMarkup(node.value("side", "")), "</td><td><code>",
                      EscapeMarkup(node.value("node", "")), "</code></td><td><code>",
                      EscapeMarkup(Spell(node.value("values", Json::array()))), "</code></td></tr>");
    }
    absl::StrAppend(html, "</table>");
  }
}

void AppendRule(const AuditReport& report, const ReportNotes& notes, size_t index, std::string* html) {
  const AuditedRule& rule = report.rules[index];
  const absl::string_view name = NameOf(rule.verdict);
  const std::string waived = NoteOf(notes.waived, index), was = NoteOf(notes.was, index);
  absl::StrAppend(html, "<details class=\"rule ", name, "\" data-class=\"", name, "\"><summary><b>", name, "</b>",
                  rule.inexact ? " <i>~</i>" : "", rule.lowering ? " <i>lowering</i>" : "",
                  waived.empty() ? "" : " <i>waived</i>", " <span>", EscapeMarkup(Place(rule)), "</span> <code>",
                  EscapeMarkup(rule.source.Text()), "</code></summary>");
  absl::StrAppend(html, "<p>pass ", EscapeMarkup(rule.source.pass), ", rule ", rule.source.index, ", id ",
                  rule.source.Id(), "</p>");
  const auto line = [&](absl::string_view label, absl::string_view text) {
    if (!text.empty()) absl::StrAppend(html, "<p>", label, ": <code>", EscapeMarkup(text), "</code></p>");
  };
  line("condition", rule.source.condition);
  line("verified as", rule.verified_as);
  line("note", rule.note);
  line("waived", waived);
  line("known", NoteOf(notes.known, index));
  line("was", was);
  if (rule.verdict == v1::VERDICT_UNKNOWN || rule.verdict == v1::VERDICT_UNSUPPORTED) line("reason", ReasonOf(rule));
  if (rule.shadowed_by.has_value()) {
    const AuditedRule& other = report.rules[*rule.shadowed_by];
    line("never fires, shadowed by", absl::StrCat(Place(other), " ", other.source.Text()));
  }
  if (!rule.weaker.empty()) line("also holds without", absl::StrJoin(rule.weaker, ", "));
  for (const std::vector<std::string>& set : rule.weakest) line("would hold with", absl::StrJoin(set, ", "));
  if (rule.suggested_fix.has_value()) line("suggested fix", SuggestedFixText(*rule.suggested_fix));
  if (rule.verdict == v1::VERDICT_REFUTED) line("reproduce", ReproducerOf(report, rule));
  if (rule.statement.is_object()) line("over the reals", rule.statement.value("reason", ""));
  if (rule.verdict != v1::VERDICT_PROVED) AppendCases(rule, html);
  absl::StrAppend(html, "</details>\n");
}

constexpr char kPageHead[] =
    "<style>body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem auto;max-width:72rem;padding:0 "
    "1rem;color:#1b1b1b;background:#fff}"
    "code,pre{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}pre{white-space:pre-wrap}"
    "table{border-collapse:collapse;margin:.5rem 0}td,th{border:1px solid #ccc;padding:.15rem .5rem;text-align:left}"
    "td.n{text-align:right}details{border-left:4px solid #999;margin:.3rem 0;padding:.2rem .6rem}"
    "details.refuted{border-color:#b3261e}details.proved{border-color:#2e7d32}details.inexact{border-color:#1565c0}"
    "details.unknown{border-color:#b26a00}summary{cursor:pointer}summary span{color:#555}h4{margin:.4rem 0 .1rem}"
    ".bar{position:sticky;top:0;background:#fff;padding:.4rem 0;border-bottom:1px solid #ccc}.bar "
    "label{margin-right:1rem}</style>";

// This script shows only the rules of the selected classes whose text contains the search text.
constexpr char kPageScript[] =
    "<script>(function(){var boxes=[].slice.call(document.querySelectorAll('.bar input[type=checkbox]'));"
    "var text=document.getElementById('text');var rules=[].slice.call(document.querySelectorAll('details.rule'));"
    "function show(){var on={};boxes.forEach(function(b){on[b.value]=b.checked});var t=text.value.toLowerCase();var "
    "n=0;"
    "rules.forEach(function(r){var ok=on[r.dataset.class]&&(!t||r.firstChild.textContent.toLowerCase().indexOf(t)>=0);"
    "r.style.display=ok?'':'none';if(ok)n++});document.getElementById('count').textContent=n+' shown';}"
    "boxes.forEach(function(b){b.addEventListener('change',show)});text.addEventListener('input',show);show();})();</"
    "script>";

}  // namespace

std::string ReportNotes::WhyAccepted(size_t index) const {
  const std::string waiver = NoteOf(waived, index);
  return waiver.empty() ? NoteOf(known, index) : waiver;
}

std::string FirstWitness(const AuditedRule& rule, absl::string_view indent) {
  const Json* const one = FirstRefuted(rule);
  return one == nullptr ? "" : WitnessText(*one, indent);
}

std::string ReproducerOf(const AuditReport& report, const AuditedRule& rule) {
  // Use the verified text, in which flags express the permissions that a condition grants.
  return Reproducer(rule.verified_as.empty() ? rule.source.Text() : rule.verified_as, NameOf(report.dialect));
}

std::string ReasonOf(const AuditedRule& rule) {
  if (!rule.note.empty() && rule.verdict == v1::VERDICT_UNSUPPORTED) return rule.note;
  for (const Json& one : rule.cases) {
    if (one.value("verdict", "") == NameOf(rule.verdict)) return one.value("reason", "");
  }
  if (rule.statement.is_object()) return "over the reals: " + rule.statement.value("reason", "");
  return rule.note;
}

std::string EscapeMarkup(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

Json RuleJson(const AuditReport& report, size_t index, const ReportNotes& notes) {
  const AuditedRule& rule = report.rules[index];
  Json object{{"pass", rule.source.pass},
              {"index", rule.source.index},
              {"file", rule.source.file},
              {"line", rule.source.line},
              {"search", rule.source.search},
              {"replace", rule.source.replace},
              {"condition", rule.source.condition},
              {"dialect", ir::NameOf(report.dialect)},
              {"test_status", rule.source.test_status},
              {"class", NameOf(rule.verdict)},
              {"shadowed_by", nullptr},
              {"weaker", rule.weaker},
              {"cases", rule.cases},
              {"id", rule.source.Id()},
              {"inexact", rule.inexact},
              {"lowering", rule.lowering}};
  if (rule.shadowed_by.has_value()) {
    const MesaRule& other = report.rules[*rule.shadowed_by].source;
    object["shadowed_by"] = {{"index", other.index}, {"file", other.file}, {"line", other.line}};
  }
  if (!rule.note.empty()) object["note"] = rule.note;
  if (!rule.verified_as.empty()) object["verified_as"] = rule.verified_as;
  if (rule.statement.is_object()) object["statement"] = rule.statement;
  if (!rule.weakest.empty()) object["weakest"] = rule.weakest;
  if (rule.suggested_fix.has_value()) {
    object["suggested_fix"] = {{"rule", rule.suggested_fix->rule},
                               {"change", rule.suggested_fix->change},
                               {"verdict", rule.suggested_fix->verdict}};
  }
  if (index < notes.was.size()) object["was"] = notes.was[index].empty() ? Json(nullptr) : Json(notes.was[index]);
  if (!NoteOf(notes.waived, index).empty()) object["waived"] = notes.waived[index];
  if (!NoteOf(notes.known, index).empty()) object["known"] = notes.known[index];
  if (!rule.offline.empty()) object["offline"] = rule.offline;
  return object;
}

std::string FindingsText(const AuditReport& report, const ReportNotes& notes) {
  std::string text;
  for (size_t i = 0; i < report.rules.size(); ++i) {
    const AuditedRule& rule = report.rules[i];
    if (rule.verdict != v1::VERDICT_REFUTED || !notes.WhyAccepted(i).empty()) continue;
    absl::StrAppend(&text, Place(rule), ": refuted", rule.lowering ? " (a lowering)" : "", ": ", rule.source.Text(),
                    "  [", rule.source.Id(), "]\n");
    if (!rule.source.condition.empty()) absl::StrAppend(&text, "    if ", rule.source.condition, "\n");
    absl::StrAppend(&text, FirstWitness(rule, "    "));
    if (rule.suggested_fix.has_value())
      absl::StrAppend(&text, "    suggested fix: ", SuggestedFixText(*rule.suggested_fix), "\n");
    absl::StrAppend(&text, "    ", ReproducerOf(report, rule), "\n");
  }
  return text;
}

std::string SummaryText(const AuditReport& report) {
  std::string text;
  size_t width = 5;
  std::vector<std::string> passes;
  std::map<std::string, std::map<v1::Verdict, size_t>> counts;
  size_t shadowed = 0, lowered = 0, needs_flags = 0;
  for (const AuditedRule& rule : report.rules) {
    if (!counts.contains(rule.source.pass)) passes.push_back(rule.source.pass);
    ++counts[rule.source.pass][rule.verdict];
    ++counts["all"][rule.verdict];
    width = std::max(width, rule.source.pass.size());
    shadowed += rule.shadowed_by.has_value() ? 1 : 0;
    lowered += rule.verdict == v1::VERDICT_REFUTED && rule.lowering ? 1 : 0;
    needs_flags += rule.verdict == v1::VERDICT_REFUTED && NeedsRootFlags(rule) ? 1 : 0;
  }
  passes.push_back("all");
  absl::StrAppendFormat(&text, "%-*s", static_cast<int>(width), "pass");
  for (const v1::Verdict verdict : kAuditClasses) absl::StrAppendFormat(&text, " %11s", NameOf(verdict));
  if (report.interrupted) absl::StrAppendFormat(&text, " %11s", "pending");
  absl::StrAppendFormat(&text, " %7s\n", "rules");
  for (const std::string& pass : passes) {
    size_t sum = 0;
    absl::StrAppendFormat(&text, "%-*s", static_cast<int>(width), pass);
    for (const v1::Verdict verdict : kAuditClasses) absl::StrAppendFormat(&text, " %11d", counts[pass][verdict]);
    if (report.interrupted) absl::StrAppendFormat(&text, " %11d", counts[pass][v1::VERDICT_UNSPECIFIED]);
    for (const auto& [verdict, count] : counts[pass]) sum += count;
    absl::StrAppendFormat(&text, " %7d\n", sum);
  }
  const auto share = [&](absl::string_view what, const CaseCounts& cases) {
    absl::StrAppendFormat(
        &text, "cases decided, %s: %d of %d (%.1f %%)\n", what, cases.decided, cases.all,
        cases.all == 0 ? 100.0 : 100.0 * static_cast<double>(cases.decided) / static_cast<double>(cases.all));
  };
  if (!report.offline) {
    share("rules without ~", CountCases(report, false));
    share("all rules", CountCases(report, true));
    absl::StrAppend(
        &text, needs_flags,
        " of the refuted rules are wrong only if the matched root carries flags that the rule does not name\n");
  }
  absl::StrAppend(&text, lowered, " of the refuted rules are lowerings that a back end requests; ", shadowed,
                  " rules are shadowed by an earlier rule\n");
  for (const UnreadableFile& file : report.unreadable) {
    absl::StrAppend(&text, file.file, ":", file.line, ": cannot be read: ", file.reason, "\n");
  }
  return text;
}

std::string HtmlPage(const AuditReport& report, const ReportNotes& notes, const std::string& title) {
  std::string html =
      absl::StrCat("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Audit of ",
                   EscapeMarkup(title), "</title>", kPageHead, "</head><body><h1>Audit of ", EscapeMarkup(title),
                   "</h1>\n<pre>", EscapeMarkup(SummaryText(report)), "</pre>\n<div class=\"bar\">");
  for (const v1::Verdict verdict : kAuditClasses) {
    const absl::string_view name = NameOf(verdict);
    const size_t count = static_cast<size_t>(std::count_if(
        report.rules.begin(), report.rules.end(), [&](const AuditedRule& rule) { return rule.verdict == verdict; }));
    absl::StrAppend(&html, "<label><input type=\"checkbox\" value=\"", name, "\"",
                    verdict == v1::VERDICT_PROVED || verdict == v1::VERDICT_INEXACT ? "" : " checked", "> ", name, " (",
                    count, ")</label>");
  }
  absl::StrAppend(&html,
                  "<input id=\"text\" type=\"search\" placeholder=\"op, file or line\" aria-label=\"filter\"> <span "
                  "id=\"count\"></span></div>\n");
  for (const v1::Verdict verdict : {v1::VERDICT_REFUTED, v1::VERDICT_UNKNOWN, v1::VERDICT_UNSUPPORTED,
                                    v1::VERDICT_VACUOUS, v1::VERDICT_INEXACT, v1::VERDICT_PROVED}) {
    for (size_t i = 0; i < report.rules.size(); ++i) {
      if (report.rules[i].verdict == verdict) AppendRule(report, notes, i, &html);
    }
  }
  return absl::StrCat(html, kPageScript, "</body></html>\n");
}

}  // namespace rewrought::audit
