#include "emitter/tablegen/dag.h"

#include <gtest/gtest.h>

namespace rewrought::emitter {
namespace {

std::string Again(absl::string_view text) {
  const auto dag = TakeDag(&text);
  if (!dag.ok()) return std::string(dag.status().message());
  return PrintDag(*dag) + std::string(text);
}

TEST(Dag, PrintsWhatItRead) {
  for (const char* text : {"$a", "f32:$a", "mask_xy", "(IMPLICIT_DEF)", "(i1 -1)",
                           "(f32 (ADD_F_F_F $a, !or(modifier_abs, modifier_neg), (i32 7), modifier_none))"}) {
    EXPECT_EQ(Again(text), text);
  }
  EXPECT_EQ(Again("( add\n  i32:$a ,i32:$b )>;"), "(add i32:$a, i32:$b)>;");
}

TEST(Dag, OtherTextIsRefused) {
  EXPECT_EQ(Again(""), "a value is expected before ''");
  EXPECT_EQ(Again("(add $a $b)"), "',' or ')' is expected before '$b)'");
  EXPECT_EQ(Again("(add $a,"), "a value is expected before ''");
  EXPECT_EQ(Again("f32:"), "a value is expected before ''");
  EXPECT_EQ(Again("()"), "an operator is expected before ')'");
  EXPECT_EQ(Again("!or modifier"), "'(' is expected before 'modifier'");
  EXPECT_EQ(Again(std::string(10000, '(')), "an operator is expected before '" + std::string(20, '(') + "'");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "(a ";
  EXPECT_EQ(Again(deep), "a DAG is nested too deeply");
}

}  // namespace
}  // namespace rewrought::emitter
