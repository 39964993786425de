// Tests the search for assumptions with rules whose validity the test itself defines.
#include "ir/facts/assumptions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

using Names = std::vector<std::string>;

const char kSum[] = "('fadd@32', ('fmul@32', 'a@32', 'b@32'), 'a')";
const char kFlagged[] = "('fadd@32(nsz,ninf)', ('fmul@32(nnan,ninf)', 'a@32(is_finite)', 'b@32'), 'a')";

bool Has(const Term& search, const std::string& name) {
  const Names names = NamesOf(search, AssumptionsIn(search));
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A rule that holds iff all of `needed` are assumed. Records the queries.
class Decree {
 public:
  explicit Decree(Names needed) : needed_(std::move(needed)) {}
  Holds AsHolds() {
    return [this](const Term& search) -> absl::StatusOr<Answer> {
      asked.push_back(NamesOf(search, AssumptionsIn(search)));
      const bool holds =
          std::all_of(needed_.begin(), needed_.end(), [&](const auto& name) { return Has(search, name); });
      return holds ? Answer::kHolds : Answer::kFails;
    };
  }
  std::vector<Names> asked;

 private:
  const Names needed_;
};

TEST(Assumptions, AreNamedByThePlaceOfOpsAndByVariables) {
  const Term search = *ParseTerm(kFlagged);
  EXPECT_EQ(NamesOf(search, AssumptionsIn(search)), (Names{"n0:nsz", "n0:ninf", "n1:nnan", "n1:ninf", "a:is_finite"}));
  const Names possible = NamesOf(search, PossibleAssumptions(search));
  EXPECT_EQ(Names(possible.begin(), possible.begin() + 4),
            (Names{"n0:nnan", "n1:nsz", "b:is_a_number", "b:is_not_zero"}));
  EXPECT_EQ(possible.size(), 12u);  // ten predicates of b, and none of a, which already has a predicate
}

TEST(Assumptions, AVariableHasOnePredicate) {
  Term search = *ParseTerm(kFlagged);
  const Assumption finite = AssumptionsIn(search).back();
  EXPECT_FALSE(Assume({finite}, &search));
  EXPECT_TRUE(Drop({finite}, &search));
  EXPECT_FALSE(Drop({finite}, &search));
  EXPECT_TRUE(Assume({{finite.node, 0, "is_not_zero"}}, &search));
  EXPECT_TRUE(Has(search, "a:is_not_zero"));
}

TEST(FirstSufficientSet, TakesTheFirstOfTheOrderAndPassesOverWhatCannotBe) {
  const Term plain = *ParseTerm(kSum);
  const AssumptionSet all = PossibleAssumptions(plain);
  const AssumptionSet contradictory = {all[all.size() - 1], all[all.size() - 2]};
  Decree decree({"n0:nnan"});
  Term search = plain;
  EXPECT_EQ(*FirstSufficientSet({{}, contradictory, {all[0]}, {all[0], all[1]}, {all[1]}}, decree.AsHolds(), &search),
            Answer::kHolds);
  EXPECT_EQ(NamesOf(search, AssumptionsIn(search)), (Names{"n0:nsz", "n0:nnan"}));
  EXPECT_EQ(decree.asked, (std::vector<Names>{{}, {"n0:nsz"}, {"n0:nsz", "n0:nnan"}}));
}

TEST(FirstSufficientSet, AnUnknownEndsTheSearchAndChangesNothing) {
  const Term plain = *ParseTerm(kSum);
  const AssumptionSet all = PossibleAssumptions(plain);
  int asked = 0;
  const Holds unknown = [&](const Term&) -> absl::StatusOr<Answer> {
    return ++asked == 1 ? Answer::kFails : Answer::kUnknown;
  };
  Term search = plain;
  EXPECT_EQ(*FirstSufficientSet({{}, {all[0]}, {all[1]}}, unknown, &search), Answer::kUnknown);
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(AssumptionsIn(search).empty());
}

TEST(Weaken, TakesFlagsOffEverywhereOrElseOneByOne) {
  Term search = *ParseTerm(kFlagged);
  Decree decree({"n1:ninf"});
  ASSERT_TRUE(Weaken(WithoutFlags(search), decree.AsHolds(), &search).ok());
  EXPECT_EQ(NamesOf(search, AssumptionsIn(search)), (Names{"n1:ninf", "a:is_finite"}));
  // The attempts remove ninf from all ops, then from each op, and then nnan and nsz from the only op that has them.
  EXPECT_EQ(decree.asked.size(), 5u);
}

TEST(Weaken, WhatStandsUnderOtherwiseIsTriedUntilOneHolds) {
  Term search = *ParseTerm("('fadd@32', 'a@32(is_finite_not_zero)', 'b@32')");
  const Assumption strong = AssumptionsIn(search)[0];
  const auto weaker = [&](const char* predicate) { return Weakening{{strong}, {{strong.node, 0, predicate}}, {}}; };
  const Holds holds = [](const Term& term) -> absl::StatusOr<Answer> {
    return Has(term, "a:is_finite") || Has(term, "a:is_a_number") ? Answer::kHolds : Answer::kFails;
  };
  const std::vector<Weakening> steps = {
      {{strong}, {}, {weaker("is_not_zero"), weaker("is_a_number"), weaker("is_finite")}}};
  ASSERT_TRUE(Weaken(steps, holds, &search).ok());
  EXPECT_EQ(NamesOf(search, AssumptionsIn(search)), Names{"a:is_a_number"});
}

TEST(UnnecessaryAssumptions, IsWhatCanGoAlone) {
  const Term search = *ParseTerm(kFlagged);
  Decree decree({"n0:nsz", "a:is_finite"});
  EXPECT_EQ(NamesOf(search, *UnnecessaryAssumptions(search, decree.AsHolds())),
            (Names{"n0:ninf", "n1:nnan", "n1:ninf"}));
}

TEST(SmallestSets, NoneIsImpliedByAnother) {
  const Term search = *ParseTerm(kSum);
  const auto never = [] { return false; };
  const auto sets_of = [&](const Holds& holds) {
    std::vector<Names> names;
    const std::vector<AssumptionSet> sets = *SmallestSets(search, 8, never, holds);
    for (const AssumptionSet& set : sets) names.push_back(NamesOf(search, set));
    return names;
  };
  // is_a_number suffices, so a predicate that implies it, or a set that contains it, adds nothing.
  const Holds number = [](const Term& term) -> absl::StatusOr<Answer> {
    for (const char* name : {"a:is_a_number", "a:is_finite", "a:is_finite_not_zero", "a:is_a_number_not_negative",
                             "a:is_a_number_not_positive"}) {
      if (Has(term, name)) return Answer::kHolds;
    }
    return Answer::kFails;
  };
  EXPECT_EQ(sets_of(number), std::vector<Names>{{"a:is_a_number"}});
  EXPECT_EQ(sets_of(Decree({"n0:nsz", "n1:ninf"}).AsHolds()), (std::vector<Names>{{"n0:nsz", "n1:ninf"}}));
  EXPECT_EQ(sets_of(Decree({"n0:nsz", "n1:nsz", "b:is_finite"}).AsHolds()),
            (std::vector<Names>{{"n0:nsz", "n1:nsz", "b:is_finite"}}));
  Decree four({"n0:nsz", "n1:nsz", "n1:nnan", "b:is_finite"});
  EXPECT_TRUE(sets_of(four.AsHolds()).empty());
}

TEST(SmallestSets, EndsWhenItsTimeIsSpentOrItHasEnough) {
  const Term search = *ParseTerm(kSum);
  int asked = 0;
  const Holds always = [&](const Term&) -> absl::StatusOr<Answer> { return ++asked, Answer::kHolds; };
  EXPECT_EQ(SmallestSets(
                search, 3, [] { return false; }, always)
                ->size(),
            3u);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(SmallestSets(
                search, 8, [&] { return asked >= 5; }, always)
                ->size(),
            2u);
}

}  // namespace
}  // namespace rewrought::ir
