#include "machine/base/base_pattern.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"
#include "machine/base/base_rules.h"

namespace rewrought::machine {
namespace {

TEST(BasePatternTest, OfEveryMachineIsRead) {
  int patterns = 0;
  for (const Machine* machine : AllMachines()) {
    const auto rules = BaseRulesOf(*machine);
    ASSERT_TRUE(rules.ok()) << rules.status();
    for (const auto& [root, list] : (*rules)->by_root) {
      for (const BaseRule& rule : list) {
        const std::string text = TupleText(rule.pattern);
        const auto term = ir::ParseTerm(text);
        EXPECT_TRUE(term.ok()) << machine->id() << " " << text << ": " << term.status();
        ++patterns;
      }
    }
  }
  EXPECT_GT(patterns, 1000);
}

TEST(BasePatternTest, ReadsLikeATuple) {
  BasePattern a, seven;
  a.name = "a";
  a.bits = 32;
  seven.value = 7;
  EXPECT_EQ(TupleText({.name = "iadd", .is_op = true, .sources = {a, seven}}), "('iadd', 'a@32', 7)");
}

}  // namespace
}  // namespace rewrought::machine
