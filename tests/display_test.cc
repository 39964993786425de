// Tests that displayed rules have the same meaning as the stored ones, for tests/rules and the emitter's samples.
#include "ir/text/display.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "emitter/testing/sample_rules.h"
#include "ir/text/canonical.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought {
namespace {

// Returns the digest of the canonical rule at each size.
std::vector<std::string> Says(const ir::Rule& rule) {
  std::vector<std::string> says;
  const auto sizes = ir::EnumerateSizes(rule);
  if (!sizes.ok()) return {std::string(sizes.status().message())};
  for (const ir::SizeAssignment& one : *sizes) {
    const absl::StatusOr<ir::Rule> at = ir::Instantiate(rule, one);
    says.push_back(at.ok() ? absl::StrCat(ir::CanonicalDigest(*at), " ", one.width)
                           : std::string(at.status().message()));
  }
  return says;
}

void ExpectSameWhenShown(const ir::Rule& rule) {
  const std::string text = ir::DisplayRule(rule);
  const absl::StatusOr<ir::Rule> read = ir::ParseRule(text);
  ASSERT_TRUE(read.ok()) << text << "\n" << read.status();
  EXPECT_EQ(Says(*read), Says(rule)) << text;
  EXPECT_EQ(read->condition, rule.condition);
  // Discovery stores rules with fixed sizes, so test each size separately.
  const auto sizes = ir::EnumerateSizes(rule);
  if (!sizes.ok()) return;
  for (const ir::SizeAssignment& one : *sizes) {
    const absl::StatusOr<ir::Rule> at = ir::Instantiate(rule, one);
    if (!at.ok()) continue;
    const absl::StatusOr<ir::Rule> again = ir::ParseRule(ir::DisplayRule(*at));
    ASSERT_TRUE(again.ok()) << ir::DisplayRule(*at);
    EXPECT_EQ(Says(*again), Says(*at)) << ir::PrintRule(*at);
  }
}

TEST(Display, OfEveryRuleOfTheTests) {
  int rules = 0;
  for (const auto& file : std::filesystem::directory_iterator("tests/rules")) {
    if (file.path().extension() != ".rules") continue;
    std::ifstream stream(file.path());
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    for (const ir::RuleEntry& entry : ir::ParseRules(text)) {
      if (!entry.rule.ok() || !entry.program.empty()) continue;
      ExpectSameWhenShown(*entry.rule);
      ++rules;
    }
  }
  EXPECT_GT(rules, 100);
}

TEST(Display, OfTheEmittersSamples) {
  int rules = 0;
  for (const emitter::ProvedRule& sample : emitter::SampleRules()) {
    const v1::RewriteRule& rule = sample.entry.rule();
    if (!rule.program().empty()) continue;
    const absl::StatusOr<ir::Rule> parsed = ir::ParseRule(absl::StrCat("(", rule.search(), ", ", rule.replace(), ")"));
    ASSERT_TRUE(parsed.ok()) << rule.search();
    ExpectSameWhenShown(*parsed);
    ++rules;
  }
  EXPECT_GT(rules, 5);
}

}  // namespace
}  // namespace rewrought
