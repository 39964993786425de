#include "rules/known_rules.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_selection.h"
#include "machine/machine.h"

namespace rewrought::rules {
namespace {

class KnownRulesTest : public testing::Test {
 protected:
  static ir::Term Term(const std::string& text) {
    absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
    EXPECT_TRUE(term.ok()) << text << ": " << term.status();
    return *std::move(term);
  }
  void AddNir(const std::string& search, const std::string& replace) {
    known_.Add({&machine_, Term(search), std::nullopt, Term(replace)});
  }
  void AddProgram(const std::string& search, const std::string& program) {
    absl::StatusOr<machine::Program> parsed = machine::ParseProgram(machine_, program);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    known_.Add({&machine_, Term(search), *std::move(parsed), {}});
  }
  double Base(const std::string& text) {
    return machine::BaseCost(machine_, Term(text), machine::BaseKind::kTuned)->issue_cycles;
  }
  double Known(const std::string& text, std::vector<ir::ValueFacts> facts = {}) {
    absl::StatusOr<machine::Cost> cost = known_.CostOf(Term(text), facts);
    EXPECT_TRUE(cost.ok()) << cost.status();
    return cost->issue_cycles;
  }

  const machine::Machine& machine_ = **machine::FindMachine("intel_gen9");
  KnownRules known_{machine_};
};

const char kSum[] = "('fadd@32', ('fmul@32', 0x3f800000@32, 'a@32'), ('fmul@32', 'b@32', 'c@32'))";

TEST_F(KnownRulesTest, WithoutRulesItIsBaseSelection) { EXPECT_EQ(Known(kSum), Base(kSum)); }

TEST_F(KnownRulesTest, NirRulesApplyInsideAndToAFixedPoint) {
  AddNir("('fmul@32', 0x3f800000@32, 'a@32')", "'a@32'");
  EXPECT_EQ(Known(kSum), Base("('fadd@32', 'a@32', ('fmul@32', 'b@32', 'c@32'))"));
  EXPECT_LT(Known(kSum), Base(kSum));
  EXPECT_EQ(Known("('fmul@32', ('fmul@32', 'a@32', 0x3f800000@32), 0x3f800000@32)"), 0);
}

TEST_F(KnownRulesTest, FlagsAndFactsMustBeGranted) {
  AddNir("('fadd@32(nsz)', 0x00000000@32, 'a@32')", "'a@32'");
  EXPECT_EQ(Known("('fadd@32', 0x00000000@32, 'a@32')"), Base("('fadd@32', 0x00000000@32, 'a@32')"));
  EXPECT_EQ(Known("('fadd@32(nsz)', 0x00000000@32, 'a@32')"), 0);
  AddNir("('fmax@32', 'a@32(is_not_negative)', 0x00000000@32)", "'a@32'");
  const char clamp[] = "('fmax@32', 'a@32', 0x00000000@32)";
  EXPECT_EQ(Known(clamp, {{}}), Base(clamp));
  ir::ValueFacts positive;
  positive.low = 0;
  EXPECT_EQ(Known(clamp, {positive}), 0);
}

TEST_F(KnownRulesTest, MachineRulesSaveAtDisjointPlaces) {
  const std::string select = "('bcsel@32', 'a@1', 'b@32', 0x00000000@32)",
                    other = "('bcsel@32', 'c@1', 'd@32', 0x00000000@32)";
  AddProgram(select, "[AND(r(D), b(D), a(BD))]");
  const double saved = Base(select) - Known(select);
  EXPECT_GT(saved, 0);
  const std::string both = "('iadd@32', " + select + ", " + other + ")";
  EXPECT_EQ(Known(both), Base(both) - 2 * saved);
  // A rule that matches the whole term also covers the parts that other rules match.
  AddProgram(both, "[MOV(r(D), b(D))]");
  EXPECT_EQ(Known(both), 0);
}

TEST_F(KnownRulesTest, SymbolsMatchConstantsAlone) {
  AddProgram("('iadd@32', ('ineg@32', 'a@32'), '#b@32')", "[MOV(r(D), b(D))]");
  const char with_constant[] = "('iadd@32', ('ineg@32', 'a@32'), 0x00000005@32)";
  EXPECT_LT(Known(with_constant), Base(with_constant));
  const char with_variable[] = "('iadd@32', ('ineg@32', 'a@32'), 'b@32')";
  EXPECT_EQ(Known(with_variable), Base(with_variable));
}

}  // namespace
}  // namespace rewrought::rules
