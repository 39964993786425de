#include "verifier/mesa_reading.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"
#include "verifier/case_split.h"
#include "verifier/rule_check.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

Verdict VerdictOf(absl::string_view rule, RuleCheckOptions options = {}) {
  absl::StatusOr<ir::Rule> parsed = ir::ParseRule(rule);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  const Prover prover(SharedPool(), nullptr, ProverOptions{});
  const absl::StatusOr<RuleVerdict> verdict = CheckRule(prover, *parsed, options);
  EXPECT_TRUE(verdict.ok()) << verdict.status().message();
  return verdict.ok() ? verdict->verdict : Verdict::kUnsupported;
}

TEST(MesaReadingTest, OnlyTheBitsThatAreUsedMustAgree) {
  EXPECT_EQ(VerdictOf("(('iadd(only_lower_8_bits_used)', ('iand', 'a@32', 0xff), 'b'), ('iadd', 'a', 'b'))"),
            Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('iadd(only_lower_16_bits_used)', ('iand', 'a@32', 0xff), 'b'), ('iadd', 'a', 'b'))"),
            Verdict::kRefuted);
  EXPECT_EQ(VerdictOf("(('iadd', ('iand', 'a@32', 0xff), 'b'), ('iadd', 'a', 'b'))"), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf("(('ushr', ('iadd(only_lower_8_bits_used)', ('iand', 'a@32', 0xff), 'b'), 24), ('ushr', ('iadd', "
                      "'a', 'b'), 24))"),
            Verdict::kRefuted)
      << "an inner node's mark permits nothing here";
}

TEST(MesaReadingTest, FloatUsersSeeNoNanPatternsAndMayFlush) {
  EXPECT_EQ(VerdictOf("(('mov(is_only_used_as_float)', 'a@32'), ('fmul', 'a', 1.0))"), Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('mov', 'a@32'), ('fmul', 'a', 1.0))"), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf("(('fadd(is_only_used_as_float)', 'a@32', 0.0), 'a')"), Verdict::kRefuted)
      << "the sign of zero counts";
}

TEST(MesaReadingTest, PackedConversionsFlushAndGiveAnyNan) {
  EXPECT_EQ(VerdictOf("(('pack_half_2x16_split', 'a', 'b'), ('ior', ('ishl', ('u2u32', ('f2f16', 'b')), 16), ('u2u32', "
                      "('f2f16', 'a'))))"),
            Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('unpack_half_2x16_split_y', 'a'), ('f2f32', ('u2u16', ('ushr', 'a', 16))))"),
            Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('unpack_half_2x16_split_y', 'a'), ('f2f32', ('u2u16', 'a')))"), Verdict::kRefuted);
}

TEST(PreconditionTest, IntegersBooleansAndConstants) {
  EXPECT_EQ(VerdictOf("(('ige', 'a(is_not_negative)', 'b(is_not_positive)'), True)"), Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('ige', 'a(is_not_positive)', 'b(is_not_negative)'), True)"), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf("(('iand', 'a@bool32', 1.0), ('b2f', 'a'))"), Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('b2f16', ('inot', 'a@32')), ('b32csel', 'a', 0.0, 1.0))"), Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('ieq', '#a(is_not_const_zero)', 0), False)"), Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('ieq', 'a(is_not_const_zero)', 0), False)"), Verdict::kRefuted)
      << "what is no constant may be zero";
  RuleCheckOptions in_range;
  in_range.index_in_range = true;
  EXPECT_EQ(VerdictOf("(('extract_u8', ('extract_u8', 'a', 'b'), 0), ('extract_u8', 'a', 'b'))", in_range),
            Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('extract_u8', ('extract_u8', 'a', 'b'), 0), ('extract_i8', 'a', 'b'))", in_range),
            Verdict::kRefuted);
}

TEST(PreconditionTest, FlagsOnASelectionSpeakOfItsResult) {
  EXPECT_EQ(VerdictOf("(('bcsel(nsz)', 'a', 0.0, 'b@32'), ('bcsel', 'a', -0.0, 'b'))"), Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('bcsel', 'a', 1.0, 'b@32'), ('bcsel', 'a', -1.0, 'b'))"), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf("(('bcsel(nnan)', 'a', 'nan', 'b@32'), ('bcsel', 'a', 1.0, 'b'))"), Verdict::kProved);
  EXPECT_EQ(VerdictOf("(('bcsel(ninf)', 'a', 'nan', 'b@32'), ('bcsel', 'a', 1.0, 'b'))"), Verdict::kRefuted);
}

TEST(CaseSplitTest, FewValuesAreTriedOneByOne) {
  const Prover prover(SharedPool(), nullptr, ProverOptions{});
  const auto split = [&](absl::string_view rule, int width) {
    return ProveBySplitting(prover, CaseOf(rule, width, ir::DenormMode::kAny)).has_value();
  };
  EXPECT_TRUE(split("(('imul', 'a', '#b(is_pos_power_of_two)'), ('ishl', 'a', ('find_lsb', 'b')))", 64));
  EXPECT_TRUE(split("(('irem', 'a', '#b(is_neg_power_of_two)'), ('irem', 'a', ('iabs', 'b')))", 16));
  EXPECT_TRUE(
      split("(('bcsel', 'a@1', ('ffma', 'b', 'c', 'd'), ('ffma', 'b', 'c', 'e')), ('ffma', 'b', 'c', ('bcsel', 'a', "
            "'d', 'e')))",
            64));
  EXPECT_TRUE(split("(('i2f32', ('b2i32', 'a@32')), ('b2f32', 'a'))", 32));
  EXPECT_FALSE(split("(('imul', 'a', '#b(is_pos_power_of_two)'), ('ishl', ('ineg', 'a'), ('find_lsb', 'b')))", 32));
  EXPECT_FALSE(
      split("(('bcsel', 'a@1', ('ffma', 'b', 'c', 'd'), ('ffma', 'b', 'c', 'e')), ('ffma', 'b', 'c', ('bcsel', 'a', "
            "'e', 'd')))",
            32));
  EXPECT_TRUE(split("(('ishl', ('imul', 'a', '#b'), '#c'), ('imul', 'a', ('ishl', 'b', 'c')))", 32));
  EXPECT_FALSE(split("(('ishl', ('imul', 'a', 'b'), 'c'), ('imul', 'a', ('ushr', 'b', 'c')))", 32));
  EXPECT_FALSE(split("(('imul', 'a', 'b'), ('imul', 'b', 'a'))", 32)) << "nothing to split on";
}

}  // namespace
}  // namespace rewrought::verifier
