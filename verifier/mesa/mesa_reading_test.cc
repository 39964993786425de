#include "verifier/mesa/mesa_reading.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "ir/text/rule_text.h"
#include "verifier/case_split.h"
#include "verifier/rule_check.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

v1::Verdict VerdictOf(absl::string_view rule, RuleCheckOptions options = {}) {
  absl::StatusOr<ir::Rule> parsed = ir::ParseRule(rule);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  options.inherit_flags = false;  // these tests check the reading, not the flags of the root
  const Prover prover(SharedPool(), ProverOptions{});
  const absl::StatusOr<RuleVerdict> verdict = CheckRule(prover, *parsed, options);
  EXPECT_TRUE(verdict.ok()) << verdict.status().message();
  return verdict.ok() ? verdict->verdict : v1::VERDICT_UNSUPPORTED;
}

TEST(MesaReadingTest, OnlyTheBitsThatAreUsedMustAgree) {
  EXPECT_EQ(VerdictOf("(('iadd(only_lower_8_bits_used)', ('iand', 'a@32', 0xff), 'b'), ('iadd', 'a', 'b'))"),
            v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('iadd(only_lower_16_bits_used)', ('iand', 'a@32', 0xff), 'b'), ('iadd', 'a', 'b'))"),
            v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf("(('iadd', ('iand', 'a@32', 0xff), 'b'), ('iadd', 'a', 'b'))"), v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf("(('ushr', ('iadd(only_lower_8_bits_used)', ('iand', 'a@32', 0xff), 'b'), 24), ('ushr', ('iadd', "
                      "'a', 'b'), 24))"),
            v1::VERDICT_REFUTED)
      << "the mark of an inner node permits nothing here";
}

TEST(MesaReadingTest, FloatUsersSeeNoNanPatternsAndMayFlush) {
  EXPECT_EQ(VerdictOf("(('mov(is_only_used_as_float)', 'a@32'), ('fmul', 'a', 1.0))"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('mov', 'a@32'), ('fmul', 'a', 1.0))"), v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf("(('fadd(is_only_used_as_float)', 'a@32', 0.0), 'a')"), v1::VERDICT_REFUTED)
      << "the sign of a zero matters";
}

// The sum of -0 and +0 is +0. If another instruction reads it, the result of the rule cannot contain -0.
TEST(MesaReadingTest, OtherUsersSeeTheSignOfAnInnerZero) {
  const auto select = [](const std::string& sum) {
    return "(('bcsel', 'c@1', " + sum + ", 'b@32'), ('bcsel', 'c', 'a', 'b'))";
  };
  EXPECT_EQ(VerdictOf(select("('fadd(nsz)', 'a', 0.0)")), v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf(select("('fadd(nsz,is_used_once)', 'a', 0.0)")), v1::VERDICT_PROVED);
  RuleCheckOptions alone;
  alone.other_users = false;
  EXPECT_EQ(VerdictOf(select("('fadd(nsz)', 'a', 0.0)"), alone), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('fadd(nsz)', 'a@32', 0.0), 'a')"), v1::VERDICT_PROVED) << "the root has no other users";
  EXPECT_EQ(VerdictOf("(('fadd(nsz,is_only_used_as_float)', 'a@32', 0.0), 'a')"), v1::VERDICT_PROVED);
}

// Only the negation has other users, but its sign reveals the sign of the sum.
TEST(MesaReadingTest, AnotherUserMayRevealTheSignOfANodeBelow) {
  const std::string sum = "('fadd(nsz,is_used_once)', 'a', 0.0)", replace = "('bcsel', 'c', ('fneg', 'a'), 'b')";
  EXPECT_EQ(VerdictOf("(('bcsel', 'c@1', ('fneg', " + sum + "), 'b@32'), " + replace + ")"), v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf("(('bcsel', 'c@1', ('fneg(is_used_once)', " + sum + "), 'b@32'), " + replace + ")"),
            v1::VERDICT_PROVED);
}

// Flushes, NaN patterns, and undefined results may differ between users.
TEST(MesaReadingTest, OtherUsersRestrictOnlySigns) {
  EXPECT_EQ(VerdictOf("(('flt', ('fneg', 'a@32'), ('fneg', 'b')), ('flt', 'b', 'a'))"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('bcsel', 'c@1', ('fneg', ('fneg', 'a@32')), 'b'), ('bcsel', 'c', 'a', 'b'))"),
            v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('fneu', ('fmul(nnan)', 'a@32', 'b'), ('fmul(nnan)', 'a', 'b')), False)"), v1::VERDICT_PROVED);
}

TEST(MesaReadingTest, TheReasonNamesOtherUsers) {
  const absl::StatusOr<ir::Rule> rule =
      ir::ParseRule("(('bcsel', 'c@1', ('fadd(nsz)', 'a@32', 0.0), 'b'), ('bcsel', 'c', 'a', 'b'))");
  ASSERT_TRUE(rule.ok());
  const absl::StatusOr<RuleVerdict> verdict = CheckRule(Prover(SharedPool(), ProverOptions{}), *rule, {});
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->cases[0].result.reason, kOnlyWithOtherUsers);
}

TEST(MesaReadingTest, PackedConversionsFlushAndGiveAnyNan) {
  EXPECT_EQ(VerdictOf("(('pack_half_2x16_split', 'a', 'b'), ('ior', ('ishl', ('u2u32', ('f2f16', 'b')), 16), ('u2u32', "
                      "('f2f16', 'a'))))"),
            v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('unpack_half_2x16_split_y', 'a'), ('f2f32', ('u2u16', ('ushr', 'a', 16))))"),
            v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('unpack_half_2x16_split_y', 'a'), ('f2f32', ('u2u16', 'a')))"), v1::VERDICT_REFUTED);
}

TEST(MesaReadingTest, SignOfANanIsAnyOfFourNumbers) {
  EXPECT_EQ(VerdictOf("(('fsign', ('fneg', 'a')), ('fneg', ('fsign', 'a')))"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('feq', ('fsign', 'a'), ('fsign', 'a')), True)"), v1::VERDICT_PROVED) << "never a NaN";
  const std::string one_of_nan = "(('fsign', 'a@32'), ('bcsel', ('fneu', 'a', 'a'), %, ('fsign', 'a')))";
  for (const auto& [result, verdict] :
       std::vector<std::pair<std::string, v1::Verdict>>{{"0.0", v1::VERDICT_PROVED},
                                                        {"-0.0", v1::VERDICT_PROVED},
                                                        {"1.0", v1::VERDICT_PROVED},
                                                        {"-1.0", v1::VERDICT_PROVED},
                                                        {"0.5", v1::VERDICT_REFUTED},
                                                        {"'nan'", v1::VERDICT_REFUTED}}) {
    EXPECT_EQ(VerdictOf(absl::StrReplaceAll(one_of_nan, {{"%", result}})), verdict) << result;
  }
  EXPECT_EQ(VerdictOf("(('bcsel', ('fneu', 'a', 'a'), 0.0, ('fsign', 'a@32')), ('fsign', 'a'))"), v1::VERDICT_REFUTED)
      << "the replacement may return 1";
}

TEST(MesaReadingTest, OnlyMinusZeroLeavesSaturationAChoice) {
  EXPECT_EQ(VerdictOf("(('fsat', 'a@32'), ('bcsel', ('ieq', 'a', 0x80000000), 'a', ('fsat', 'a')))"),
            v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('fsat', 'a@32'), ('bcsel', ('ieq', 'a', 0), -0.0, ('fsat', 'a')))"), v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf("(('fsat', ('fabs', 'a')), ('fabs', ('fsat', ('fabs', 'a'))))"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('fabs', ('fsat', ('fabs', 'a'))), ('fsat', ('fabs', 'a')))"), v1::VERDICT_PROVED)
      << "fsat(+0) is +0";
  EXPECT_EQ(VerdictOf("(('fabs', ('fsat', 'a')), ('fsat', 'a'))"), v1::VERDICT_REFUTED)
      << "fsat(-0) may be either zero";
}

TEST(PreconditionTest, OpsAreAppliedToWhatTheyAreDefinedFor) {
  RuleCheckOptions defined;
  defined.index_in_range = true;
  const char* const aligned = "(('imul', ('udiv_aligned_4', 'a'), 4), 'a')";
  EXPECT_NE(VerdictOf(aligned), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf(aligned, defined), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('imul', ('udiv_aligned_4', 'a'), 2), 'a')", defined), v1::VERDICT_REFUTED);
  // A zero-extended amul does not overflow as an unsigned multiplication; any other amul does not overflow as a signed
  // one.
  const char* const widened = "(('u2u64', ('amul', 'a@32', 16)), ('ishl', ('u2u64', 'a'), 4))";
  EXPECT_NE(VerdictOf(widened), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf(widened, defined), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('i2i64', ('amul', 'a@32', 16)), ('ishl', ('i2i64', 'a'), 4))", defined), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('i2i64', ('amul', 'a@32', 16)), ('ishl', ('u2u64', 'a'), 4))", defined), v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf("(('u2u64', ('amul', 'a@32', 2)), ('ishl', ('u2u64', 'a'), 2))", defined), v1::VERDICT_REFUTED);
  // The operand of the conversion is a sum, not a product.
  EXPECT_EQ(
      VerdictOf("(('u2u64', ('iadd', 'b', ('amul', 'a@32', 16))), ('iadd', ('u2u64', 'b'), ('ishl', ('u2u64', 'a'), "
                "4)))",
                defined),
      v1::VERDICT_REFUTED);
}

TEST(PreconditionTest, SomeComponentIsANan) {
  EXPECT_EQ(VerdictOf("(('fdot2', '#a(is_any_comp_nan)', 'b'), 'nan')"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('fadd', '#a(is_any_comp_nan)', 'b'), 'nan')"), v1::VERDICT_REFUTED)
      << "another component may be the NaN";
  EXPECT_EQ(VerdictOf("(('fdot2', '#a(is_any_comp_nan)', ('vec2', 'b', 0.0)), ('fmul', 'a.x', 'b'))"),
            v1::VERDICT_REFUTED)
      << "only the second component may be a NaN";
}

TEST(PreconditionTest, IntegersBooleansAndConstants) {
  EXPECT_EQ(VerdictOf("(('ige', 'a(is_not_negative)', 'b(is_not_positive)'), True)"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('ige', 'a(is_not_positive)', 'b(is_not_negative)'), True)"), v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf("(('iand', 'a@bool32', 1.0), ('b2f', 'a'))"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('b2f16', ('inot', 'a@32')), ('b32csel', 'a', 0.0, 1.0))"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('ieq', '#a(is_not_const_zero)', 0), False)"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('ieq', 'a(is_not_const_zero)', 0), False)"), v1::VERDICT_REFUTED)
      << "a value that is not a constant may be zero";
  RuleCheckOptions in_range;
  in_range.index_in_range = true;
  EXPECT_EQ(VerdictOf("(('extract_u8', ('extract_u8', 'a', 'b'), 0), ('extract_u8', 'a', 'b'))", in_range),
            v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('extract_u8', ('extract_u8', 'a', 'b'), 0), ('extract_i8', 'a', 'b'))", in_range),
            v1::VERDICT_REFUTED);
}

TEST(PreconditionTest, FlagsOnASelectionSpeakOfItsResult) {
  EXPECT_EQ(VerdictOf("(('bcsel(nsz)', 'a', 0.0, 'b@32'), ('bcsel', 'a', -0.0, 'b'))"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('bcsel', 'a', 1.0, 'b@32'), ('bcsel', 'a', -1.0, 'b'))"), v1::VERDICT_REFUTED);
  EXPECT_EQ(VerdictOf("(('bcsel(nnan)', 'a', 'nan', 'b@32'), ('bcsel', 'a', 1.0, 'b'))"), v1::VERDICT_PROVED);
  EXPECT_EQ(VerdictOf("(('bcsel(ninf)', 'a', 'nan', 'b@32'), ('bcsel', 'a', 1.0, 'b'))"), v1::VERDICT_REFUTED);
}

TEST(CaseSplitTest, FewValuesAreTriedOneByOne) {
  const Prover prover(SharedPool(), ProverOptions{});
  const auto split = [&](absl::string_view rule, int width) {
    return ProveBySplitting(prover, WithNamedFlagsOnly(CaseOf(rule, width, ir::DenormMode::kAny))).has_value();
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
