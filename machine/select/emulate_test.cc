#include "machine/select/emulate.h"

#include <set>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/text/rule_text.h"
#include "machine/select/schedule.h"
#include "machine/select/testing/shaders.h"

namespace rewrought::machine::select {
namespace {

absl::StatusOr<Selection> Select(const Machine& machine, const ir::Shader& shader, CoverKind kind,
                                 const std::vector<PackRule>* pack = nullptr) {
  absl::StatusOr<RuleSet> rules = RuleSet::Create(machine, pack, kind != CoverKind::kNaive);
  if (!rules.ok()) return rules.status();
  return SelectShader(*rules, shader, {.kind = kind, .allow_uncovered = true});
}

EmulationReport RunIt(const Selection& selection, int runs = 4) {
  absl::StatusOr<EmulationReport> report = Emulate(selection, {.runs = runs});
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : EmulationReport{};
}

PackRule RuleOf(const Machine& machine, const std::string& rule_text, const std::string& program) {
  ir::Rule rule = *ir::ParseRule(rule_text);
  return {rule_text, *ir::CompiledRule::Compile(rule, {.literals_exact = true}), *ParseProgram(machine, program),
          false};
}

// The main test: on every machine, with every kind of cover and after scheduling, the selected code computes the
// values of the IR.
TEST(EmulateTest, RandomShadersAgreeOnAllMachines) {
  uint64_t checks = 0, equal = 0;
  for (const Machine* machine : AllMachines()) {
    for (const CoverKind kind : {CoverKind::kNoltis, CoverKind::kTree, CoverKind::kNaive}) {
      for (uint64_t seed = 1; seed <= 6; ++seed) {
        absl::StatusOr<Selection> selection = Select(*machine, RandomShader(seed, 80, 4), kind);
        ASSERT_TRUE(selection.ok()) << machine->id() << ": " << selection.status();
        Schedule(&*selection);
        const EmulationReport report = RunIt(*selection);
        EXPECT_EQ(report.differences, 0) << machine->id() << ", seed " << seed << ": "
                                         << (report.examples.empty() ? "" : report.examples[0]);
        checks += report.checks, equal += report.equal;
      }
    }
  }
  EXPECT_GT(checks, 10000);
  EXPECT_GT(equal, checks * 8 / 10);
}

// vc4's programs for sines have temporaries u1 to u5 and v1, which once collided with operand names.
TEST(EmulateTest, TemporariesAreDistinctFromOperands) {
  const Machine& machine = **FindMachine("vc4");
  for (const bool uniform : {false, true}) {
    TestShader s;
    std::vector<ir::NodeIndex> values;
    for (int i = 0; i < 8; ++i) values.push_back(s.Opaque(32, "load_ubo", uniform));
    for (const ir::NodeIndex value : values)
      s.Use(s.Op("fadd", 32, {s.Op("fsin", 32, {value}), s.Op("fcos", 32, {value})}));
    for (const ir::NodeIndex value : values) s.Use(s.Op("fmul", 32, {value, value}));
    const absl::StatusOr<Selection> selection = Select(machine, s.shader, CoverKind::kNoltis);
    ASSERT_TRUE(selection.ok()) << selection.status();
    const EmulationReport report = RunIt(*selection);
    EXPECT_EQ(report.differences, 0) << report.examples[0];
    EXPECT_EQ(report.undecided, 0);
  }
}

TEST(EmulateTest, AWrongRuleIsCaught) {
  const Machine& machine = **FindMachine("agx_g13");
  TestShader s;
  const auto a = s.Opaque(32), b = s.Opaque(32);
  s.Use(s.Op("fmul", 32, {s.Op("fsub", 32, {a, b}), a}));
  const std::string search = "(('fmul@32', ('fsub@32', 'x@32', 'y@32'), 'x@32'), 'x@32')";
  const std::vector<PackRule> wrong = {RuleOf(machine, search, "[fmul(r(F), x(F), y(F))]")};
  const EmulationReport caught = RunIt(*Select(machine, s.shader, CoverKind::kNoltis, &wrong));
  EXPECT_GT(caught.differences, 0);
  ASSERT_FALSE(caught.examples.empty());
  EXPECT_TRUE(absl::StrContains(caught.examples[0], "[fmul(r(F), %0(F), %1(F))]")) << caught.examples[0];
  const std::vector<PackRule> right = {RuleOf(machine, search, "[fadd(t(F), x(F), -y(F)), fmul(r(F), t(F), x(F))]")};
  absl::StatusOr<Selection> selection = Select(machine, s.shader, CoverKind::kNoltis, &right);
  EXPECT_EQ(RunIt(*selection).differences, 0);
  // Wrong results of a rule are ignored in modes in which the rule is not proved.
  std::vector<PackRule> elsewhere = wrong;
  elsewhere[0].modes = {};
  const EmulationReport report = RunIt(*Select(machine, s.shader, CoverKind::kNoltis, &elsewhere));
  EXPECT_EQ(report.differences, 0);
  EXPECT_EQ(report.other_modes, 4);
  elsewhere[0].modes = {ir::DenormMode::kFlush};
  EXPECT_EQ(RunIt(*Select(machine, s.shader, CoverKind::kNoltis, &elsewhere)).other_modes, 2);
}

// Where Booleans are 0.0 and 1.0, xor is a subtraction; the sign of a constant Boolean must not be folded into it.
TEST(EmulateTest, SignsOfConstantBooleansStay) {
  for (const Machine* machine : AllMachines()) {
    TestShader s;
    const auto a = s.Opaque(32), b = s.Opaque(32);
    const auto test = s.Op("flt", 1, {a, b});
    for (const uint64_t constant : {0, 1}) s.Use(s.Op("ixor", 1, {test, s.Constant(constant, 1)}));
    const absl::StatusOr<Selection> selection = Select(*machine, s.shader, CoverKind::kNoltis);
    ASSERT_TRUE(selection.ok()) << machine->id() << ": " << selection.status();
    EXPECT_EQ(RunIt(*selection).differences, 0) << machine->id();
  }
}

// A rule that writes a flag can serve selects, which read the flag, but not users of the Boolean in a register.
TEST(EmulateTest, FlagsServeSelects) {
  const Machine& machine = **FindMachine("intel_gen9");
  const std::string search = "(('feq', ('fadd@32', 'x@32', 'y@32'), 0.0), ('feq', 'x', ('fneg', 'y')))";
  const std::vector<PackRule> right = {RuleOf(machine, search, "[ADD(null(F), x(F), y(F)).cmod(Z, r)]")};
  const std::vector<PackRule> wrong = {RuleOf(machine, search, "[ADD(null(F), x(F), y(F)).cmod(NZ, r)]")};
  for (const bool selects : {true, false}) {
    TestShader s;
    const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32), d = s.Opaque(32);
    const auto test = s.Op("feq", 1, {s.Op("fadd", 32, {a, b}), s.Constant(0, 32)});
    s.Use(selects ? s.Op("bcsel", 32, {test, c, s.Op("fneg", 32, {d})}) : test);
    const absl::StatusOr<Selection> selection = Select(machine, s.shader, CoverKind::kNoltis, &right);
    ASSERT_TRUE(selection.ok()) << selection.status();
    EXPECT_EQ(RunIt(*selection).differences, 0);
    const Tile& last = selection->cover.tiles.back();
    EXPECT_EQ(last.from_pack != nullptr, selects);
    EXPECT_EQ(last.code.size(), selects ? 2 : 1);
    EXPECT_EQ(RunIt(*Select(machine, s.shader, CoverKind::kNoltis, &wrong)).differences > 0, selects);
  }
}

// If a rule reads a Boolean as a flag, the Boolean is tested first.
TEST(EmulateTest, BooleansBecomeFlags) {
  const Machine& machine = **FindMachine("intel_gen9");
  TestShader s;
  const auto p = s.Opaque(1), a = s.Opaque(32);
  const auto other = s.Op("flt", 1, {a, s.Opaque(32)});
  for (const auto test : {p, other}) s.Use(s.Op("fmul", 32, {s.Op("b2f32", 32, {test}), s.Op("fmul", 32, {a, a})}));
  const std::string search = "(('fmul@32', ('b2f32', 'p@1'), ('fmul', 'x@32', 'y@32')), ('bcsel', 'p', 'x', 0.0))";
  const std::vector<PackRule> right = {
      RuleOf(machine, search, "[MUL(t(F), x(F), y(F)), SEL(r(F), t(F), imm(0.0, F)).predicate(NORMAL, p)]")};
  const absl::StatusOr<Selection> selection = Select(machine, s.shader, CoverKind::kNoltis, &right);
  ASSERT_TRUE(selection.ok()) << selection.status();
  int used = 0;
  for (const Tile& tile : selection->cover.tiles) used += tile.from_pack != nullptr ? 1 : 0;
  EXPECT_EQ(used, 0);  // A test, a product and a select cost more than the existing code.
  std::vector<PackRule> cheap = {
      RuleOf(machine, "(('fmul@32', ('b2f32', 'p@1'), ('fmul', 'x@32', 'x@32')), ('bcsel', 'p', 'x', 0.0))",
             "[SEL(r(F), x(F), imm(0.0, F)).predicate(INVERT, p)]")};
  const EmulationReport wrong = RunIt(*Select(machine, s.shader, CoverKind::kNoltis, &cheap));
  EXPECT_GT(wrong.differences, 0);
  ASSERT_FALSE(wrong.examples.empty());
  EXPECT_TRUE(absl::StrContains(wrong.examples[0], ".cmod(NZ, p)")) << wrong.examples[0];
}

TEST(EmulateTest, AContractionOfAnotherSumIsCaught) {
  const Machine& machine = **FindMachine("agx_g13");
  TestShader s;
  const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32);
  s.Use(s.Op("fadd", 32, {s.Op("fmul", 32, {a, b}), c}));
  Selection selection = *Select(machine, s.shader, CoverKind::kNoltis);
  EXPECT_EQ(RunIt(selection).differences, 0);
  EXPECT_GT(RunIt(selection, 16).contracted, 0);
  for (Step& step : selection.blocks[0].steps) {
    if (!step.opaque) std::swap(step.code.sources[1], step.code.sources[2]);
  }
  EXPECT_GT(RunIt(selection).differences, 0);
}

TEST(EmulateTest, ReadsBeforeWritesAreCaught) {
  const Machine& machine = **FindMachine("agx_g13");
  TestShader s;
  const auto a = s.Opaque(32);
  s.Use(s.Op("fmul", 32, {s.Op("fadd", 32, {a, a}), a}));
  Selection selection = *Select(machine, s.shader, CoverKind::kNoltis);
  std::vector<Step>& steps = selection.blocks[0].steps;
  ASSERT_EQ(steps.size(), 4);
  std::swap(steps[1], steps[2]);
  const EmulationReport report = RunIt(selection);
  EXPECT_GT(report.differences, 0);
  EXPECT_TRUE(absl::StrContains(report.examples[0], "is read before it is written")) << report.examples[0];
  // Move a store before the definition of its operand.
  std::swap(steps[1], steps[2]);
  ASSERT_EQ(RunIt(selection).differences, 0);
  std::swap(steps[2], steps[3]);
  ASSERT_EQ(steps[2].what, "store_output");
  EXPECT_TRUE(absl::StrContains(RunIt(selection).examples.at(0), "is read before it is written, by store_output"));
}

// Each read of a non-SSA register is a separate value that is named where it occurs. The emulator detects programs
// that read the register again after an intervening write.
TEST(EmulateTest, ValuesOfRegistersAreNeverReadAcrossAWrite) {
  int found_out = 0, tried = 0;
  for (const Machine* machine : AllMachines()) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      Selection selection = *Select(*machine, RandomShader(seed, 60, 3), CoverKind::kNoltis);
      // Every opaque value has a distinct name and position, in the shader's order.
      std::set<std::string> names;
      std::vector<const Step*> reads;
      ir::NodeIndex last = 0;
      for (const SelectedBlock& block : selection.blocks) {
        for (const Step& step : block.steps) {
          if (step.defines.empty() || !step.opaque) continue;
          EXPECT_GE(step.node, last);
          last = step.node;
          for (const ValueId value : step.defines) EXPECT_TRUE(names.insert(selection.values[value].name).second);
          if (step.what == "load_reg") reads.push_back(&step);
        }
      }
      EXPECT_EQ(RunIt(selection).differences, 0);
      // Inject a fault: readers of the first value read the second value instead, as if both were the register.
      for (size_t i = 0; i + 1 < reads.size(); ++i) {
        Selection wrong = selection;
        const std::string first = selection.values[reads[i]->defines[0]].name;
        const std::string second = selection.values[reads[i + 1]->defines[0]].name;
        bool read_later = false, after = false;
        for (SelectedBlock& block : wrong.blocks) {
          for (Step& step : block.steps) {
            after |= step.opaque && step.node == reads[i + 1]->node;
            for (Operand& source : step.code.sources) {
              if (!after || source.kind == OperandKind::kImmediate || source.name != first) continue;
              source.name = second;
              read_later = true;
            }
          }
        }
        if (!read_later) continue;
        ++tried;
        found_out += RunIt(wrong, 8).differences > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(tried, 5);
  // Some values do not influence any result (a product with 0, an overlong shift), but most faults must be detected.
  EXPECT_GE(found_out * 10, tried * 8) << found_out << " of " << tried;
}

}  // namespace
}  // namespace rewrought::machine::select
