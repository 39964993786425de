#include "ir/text/display.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/text/canonical.h"
#include "ir/text/generic_ops.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {
namespace {

std::string Displayed(absl::string_view text) {
  const absl::StatusOr<Rule> rule = ParseRule(text);
  return rule.ok() ? DisplayRule(*rule) : std::string(rule.status().message());
}

std::vector<std::string> Says(const Rule& rule) {
  std::vector<std::string> says;
  const absl::StatusOr<std::vector<SizeAssignment>> sizes = EnumerateSizes(rule);
  if (!sizes.ok()) return {std::string(sizes.status().message())};
  for (const SizeAssignment& one : *sizes) {
    const absl::StatusOr<Rule> at = Instantiate(rule, one);
    says.push_back(at.ok() ? absl::StrCat(CanonicalText(CanonicalRule(*at).search), " -> ",
                                          CanonicalText(CanonicalRule(*at).replace))
                           : std::string(at.status().message()));
  }
  return says;
}

TEST(Display, WritesWhatPeopleWrite) {
  const std::pair<const char*, const char*> forms[] = {
      {"(('fmul@32', 'a@32', 0x3f800000@32), 'a@32')", "(('fmul', 'a@32', 1.0), 'a')"},
      {"(('fadd@32', 'a@32', 'b@32'), ('fadd@32', 'b@32', 'a@32'))", "(('fadd', 'a@32', 'b'), ('fadd', 'b', 'a'))"},
      {"(('fmul@32', 'a@32', 0x3dcccccd@32), 0xbf000000@32)", "(('fmul', 'a@32', 0.1), -0.5)"},
      {"(('fmul@16', 'a@16', 0x7bff@16), 'inf')", "(('fmul', 'a@16', 65504.0), 'inf')"},
      {"(('iand@32', 'a@32', 0x7fffffff@32), 'a@32')", "(('iand', 'a@32', 0x7fffffff), 'a')"},
      {"(('iand@32', 'a@32', 0x000000ff@32), 'a@32')", "(('iand', 'a@32', 0xff), 'a')"},
      {"(('iadd@32', 'a@32', 0xffffffff@32), 0x0000ffff@32)", "(('iadd', 'a@32', -1), 65535)"},
      {"(('iand@1', 'a@1', 0x1@1), 'a@1')", "(('iand', 'a', True), 'a')"},
      // Only the replacement implies the size of `a`, but Mesa's generator infers sizes from the search alone.
      {"(('ieq@1', ('b2i32', 'a@1'), 0x00000000@32), ('inot@1', 'a@1'))",
       "(('ieq', ('b2i32', 'a@1'), 0), ('inot', 'a'))"},
      {"(('flt@1', 'a@32', 0x40000000@32), ('inot@1', ('fge@1', 'a@32', 0x40000000@32)))",
       "(('flt', 'a@32', 2.0), ('inot', ('fge', 'a', 2.0)))"},
      // No op determines this pattern's type, but it is recognizable as a float.
      {"(('bcsel@32', 'c@1', 0x3f800000@32, 0x00000000@32), ('bcsel@32', 'c@1', 0x3f800000@32, 0x00000000@32))",
       "(('bcsel@32', 'c', 1.0, 0), ('bcsel', 'c', 1.0, 0.0))"},
      {"(('bcsel@32', 'c@1', 0x00000005@32, 0x00000000@32), 0x00000001@32)", "(('bcsel@32', 'c', 5, 0), 1)"},
      // These rules contain a zero that matches only one sign, a NaN with a payload, and an infinity.
      {"(('fadd@32', 'a@32', 0x80000000@32), 0x80000000@32)", "(('fadd', 'a@32', 0x80000000), -0.0)"},
      {"(('fadd@32', 'a@32', 0x00000000@32), 0x7fc00001@32)", "(('fadd', 'a@32', 0), 0x7fc00001)"},
      {"(('fmax@32', 'a@32', 0xff800000@32), 0x00000000@32)", "(('fmax', 'a@32', '-inf'), 0.0)"},
      // Sizes that nothing implies are kept, and open sizes stay open.
      {"(('fadd@32', a, b), ('fadd', b, a))", "(('fadd@32', 'a', 'b'), ('fadd', 'b', 'a'))"},
      {"(('iadd', a, 0x7fffffff), ('iadd', a, 3000000000), 'options->x')",
       "(('iadd', 'a', 0x7fffffff), ('iadd', 'a', 0xb2d05e00), 'options->x')"},
      {"(('u2u32@32', 'a@8'), ('u2u32@32', 'a@8'))", "(('u2u32', 'a@8'), ('u2u32', 'a'))"},
      {"(('fadd@32x2', 'a@32x2', '0x3f800000,0x3f800000@32x2'), 'a@32x2')", "(('fadd@32x2', 'a', 1.0), 'a')"},
  };
  for (const auto& [text, shown] : forms) EXPECT_EQ(Displayed(text), shown) << text;
}

TEST(Display, IsReadAndShownTheSame) {
  for (const char* text :
       {"(('fmul', 'a@32', 1e-30), ('fmul', 1.7976931348623157e308, 'a'))", "(('ior', 'a', -2147483648), 0x80000000)",
        "(('fadd', 'a', 0.0), ('fadd', -0.0, 'a'))", "(('fmul', 'a', 100000.0), 123456789.0)"}) {
    const std::string once = Displayed(text);
    EXPECT_EQ(Displayed(once), once);
  }
}

TEST(Display, ShowsTermsAndStoredTexts) {
  EXPECT_EQ(DisplayTerm(*ParseTerm("('fadd@32', 'a@32', 0x3f800000@32)")), "('fadd', 'a@32', 1.0)");
  EXPECT_EQ(DisplayTerm(*ParseTerm("0x3f800000@32")), "1.0@32");
  EXPECT_EQ(DisplayTerm(*ParseTerm("'a@32'")), "'a@32'");
  EXPECT_EQ(DisplayTexts("('fadd@32', 'a@32', 0x3f800000@32)", "").search, "('fadd', 'a@32', 1.0)");
  const DisplayedSides sides = DisplayTexts("('fneg@32', ('fneg@32', 'a@32'))", "'a@32'");
  EXPECT_EQ(sides.search, "('fneg', ('fneg', 'a@32'))");
  EXPECT_EQ(sides.replace, "'a'");
  EXPECT_EQ(DisplayTexts("no rule", "at all").replace, "at all");
  EXPECT_EQ(DisplayRuleText("(('fneg@32', 'a@32'), 'a@32', 'x')"), "(('fneg', 'a@32'), 'a', 'x')");
  EXPECT_EQ(DisplayRuleText("no rule"), "no rule");
}

// Generates random rules at random sizes with random patterns. The displayed text must have the same meaning, and most
// sizes must be omitted.
class RandomRules {
 public:
  std::string Operand(int depth) {
    if (depth == 0 || random_() % 3 == 0) {
      if (random_() % 4 == 0) return random_() % 2 ? "1.0" : "3";
      return std::string(1, static_cast<char>('a' + random_() % 3));
    }
    for (;;) {
      const OpRow& row = *AllOps()[random_() % AllOps().size()];
      bool scalar = row.result.components == 0 && row.sources.size() <= 4;
      for (const OperandType& source : row.sources) scalar = scalar && source.components == 0;
      if (!scalar) continue;
      std::string text = absl::StrCat("('", row.name, "'");
      for (size_t k = 0; k < row.sources.size(); ++k) absl::StrAppend(&text, ", ", Operand(depth - 1));
      return text + ")";
    }
  }

  // Returns nullopt if the random text is invalid.
  std::optional<Rule> Next() {
    const absl::StatusOr<Rule> open = ParseRule(absl::StrCat("(", Operand(3), ", ", Operand(2), ")"));
    if (!open.ok()) return std::nullopt;
    const absl::StatusOr<std::vector<SizeAssignment>> sizes = EnumerateSizes(*open);
    if (!sizes.ok()) return std::nullopt;
    absl::StatusOr<Rule> rule = Instantiate(*open, (*sizes)[random_() % sizes->size()]);
    if (!rule.ok()) return std::nullopt;
    for (Term* term : {&rule->search, &rule->replace}) {
      for (Node& node : term->nodes) {
        if (node.kind != NodeKind::kConstant) continue;
        node.predicates.clear();
        node.values[0] = Pattern(node.bits);
      }
    }
    // Merge patterns that became equal, as parsing does.
    absl::StatusOr<Rule> read = ParseRule(PrintRule(*rule));
    return read.ok() ? std::optional<Rule>(*std::move(read)) : std::nullopt;
  }

 private:
  uint64_t Pattern(int bits) {
    static constexpr double kNumbers[] = {0.0, -0.0, 1.0, -0.5, 0.1, 1e-40, 3e38, 65504.0, 16777216.0};
    static constexpr int64_t kIntegers[] = {0, 1, -1, 255, 0x7fffffff, -65535, 70000, INT64_MIN};
    switch (random_() % 4) {
      case 0:
        return std::uniform_int_distribution<uint64_t>()(random_) & MaskOf(bits);
      case 1:
        return static_cast<uint64_t>(kIntegers[random_() % std::size(kIntegers)]) & MaskOf(bits);
      case 2:
        return IsFloatWidth(bits) ? FormatOf(bits).quiet_nan() | (random_() % 2) : 1;
      default:
        return IsFloatWidth(bits) ? FloatToBits(kNumbers[random_() % std::size(kNumbers)], bits) : 0;
    }
  }

  std::mt19937 random_{1};
};

TEST(Display, SaysTheSameOfRandomRules) {
  RandomRules rules;
  int shown = 0, shorter = 0, same_again = 0;
  for (int tries = 0; shown < 3000 && tries < 100000; ++tries) {
    const std::optional<Rule> rule = rules.Next();
    if (!rule.has_value()) continue;
    ++shown;
    const std::string text = DisplayRule(*rule);
    const absl::StatusOr<Rule> read = ParseRule(text);
    ASSERT_TRUE(read.ok()) << text << "\n" << read.status();
    ASSERT_EQ(Says(*read), Says(*rule)) << text << "\n" << PrintRule(*rule);
    same_again += DisplayRule(*read) == text;
    shorter += text.size() < PrintRule(*rule).size();
  }
  EXPECT_EQ(shown, 3000);
  EXPECT_GT(shorter, 2800);
  EXPECT_GT(same_again, 2950);  // a pattern used both as float and as integer parses to two literals
}

}  // namespace
}  // namespace rewrought::ir
