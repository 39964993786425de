#include "emitter/lburg/grammar_coverage.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/op_table.h"
#include "machine/base/coverage.h"

namespace rewrought::emitter {
namespace {

// Returns a row for each op that `machine` covers, except for `without`.
std::vector<GrammarRow> RowsFor(const machine::Machine& machine, const std::string& without) {
  std::vector<GrammarRow> rows;
  for (const machine::OpAtSize& op : machine::CoverageOf(machine, machine::AllMachines()).covered) {
    const ir::OpRow& row = *ir::FindOp(op.first);
    const bool free = row.result.bits == 0 || row.sources[0].bits == 0;
    const std::string name = free ? absl::StrCat(op.first, "_", op.second) : op.first;
    if (name == without) continue;
    GrammarRow one{"r32", {name, std::vector<GrammarTree>(row.sources.size(), {"r32", {}})}, 1, "", 1};
    rows.push_back(one);
  }
  return rows;
}

TEST(GrammarCoverage, ListsUncoveredOps) {
  const machine::Machine& vc4 = **machine::FindMachine("vc4");
  const absl::StatusOr<std::string> text = CoverageComment(vc4, RowsFor(vc4, ""));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(absl::StartsWith(*text, " * No row derives these ops, for which the driver (vc4) has its own code:"));
  EXPECT_TRUE(absl::StrContains(*text, " fsign_32 ")) << *text;
  const machine::Machine& vec4 = **machine::FindMachine("vec4");
  EXPECT_EQ(*CoverageComment(vec4, RowsFor(vec4, "")), " * Every op that the driver passes to selection has a row.\n");
}

TEST(GrammarCoverage, AMissingRowIsNamed) {
  const machine::Machine& vc4 = **machine::FindMachine("vc4");
  EXPECT_EQ(
      CoverageComment(vc4, RowsFor(vc4, "fmul_32")).status().message(),
      "lburg: vc4: no row derives ops that the description lists as covered: fmul of 32 bits; write base rules for "
      "them, or correct the description's coverage");
}

TEST(GrammarCoverage, ARowWithAConditionCoversNothing) {
  const machine::Machine& vc4 = **machine::FindMachine("vc4");
  std::vector<GrammarRow> rows = RowsFor(vc4, "");
  for (GrammarRow& row : rows) {
    if (row.tree.name == "fmul_32") row.condition = "SAME(CHILD(a,0), CHILD(a,1))";
  }
  EXPECT_TRUE(absl::StrContains(CoverageComment(vc4, rows).status().message(), "fmul of 32 bits"));
}

}  // namespace
}  // namespace rewrought::emitter
