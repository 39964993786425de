#include "verifier/mesa/nir26.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/text/rule_text.h"
#include "verifier/rule_check.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

using ir::DenormMode;
using ir::Dialect;

// Returns "proved", "refuted", "error", or "undecided".
std::string VerdictIn(Dialect dialect, DenormMode mode, absl::string_view rule) {
  const bool is_26 = dialect == Dialect::kNir26;
  const absl::StatusOr<ir::Rule> parsed = ir::ParseRule(rule, 1, nullptr, is_26 ? &ir::FindOpIn26 : &ir::FindOp);
  if (!parsed.ok()) return "error";
  RuleCheckOptions options;
  options.dialect = dialect;
  options.modes = {mode};
  const Prover prover(SharedPool(), ProverOptions{});
  const absl::StatusOr<RuleVerdict> verdict = CheckRule(prover, *parsed, options);
  if (!verdict.ok()) return "error";
  if (verdict->verdict == v1::VERDICT_PROVED) return "proved";
  if (verdict->verdict == v1::VERDICT_REFUTED) return "refuted";
  return "undecided";
}

struct Difference {
  const char* rule;
  const char* in_25;
  const char* in_26;
  DenormMode mode = DenormMode::kAny;
};

// Rules and their verdicts in both dialects, each with the reason for a difference. Mesa's behavior is described in
// docs/nir26.md.
const std::vector<Difference>& Differences() {
  static const auto& rows = *new std::vector<Difference>{
      // The matcher compares an integer literal modulo 2, but builds True for each integer except 0.
      {"(('ixor', 'a@1', -2), 'a')", "proved", "proved"},
      {"(('ixor', 'a@1', 0), ('ixor', 'a', -2))", "refuted", "refuted"},
      {"(('iand', ('iadd', 'a@1(is_unsigned_multiple_of_2)', 'b'), -2), ('iadd', ('iand', 'b', -2), 'a'))", "refuted",
       "refuted"},
      // 0.0 and -0.0 are different patterns.
      {"(('fadd@32', 'a', -0.0), 'a')", "refuted", "proved"},
      {"(('fadd@32', 'a', -0.0), 'a')", "refuted", "refuted", DenormMode::kFlush},
      // nsz applies to operands.
      {"(('frcp@32(nsz)', ('fabs', 'a(is_not_negative)')), ('frcp', 'a'))", "refuted", "proved"},
      // A select of floats is a float operation, which flushes.
      {"(('b32fcsel_mdg', 'a@32', 'b@32', 'b'), 'b')", "proved", "refuted", DenormMode::kFlush},
      // A predicate of one component restricts no other component. It restricts nothing if a reader does not read the
      // component.
      {"(('fdot2@32', 'a(y_is_zero)', 'b(is_finite)'), ('fmul', 'a.x', 'b.x'))", "error", "refuted"},
      {"(('fdot2@32(nsz,nnan,ninf)', '#a(y_is_zero)', 'b'), ('fmul', 'a.x', 'b.x'))", "error", "proved",
       DenormMode::kPreserve},
      {"(('fadd@32(nsz)', '#a(x_is_zero)', 'b'), ('fcanonicalize', 'b'))", "error", "refuted"},
      {"(('iand', ('ball_fequal2', 'a@32(z_is_zero)', 'b'), ('ball_fequal3', 'a', 'c')), ('iand', ('iand', ('feq', "
       "'a.x', 'b.x'), ('feq', 'a.y', 'b.y')), ('iand', ('iand', ('feq', 'a.x', 'c.x'), ('feq', 'a.y', 'c.y')), "
       "('feq', 'c.z', 0.0))))",
       "error", "refuted", DenormMode::kPreserve},
      // A select carries no flags.
      {"(('bcsel(nsz)', ('feq', 'a@32', 0.0), 0.0, 'a'), 'a')", "proved", "refuted"},
      // No matched instruction preserves the sign of zero.
      {"(('iand', ('ineg', ('b2i32', 'a@1')), 0x3f800000), ('b2f32(preserve_sz)', 'a'))", "error", "proved"},
      {"(('iand', ('ineg', ('b2i32', 'a@1')), 0x3f800000), ('b2f32', 'a'))", "refuted", "refuted"},
      // The replacement has the union of the preserve bits.
      {"(('fmul@32(nsz)', ('frcp', ('fadd', 'a', 'b')), 'c'), ('fmul', ('frcp', ('fadd', 'b', 'a')), 'c'))", "refuted",
       "undecided"},
      // A predicate says nothing about NaN to a reader that need not preserve NaN.
      {"(('ior', ('flt', 'a@32(is_a_number)', 'b@32'), ('fneu', 'a', 'a')), ('!flt', 'a', 'b'))", "proved", "refuted"},
      // fcsel reads its operands as floats, so the predicate does not exclude NaN.
      {"(('ior', ('ieq', ('fcsel', 'c@32', 'a@32(is_a_number)', 1.0), 5), ('ult', 0x7f800000, ('iand', 'a', "
       "0x7fffffff))), "
       "('ieq', ('fcsel', 'c', 'a', 1.0), 5))",
       "refuted", "refuted", DenormMode::kPreserve},
      {"(('ior', ('flt(nnan)', 'a@32(is_a_number)', 'b@32'), ('fneu(nnan)', 'a', 'a')), ('flt', 'a', 'b'))", "refuted",
       "proved"},
      // fneg flushes.
      {"(('fneg', ('fneg', 'a@32')), 'a')", "proved", "refuted", DenormMode::kFlush},
      {"(('fneg', ('fneg', 'a@32')), ('fcanonicalize', 'a'))", "error", "proved", DenormMode::kFlush},
      // fsat(-0) is +0.
      {"(('fmin', ('fmax', 'a@32', 0.0), 1.0), ('fsat', 'a'))", "refuted", "proved"},
      // A product with a zero factor is +0.
      {"(('bcsel', ('feq', ('fmin', ('fabs', 'a@32'), ('fabs', 'b@32')), 0.0), 0.0, ('fmul', 'a', 'b')), "
       "('fmulz(preserve_sz)', 'a', 'b'))",
       "error", "undecided", DenormMode::kPreserve},
      // A predicate applies at every use of a variable, not only at the first.
      {"(('ige', ('iand', 'a@32', 'b'), '#b(is_pos_power_of_two)'), ('ine', ('iand', 'a', 'b'), 0))", "error",
       "proved"},
      // A value that is not zero is not a denormal.
      {"(('fneu', 'a@32(is_not_zero)', 0.0), True)", "refuted", "proved", DenormMode::kFlush},
      // A constant that is not zero may be a denormal, or a small integer.
      {"(('ult', '#a@32(is_not_const_zero)', 5), False)", "refuted", "refuted"},
      {"(('ult', '#a@32(is_not_const_zero)', 1), False)", "proved", "proved"},
      {"(('fneu', '#a@32(is_not_const_zero)', 0.0), True)", "refuted", "refuted", DenormMode::kFlush},
      {"(('fneu', '#a@32(is_not_const_zero)', 0.0), True)", "proved", "proved", DenormMode::kPreserve},
      // The addend of a dot product is unsigned, so the top bit counts as a positive power of two.
      {"(('ilt', ('udot_4x8_uadd_sat', 0, 0, '#a@32(is_pos_power_of_two)'), 0), False)", "proved", "refuted"},
      // To the range analysis, the operands that fcsel copies are floats, so "not positive" admits -1.0.
      {"(('fcsel', 'b@32', '#a@32(is_not_positive)', 'a'), ('ineg', ('iand', 'a', 1)))", "refuted", "refuted"},
      // Variables have no types.
      {"(('iadd', 'a@int', 0), 'a')", "proved", "error"},
      // INT_MIN / -1 is 0.
      {"(('idiv', 'a@32', -1), ('ineg', 'a'))", "proved", "refuted"},
      // f2u of a negative operand is poison, and so is f2i of an operand below the smallest integer, even if truncation
      // makes the operand fit.
      {"(('bcsel', ('ieq', 'a@32', 0xbf000000), 0, 'b@32'), ('bcsel', ('ieq', 'a', 0xbf000000), ('!f2u32', 'a'), 'b'))",
       "proved", "refuted", DenormMode::kPreserve},
      {"(('bcsel', ('ieq', 'a@32', 0xc3008000), -128, 'b@8'), ('bcsel', ('ieq', 'a', 0xc3008000), ('!f2i8', 'a'), "
       "'b'))",
       "proved", "refuted", DenormMode::kPreserve},
      {"(('bcsel', ('ieq', 'a@32', 0xc3000000), -128, 'b@8'), ('bcsel', ('ieq', 'a', 0xc3000000), ('!f2i8', 'a'), "
       "'b'))",
       "proved", "proved", DenormMode::kPreserve},
      // pack_uvec4_to_uint reads the low byte of each component.
      {"(('pack_uvec4_to_uint', 'a'), ('pack_uvec4_to_uint', ('iand', 'a', 255)))", "refuted", "proved"},
      // Conversions may saturate.
      {"(('f2u32', ('fmax', 'a@32', 0.0)), ('f2u32_sat', 'a'))", "error", "proved"},
      {"(('f2u32_sat', 'a@32'), ('f2u32', 'a'))", "error", "refuted"},
      // fmad rounds its product.
      {"(('fadd@32', ('fmul', 'a', 'b'), 'c'), ('fmad', 'a', 'b', 'c'))", "error", "proved", DenormMode::kPreserve},
      {"(('fmad@32', 'a', 'b', 'c'), ('ffma', 'a', 'b', 'c'))", "error", "refuted"},
      // ffma_weak may be fused or not.
      {"(('ffma_weak@32', 'a', 'b', 'c'), ('ffma', 'a', 'b', 'c'))", "error", "proved"},
      {"(('ffma_weak@32', 'a', 'b', 'c'), ('fadd', ('fmul', 'a', 'b'), 'c'))", "error", "proved"},
      {"(('ffma_weak@32', 'a', 'b', 'c'), ('fadd', ('fmul', 'a', 'b'), 'c'))", "error", "proved", DenormMode::kFlush},
      {"(('ffma_weak@32', 'a', 'b', 'c'), ('ffma_weak', 'b', 'a', 'c'))", "error", "proved", DenormMode::kPreserve},
      {"(('ffma@32', 'a', 'b', 'c'), ('ffma_weak', 'a', 'b', 'c'))", "error", "refuted"},
      {"(('fadd@32', ('fmul', 'a', 'b'), 'c'), ('ffma_weak', 'a', 'b', 'c'))", "error", "refuted"},
      {"(('ffma_weak@32', 'a', 'b', 0.0), ('fmulz', 'a', 'b'))", "error", "refuted"},
      {"(('fneg', ('fadd@32', ('ffma_weak', 'a', 'b', 'c'), ('ffma_weak', 'd', 'e', 'f'))), "
       "('fneg', ('fadd', ('ffma', 'a', 'b', 'c'), ('ffma', 'd', 'e', 'f'))))",
       "error", "undecided", DenormMode::kPreserve},
      // A NaN of a small format may be any NaN, unless the rule reads it as bits.
      {"(('f2e4m3fn_sat', ('bcsel', ('feq', ('fabs', 'a'), 'inf'), '#b(is_nan)', 'a')), ('f2e4m3fn_satfn', 'a'))",
       "error", "proved"},
      {"(('f2e4m3fn_sat', 'a'), ('f2e4m3fn_satfn', 'a'))", "error", "refuted"},
      {"(('f2e4m3fn', 'a'), ('f2e4m3fn_sat', 'a'))", "error", "refuted"},
      {"(('bcsel', ('fneu', 'a@32', 'a'), ('f2e4m3fn_sat', 'a'), 0), ('bcsel', ('fneu', 'a', 'a'), 0x7f, 0))", "error",
       "proved", DenormMode::kPreserve},
      {"(('bcsel@8', ('fneu', 'a@32', 'a'), 0x7f, 0), ('bcsel', ('fneu', 'a', 'a'), ('f2e4m3fn_sat', 'a'), 0))",
       "error", "refuted", DenormMode::kPreserve},
      // A result that is an infinity or a NaN may be any value if the instruction need not preserve it.
      {"(('f2bf(ninf,nnan)', 'a'), ('bcsel', ('flt', ('fabs', 'a'), 3e38), ('f2bf', 'a'), 0))", "error", "refuted"},
      {"(('f2bf(nsz)', 'a'), ('bcsel', ('feq', 'a', 0.0), 0, ('f2bf', 'a')))", "error", "proved",
       DenormMode::kPreserve},
      {"(('f2bf', 'a'), ('bcsel', ('feq', 'a', 0.0), 0, ('f2bf', 'a')))", "error", "refuted", DenormMode::kPreserve},
      {"(('f2bf', ('bf2f', 'a')), 'a')", "error", "proved", DenormMode::kPreserve},
      {"(('f2bf', ('bf2f', 'a')), 'a')", "error", "refuted", DenormMode::kFlush},
      {"(('bf2f', 'a'), ('pack_32_2x16_split', 0, 'a'))", "error", "proved"},
      {"(('bf2f', 'a'), ('pack_32_2x16_split', 0, 'a'))", "error", "refuted", DenormMode::kFlush},
      // f2bf rounds to nearest.
      {"(('f2bf', 'a'), ('bcsel', ('fneu(preserve_nan_inf)', 'a', 'a'), -1, ('unpack_32_2x16_split_y', 'a')))", "error",
       "refuted"},
      // The bitfield ops have all sizes.
      {"(('ubitfield_extract', 'value@16', 'offset', 'bits'), ('iand', ('ushr', 'value', 'offset'), "
       "('bcsel', ('ieq', 'bits', 16), -1, ('isub', ('ishl', 1, 'bits'), 1))))",
       "error", "proved"},
      {"(('bitfield_insert', 'base@8', 'insert', 0, 8), 'insert')", "error", "proved"},
      {"(('bitfield_insert', 'base@8', 'insert', 1, 8), 'insert')", "error", "refuted"},
      {"(('bitfield_insert', 'base@64', 'insert', 32, 32), ('pack_64_2x32_split', ('unpack_64_2x32_split_x', 'base'), "
       "('unpack_64_2x32_split_x', 'insert')))",
       "error", "proved"},
      {"(('bitfield_reverse@16', ('bitfield_reverse', 'a')), 'a')", "error", "proved"},
      // Approximate functions are unknown functions.
      {"(('fneg', ('fsin_normalized_2_pi@32', 'a')), ('fsin_normalized_2_pi', ('fneg', 'a')))", "error", "undecided"},
  };
  return rows;
}

// Returns the assumptions of the verdict on `rule` if range analysis is trusted, and whether `rule` is proved without
// this trust.
std::pair<std::vector<std::string>, bool> TrustOf(Dialect dialect, absl::string_view rule) {
  RuleCheckOptions options;
  options.dialect = dialect;
  options.modes = {DenormMode::kPreserve};
  const Prover prover(SharedPool(), ProverOptions{});
  const absl::StatusOr<ir::Rule> parsed = ir::ParseRule(rule, 1);
  const absl::StatusOr<RuleVerdict> trusting = CheckRule(prover, *parsed, options);
  EXPECT_EQ(trusting->verdict, v1::VERDICT_PROVED) << rule;
  options.trusts_ranges = false;
  return {trusting->assumes, CheckRule(prover, *parsed, options)->verdict == v1::VERDICT_PROVED};
}

// In a 64-bit vector, a signaling NaN makes the analysis of Mesa 25 forget the signs of other components.
TEST(Dialects, SignsOf64BitConstantsRestOnTheRangeAnalysisOfMesa25) {
  const std::vector<std::string> none, not_negative = {"Mesa's range analysis is right that a is_not_negative"};
  const auto rule = [](int bits, absl::string_view predicate) {
    return absl::StrCat("(('flt', '#a@", bits, "(", predicate, ")', 0.0), False)");
  };
  EXPECT_EQ(TrustOf(Dialect::kNir25, rule(64, "is_not_negative")), std::pair(not_negative, false));
  EXPECT_EQ(TrustOf(Dialect::kNir25, rule(32, "is_not_negative")), std::pair(none, true));
  EXPECT_EQ(TrustOf(Dialect::kNir25, rule(64, "is_a_number_not_negative")), std::pair(none, true));
  EXPECT_EQ(TrustOf(Dialect::kNir26, rule(64, "is_a_number_not_negative")), std::pair(none, true));
  // For this predicate, Mesa 26 analyzes values; in Mesa 25, only constants satisfied it.
  EXPECT_EQ(TrustOf(Dialect::kNir26, "(('iand', 'a@32(is_unsigned_multiple_of_4)', 3), 0)").first.size(), 1u);
}

TEST(Dialects, RulesHaveTheVerdictsOfEachDialect) {
  for (const Difference& row : Differences()) {
    EXPECT_EQ(VerdictIn(Dialect::kNir25, row.mode, row.rule), row.in_25) << row.rule;
    EXPECT_EQ(VerdictIn(Dialect::kNir26, row.mode, row.rule), row.in_26) << row.rule;
  }
}

TEST(Dialects, ErrorsNameTheWordAndTheRemedy) {
  RuleCheckOptions options;
  const Prover prover(SharedPool(), ProverOptions{});
  const auto message = [&](absl::string_view rule) {
    return std::string(CheckRule(prover, *ir::ParseRule(rule), options).status().message());
  };
  EXPECT_EQ(message("(('fadd(contract)', 'a', 'b'), ('fadd', 'b', 'a'))"),
            "contract exists only in Mesa 26; use --dialect nir-26");
  options.dialect = Dialect::kNir26;
  EXPECT_EQ(message("(('fadd', 'a(is_ge_zero)', 'b'), ('fadd', 'b', 'a'))"),
            "is_ge_zero does not exist in Mesa 26; --dialect nir-25 reads rules of earlier versions");
}

// `~` applies to all nodes below, and has no effect on ops that cannot be exact.
TEST(Nir26, OnlySomeOpsCanRequireAnInexactInstruction) {
  for (const auto& [search, requires_inexact] :
       std::vector<std::pair<const char*, bool>>{{"('~fadd', a, b)", true},
                                                 {"('fneg', ('~fadd', a, b))", true},
                                                 {"('~bcsel', ('flt', a, b), a, b)", false},
                                                 {"('~bcsel', ('flt', ('fneg', a), b), a, b)", true},
                                                 {"('bcsel', ('~flt', a, b), ('fneg', a), b)", false},
                                                 {"('~iadd', ('imul', a, b), c)", false}}) {
    const absl::StatusOr<ir::Rule> rule = ir::ParseRule(absl::StrCat("(", search, ", a)"), 1, nullptr, &ir::FindOpIn26);
    ASSERT_TRUE(rule.ok()) << search;
    EXPECT_EQ(RequiresInexactIn26(rule->search), requires_inexact) << search;
  }
}

// The operands of the select are used once each, so neither c nor d can be the result of one of them.
TEST(Nir26, SelectionsBetweenResultsAreDecided) {
  for (const char* op : {"fadd@16", "fmul@16", "fmin@16", "fmul@32"}) {
    const std::string once = absl::StrCat("('", op, "(is_used_once)', 'b', ");
    const std::string name = std::string(op).substr(0, 4);
    EXPECT_EQ(VerdictIn(Dialect::kNir26, DenormMode::kAny,
                        absl::StrCat("(('bcsel', 'a', ", once, "'c'), ", once, "'d')), ('", name,
                                     "', 'b', ('bcsel', 'a', 'c', 'd')))")),
              "proved")
        << op;
  }
}

}  // namespace
}  // namespace rewrought::verifier
