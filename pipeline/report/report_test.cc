#include "pipeline/report/report.h"

#include "corpus/site_record.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/digest.h"
#include "pipeline/run_record.h"
#include "store/testing/store_testing.h"

namespace rewrought::pipeline {
namespace {

constexpr char kEvil[] = "<script>alert('x')</script>\" onload=\"\xff\x01";

// Returns a store with a run, a shader with HTML in its name, and a rule that matches it.
std::unique_ptr<store::Store> Filled() {
  std::unique_ptr<store::Store> store = store::OpenStore(store::NewPath());
  store::CorpusStore corpus(store.get());
  EXPECT_TRUE(corpus.PutSource("evil <b>source</b>", true).ok());
  store::ShaderRecord shader;
  shader.digest = ir::Digest::Of("shader");
  shader.stage = "fragment";
  shader.alu_instructions = 7;
  corpus::SiteRecord site;
  site.fragment = {"('fadd@32', 'a@32', 'b@32')", 1, 2, "a@32 b@32 root@32"};
  site.count = 5;
  site.loop_weight = 5;
  EXPECT_TRUE(corpus.PutShader(shader, {"evil <b>source</b>", kEvil}, {site}).ok());
  store::RunRecord run;
  run.id = "run1";
  run.kind = "discover";
  run.config = "agx_g13 digest";
  run.state = v1::RUN_STATE_DONE;
  run.run_statistics = "{\"fragments\":3,\"enumerated\":1000,\"candidates\":12,\"proved\":4}";
  EXPECT_TRUE(store::RunStore(store.get()).CreateRun(run).ok());
  store::RuleRecord rule;
  rule.id = ir::Digest::Of("rule");
  rule.machine = "agx_g13";
  rule.search = "('fadd@32', 'a@32', 'b@32')";
  rule.program = "[fadd(r(F), a(F), b(F))]";
  rule.condition = "x < 3 && y";
  store::RuleStore rules(store.get());
  EXPECT_TRUE(rules.PutRule(rule).ok());
  store::MeasurementRecord measured;
  measured.rule = rule.id;
  measured.hits = 5;
  measured.sources = measured.shaders = 1;
  measured.naive_cycles = 20;
  measured.tuned_cycles = 10;
  EXPECT_TRUE(rules.PutMeasurement(measured).ok());
  EXPECT_TRUE(rules.PutHits(rule.id, {store::HitRecord{shader.digest, 5, 5, 10, {3}}}).ok());
  return store;
}

TEST(Report, ShowsWhatDriversMeasured) {
  const std::unique_ptr<store::Store> store = Filled();
  v1::RuleTrial trial;
  trial.set_driver("some <driver>");
  trial.set_time(1000);
  trial.add_places()->mutable_alone()->set_time(-5);
  trial.mutable_places(0)->set_chosen(true);
  store::RuleStore rules(store.get());
  ASSERT_TRUE(rules.PutTrial(ir::Digest::Of("rule"), trial).ok());
  trial.set_driver("other");
  trial.set_problem("hang on <p>");
  ASSERT_TRUE(rules.PutTrial(ir::Digest::Of("rule"), trial).ok());
  const auto report = MakeReport(store.get(), "agx_g13", {});
  ASSERT_TRUE(report.ok()) << report.status();
  const std::string text = ReportText(*report), html = ReportHtml(*report);
  EXPECT_NE(text.find("driver some <driver>: 1 rules tried, 1 chosen"), std::string::npos) << text;
  EXPECT_NE(text.find("-0.5000% time measured"), std::string::npos) << text;
  EXPECT_NE(text.find("hang on <p>"), std::string::npos) << text;
  EXPECT_NE(html.find("Driver some &lt;driver&gt;"), std::string::npos);
  EXPECT_NE(html.find("hang on &lt;p&gt;"), std::string::npos);
  EXPECT_NE(html.find("<circle"), std::string::npos);
}

TEST(Report, TellsCorpusRunStatisticsAndRules) {
  const std::unique_ptr<store::Store> store = Filled();
  const auto report = MakeReport(store.get(), "agx_g13", {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->run, "run1");
  EXPECT_EQ(report->run_statistics.enumerated(), 1000u);
  ASSERT_EQ(report->sources.size(), 1u);
  EXPECT_TRUE(report->sources[0].held_out);
  EXPECT_EQ(report->sources[0].shaders, 1);
  EXPECT_EQ(report->sources[0].instructions, 7);
  EXPECT_EQ(report->sources[0].ops.at("fadd"), 5);
  ASSERT_EQ(report->families.size(), 1u);
  EXPECT_EQ(report->beat_held_out, 1u);
  ASSERT_EQ(report->families[0].shaders.size(), 1u);
  EXPECT_EQ(report->families[0].shaders[0].cycles, 10);
  const std::string text = ReportText(*report);
  for (const char* part : {"fadd:5", "1000 enumerated", "held out", "fadd(r(F), a(F), b(F))", "not confirmed"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(MissingParts(*report), "");
}

// A general rule, its other size, and the special cases that it covers are one row.
TEST(Report, ShowsFamiliesInsteadOfInstances) {
  const std::unique_ptr<store::Store> store = store::OpenStore(store::NewPath("families.db"));
  store::RuleStore rules(store.get());
  const auto put = [&](const std::string& search, const std::string& replace, int64_t hits, v1::RuleState state) {
    store::RuleRecord rule;
    rule.id = ir::Digest::Of(search);
    rule.machine = "ir3_a6xx";
    rule.search = search;
    rule.replace = replace;
    rule.state = state;
    EXPECT_TRUE(rules.PutRule(rule).ok());
    store::MeasurementRecord measured;
    measured.rule = rule.id;
    measured.split = store::Split::kDiscovery;
    measured.hits = measured.shaders = measured.sources = hits;
    measured.tuned_cycles = static_cast<double>(hits);
    EXPECT_TRUE(rules.PutMeasurement(measured).ok());
  };
  put("('iadd@32', ('iadd@32', 'a@32', 'b@32'), 'c@32')", "('iadd3@32', 'a', 'b', 'c')", 9, v1::RULE_STATE_KEPT);
  put("('iadd@32', ('iadd@32', 'a@32', 3@32), 'b@32')", "('iadd3@32', 'a', 3@32, 'b')", 5, v1::RULE_STATE_DERIVED);
  put("('fmul@32', ('fadd@32', 'a@32', 'b@32'), 2.0@32)", "('fadd@32', 'a', 'b')", 4, v1::RULE_STATE_KEPT);
  put("('fmul@16', ('fadd@16', 'a@16', 'b@16'), 2.0@16)", "('fadd@16', 'a', 'b')", 3, v1::RULE_STATE_KEPT);
  const auto report = MakeReport(store.get(), "ir3_a6xx", {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->ranked, 3u);
  ASSERT_EQ(report->families.size(), 2u);
  EXPECT_THAT(report->families[0].special,
              testing::ElementsAre("(('iadd', ('iadd', 'a@32', 3), 'b'), ('iadd3', 'a', 3, 'b'))"));
  EXPECT_TRUE(report->families[0].others.empty());
  EXPECT_TRUE(report->families[1].special.empty());
  ASSERT_EQ(report->families[1].others.size(), 1u);
  EXPECT_EQ(report->families[1].others[0].discovery.hits, 3);
  EXPECT_NE(ReportText(*report).find("    covers (('iadd', ('iadd', 'a@32', 3), 'b')"), std::string::npos);
  EXPECT_NE(ReportHtml(*report).find("1 more rule of the family"), std::string::npos);
}

TEST(Report, EscapesWhatComesFromOutside) {
  const std::unique_ptr<store::Store> store = Filled();
  const std::string html = ReportHtml(*MakeReport(store.get(), "agx_g13", {}));
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<b>source"), std::string::npos);
  EXPECT_EQ(html.find("onload=\""), std::string::npos);
  EXPECT_EQ(html.find('\xff'), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(html.find("x &lt; 3 &amp;&amp; y"), std::string::npos);
  EXPECT_EQ(html.find("http"), html.find("http-equiv"));  // the page loads no resources
  EXPECT_EQ(html.rfind("</html>\n"), html.size() - 8);
}

TEST(Report, OtherMachinesAndEmptyStoresSayWhatIsMissing) {
  const std::unique_ptr<store::Store> filled = Filled();
  const auto other = MakeReport(filled.get(), "intel_gen9", {});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_TRUE(other->run.empty());
  EXPECT_NE(MissingParts(*other).find("rewrought discover --machine intel_gen9"), std::string::npos);
  const std::unique_ptr<store::Store> empty = store::OpenStore(store::NewPath("empty.db"));
  const auto nothing = MakeReport(empty.get(), "agx_g13", {});
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_NE(ReportText(*nothing).find("rewrought harvest"), std::string::npos);
  EXPECT_NE(ReportHtml(*nothing).find("rewrought harvest"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::pipeline
