#include "verifier/inexact/constant_sets.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"

namespace rewrought::verifier {
namespace {

TEST(ConstantSets, LeaveNoOpWithConstantOperandsAlone) {
  const auto sets = [](absl::string_view search) { return ConstantSets(*ir::ParseSearch(search)); };
  using Sets = std::vector<std::set<std::string>>;
  EXPECT_EQ(sets("('~fadd', ('fmul', a, b), c)"), (Sets{{"a", "c"}, {"b", "c"}}));
  EXPECT_EQ(sets("('~fadd', ('fmul', a, a), 'c(is_not_const)')"), (Sets{{}}));
  EXPECT_EQ(sets("('~fmul', ('flrp', -1.0, 1.0, a), b)"), (Sets{{"b"}}));
  EXPECT_EQ(sets("('~fmul', ('fmul', a, '#b'), '#c')"), (Sets{{"b", "c"}}));
  EXPECT_EQ(sets("('~fmul', ('fneg', 1.0), a)"), (Sets{{}}));
  EXPECT_EQ(sets("('~fmul', ('fadd', a, ('fneg', 1.0)), b)"), (Sets{{"b"}}));
}

}  // namespace
}  // namespace rewrought::verifier
