// Compares IsExcluded with the results of enumerating the values of the choices, at 16 bits.
#include "ir/exclusion.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/scalar.h"
#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

constexpr uint64_t kNan = 0x7e01, kOtherNan = 0xfc05, kOne = 0x3c00, kInfinity = 0x7c00;

struct Lowered {
  Dag dag;
  ChoiceTerm term;
};

void Lower(const std::string& text, DenormMode mode, Lowered* lowered) {
  const absl::StatusOr<Term> term = ParseTerm(text);
  ASSERT_TRUE(term.ok()) << text << term.status();
  absl::StatusOr<ChoiceTerm> choices = LowerWithChoices(&lowered->dag, *term, mode, 0);
  ASSERT_TRUE(choices.ok()) << text << choices.status();
  lowered->term = *std::move(choices);
}

// Returns the results of the term for many combinations of choices: both values of each narrow choice, every pattern of
// one wide choice (every 2039th if there are narrow choices), and a few patterns of the other wide choices.
std::set<uint64_t> AllResults(const Lowered& lowered, const std::vector<uint64_t>& inputs) {
  const std::vector<Choice>& choices = lowered.term.choices;
  std::vector<std::vector<uint64_t>> candidates;
  bool all = true;
  const bool narrow =
      std::any_of(choices.begin(), choices.end(), [](const Choice& choice) { return choice.width == 1; });
  for (const Choice& choice : choices) {
    std::vector<uint64_t>& values = candidates.emplace_back();
    if (choice.width == 1) {
      values = {0, 1};
    } else if (all) {
      for (uint64_t value = 0; value < 0x10000; value += narrow ? 2039 : 1) values.push_back(value);
      all = false;
    } else {
      values = {0, kOne, kNan, kOtherNan, 0x7fff};
    }
  }
  std::set<uint64_t> results;
  Evaluator evaluator(&lowered.dag);
  std::vector<size_t> at(choices.size(), 0);
  for (bool more = true; more;) {
    evaluator.Start(inputs, [&](uint32_t choice) { return candidates[choice][at[choice]]; });
    results.insert(evaluator.Evaluate(lowered.term.lowered.root[0]));
    more = false;
    for (size_t i = 0; i < at.size() && !more; ++i) {
      more = ++at[i] < candidates[i].size();
      if (!more) at[i] = 0;
    }
  }
  return results;
}

TEST(Exclusion, NeverExcludesWhatSomeChoiceGives) {
  int excluded = 0;
  for (const char* text :
       {"('fmax@16', ('fmul@16', 'a@16', 'a'), 'b@16')", "('fmin@16', 'b@16', ('fneg@16', ('fadd@16', 'a@16', 'b')))",
        "('bcsel@16', ('flt@1', ('fmul@16', 'a@16', 'b@16'), 'b'), 'a', 0x3c00@16)",
        "('bcsel@16', ('fneu@1', ('fmul@16', 'a@16', 'b@16'), 'b'), 'a', 0x3c00@16)",
        "('bcsel@16', ('ieq@1', ('fmul@16', 'a@16', 'b@16'), 'b'), 'a', 0x3c00@16)",
        "('iand@16', ('fmul@16', 'a@16', 'b@16'), 0x0003@16)", "('fabs@16', ('fneg@16', ('fmul@16', 'a@16', 'b@16')))",
        "('fadd@16', ('fmul@16(nnan)', 'a@16', 'a'), 'b@16')", "('fsat@16', ('fadd@16', 'a@16', 'b@16'))",
        "('i2i16@16', ('f2i32@32', ('fmul@16', 'a@16', 'b@16')))", "('frcp@16', ('fmul@16', 'a@16', 'b@16'))"}) {
    for (const DenormMode mode : {DenormMode::kAny, DenormMode::kPreserve}) {
      Lowered lowered;
      Lower(text, mode, &lowered);
      if (HasFatalFailure()) return;
      for (const std::vector<uint64_t>& inputs : std::vector<std::vector<uint64_t>>{
               {kNan, kOne}, {kOne, kNan}, {kOtherNan, kInfinity}, {kOne, kOne}, {1, 0x8001}}) {
        if (lowered.dag.inputs().size() != 2) continue;
        const std::set<uint64_t> results = AllResults(lowered, inputs);
        for (const uint64_t target : {kNan, kOtherNan, kOne, kInfinity, uint64_t{0}, uint64_t{0x8000}, uint64_t{1},
                                      uint64_t{2}, uint64_t{3}, uint64_t{0xbc00}}) {
          const bool is = IsExcluded(lowered.dag, lowered.term, inputs, {target});
          EXPECT_FALSE(is && results.count(target) > 0) << text << " gives " << target;
          excluded += is;
        }
      }
    }
  }
  EXPECT_GT(excluded, 500);
}

// The maximum of NaN and b is b for every NaN; trying some of the 2^16 patterns would not prove that.
TEST(Exclusion, DecidesWhatNoPatternChanges) {
  Lowered lowered;
  Lower("('fmax@16', ('fmul@16', 'a@16', 'a'), 'b@16')", DenormMode::kPreserve, &lowered);
  const std::vector<uint64_t> inputs = {kNan, kOne};
  EXPECT_EQ(IsAllowed(lowered.dag, lowered.term, inputs, {kNan}).membership, Membership::kNotMember);
  EXPECT_EQ(IsAllowed(lowered.dag, lowered.term, inputs, {kOne}).membership, Membership::kMember);
}

// The bits of a NaN never equal those of a number, so the free sign of fsat(-0) does not affect fsat of a NaN.
TEST(Exclusion, DecidesThatANanHasNoNumbersBits) {
  Lowered lowered;
  Lower("('fsat@16', ('fadd@16', 'a@16', 'b@16'))", DenormMode::kPreserve, &lowered);
  const std::vector<uint64_t> inputs = {kNan, kOne};
  EXPECT_EQ(IsAllowed(lowered.dag, lowered.term, inputs, {kOne}).membership, Membership::kNotMember);
  EXPECT_EQ(IsAllowed(lowered.dag, lowered.term, inputs, {0}).membership, Membership::kMember);
  Lowered compared;
  Lower("('ieq@1', ('fadd@16', 'a@16', 'a'), 'b@16')", DenormMode::kPreserve, &compared);
  EXPECT_TRUE(IsExcluded(compared.dag, compared.term, std::vector<uint64_t>{kNan, kOne}, {1}));
  EXPECT_FALSE(IsExcluded(compared.dag, compared.term, std::vector<uint64_t>{kNan, kOtherNan}, {1}));
  EXPECT_FALSE(IsExcluded(compared.dag, compared.term, std::vector<uint64_t>{kNan, kOtherNan}, {0}));
}

TEST(Exclusion, ListsAllResultsWhereNoPatternChangesThem) {
  Lowered lowered;
  Lower("('fmax@16', ('fmul@16', 'a@16', 'a'), 'b@16')", DenormMode::kPreserve, &lowered);
  const AllowedSet number = AllowedResults(lowered.dag, lowered.term, std::vector<uint64_t>{kNan, kOne}, 64);
  EXPECT_TRUE(number.complete);
  EXPECT_EQ(number.results, (std::vector<AllowedResult>{{{AllowedKind::kValue, kOne}}}));
  const AllowedSet nan = AllowedResults(lowered.dag, lowered.term, std::vector<uint64_t>{kNan, kOtherNan}, 64);
  EXPECT_TRUE(nan.complete);
  EXPECT_EQ(nan.results, (std::vector<AllowedResult>{{{AllowedKind::kAnyNan, 0}}}));
}

// A poison value need not be a NaN, so the ite may select its other operand.
TEST(Exclusion, APoisonValueTestedForNanIsNotTakenForANan) {
  Lowered lowered;
  Choice poison;
  poison.kind = ChoiceKind::kAnyValue;
  poison.width = 16;
  lowered.term.choices = {poison};
  Dag& dag = lowered.dag;
  const ValueIndex any = dag.Choice(0, 16);
  lowered.term.lowered.root = {dag.Ite(dag.Truth(Primitive::kIsnan, any), any, dag.Literal(kOne, 16))};
  EXPECT_FALSE(IsExcluded(dag, lowered.term, {}, {kOne}));
  EXPECT_FALSE(IsExcluded(dag, lowered.term, {}, {kNan}));
}

TEST(Exclusion, LeavesOpenWhatReadsTheBitsOfANan) {
  Lowered lowered;
  Lower("('iand@16', ('fmul@16', 'a@16', 'a'), 0x0003@16)", DenormMode::kPreserve, &lowered);
  const std::vector<uint64_t> inputs = {kNan};
  EXPECT_FALSE(IsExcluded(lowered.dag, lowered.term, inputs, {2}));
  EXPECT_EQ(IsAllowed(lowered.dag, lowered.term, inputs, {2}).membership, Membership::kNotFound);
  EXPECT_FALSE(AllowedResults(lowered.dag, lowered.term, inputs, 64).complete);
}

}  // namespace
}  // namespace rewrought::ir
