#include "audit/ci_report.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/names.h"
#include "proto/utf8.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

enum class Kind { kRefuted, kUndecided, kMissing, kNone };

struct KindRow {
  const char* name;  // the id of the SARIF rule and the name of the Code Quality check
  const char* summary;
};
// Indexed by Kind.
constexpr KindRow kKinds[] = {
    {"refuted-rule", "The rule changes the result of a shader."},
    {"undecided-rule", "The verifier cannot decide the rule."},
    {"missing-verdict", "The verdict file lacks the rule, and only a solver can decide it."},
};

struct Finding {
  Kind kind = Kind::kNone;
  bool is_error = false;  // a refuted rule that is not accepted
  std::string accepted;   // ReportNotes::WhyAccepted
  std::string title;      // one line
  std::string text;       // the title, the rule, and the witness or the reason
};

// Returns the path below the tree's root, or the rule's own path if the rule is not in a tree.
std::string TreePath(const MesaRule& rule) {
  return absl::StartsWith(rule.file, "/") ? rule.file : absl::StrCat("src/", rule.file);
}

// Returns the rule's line, or 1 if it is unknown, because the formats require a positive number.
int LineOf(const MesaRule& rule) { return std::max(1, rule.line); }

Finding FindingOf(const AuditReport& report, const ReportNotes& notes, size_t index) {
  const AuditedRule& rule = report.rules[index];
  Finding finding;
  if (rule.verdict == v1::VERDICT_REFUTED) {
    finding.kind = Kind::kRefuted;
    finding.accepted = notes.WhyAccepted(index);
    finding.is_error = finding.accepted.empty();
    finding.title = absl::StrCat("refuted rule ", rule.source.Text());
    if (!finding.accepted.empty()) absl::StrAppend(&finding.title, " (accepted: ", finding.accepted, ")");
  } else if (rule.verdict == v1::VERDICT_UNKNOWN && rule.offline == "missing") {
    finding.kind = Kind::kMissing;
    finding.title = absl::StrCat("no recorded verdict of rule ", rule.source.Text());
  } else if (rule.verdict == v1::VERDICT_UNKNOWN || rule.verdict == v1::VERDICT_UNSUPPORTED) {
    finding.kind = Kind::kUndecided;
    finding.title = absl::StrCat(NameOf(rule.verdict), " rule ", rule.source.Text());
  } else {
    return finding;
  }
  finding.text = absl::StrCat(finding.title, "\n");
  if (!rule.source.condition.empty()) absl::StrAppend(&finding.text, "if ", rule.source.condition, "\n");
  if (finding.kind == Kind::kRefuted) {
    absl::StrAppend(&finding.text, FirstWitness(rule, ""), "reproduce: ", ReproducerOf(report, rule), "\n");
    if (rule.suggested_fix.has_value())
      absl::StrAppend(&finding.text, "suggested fix: ", rule.suggested_fix->rule, "\n");
  } else if (const std::string reason = ReasonOf(rule); !reason.empty()) {
    absl::StrAppend(&finding.text, "reason: ", reason, "\n");
  }
  return finding;
}

// Returns the id of each rule. The second and later rules with an id have a suffix, such as "-2".
std::vector<std::string> UniqueIds(const AuditReport& report) {
  std::map<std::string, int> seen;
  std::vector<std::string> ids;
  for (const AuditedRule& rule : report.rules) {
    ids.push_back(rule.source.Id());
    if (const int count = ++seen[ids.back()]; count > 1) absl::StrAppend(&ids.back(), "-", count);
  }
  return ids;
}

std::string Dump(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Escapes text for XML 1.0. Replaces invalid UTF-8, and control characters, which XML cannot represent.
std::string XmlText(absl::string_view text) {
  std::string escaped = EscapeMarkup(ToUtf8(text));
  for (char& c : escaped) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') c = '?';
  }
  return escaped;
}

std::string XmlAttribute(absl::string_view name, absl::string_view value) {
  return absl::StrCat(" ", name, "=\"", XmlText(value), "\"");
}

}  // namespace

std::string JUnitXml(const AuditReport& report, const ReportNotes& notes) {
  struct Suite {
    std::string cases;
    int tests = 0, failures = 0, skipped = 0;
    double seconds = 0;
  };
  std::map<std::string, Suite> suites;
  const std::vector<std::string> ids = UniqueIds(report);
  for (size_t i = 0; i < report.rules.size(); ++i) {
    const AuditedRule& rule = report.rules[i];
    if (rule.verdict == v1::VERDICT_UNSPECIFIED) continue;
    const Finding finding = FindingOf(report, notes, i);
    Suite& suite = suites[rule.source.pass];
    const double seconds = rule.cached ? 0 : rule.milliseconds / 1000;
    ++suite.tests;
    suite.seconds += seconds;
    absl::StrAppend(&suite.cases, "  <testcase", XmlAttribute("classname", rule.source.pass),
                    XmlAttribute("name", absl::StrCat(rule.source.Text(), " [", ids[i], "]")),
                    XmlAttribute("file", TreePath(rule.source)), absl::StrFormat(" time=\"%.3f\"", seconds));
    if (finding.kind == Kind::kNone) {
      absl::StrAppend(&suite.cases, "/>\n");
      continue;
    }
    ++(finding.is_error ? suite.failures : suite.skipped);
    const std::string place = absl::StrCat(TreePath(rule.source), ":", LineOf(rule.source), ": ");
    const std::string message = XmlAttribute("message", absl::StrCat(place, finding.title));
    if (finding.is_error) {
      absl::StrAppend(&suite.cases, ">\n   <failure type=\"", kKinds[static_cast<size_t>(finding.kind)].name, "\"",
                      message, ">", XmlText(absl::StrCat(place, finding.text)), "</failure>\n  </testcase>\n");
    } else {
      absl::StrAppend(&suite.cases, ">\n   <skipped", message, "/>\n  </testcase>\n");
    }
  }
  Suite all;
  std::string text;
  for (const auto& [pass, suite] : suites) {
    absl::StrAppend(&text, " <testsuite", XmlAttribute("name", pass),
                    absl::StrFormat(" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.3f\">\n",
                                    suite.tests, suite.failures, suite.skipped, suite.seconds),
                    suite.cases, " </testsuite>\n");
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.skipped += suite.skipped;
  }
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rewrought audit\" tests=\"",
                      all.tests, "\" failures=\"", all.failures, "\" errors=\"0\" skipped=\"", all.skipped, "\">\n",
                      text, "</testsuites>\n");
}

std::string CodeQualityJson(const AuditReport& report, const ReportNotes& notes) {
  Json entries = Json::array();
  const std::vector<std::string> ids = UniqueIds(report);
  for (size_t i = 0; i < report.rules.size(); ++i) {
    const Finding finding = FindingOf(report, notes, i);
    if (finding.kind == Kind::kNone) continue;
    const MesaRule& rule = report.rules[i].source;
    entries.push_back({{"description", finding.text},
                       {"check_name", kKinds[static_cast<size_t>(finding.kind)].name},
                       {"fingerprint", ids[i]},
                       {"severity", finding.is_error ? "critical" : "info"},
                       {"location", {{"path", TreePath(rule)}, {"lines", {{"begin", LineOf(rule)}}}}}});
  }
  return Dump(entries);
}

std::string SarifJson(const AuditReport& report, const ReportNotes& notes) {
  Json rules = Json::array();
  for (size_t kind = 0; kind < std::size(kKinds); ++kind) {
    const bool is_error = static_cast<Kind>(kind) == Kind::kRefuted;
    rules.push_back({{"id", kKinds[kind].name},
                     {"shortDescription", {{"text", kKinds[kind].summary}}},
                     {"defaultConfiguration", {{"level", is_error ? "error" : "note"}}}});
  }
  Json results = Json::array();
  const std::vector<std::string> ids = UniqueIds(report);
  for (size_t i = 0; i < report.rules.size(); ++i) {
    const Finding finding = FindingOf(report, notes, i);
    if (finding.kind == Kind::kNone) continue;
    const MesaRule& rule = report.rules[i].source;
    const std::string path = TreePath(rule);
    Json artifact{{"uri", absl::StartsWith(path, "/") ? "file://" + path : path}};
    if (!absl::StartsWith(path, "/")) artifact["uriBaseId"] = "%SRCROOT%";
    const size_t kind = static_cast<size_t>(finding.kind);
    Json result{
        {"ruleId", kKinds[kind].name},
        {"ruleIndex", kind},
        {"level", finding.kind == Kind::kRefuted ? "error" : "note"},
        {"message", {{"text", finding.text}}},
        {"locations",
         Json::array({{{"physicalLocation",
                        {{"artifactLocation", std::move(artifact)}, {"region", {{"startLine", LineOf(rule)}}}}}}})},
        {"partialFingerprints", {{"rewroughtRuleId/v1", ids[i]}}}};
    if (!finding.accepted.empty())
      result["suppressions"] = Json::array({{{"kind", "external"}, {"justification", finding.accepted}}});
    results.push_back(std::move(result));
  }
  const Json driver{{"name", "rewrought"}, {"rules", std::move(rules)}};
  const Json run{{"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", std::move(results)}};
  return Dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array({run})}});
}

}  // namespace rewrought::audit
