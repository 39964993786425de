#include "emitter/lburg/grammar_row.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace rewrought::emitter {
namespace {

std::string Again(absl::string_view line) {
  const auto row = ParseRow(line);
  return row.ok() ? PrintRow(*row) : std::string(row.status().message());
}

TEST(GrammarRow, PrintsWhatItRead) {
  for (const char* line :
       {"r32: value_32 = 1 (0);", "r1: flt_32(r32,fadd_32(r32,constant_32)) = 12 (2);",
        "r32: fadd_32(r32,r32) = 7 (WHERE(SAME(CHILD(a,0),CHILD(a,1)) && CONDITION(f(x, 32)), 16));"}) {
    EXPECT_EQ(Again(line), absl::StrCat(line, "\n"));
  }
}

TEST(GrammarRow, OtherTextIsRefused) {
  EXPECT_EQ(Again(""), "'nonterminal: ' is expected before ''");
  EXPECT_EQ(Again("r32: fadd_32(r32 = 7 (2);"), "')' is expected before ' = 7 (2);'");
  EXPECT_EQ(Again("r32: fadd_32(r32) = x (2);"), "' = number' is expected before ' (2);'");
  EXPECT_EQ(Again("r32: fadd_32(r32) = 7 (2)"), "' (cost);' is expected before '2)'");
  EXPECT_EQ(Again("r32: fadd_32(r32) = 7 (-2);"), "a cost is expected before '-2'");
  EXPECT_EQ(Again("r32: fadd_32(r32) = 7 (WHERE(x);"), "', cost)' is expected before 'x'");
  std::string deep = "r32: ";
  for (int i = 0; i < 300; ++i) deep += "a(";
  EXPECT_EQ(Again(deep), "a pattern is nested too deeply");
}

}  // namespace
}  // namespace rewrought::emitter
