#include "verifier/case_split.h"

#include <gtest/gtest.h>

#include <set>

#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

constexpr char kSelect[] = "(('bcsel', 'a@1', 'b@32', 'b'), 'b')";
constexpr char kWrongSelect[] = "(('bcsel', 'a@1', 'b@32', 'c@32'), 'b')";

// Answers every query with unsat, so every case that vectors do not refute counts as proved.
class Believer : public Solver {
 public:
  SolverAnswer Solve(const SolverQuery&) override { return {.answer = Answer::kUnsat, .solver = "believer"}; }
  std::string name_and_version() override { return "believer"; }
};

std::set<uint64_t> ValuesOf(const std::string& variable, const RuleCase& rule_case) {
  std::set<uint64_t> values;
  for (const CasePart& part : PartsOf(rule_case)) {
    for (const auto& [name, value] : part.values) {
      if (name == variable) values.insert(value);
    }
  }
  return values;
}

TEST(CaseSplit, ABooleanHasTwoPartsInWhichItIsAConstant) {
  const std::vector<CasePart> parts = PartsOf(CaseOf(kSelect, 0, ir::DenormMode::kNone));
  ASSERT_EQ(parts.size(), 2u);
  for (const CasePart& part : parts) {
    for (const ir::Node& node : part.rule_case.search.nodes) {
      EXPECT_FALSE(node.kind == ir::NodeKind::kVariable && node.name == "a");
    }
  }
  EXPECT_EQ(ValuesOf("a", CaseOf(kSelect, 0, ir::DenormMode::kNone)), (std::set<uint64_t>{0, 1}));
}

TEST(CaseSplit, PowersOfTwoAreThoseThatTheTypeAdmits) {
  const RuleCase signed_case =
      CaseOf("(('imul', 'a@8', '#b@8(is_pos_power_of_two)'), ('imul', 'b', 'a'))", 0, ir::DenormMode::kNone);
  EXPECT_EQ(ValuesOf("b", signed_case), (std::set<uint64_t>{1, 2, 4, 8, 16, 32, 64}));
  const RuleCase unsigned_case =
      CaseOf("(('udiv', 'a@8', '#b@8(is_pos_power_of_two)'), ('udiv', 'a', 'b'))", 0, ir::DenormMode::kNone);
  EXPECT_EQ(ValuesOf("b", unsigned_case), (std::set<uint64_t>{1, 2, 4, 8, 16, 32, 64, 128}));
}

TEST(CaseSplit, AShiftsCountIsSplitWhereNothingElseReadsIt) {
  const RuleCase only_count = CaseOf("(('ishl', 'a@16', 'b@32'), ('ishl', 'a', 'b'))", 0, ir::DenormMode::kNone);
  EXPECT_EQ(ValuesOf("b", only_count).size(), 16u);
  const RuleCase also_value = CaseOf("(('ishl', 'b@32', 'b'), ('ishl', 'b', 'b'))", 0, ir::DenormMode::kNone);
  EXPECT_TRUE(PartsOf(also_value).empty());
}

TEST(CaseSplit, WithoutSuchAVariableNothingIsSaid) {
  const RuleCase plain = CaseOf("(('iadd', 'a@32', 'b@32'), ('iadd', 'b', 'a'))", 0, ir::DenormMode::kNone);
  EXPECT_TRUE(PartsOf(plain).empty());
  EXPECT_FALSE(ShouldSplitFirst(plain));
  Believer believer;
  EXPECT_FALSE(ProveBySplitting(Prover(&believer, {}), plain).has_value());
}

TEST(CaseSplit, EveryPartHasToBeProved) {
  Believer believer;
  const Prover prover(&believer, {});
  const std::optional<CaseResult> proved = ProveBySplitting(prover, CaseOf(kSelect, 0, ir::DenormMode::kNone));
  ASSERT_TRUE(proved.has_value());
  EXPECT_EQ(proved->verdict, v1::VERDICT_PROVED);
  EXPECT_EQ(proved->certificate->kind, v1::TIER_CASE_SPLIT);
  EXPECT_EQ(proved->certificate->parts.size(), 2u);
  // If a is false, the replacement returns c. That part is refuted regardless of the solver.
  EXPECT_FALSE(ProveBySplitting(prover, CaseOf(kWrongSelect, 0, ir::DenormMode::kNone)).has_value());
}

}  // namespace
}  // namespace rewrought::verifier
