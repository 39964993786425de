#include "emitter/nir/nir_text.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::emitter {
namespace {

const NirTarget& k25 = **FindNirTarget("mesa-25.0");
const NirTarget& k22 = **FindNirTarget("mesa-22.3");

ir::Term Term(const std::string& text) {
  const auto term = ir::ParseTerm(text);
  EXPECT_TRUE(term.ok()) << text << ": " << term.status();
  return *term;
}

// Returns the text with open sizes, or the error.
std::string Text(const std::string& text, NirSide side = NirSide::kSearch, const NirTarget& target = k25) {
  const auto spelled = NirText(Term(text), side, target, nullptr);
  return spelled.ok() ? *spelled : std::string(spelled.status().message());
}

// Returns the text of the search side with all sizes pinned to the assignment of `width`.
std::string Pinned(const std::string& rule_text, int width) {
  const auto rule = ir::ParseRule(rule_text);
  EXPECT_TRUE(rule.ok()) << rule.status();
  const auto all = ir::EnumerateSizes(*rule);
  EXPECT_TRUE(all.ok()) << all.status();
  for (const ir::SizeAssignment& sizes : *all) {
    if (sizes.width != width) continue;
    const auto text = NirText(rule->search, NirSide::kSearch, k25, &sizes.search_bits);
    return text.ok() ? *text : std::string(text.status().message());
  }
  return "no such width";
}

std::string SearchError(const std::string& text, bool inexact = false) {
  return std::string(CheckNirSearch(Term(text), inexact).message());
}

TEST(NirText, SaysTheSearchOfARule) {
  EXPECT_EQ(Text("('fadd(nsz)', 'a(is_not_zero)', ('fneg', '#b'))"), "('fadd(nsz)', 'a(is_not_zero)', ('fneg', '#b'))");
  EXPECT_EQ(Text("('!fadd@32', 'a@32', 1.5)"), "('!fadd@32', 'a@32', 1.5)");
}

TEST(NirText, MarksOfVariablesBelongInTheSearchOnly) {
  EXPECT_EQ(Text("('fmul', 'a(is_finite)', '#b')", NirSide::kReplace), "('fmul', 'a', 'b')");
}

TEST(NirText, SizesArePinnedWhereMesaCannotInferThem) {
  EXPECT_EQ(Pinned("(('iand', 'a', 'a'), 'a')", 16), "('iand', 'a@16', 'a')");
  EXPECT_EQ(Pinned("(('i2f', 'a@16'), ('i2f', 'a'))", 16).substr(0, 5), "('i2f");
}

TEST(NirText, FloatsAreTheShortestThatReadBack) {
  EXPECT_EQ(Text("('fadd', 'a', 0.1)"), "('fadd', 'a', 0.1)");
  EXPECT_EQ(Text("('fadd', 'a', 1e30)"), "('fadd', 'a', 1e+30)");
  EXPECT_EQ(Text("('fadd', 'a', 2.0)"), "('fadd', 'a', 2.0)");
}

TEST(NirText, SwizzlesBelongInReplacements) {
  EXPECT_EQ(Text("('fadd', 'a.y', 'b')"), "Mesa's matcher ignores a swizzle in the search side");
  EXPECT_EQ(Text("('fadd', 'a.y', 'b')", NirSide::kReplace).substr(0, 12), "('fadd', 'a.");
}

TEST(NirText, TargetsLackOpsPredicatesAndFlags) {
  EXPECT_EQ(Text("('fgeu', 'a', 'b')", NirSide::kSearch, k22), "mesa-22.3 has no op fgeu");
  EXPECT_EQ(Text("('imul', '#a(is_odd)', 'b')", NirSide::kSearch, k22), "mesa-22.3 has no predicate is_odd");
  EXPECT_EQ(Text("('fadd(nsz)', 'a', 'b')", NirSide::kSearch, k22), "mesa-22.3 has no mark nsz");
}

TEST(CheckNirSearch, ExactnessFitsTheClass) {
  EXPECT_EQ(SearchError("('fadd', 'a', 'b')"), "");
  EXPECT_EQ(SearchError("('~fadd', 'a', 'b')"), "`~` is allowed in inexact rules only; this rule is strict");
  EXPECT_EQ(SearchError("('~fadd', 'a', 'b')", true), "");
  EXPECT_EQ(SearchError("('fadd', 'a', 'b')", true),
            "an inexact rule must contain `~`, or it would change exact values");
  EXPECT_EQ(SearchError("'a'"), "the search side is not an op");
}

TEST(CheckNirSearch, EightCommutativeOpsWithoutAWord) {
  std::string text = "'a'";
  for (int i = 0; i < kMaxCommutativeOps; ++i) text = absl::StrCat("('iadd', ", text, ", 'b')");
  EXPECT_EQ(SearchError(text), "");
  EXPECT_EQ(SearchError(absl::StrCat("('iadd', ", text, ", 'b')")),
            "more than 8 commutative ops without many-comm-expr");
  EXPECT_EQ(SearchError(absl::StrCat("('iadd(many-comm-expr)', ", text, ", 'b')")), "");
  EXPECT_EQ(SearchError("('iadd(many-comm-expr)', 'a', 'b')"), "many-comm-expr with 8 commutative ops or fewer");
}

TEST(HasZeroLiteral, OfAFloat) {
  EXPECT_TRUE(HasZeroLiteral(Term("('fadd', 'a', 0.0)")));
  EXPECT_TRUE(HasZeroLiteral(Term("('fadd', 'a', -0.0)")));
  EXPECT_FALSE(HasZeroLiteral(Term("('iadd', 'a', 0)")));
  EXPECT_FALSE(HasZeroLiteral(Term("('fadd', 'a', 1.0)")));
}

TEST(LiteralsFit, ChecksExactnessAtSize) {
  const ir::Term tenth = Term("('fadd', 'a', 0.1)"), half = Term("('fadd', 'a', 0.5)");
  EXPECT_TRUE(LiteralsFit(half, std::vector<uint8_t>(half.nodes.size(), 16)));
  EXPECT_TRUE(LiteralsFit(tenth, std::vector<uint8_t>(tenth.nodes.size(), 64)));
  EXPECT_FALSE(LiteralsFit(tenth, std::vector<uint8_t>(tenth.nodes.size(), 32)));
}

}  // namespace
}  // namespace rewrought::emitter
