#include "audit/rule_reading.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"

namespace rewrought::audit {
namespace {

ir::Rule Parsed(absl::string_view text) {
  absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
  EXPECT_TRUE(rule.ok()) << text << ": " << rule.status().message();
  return rule.ok() ? *std::move(rule) : ir::Rule{};
}

TEST(ConditionTest, PartsAreThoseJoinedByAndAtTheTop) {
  EXPECT_EQ(Conjuncts(""), std::vector<std::string>{});
  EXPECT_EQ(Conjuncts("true"), std::vector<std::string>{});
  EXPECT_EQ(Conjuncts(" (a && (b || c)) && !d "), (std::vector<std::string>{"a", "b || c", "!d"}));
  EXPECT_EQ(Conjuncts("f(x && y)"), (std::vector<std::string>{"f(x && y)"}));
  EXPECT_EQ(Conjuncts("a || b && c"), (std::vector<std::string>{"a || b && c"}));
  EXPECT_EQ(Conjuncts("(a) && (b)"), (std::vector<std::string>{"a", "b"}));
}

TEST(ConditionTest, OnlyWhatCertainlyHoldsIsReliedOn) {
  const std::string loose =
      "nir_is_float_control_signed_zero_inf_nan_preserve(info->float_controls_execution_mode, 16)";
  EXPECT_EQ(ReadCondition("!" + loose).loose_sizes, std::vector<int>{16});
  EXPECT_EQ(ReadCondition("options->has_x && !" + loose).loose_sizes, std::vector<int>{16});
  EXPECT_TRUE(ReadCondition(loose).loose_sizes.empty());
  EXPECT_TRUE(ReadCondition("options->has_x || !" + loose).loose_sizes.empty());
  const std::string flush = "nir_is_denorm_flush_to_zero(m, 16)", preserve = "nir_is_denorm_preserve(m, 32)";
  const std::map<int, ir::DenormMode> flush_16 = {{16, ir::DenormMode::kFlush}};
  EXPECT_EQ(ReadCondition(flush).modes, flush_16);
  EXPECT_EQ(ReadCondition(preserve + " && " + flush).modes,
            (std::map<int, ir::DenormMode>{{16, ir::DenormMode::kFlush}, {32, ir::DenormMode::kPreserve}}));
  for (const std::string& other : {"!" + flush, flush + " == false", flush + " ? false : true", "(" + flush + ") == 0",
                                   flush + " != " + flush, std::string("nir_is_denorm_flush_to_zero(m, bits)")}) {
    EXPECT_TRUE(ReadCondition(other).modes.empty()) << other;
  }
  EXPECT_TRUE(ReadCondition("!" + loose + " == 0").loose_sizes.empty());
  EXPECT_TRUE(ReadCondition("a && nir_is_rounding_mode_rtz(m, 32)").only_toward_zero);
  EXPECT_FALSE(ReadCondition("!nir_is_rounding_mode_rtz(m, 32)").only_toward_zero);
  EXPECT_TRUE(ReadCondition("a || nir_is_denorm_preserve(m, 32)").modes.empty());
  EXPECT_TRUE(ReadCondition("options->lower_fpow").is_lowering);
  EXPECT_FALSE(ReadCondition("!options->lower_fpow").is_lowering);
}

TEST(LoosenTest, OnlyFloatsOfThoseSizes) {
  ir::Rule rule = Parsed("(('fadd@16', 'a', ('fneg', 'b')), 'a')");
  EXPECT_TRUE(LoosenFloats({16}, &rule));
  for (const ir::Node& node : rule.search.nodes) {
    if (node.kind == ir::NodeKind::kOp) {
      EXPECT_EQ(node.flags, ir::kNoSignedZero | ir::kNoNan | ir::kNoInf);
    }
  }
  rule = Parsed("(('fadd@16', 'a', ('fneg', 'b')), 'a')");
  EXPECT_FALSE(LoosenFloats({32}, &rule)) << "the condition does not apply to this size";
  rule = Parsed("(('fadd', 'a', 'b'), 'a')");
  EXPECT_FALSE(LoosenFloats({32}, &rule)) << "the rule also applies at sizes that the condition does not name";
  rule = Parsed("(('iadd@32', 'a', 'b'), 'a')");
  EXPECT_FALSE(LoosenFloats({32}, &rule));
  rule = Parsed("(('f2f16', ('fadd', 'a', 0.0)), ('f2f16', 'a'))");
  EXPECT_FALSE(LoosenFloats({16}, &rule)) << "the sum has 32 or 64 bits";
  rule = Parsed("(('flt', ('fneg', 'a@16'), 'b'), ('flt', 'b', 'a'))");
  EXPECT_TRUE(LoosenFloats({16}, &rule));
}

TEST(MediumPrecisionTest, ConversionsAreTakenOutOrWidened) {
  std::optional<ir::Rule> plain =
      WithoutMediumPrecision(Parsed("(('f2f32', ('fadd', ('f2fmp', 'a'), ('f2fmp', 'b'))), ('fadd', 'a', 'b'))"));
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(ir::PrintTerm(plain->search), "('f2f32', ('fadd', 'a', 'b'))");
  plain = WithoutMediumPrecision(Parsed("(('i2i32', ('f2imp', 'a@32')), ('f2i32', 'a'))"));
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(ir::PrintTerm(plain->search), "('i2i32', ('f2i32@32', 'a@32'))");
  EXPECT_FALSE(WithoutMediumPrecision(Parsed("(('f2f32', ('f2f16', 'a@32')), 'a')")).has_value());
}

TEST(TodaysOpsTest, ConversionsToBooleansAreComparisons) {
  EXPECT_EQ(WithTodaysOps("(('i2b', ('ineg', 'a')), ('i2b', 'a'))"), "(('ine', ('ineg', 'a'), 0), ('ine', 'a', 0))");
  EXPECT_EQ(WithTodaysOps("(('i2b1(is_used_by_if)', 'a'), b)"), "(('ine(is_used_by_if)', 'a', 0), b)");
  EXPECT_EQ(WithTodaysOps("(('f2b32', 'a'), b)"), "(('fneu32', 'a', 0.0), b)");
  EXPECT_EQ(WithTodaysOps("(('iadd', 'i2b', 'a'), b)"), "(('iadd', 'i2b', 'a'), b)");
  EXPECT_EQ(WithTodaysOps("(('f2bf', 'a'), b)"), "(('f2bf', 'a'), b)");
  EXPECT_EQ(WithTodaysOps("(('i2b', ('i2b', 'a')), b)"), "(('ine', ('ine', 'a', 0), 0), b)");
}

TEST(TodaysOpsTest, ClampsHaveTheirNamesOfToday) {
  EXPECT_EQ(WithTodaysOps("(('fmax', 'a', 0.0), ('fclamp_pos_mali', 'a'))"),
            "(('fmax', 'a', 0.0), ('fclamp_pos', 'a'))");
  EXPECT_EQ(WithTodaysOps("(('fsat_signed_mali(is_used_once)', 'a'), 'a')"),
            "(('fsat_signed(is_used_once)', 'a'), 'a')");
}

TEST(SizesTest, ATreeMayFixWhatOursLeavesOpen) {
  ir::Rule rule = Parsed("(('pack_unorm_2x16', 'v'), ('pack_uvec2_to_uint', ('f2u32', 'v')))");
  EXPECT_FALSE(FixSourceSizes({{"f2u32", {0}}, {"fsin", {32}}}, &rule));
  EXPECT_TRUE(FixSourceSizes({{"pack_unorm_2x16", {32}}}, &rule));
  EXPECT_EQ(ir::PrintTerm(rule.search), "('pack_unorm_2x16', 'v@32')");
  EXPECT_FALSE(FixSourceSizes({{"pack_unorm_2x16", {32}}}, &rule)) << "the size is already fixed";
}

TEST(PredicateTest, OnlyTheFirstUseIsLookedAt) {
  std::vector<std::string> dropped;
  EXPECT_EQ(WithoutLaterPredicates("(('fadd', 'x', ('fmul', 'x(is_not_negative)', 'y(is_finite)')), 'x')", &dropped),
            "(('fadd', 'x', ('fmul', 'x', 'y(is_finite)')), 'x')");
  EXPECT_EQ(dropped, std::vector<std::string>{"x"});
  dropped.clear();
  const std::string first = "(('fadd', 'x(is_not_negative)', 'x'), 'x')";
  EXPECT_EQ(WithoutLaterPredicates(first, &dropped), first);
  EXPECT_TRUE(dropped.empty());
}

TEST(PredicateTest, UnknownOnesSayNothing) {
  std::vector<std::string> dropped;
  EXPECT_EQ(WithoutUnknownPredicates("(('fmul(is_nice,nsz)', 'a(is_good)', 'b(is_finite)'), 'a')", &dropped),
            "(('fmul(nsz)', 'a', 'b(is_finite)'), 'a')");
  EXPECT_EQ(dropped, (std::vector<std::string>{"is_nice", "is_good"}));
}

TEST(SizesTest, SearchesWithoutSizesMatchNothing) {
  EXPECT_TRUE(MatchesNothing("('ineg', ('b2i64', 'a@64'))"));
  EXPECT_FALSE(MatchesNothing("('ineg', ('b2i64', 'a'))"));
  EXPECT_FALSE(MatchesNothing("('no_such_op', 'a')"));
}

TEST(RuleReadingTest, DeepAndLongTextIsNotLookedInto) {
  std::string nested = "x";
  for (int i = 0; i < 20'000; ++i) nested = absl::StrCat("(", nested, ") && y");
  EXPECT_EQ(Conjuncts(nested), std::vector<std::string>{nested});
  std::string casts;
  for (int i = 0; i < 100'000; ++i) casts += "('i2b', ";
  EXPECT_EQ(WithTodaysOps(casts), casts);
  EXPECT_EQ(Conjuncts("((a) && ((b) && c))").size(), 3u);
}

}  // namespace
}  // namespace rewrought::audit
