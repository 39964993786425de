#include "machine/select/schedule.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "machine/select/statistics.h"
#include "machine/select/testing/shaders.h"

namespace rewrought::machine::select {
namespace {

Selection SelectOn(const std::string& machine, const ir::Shader& shader) {
  const absl::StatusOr<RuleSet> rules = RuleSet::Create(**FindMachine(machine), nullptr, true);
  absl::StatusOr<Selection> selection = SelectShader(*rules, shader, {.allow_uncovered = true});
  EXPECT_TRUE(selection.ok()) << selection.status();
  return *std::move(selection);
}

// On ir3, three issue slots separate an ALU result from its reader (freedreno ir3_delay.c).
TEST(ScheduleTest, AChainWaits) {
  TestShader s;
  auto x = s.Opaque(32);
  const auto y = s.Opaque(32);
  for (int i = 0; i < 3; ++i) x = s.Op("fmul", 32, {x, y});
  s.Use(x);
  const Selection selection = SelectOn("ir3_a6xx", s.shader);
  const Timing timing = TimeBlock(selection.blocks[0]);
  EXPECT_EQ(timing.idle, 6);
  EXPECT_EQ(timing.depth, 3);
  EXPECT_EQ(timing.cycles, 12);
  EXPECT_EQ(timing.critical_path, 12);
  EXPECT_EQ(timing.idle_by_pipe.at("ALU"), 6);
}

// mad reads its third source two cycles late, which leaves one slot between two instructions of a chain.
TEST(ScheduleTest, ReadDelaysCount) {
  TestShader s;
  auto x = s.Opaque(32);
  const auto y = s.Opaque(32), z = s.Opaque(32);
  for (int i = 0; i < 3; ++i) x = s.Op("ffma", 32, {y, z, x});
  s.Use(x);
  const Selection selection = SelectOn("ir3_a6xx", s.shader);
  EXPECT_EQ(TimeBlock(selection.blocks[0]).idle, 2);
}

// The block contains four chains in sequence; after scheduling, each fills the stalls of the others.
TEST(ScheduleTest, SlotsAreFilled) {
  TestShader s;
  const auto y = s.Opaque(32);
  for (int chain = 0; chain < 4; ++chain) {
    auto x = s.Opaque(32);
    for (int i = 0; i < 4; ++i) x = s.Op("fmul", 32, {x, y});
    s.Use(x);
  }
  Selection selection = SelectOn("ir3_a6xx", s.shader);
  EXPECT_EQ(StatisticsOf(selection).idle, 4 * 3 * 3);
  Schedule(&selection);
  EXPECT_EQ(StatisticsOf(selection).idle, 0);
  EXPECT_EQ(StatisticsOf(selection).instructions, 16);
}

// Every reader, including opaque steps, follows its writer, and opaque steps other than inputs keep their order. A
// load of a non-SSA register must precede a later store to it.
TEST(ScheduleTest, OrderIsKept) {
  for (const Machine* machine : AllMachines()) {
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      const Selection before = SelectOn(machine->id(), RandomShader(seed, 120, 2));
      Selection after = before;
      Schedule(&after);
      EXPECT_LE(StatisticsOf(after).cycles, StatisticsOf(before).cycles);
      for (size_t b = 0; b < before.blocks.size(); ++b) {
        ASSERT_EQ(before.blocks[b].steps.size(), after.blocks[b].steps.size());
        std::map<ValueId, size_t> written;  // The first write of each value, because some are written in parts.
        std::vector<std::string> opaque_before, opaque_after;
        const auto name = [](const Step& step) {
          return absl::StrCat(step.what, " ", absl::StrJoin(step.defines, " "));
        };
        for (const Step& step : before.blocks[b].steps) {
          if (step.ordered) opaque_before.push_back(name(step));
        }
        for (size_t i = 0; i < after.blocks[b].steps.size(); ++i) {
          const Step& step = after.blocks[b].steps[i];
          if (step.ordered) opaque_after.push_back(name(step));
          for (const ValueId value : step.defines) written.try_emplace(value, i);
        }
        EXPECT_GT(opaque_after.size(), 5);
        EXPECT_EQ(opaque_before, opaque_after);
        for (size_t i = 0; i < after.blocks[b].steps.size(); ++i) {
          const Step& step = after.blocks[b].steps[i];
          for (const ValueId value : step.opaque ? step.reads : step.sources) {
            if (value != kNoValue && written.contains(value)) {
              EXPECT_LT(written[value], i);
            }
          }
        }
      }
    }
  }
}

TEST(StatisticsTest, RegistersAliveAtOnce) {
  TestShader s;
  std::vector<ir::NodeIndex> inputs;
  for (int i = 0; i < 8; ++i) inputs.push_back(s.Opaque(32));
  auto sum = inputs[0];
  for (int i = 1; i < 8; ++i) sum = s.Op("fadd", 32, {sum, inputs[i]});
  s.Use(sum);
  EXPECT_EQ(StatisticsOf(SelectOn("agx_g13", s.shader)).register_peak, 16);    // Counts 16-bit units.
  EXPECT_EQ(StatisticsOf(SelectOn("intel_gen9", s.shader)).register_peak, 8);  // Counts 32-bit units.
}

TEST(StatisticsTest, UniformsTakeNoRegistersAndLoopsKeepWhatTheyRead) {
  TestShader s(3);
  s.shader.blocks[1].loop_depth = 1;
  const auto u = s.Opaque(32, "load_ubo", true), a = s.Opaque(32), b = s.Opaque(32);
  s.block = 1;
  const auto first = s.Op("fmul", 32, {a, u});  // `a` is read early in the loop, and again in the next iteration.
  s.Use(first);
  const auto in = s.Opaque(32, "tex"), more = s.Opaque(32, "tex");
  s.Use(s.Op("fadd", 32, {s.Op("fadd", 32, {in, more}), b}));
  s.block = 2;
  // The loop keeps a and b live while the two texture values are live.
  EXPECT_EQ(StatisticsOf(SelectOn("intel_gen9", s.shader)).register_peak, 4);
  s.shader.blocks[1].loop_depth = 0;
  EXPECT_EQ(StatisticsOf(SelectOn("intel_gen9", s.shader)).register_peak, 3);
}

// A value that is read only by a phi after the block is live to the block's end; a stored value is not.
TEST(StatisticsTest, PhiOperandsLiveToTheBlockEnd) {
  for (const char* what : {"phi", "store_output"}) {
    TestShader s(2);
    const auto a = s.Opaque(32);
    if (std::string(what) == "store_output") s.Use(a, what);
    std::vector<ir::NodeIndex> inputs;
    for (int i = 0; i < 3; ++i) inputs.push_back(s.Opaque(32));
    s.Use(s.Op("fadd", 32, {s.Op("fadd", 32, {inputs[0], inputs[1]}), inputs[2]}));
    if (std::string(what) == "phi") s.Use(a, what);
    s.block = 1;
    s.Use(s.Opaque(32, "phi"));
    Selection selection = SelectOn("intel_gen9", s.shader);
    Schedule(&selection);
    EXPECT_EQ(StatisticsOf(selection).register_peak, std::string(what) == "phi" ? 4 : 3) << what;
    EXPECT_EQ(selection.blocks[0].steps.back().at_end, std::string(what) == "phi");
  }
}

TEST(StatisticsTest, OccupancyFollowsThePeak) {
  const auto threads = [](int values) {
    TestShader s;
    std::vector<ir::NodeIndex> inputs;
    for (int i = 0; i < values; ++i) inputs.push_back(s.Opaque(32));
    auto sum = inputs[0];
    for (int i = 1; i < values; ++i) sum = s.Op("fadd", 32, {inputs[i], sum});
    s.Use(sum);
    return StatisticsOf(SelectOn("agx_g13", s.shader)).threads;
  };
  EXPECT_EQ(threads(4), 1024);
  EXPECT_EQ(threads(52), 1024);  // Needs 104 units.
  EXPECT_EQ(threads(53), 896);
  EXPECT_EQ(threads(200), 384);
}

TEST(SelectionTest, EqualInstructionsAreNumbered) {
  TestShader s;
  const auto a = s.Opaque(32);
  // Two divisions by the same value share a reciprocal.
  const auto b = s.Opaque(32), c = s.Opaque(32);
  s.Use(s.Op("fdiv", 32, {a, c}));
  s.Use(s.Op("fdiv", 32, {b, c}));
  const Selection selection = SelectOn("agx_g13", s.shader);
  EXPECT_EQ(selection.numbered, 1);
  EXPECT_EQ(StatisticsOf(selection).instructions, 3);
}

}  // namespace
}  // namespace rewrought::machine::select
