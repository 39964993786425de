#include "emitter/proved_cases.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/text/rule_text.h"

namespace rewrought::emitter {
namespace {

const std::string kFlush = "nir_is_denorm_flush_to_zero(info->float_controls_execution_mode, 32)";
const std::string kPreserve = "nir_is_denorm_preserve(info->float_controls_execution_mode, 32)";

ir::Rule Parsed(const std::string& text) {
  const auto rule = ir::ParseRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status();
  return *rule;
}

void Add(v1::PackEntry* entry, int width, v1::DenormMode mode, v1::Verdict verdict) {
  v1::CaseVerdict* const proof = entry->add_proofs();
  proof->set_width(width);
  (*proof->mutable_sizes())["a"] = width;
  (*proof->mutable_sizes())["root"] = width;
  proof->set_mode(mode);
  proof->set_verdict(verdict);
}

// Returns "sizes: condition" for each case, then the omitted cases.
std::string Cases(const ir::Rule& rule, const v1::PackEntry& entry) {
  const auto found = FindProvedCases(rule, entry);
  if (!found.ok()) return std::string(found.status().message());
  std::string text;
  for (const ProvedCase& one : found->cases) absl::StrAppend(&text, SizesText(one.sizes), ":", one.condition, "; ");
  return absl::StrCat(text, found->all ? "all" : "not ", absl::StrJoin(found->left_out, ", "));
}

TEST(ProvedCases, EachAssignmentNeedsItsProof) {
  const ir::Rule rule = Parsed("(('imul', 'a', 1), 'a')");
  v1::PackEntry entry;
  for (const int width : {8, 16, 32, 64}) Add(&entry, width, v1::DENORM_MODE_NONE, v1::VERDICT_PROVED);
  const std::string all = Cases(rule, entry);
  EXPECT_NE(all.find("a:32 root:32:; "), std::string::npos) << all;
  entry.mutable_proofs(3)->set_verdict(v1::VERDICT_UNKNOWN);
  const std::string some = Cases(rule, entry);
  EXPECT_NE(some.find("a:64 root:64"), std::string::npos) << some;
  EXPECT_NE(some.find("not "), std::string::npos) << some;
}

TEST(ProvedCases, NothingProvedIsAnError) {
  v1::PackEntry entry;
  Add(&entry, 32, v1::DENORM_MODE_NONE, v1::VERDICT_UNKNOWN);
  EXPECT_EQ(Cases(Parsed("(('imul', 'a@32', 1), 'a')"), entry), "no case is proved; missing a:32 root:32");
}

TEST(ProvedCases, ModesBecomeConditions) {
  const ir::Rule rule = Parsed("(('fneg', ('fneg', 'a@32')), 'a')");
  v1::PackEntry entry;
  Add(&entry, 32, v1::DENORM_MODE_FLUSH, v1::VERDICT_PROVED);
  EXPECT_EQ(Cases(rule, entry), absl::StrCat("a:32 root:32:", kFlush, "; all"));
  Add(&entry, 32, v1::DENORM_MODE_PRESERVE, v1::VERDICT_PROVED);
  EXPECT_EQ(Cases(rule, entry), absl::StrCat("a:32 root:32:(", kFlush, " || ", kPreserve, "); all"));
  Add(&entry, 32, v1::DENORM_MODE_ANY, v1::VERDICT_PROVED);
  EXPECT_EQ(Cases(rule, entry), "a:32 root:32:; all");
}

TEST(ProvedCases, WhatNothingMatchesIsNotLeftOut) {
  v1::PackEntry entry;
  Add(&entry, 32, v1::DENORM_MODE_NONE, v1::VERDICT_PROVED);
  for (const int width : {8, 16, 64}) Add(&entry, width, v1::DENORM_MODE_NONE, v1::VERDICT_VACUOUS);
  Add(&entry, 1, v1::DENORM_MODE_NONE, v1::VERDICT_VACUOUS);
  EXPECT_EQ(Cases(Parsed("(('imul', 'a', 1), 'a')"), entry), "a:32 root:32:; all");
}

TEST(ProvedCases, InexactRulesNeedTheRealsAndAVerdict) {
  const ir::Rule rule = Parsed("(('~fmul', 'a@32', 1.0), 'a')");
  v1::PackEntry entry;
  entry.mutable_rule()->set_rule_class(v1::RULE_CLASS_INEXACT);
  Add(&entry, 32, v1::DENORM_MODE_ANY, v1::VERDICT_REFUTED);
  EXPECT_EQ(Cases(rule, entry), "the inexact rule has no proof over the reals");
  entry.mutable_rule()->mutable_inexact()->set_reals(v1::VERDICT_PROVED);
  EXPECT_EQ(Cases(rule, entry), "a:32 root:32:; all");
  entry.mutable_proofs(0)->set_verdict(v1::VERDICT_UNSUPPORTED);
  EXPECT_EQ(Cases(rule, entry), "no case is proved; missing a:32 root:32");
}

TEST(BothConditions, JoinsWithoutChangingWhatBinds) {
  EXPECT_EQ(BothConditions("", "x"), "x");
  EXPECT_EQ(BothConditions("x", ""), "x");
  EXPECT_EQ(BothConditions("x", "x"), "x");
  EXPECT_EQ(BothConditions("x", "y"), "x && y");
  EXPECT_EQ(BothConditions("x || y", "a ? b : c"), "(x || y) && (a ? b : c)");
}

}  // namespace
}  // namespace rewrought::emitter
