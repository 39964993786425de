#include "emitter/machine/pattern.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "emitter/testing/machine_rules.h"

namespace rewrought::emitter {
namespace {

TEST(ConstantsMarked, ExpressionsOverConstantsAreConstants) {
  EXPECT_EQ(WithConstantsMarked("('iand', ('ishl', 'a@32', '#b(is_ult_32)'), ('ishl@32', -1, 'b'))"),
            "('iand', ('ishl', 'a@32', '#b(is_ult_32)'), constant(('ishl@32', -1, 'b')))");
  // Only the outermost expression is marked.
  EXPECT_EQ(WithConstantsMarked("('ishl', 'a', ('iadd', 32, ('ineg', '#b')))"),
            "('ishl', 'a', constant(('iadd', 32, ('ineg', '#b'))))");
  EXPECT_EQ(WithConstantsMarked("('bcsel', 'a', ('ior', '#b', '#c'), ('iand', 'b', ('inot', 'c')))"),
            "('bcsel', 'a', constant(('ior', '#b', '#c')), constant(('iand', 'b', ('inot', 'c'))))");
}

TEST(ConstantsMarked, OtherExpressionsAreUnchanged) {
  for (const std::string search : {
           "('iadd', 'a', ('iadd', 'a', 'b'))",
           "('iadd', 'a', ('iadd', '#b', 'a'))",              // One operand is not a constant.
           "('iadd', 'a', '#b')",                             // A plain constant.
           "('iadd', 'a', ('iadd', 1, 2))",                   // No relation between constants.
           "('fadd', 'a', ('fadd', '#b', 1.0))",              // Its zeros and denormals are nondeterministic.
           "('fadd', 'a', ('fneg', '#b'))",                   // May flush denormals.
           "('iadd', 'a', ('irem', '#b', 'b'))",              // May be any value.
           "('iadd', 'a', ('ishl(is_used_once)', '#b', 3))",  // Depends on its users.
           "('fmin', 'a', ('fadd', float('inf'), '#b'))",
           "('ishl', '#a', '#b')",  // The whole expression.
       }) {
    EXPECT_EQ(WithConstantsMarked(search), search);
  }
}

TEST(ComparePattern, TextIsReadBack) {
  const v1::Pack pack = EntriesPack();
  const auto patterns = PatternsOf(pack);
  ASSERT_TRUE(patterns.ok()) << patterns.status();
  ASSERT_EQ(patterns->size(), 25u);
  for (const Pattern& pattern : *patterns) {
    EXPECT_TRUE(ComparePattern(PatternText(pattern), pattern).ok()) << PatternText(pattern);
  }
  const Pattern& sign = patterns->front();
  EXPECT_EQ(sign.condition, "!options->lower_fsign");
  EXPECT_EQ(ComparePattern(absl::StrReplaceAll(PatternText(sign), {{"!options", "options"}}), sign).message(),
            "its condition is options->lower_fsign");
  for (const std::string& text : {std::string("()"), std::string("x\ny"), PatternText((*patterns)[1]),
                                  absl::StrReplaceAll(PatternText(sign), {{"!options", "options"}}),
                                  absl::StrReplaceAll(PatternText(sign), {{", '!options->lower_fsign'", ""}}),
                                  absl::StrReplaceAll(PatternText(sign), {{"    MOV(r", "   MOV(r"}})}) {
    EXPECT_EQ(ComparePattern(text, sign).code(), absl::StatusCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace rewrought::emitter
