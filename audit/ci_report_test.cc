// Checks the required fields of the CI formats, that only refuted rules that are not accepted are errors, and that
// rules with arbitrary text give valid XML and JSON.
#include "audit/ci_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "absl/strings/match.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

AuditedRule RuleOf(const std::string& search, v1::Verdict verdict, int line) {
  AuditedRule rule;
  rule.source.file = "compiler/nir/nir_opt_algebraic.py";
  rule.source.line = line;
  rule.source.pass = "p";
  rule.source.search = search;
  rule.source.replace = "'a'";
  rule.verdict = verdict;
  return rule;
}

AuditReport Sample() {
  AuditReport report;
  AuditedRule refuted = RuleOf("('iadd', 'a', '<&\"\x01\xff')", v1::VERDICT_REFUTED, 7);
  refuted.cases = Json::parse(R"([{"verdict": "refuted", "width": 32, "mode": "any",
                                   "witness": {"vars": {"a": "0x1"}, "search": ["0x2"], "replace": "0x1"}}])");
  AuditedRule missing = RuleOf("('c', 'a')", v1::VERDICT_UNKNOWN, 0);
  missing.offline = "missing";
  report.rules = {RuleOf("('b', 'a')", v1::VERDICT_PROVED, 6),
                  refuted,
                  missing,
                  RuleOf("('d', 'a')", v1::VERDICT_UNSUPPORTED, 9),
                  RuleOf("('e', 'a')", v1::VERDICT_REFUTED, 10),
                  RuleOf("('e', 'a')", v1::VERDICT_REFUTED, 11),
                  RuleOf("('f', 'a')", v1::VERDICT_UNSPECIFIED, 12)};
  report.rules[3].source.file = "/elsewhere/rules.py";
  return report;
}

ReportNotes SampleNotes() {
  ReportNotes notes;
  notes.waived = {"", "", "", "", "harmless", "harmless", ""};
  return notes;
}

TEST(CiReport, JUnitCountsOnlyNewRefutationsAsFailures) {
  const std::string xml = JUnitXml(Sample(), SampleNotes());
  for (const char* part :
       {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "tests=\"6\" failures=\"1\" errors=\"0\" skipped=\"4\"",
        "<testsuite name=\"p\"", "file=\"src/compiler/nir/nir_opt_algebraic.py\"",
        "message=\"src/compiler/nir/nir_opt_algebraic.py:7: refuted rule ", "a = 0x1", "search allows 0x2",
        "(accepted: harmless)", "no recorded verdict of rule"}) {
    EXPECT_TRUE(absl::StrContains(xml, part)) << part << "\n" << xml;
  }
  EXPECT_TRUE(absl::StrContains(xml, "&lt;&amp;&quot;?\xEF\xBF\xBD")) << "control characters and bad UTF-8";
  EXPECT_FALSE(absl::StrContains(xml, "\x01"));
}

TEST(CiReport, CodeQualityHasTheRequiredFields) {
  const AuditReport report = Sample();
  const Json entries = Json::parse(CodeQualityJson(report, SampleNotes()));
  ASSERT_EQ(entries.size(), 5u);
  for (const Json& entry : entries) {
    EXPECT_TRUE(entry["description"].is_string() && entry["check_name"].is_string());
    EXPECT_GE(entry["location"]["lines"]["begin"].get<int>(), 1);
    EXPECT_TRUE(entry["location"]["path"].is_string());
  }
  EXPECT_EQ(entries[0]["severity"], "critical");
  EXPECT_EQ(entries[0]["check_name"], "refuted-rule");
  EXPECT_EQ(entries[0]["fingerprint"], report.rules[1].source.Id());
  EXPECT_EQ(entries[0]["location"]["path"], "src/compiler/nir/nir_opt_algebraic.py");
  EXPECT_EQ(entries[1]["check_name"], "missing-verdict");
  EXPECT_EQ(entries[2]["location"]["path"], "/elsewhere/rules.py");
  for (size_t i = 1; i < 5; ++i) EXPECT_EQ(entries[i]["severity"], "info");
  EXPECT_EQ(entries[4]["fingerprint"], report.rules[5].source.Id() + "-2") << "fingerprints are unique";
}

TEST(CiReport, SarifHasTheRequiredFields) {
  const AuditReport report = Sample();
  const Json log = Json::parse(SarifJson(report, SampleNotes()));
  EXPECT_EQ(log["version"], "2.1.0");
  const Json& run = log["runs"][0];
  const Json& rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(run["results"].size(), 5u);
  for (const Json& result : run["results"]) {
    EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
    EXPECT_EQ(result["level"], result["ruleId"] == "refuted-rule" ? "error" : "note");
    EXPECT_GE(result["locations"][0]["physicalLocation"]["region"]["startLine"].get<int>(), 1);
    EXPECT_TRUE(result["partialFingerprints"]["rewroughtRuleId/v1"].is_string());
  }
  EXPECT_TRUE(absl::StrContains(run["results"][0]["message"]["text"].get<std::string>(), "replace gives 0x1"));
  EXPECT_FALSE(run["results"][0].contains("suppressions"));
  EXPECT_EQ(run["results"][3]["suppressions"][0]["justification"], "harmless");
}

TEST(CiReport, AnEmptyAuditIsValid) {
  EXPECT_EQ(CodeQualityJson({}, {}), "[]\n");
  EXPECT_TRUE(Json::parse(SarifJson({}, {}))["runs"][0]["results"].empty());
  EXPECT_TRUE(absl::StrContains(JUnitXml({}, {}), "tests=\"0\""));
}

}  // namespace
}  // namespace rewrought::audit
