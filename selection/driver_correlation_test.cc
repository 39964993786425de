#include "selection/driver_correlation.h"

#include <gtest/gtest.h>

namespace rewrought::selection {
namespace {

std::string Error(absl::string_view text) { return std::string(ParseDriverFigures(text).status().message()); }

machine::select::Statistics Counted(uint64_t instructions, double cycles) {
  machine::select::Statistics statistics;
  statistics.instructions = instructions;
  statistics.cycles = cycles;
  return statistics;
}

TEST(DriverFigures, AreReadByColumn) {
  const auto figures = ParseDriverFigures("file\tinstructions\tnote\r\n\na.frag\t12\tfast\r\nb.frag\t1.5\tinf\n");
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_EQ(*figures, (DriverFigures{{"a.frag", {{"instructions", 12}}}, {"b.frag", {{"instructions", 1.5}}}}));
}

TEST(DriverFigures, TheFirstLineForAFileStands) {
  const auto figures = ParseDriverFigures("cycles\tfile\n1\ta\n2\ta\n");
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_EQ(figures->at("a").at("cycles"), 1);
}

TEST(DriverFigures, CategoriesAndHalvesAddUp) {
  const auto figures =
      ParseDriverFigures("file\tcat1\tcat2\tcat3\tcat4\tcat5\tfull_regs\thalf_regs\na\t1\t2\t3\t4\t50\t6\t3\n");
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_EQ(figures->at("a").at("alu"), 10);
  EXPECT_EQ(figures->at("a").at("registers"), 7.5);
}

TEST(DriverFigures, ReportErrors) {
  EXPECT_EQ(Error(""), "line 1: the file is empty");
  EXPECT_EQ(Error("cycles\n1\n"), "line 1: no column 'file'; the first line must name the columns, separated by tabs");
  EXPECT_EQ(Error("file\tcycles\na\t1\nb\n"), "line 3: 1 fields, but the first line names 2 columns");
}

TEST(Pearson, OfLinesCurvesAndConstants) {
  EXPECT_DOUBLE_EQ(Pearson({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(Pearson({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_EQ(Pearson({1, 2, 3}, {5, 5, 5}), 0);
  EXPECT_EQ(Pearson({1, 2}, {1, 2}), 0);
  EXPECT_LT(Pearson({1, 2, 3, 4}, {1, 10, 100, 1000}), 0.9);
}

TEST(Spearman, LooksAtRanksAndShares) {
  EXPECT_DOUBLE_EQ(Spearman({1, 2, 3, 4}, {1, 10, 100, 1000}), 1);
  // The ranks are 0.5 0.5 2 and 0 1 2.
  EXPECT_NEAR(Spearman({7, 7, 8}, {1, 2, 3}), 0.8660254, 1e-6);
}

TEST(CorrelationTable, PairsWhatMeansTheSame) {
  auto figures = ParseDriverFigures("file\tinstructions\tcycles\na\t10\t7\nb\t20\t5\nc\t30\t3\n");
  ASSERT_TRUE(figures.ok()) << figures.status();
  CorrelationTable table(*std::move(figures));
  EXPECT_TRUE(table.Add("folder/a", Counted(1, 4)));
  EXPECT_TRUE(table.Add("b", Counted(2, 5)));
  EXPECT_TRUE(table.Add("c", Counted(3, 6)));
  EXPECT_FALSE(table.Add("d", Counted(9, 9)));
  const std::vector<Correlation> result = table.Result();
  ASSERT_EQ(result.size(), 2u);  // Omits statistics that are 0 or that the driver lacks.
  EXPECT_EQ(result[0].ours + " " + result[0].theirs, "instructions instructions");
  EXPECT_EQ(result[0].shaders, 3u);
  EXPECT_DOUBLE_EQ(result[0].pearson, 1);
  EXPECT_EQ(result[0].ours_sum, 6);
  EXPECT_EQ(result[0].theirs_sum, 60);
  EXPECT_EQ(result[1].ours + " " + result[1].theirs, "cycles cycles");
  EXPECT_DOUBLE_EQ(result[1].spearman, -1);
}

TEST(CorrelationTable, APipeThatNothingWaitedForCountsAsNone) {
  auto figures = ParseDriverFigures("file\tnops\na\t1\nb\t2\nc\t0\n");
  ASSERT_TRUE(figures.ok()) << figures.status();
  CorrelationTable table(*std::move(figures));
  for (const char* name : {"a", "b", "c"}) {
    machine::select::Statistics ours;
    if (*name != 'c') ours.idle_by_pipe["ALU"] = *name == 'a' ? 3 : 6;
    EXPECT_TRUE(table.Add(name, ours));
  }
  const std::vector<Correlation> result = table.Result();
  ASSERT_EQ(result.size(), 1u);
  EXPECT_EQ(result[0].ours, "idle ALU");
  EXPECT_EQ(result[0].shaders, 3u);
  EXPECT_DOUBLE_EQ(result[0].pearson, 1);
}

}  // namespace
}  // namespace rewrought::selection
