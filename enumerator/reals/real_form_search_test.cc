#include "enumerator/reals/real_form_search.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_selection.h"

namespace rewrought::enumerator {
namespace {

class RealFormSearchTest : public testing::Test {
 protected:
  std::vector<RealForm> Forms(const std::string& text, size_t limit = 3) {
    const ir::Term term = *ir::ParseTerm(text);
    const machine::Cost base = *machine::BaseCost(machine_, term, machine::BaseKind::kTuned);
    return FindCheaperRealForms(machine_, term, base, &prices_, limit, {});
  }

  const machine::Machine& machine_ = **machine::FindMachine("intel_gen9");
  OpPrices prices_{machine_};
};

TEST_F(RealFormSearchTest, ConstantsBecomeSymbolsAndTheSpecialFormHasThemFolded) {
  const std::vector<RealForm> forms =
      Forms("('fadd@32', ('fmul@32', 'a@32', 0x40600000@32), ('fmul@32', 'a', 0x40b00000@32))");
  ASSERT_FALSE(forms.empty());
  EXPECT_LE(forms.size(), 3u);
  EXPECT_EQ(forms[0].cost, *machine::RightSideCost(forms[0].special));
  EXPECT_TRUE(machine::CheaperThan(forms[0].cost,
                                   *machine::BaseCost(machine_, forms[0].special.search, machine::BaseKind::kTuned)));
  EXPECT_EQ(forms[0].symbol_numbers.size(), 2u);  // 3.5 and 5.5
  EXPECT_NE(ir::PrintTerm(forms[0].general.search).find("'#"), std::string::npos);
  EXPECT_EQ(ir::PrintTerm(forms[0].special.replace), "('fmul@32', 'a@32', 0x41100000@32)");  // 9
}

TEST_F(RealFormSearchTest, NothingForIntegersInfinitiesAndWhatIsCheapest) {
  EXPECT_TRUE(Forms("('iadd@32', ('imul@32', 'a@32', 'b@32'), ('imul@32', 'a', 'c@32'))").empty());
  EXPECT_TRUE(Forms("('fadd@32', ('fmul@32', 'a@32', 0x7f800000@32), ('fmul@32', 'a', 0x40b00000@32))").empty());
  EXPECT_TRUE(Forms("('fmul@32', 'a@32', 'b@32')").empty());
}

TEST_F(RealFormSearchTest, PricesAreOfTunedSelectionAndSignsAreNearlyFree) {
  const double sum = prices_.Of(*ir::FindOp("fadd"), 32);
  EXPECT_GT(sum, 0);
  EXPECT_LT(prices_.Of(*ir::FindOp("fneg"), 32), sum);
  EXPECT_LT(prices_.Of(*ir::FindOp("fsat"), 32), sum);
  EXPECT_GT(prices_.Of(*ir::FindOp("frcp"), 32), sum);
  EXPECT_EQ(prices_.Of(*ir::FindOp("fadd"), 32), sum);
}

}  // namespace
}  // namespace rewrought::enumerator
