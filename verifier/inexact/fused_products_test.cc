#include "verifier/inexact/fused_products.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"

namespace rewrought::verifier {
namespace {

std::string Fused(absl::string_view term) {
  const absl::StatusOr<ir::Term> parsed = ir::ParseTerm(term);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return ir::PrintTerm(WithFusedProducts(*parsed));
}

TEST(WithFusedProducts, FusesWhatOnlyTheSumUses) {
  EXPECT_EQ(Fused("('fadd', ('fmul', a, b), c)"), ir::PrintTerm(*ir::ParseTerm("('ffma', a, b, c)")));
  EXPECT_EQ(Fused("('fadd', c, ('fmul', a, b))"), ir::PrintTerm(*ir::ParseTerm("('ffma', a, b, c)")));
  EXPECT_EQ(Fused("('fadd', ('fneg', ('fmul', a, b)), c)"),
            ir::PrintTerm(*ir::ParseTerm("('ffma', ('fneg', a), b, c)")));
  EXPECT_EQ(Fused("('fadd', ('fmul', a, b), ('fmul', c, d))"),
            ir::PrintTerm(*ir::ParseTerm("('ffma', a, b, ('fmul', c, d))")));
  EXPECT_EQ(Fused("('fadd', ('fadd', ('fmul', a, b), c), ('fmul', d, e))"),
            ir::PrintTerm(*ir::ParseTerm("('ffma', d, e, ('ffma', a, b, c))")));
}

TEST(WithFusedProducts, LeavesTheRest) {
  for (const char* const term : {"('fadd', ('fmul', a, b), ('fmul', a, b))", "('fadd', ('fabs', ('fmul', a, b)), c)",
                                 "('fmul', ('fadd', a, b), c)", "('fadd', a, b)", "('fadd', ('!fmul', a, b), c)"}) {
    EXPECT_EQ(Fused(term), ir::PrintTerm(*ir::ParseTerm(term))) << term;
  }
}

TEST(HasInnerProducts, KnowsOpsThatAddProducts) {
  for (const char* const term : {"('flrp', a, b, c)", "('fadd', ('fdot3', a, b), c)"}) {
    EXPECT_TRUE(HasInnerProducts(*ir::ParseTerm(term))) << term;
  }
  for (const char* const term : {"('fadd', ('fmul', a, b), c)", "('ffma', a, b, c)", "('fsub', a, b)"}) {
    EXPECT_FALSE(HasInnerProducts(*ir::ParseTerm(term))) << term;
  }
}

}  // namespace
}  // namespace rewrought::verifier
