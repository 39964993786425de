#include "cli/check_text.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "ir/text/rule_text.h"

namespace rewrought::cli {
namespace {

v1::RuleVerdict Verdict(const std::string& text) {
  v1::RuleVerdict verdict;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &verdict)) << text;
  return verdict;
}

std::string Text(const v1::RuleVerdict& verdict, const char* rule, const std::string& place = "") {
  std::set<v1::DenormMode> modes;
  return CheckText(verdict, *ir::ParseRule(rule), place, &modes);
}

TEST(CheckText, TellsSizesOfOneVerdictInOneLine) {
  const v1::RuleVerdict verdict = Verdict(R"(
      line: 3 rule: "RULE" verdict: VERDICT_PROVED
      cases { width: 16 mode: DENORM_MODE_ANY verdict: VERDICT_PROVED }
      cases { width: 16 mode: DENORM_MODE_FLUSH verdict: VERDICT_PROVED }
      cases { width: 32 mode: DENORM_MODE_ANY verdict: VERDICT_PROVED }
      cases { width: 32 mode: DENORM_MODE_FLUSH verdict: VERDICT_UNKNOWN reason: "timeout" })");
  EXPECT_EQ(Text(verdict, "(('fneg', ('fneg', a)), a)", "x.rules:3"),
            "x.rules:3: proved  RULE\n"
            "  proved at 16, 32 bits in mode any\n"
            "  proved at 16 bits in mode flush\n"
            "  unknown at 32 bits in mode flush: timeout\n");
}

TEST(CheckText, CountsCombinationsOfSizes) {
  const v1::RuleVerdict verdict = Verdict(R"(
      rule: "RULE" verdict: VERDICT_UNKNOWN
      cases { width: 8 sizes { key: "b" value: 8 } mode: DENORM_MODE_NONE verdict: VERDICT_PROVED }
      cases { width: 8 sizes { key: "b" value: 16 } mode: DENORM_MODE_NONE verdict: VERDICT_UNKNOWN reason: "why" })");
  EXPECT_EQ(Text(verdict, "(('iadd', a, 0), a)"),
            "unknown  RULE\n"
            "  proved at 8 bits, 1 of 2 combinations of sizes\n"
            "  unknown at 8 bits, 1 of 2 combinations of sizes: why\n");
}

TEST(CheckText, ShowsACounterexampleOf32BitsWithNumbers) {
  const v1::RuleVerdict verdict = Verdict(R"(
      rule: "RULE" verdict: VERDICT_REFUTED
      cases { width: 16 mode: DENORM_MODE_ANY verdict: VERDICT_REFUTED
              witness { vars { key: "a" value: "0x8000" } search: "0x0000" replace: "0x8000" } }
      cases { width: 32 mode: DENORM_MODE_ANY verdict: VERDICT_REFUTED
              witness { vars { key: "a" value: "0x80000000" } search: "0x00000000" search: "nan" replace: "0x80000000" }
              explain { side: "search" node: "n1 = fadd a, n0" values: "0x3f800000" } })");
  EXPECT_EQ(Text(verdict, "(('fadd', a, 0.0), a)"),
            "refuted  RULE\n"
            "  refuted at 16, 32 bits in mode any\n"
            "  counterexample at 32 bits, mode any:\n"
            "    a             = 0x80000000 (-0.0)\n"
            "    search may be = 0x00000000 (0.0) or any NaN\n"
            "    replace       = 0x80000000 (-0.0)\n"
            "      search   n1 = fadd a, n0                          0x3f800000 (1.0)\n");
}

TEST(CheckText, ExplainsInputsThatTheRuleDoesNotName) {
  const v1::RuleVerdict verdict = Verdict(R"(
      rule: "RULE" verdict: VERDICT_REFUTED
      cases { width: 32 mode: DENORM_MODE_ANY verdict: VERDICT_REFUTED
              witness { vars { key: "zero0" value: "0x1" } vars { key: "root_nsz32" value: "0x1" }
                        search: "0x00000000" replace: "0x80000000" } })");
  const std::string text = Text(verdict, "(('fadd', a, 0.0), a)");
  EXPECT_NE(text.find("zero literal 0 = matched as -0.0"), std::string::npos) << text;
  EXPECT_NE(text.find("note: zero literal N is number N of the search's literals 0.0 and -0.0"), std::string::npos)
      << text;
  EXPECT_NE(text.find("root flag nsz = set"), std::string::npos) << text;
  EXPECT_NE(text.find("note: a root flag is a flag of the matched instruction"), std::string::npos) << text;
}

TEST(CheckText, StatesThatNoSizeIsWanted) {
  EXPECT_EQ(Text(Verdict("rule: 'RULE' verdict: VERDICT_UNSUPPORTED"), "(('iadd', 'a@8', 0), a)"),
            "unsupported  RULE\n  no combination of sizes has a width that --widths lists\n");
}

TEST(CheckText, NumbersAreOfTheOpsTypes) {
  const v1::RuleVerdict verdict = Verdict(R"(
      rule: "RULE" verdict: VERDICT_REFUTED
      cases { width: 8 mode: DENORM_MODE_NONE verdict: VERDICT_REFUTED
              witness { vars { key: "a" value: "0x80" } search: "0x7f" replace: "0xff" } })");
  EXPECT_NE(Text(verdict, "(('iabs', a), a)").find("0x80 (-128)"), std::string::npos);
  EXPECT_NE(Text(verdict, "(('udiv', a, 2), a)").find("0x80 (128)"), std::string::npos);
}

TEST(CheckText, NamesWhatWouldMakeItRight) {
  const v1::RuleVerdict verdict = Verdict(R"(
      rule: "RULE" verdict: VERDICT_REFUTED
      weakest { assumptions: "n1:nsz" }
      weakest { assumptions: "a:is_finite" assumptions: "n0:nnan" })");
  EXPECT_EQ(Text(verdict, "(('fneg', ('fsub', a, b)), ('fsub', b, a))"),
            "refuted  RULE\n"
            "  holds with 'fsub(nsz)'\n"
            "  holds with 'a(is_finite)' and 'fneg(nnan)'\n");
  EXPECT_EQ(Text(verdict, "(('fadd', ('fadd', a, b), b), a)"),
            "refuted  RULE\n"
            "  holds with 'fadd(nsz)' at op 2 of the search\n"
            "  holds with 'a(is_finite)' and 'fadd(nnan)' at op 1 of the search\n");
}

TEST(CheckText, SaysWhatInexactMeans) {
  const v1::RuleVerdict verdict = Verdict(R"(
      rule: "RULE" verdict: VERDICT_INEXACT
      cases { width: 32 mode: DENORM_MODE_ANY verdict: VERDICT_REFUTED
              witness { vars { key: "a" value: "0x00000001" } search: "0x00000000" replace: "0x00000001" } }
      inexact { reason: "proved by normal forms" ulp_worst_before: 1 ulp_worst_after: 1.5
                ulp_typical_before: 0 ulp_typical_after: 0.5 })");
  const std::string text = Text(verdict, "(('~fadd', a, b), a)");
  EXPECT_NE(text.find("  not equal bit for bit at 32 bits in mode any\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  over the reals proved by normal forms\n"), std::string::npos) << text;
  EXPECT_NE(text.find("worst 1 and 1.5, typical 0 and 0.5\n"), std::string::npos) << text;
}

TEST(CheckText, SaysWhereAnErrorIs) {
  const v1::RuleVerdict verdict =
      Verdict("line: 2 rule: 'RULE' verdict: VERDICT_ERROR error { column: 5 message: 'no' }");
  EXPECT_EQ(ErrorText(verdict, "argument 2"), "argument 2:2:5: error: no\n    RULE\n");
}

TEST(CheckText, ExplainsModesThatWereNamed) {
  std::set<v1::DenormMode> modes;
  v1::RuleVerdict verdict = Verdict("cases { mode: DENORM_MODE_ANY } cases { mode: DENORM_MODE_NONE }");
  CheckText(verdict, *ir::ParseRule("(('fneg', a), a)"), "", &modes);
  EXPECT_EQ(ModeNotes(modes), "mode any: denormals may or may not be flushed to zero\n");
  EXPECT_EQ(ModeNotes({v1::DENORM_MODE_NONE}), "");
}

}  // namespace
}  // namespace rewrought::cli
