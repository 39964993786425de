#include "verifier/worker/script.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "proto/parse_limits.h"

namespace rewrought::verifier {
namespace {

TEST(CheckScript, TakesDeclarationsDefinitionsAndAssertions) {
  EXPECT_TRUE(CheckScript("").ok());
  EXPECT_TRUE(CheckScript("; only a comment").ok());
  EXPECT_TRUE(CheckScript("(set-logic QF_BV) (declare-const a Bool)\n(assert a) ; end").ok());
  EXPECT_TRUE(CheckScript("(declare-const |a ) (b| Bool)(assert |a ) (b|)").ok());
  EXPECT_TRUE(CheckScript("(set-info :source \"a \"\" ) b\")").ok());
  EXPECT_TRUE(CheckScript("(define-fun f ((x Bool)) Bool (not x))(declare-fun g (Bool) Bool)").ok());
}

TEST(CheckScript, RefusesEveryOtherCommand) {
  for (const char* command :
       {"(check-sat)", "(push 1)", "(pop 1)", "(reset)", "(exit)", "(echo \"unsat\")", "(get-model)", "(include \"x\")",
        "(set-option :regular-output-channel \"x\")", "(define-fun-rec f () Bool f)", "(eval 1)", "(|assert| true)"}) {
    EXPECT_FALSE(CheckScript(command).ok()) << command;
    EXPECT_FALSE(CheckScript(absl::StrCat("(assert true)", command)).ok()) << command;
  }
  EXPECT_FALSE(CheckScript("(assert true)(set-logic QF_BV)").ok());
}

TEST(CheckScript, RefusesWhatWouldSwallowTheCommandsThatFollow) {
  for (const char* text : {"(assert true", "(assert |x)", "(set-info :a \"x)", "(assert true))", "assert", "()",
                           "((assert))", "(assert |a\\|)", "(set-info :a \"b\\\")", "(assert \x80)"}) {
    EXPECT_FALSE(CheckScript(text).ok()) << text;
  }
  EXPECT_FALSE(CheckScript(absl::string_view("(assert true)\0", 14)).ok());
}

TEST(CheckScript, NamesThePlace) {
  EXPECT_EQ(CheckScript("(assert true) (check-sat)").message(), "byte 15: command check-sat is not allowed here");
}

TEST(CheckScript, BoundsDepthAndLength) {
  constexpr int kDepth = proto::kSmtLimits.depth;
  constexpr size_t kBytes = proto::kSmtLimits.bytes;
  const auto nested = [](int depth) {
    return absl::StrCat("(assert ", std::string(depth, '('), "not true", std::string(depth, ')'), ")");
  };
  EXPECT_TRUE(CheckScript(nested(kDepth - 1)).ok());
  EXPECT_FALSE(CheckScript(nested(kDepth)).ok());
  EXPECT_TRUE(CheckScript(std::string(kBytes, ' ')).ok());
  EXPECT_FALSE(CheckScript(std::string(kBytes + 1, ' ')).ok());
}

TEST(HasLogic, SeesOnlyTheFirstCommand) {
  EXPECT_TRUE(HasLogic(" ; x\n( set-logic QF_BV)"));
  EXPECT_FALSE(HasLogic("(assert true)"));
  EXPECT_FALSE(HasLogic("; (set-logic QF_BV)\n(assert true)"));
}

TEST(IsQuotableName, RefusesBarsAndBackslashes) {
  EXPECT_TRUE(IsQuotableName("a b)"));
  EXPECT_FALSE(IsQuotableName(""));
  EXPECT_FALSE(IsQuotableName("a|b"));
  EXPECT_FALSE(IsQuotableName("a\\b"));
  EXPECT_FALSE(IsQuotableName("a\nb"));
}

TEST(LiteralToHex, ReadsAllBasesAndBooleans) {
  EXPECT_EQ(LiteralToHex("#b10110"), "16");
  EXPECT_EQ(LiteralToHex("#b1010101111001101"), "abcd");
  EXPECT_EQ(LiteralToHex("#xABcd"), "abcd");
  EXPECT_EQ(LiteralToHex("#b0"), "0");
  EXPECT_EQ(LiteralToHex("42"), "2a");
  EXPECT_EQ(LiteralToHex("18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(LiteralToHex("true"), "1");
  EXPECT_EQ(LiteralToHex("false"), "0");
  for (const char* text : {"", "#x", "#b", "#b2", "#xg", "18446744073709551616", "1.5", "(- 1)", "(_ bv1 4)"})
    EXPECT_FALSE(LiteralToHex(text)) << text;
}

TEST(ParseModel, KeepsConstantsAndSkipsFunctions) {
  const auto model = ParseModel(
      "(\n(define-fun f ((x (_ BitVec 8)) (y Bool)) (_ BitVec 8) (ite (= x #b00000001) #b00000000 #b00000010))\n"
      "(define-fun a () (_ BitVec 8) #b00101010)\n(define-fun |b c| () Bool true)\n(define-fun r () Real (/ 1 2))\n)");
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(*model, (std::map<std::string, std::string>{{"a", "2a"}, {"b c", "1"}}));
}

TEST(ParseModel, RefusesAnythingElse) {
  for (const char* text :
       {"", "sat", "(", "((define-fun a () Bool true)", "((define-fun a () Bool))", "() ()",
        "((declare-fun a () Bool))", "((define-fun a () Bool true)(define-fun a () Bool false))", "(error \"x\")"}) {
    EXPECT_FALSE(ParseModel(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace rewrought::verifier
