#include "rules/site_assumptions.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/site_flags.h"
#include "ir/text/rule_text.h"

namespace rewrought::rules {
namespace {

using Names = std::vector<std::string>;

std::vector<Names> NamesOf(const ir::Term& search, const std::vector<ir::AssumptionSet>& sets) {
  std::vector<Names> names;
  for (const ir::AssumptionSet& set : sets) names.push_back(ir::NamesOf(search, set));
  return names;
}

// A select that passes a maximum through.
const char kClamp[] = "('bcsel@32', 'p@1', ('fmax@32', 'a@32', 0x00000000@32), 'b@32')";

TEST(AssumptionsOfSites, AreTheFlagsGrantedAndTheStrongestFacts) {
  const ir::Term search = *ir::ParseTerm(kClamp);
  SiteProfile sites;
  // The sites grant nsz and nnan on all ops. The select needs no flag, because it only passes bits through.
  sites.node_flags = ir::SiteFlagsOf(ir::kNoSignedZero | ir::kNoNan) * 0x11;
  EXPECT_EQ(NamesOf(search, AssumptionsOfSites(search, sites)),
            (std::vector<Names>{{}, {"n1:nsz"}, {"n1:nnan"}, {"n1:nsz", "n1:nnan"}}));
  sites.facts.resize(3);
  sites.facts[1].low = 0;  // a
  sites.facts[2].low = 0;  // b, which no op reads as a float
  EXPECT_EQ(NamesOf(search, AssumptionsOfSites(search, sites)).back(),
            (Names{"n1:nsz", "n1:nnan", "a:is_not_negative"}));
}

TEST(AssumptionsOfSites, WithoutFlagsAndFactsThereAreNone) {
  const ir::Term search = *ir::ParseTerm(kClamp);
  EXPECT_EQ(NamesOf(search, AssumptionsOfSites(search, {})), std::vector<Names>{{}});
}

TEST(FlagsOfAnySite, AreAllKindsTheFewestFirst) {
  const ir::Term search = *ir::ParseTerm(kClamp);
  EXPECT_EQ(NamesOf(search, FlagsOfAnySite(search)), (std::vector<Names>{{"n1:nsz"},
                                                                         {"n1:nnan"},
                                                                         {"n1:ninf"},
                                                                         {"n1:nsz", "n1:nnan"},
                                                                         {"n1:nsz", "n1:ninf"},
                                                                         {"n1:nnan", "n1:ninf"},
                                                                         {"n1:nsz", "n1:nnan", "n1:ninf"}}));
  EXPECT_TRUE(FlagsOfAnySite(*ir::ParseTerm("('iadd@32', 'a@32', 'b@32')")).empty());
}

TEST(WeakerAtSites, GoesFromTheStrongestPredicateToTheWeakestThatIsEnough) {
  SiteProfile sites;
  sites.facts.resize(1);
  sites.facts[0].low = 1;
  sites.facts[0].high = 2;
  sites.facts[0].number = true;
  ir::Term search = *ir::ParseTerm("('fmax@32', 'a@32', 0x00000000@32)");
  const std::vector<ir::AssumptionSet> sets = AssumptionsOfSites(search, sites);
  ASSERT_TRUE(ir::Assume(sets.back(), &search));
  std::vector<Names> asked;
  const ir::Holds holds = [&](const ir::Term& term) -> absl::StatusOr<ir::Answer> {
    asked.push_back(ir::NamesOf(term, ir::AssumptionsIn(term)));
    return asked.back() == Names{"a:is_not_negative"} ? ir::Answer::kHolds : ir::Answer::kFails;
  };
  ASSERT_TRUE(ir::Weaken(WeakerAtSites(search, sites), holds, &search).ok());
  EXPECT_EQ(ir::NamesOf(search, ir::AssumptionsIn(search)), Names{"a:is_not_negative"});
  EXPECT_EQ(asked.front(), Names{});
  EXPECT_EQ(asked.back(), Names{"a:is_not_negative"});
}

}  // namespace
}  // namespace rewrought::rules
