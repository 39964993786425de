#include "emitter/c/covered_ops.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/c/rule_tables.h"
#include "ir/op_table.h"
#include "machine/base/coverage.h"

namespace rewrought::emitter {
namespace {

CTables TablesFor(const machine::Machine& machine) {
  PackSelection selection;
  selection.machine = &machine;
  selection.rules = *machine::select::RuleSet::Create(machine, &selection.pack, true);
  absl::StatusOr<CTables> tables = BuildCTables(selection);
  EXPECT_TRUE(tables.ok()) << tables.status();
  return tables.ok() ? *std::move(tables) : CTables();
}

// On every machine, the tables have a row for each op that the description lists as covered.
TEST(CoveredOps, EveryMachinesTablesSelectWhatItsDescriptionSays) {
  for (const machine::Machine* machine : machine::AllMachines()) {
    const absl::StatusOr<std::string> text = PrintCoveredOps(TablesFor(*machine), *machine);
    ASSERT_TRUE(text.ok()) << text.status();
    const machine::Coverage coverage = machine::CoverageOf(*machine, machine::AllMachines());
    for (const machine::OpAtSize& op : coverage.missing) {
      EXPECT_TRUE(absl::StrContains(*text, absl::StrCat("#ifndef RW_DRIVER_HAS_", op.first, "_", op.second, "\n")));
      EXPECT_FALSE(TablesCover(TablesFor(*machine), *ir::FindOp(op.first), op.second)) << machine::NameOf(op);
    }
  }
}

TEST(CoveredOps, ARuleThatIsNotThereIsNamed) {
  const machine::Machine& machine = **machine::FindMachine("vc4");
  CTables tables = TablesFor(machine);
  for (rw_op& op : tables.ops) {
    if (tables.names[op.name] == "fmul") op.rule_count = 0;
  }
  const absl::Status status = PrintCoveredOps(tables, machine).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(
      status.message(),
      "c: vc4: no rule in the tables selects ops that the description lists as covered: fmul of 32 bits; write base "
      "rules for them, or correct the description's coverage");
}

TEST(CoveredOps, OnlyARuleForAnyValueCovers) {
  const machine::Machine& machine = **machine::FindMachine("vc4");
  CTables tables = TablesFor(machine);
  const ir::OpRow& row = *ir::FindOp("fmul");
  EXPECT_TRUE(TablesCover(tables, row, 32));
  EXPECT_FALSE(TablesCover(tables, row, 16));
  CTables squares = tables;
  for (const rw_op& op : squares.ops) {
    if (squares.names[op.name] != "fmul") continue;
    for (size_t r = op.first_rule; r < size_t{op.first_rule} + op.rule_count; ++r) {
      rw_pattern* pattern = &squares.patterns[squares.rules[r].first_pattern];
      pattern[2].variable = pattern[1].variable;
    }
  }
  EXPECT_FALSE(TablesCover(squares, row, 32));
}

}  // namespace
}  // namespace rewrought::emitter
