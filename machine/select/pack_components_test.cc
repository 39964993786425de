// Tests selection on machines with several components per register: expected merges, and emulation of random vector
// shaders.
#include "machine/select/pack_components.h"

#include <random>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "machine/select/emulate.h"
#include "machine/select/schedule.h"
#include "machine/select/statistics.h"
#include "machine/select/testing/shaders.h"

namespace rewrought::machine::select {
namespace {

std::vector<const Machine*> VectorMachines() {
  std::vector<const Machine*> machines;
  for (const Machine* machine : AllMachines()) {
    if (machine->components() > 1) machines.push_back(machine);
  }
  return machines;
}

Selection Select(const Machine& machine, const ir::Shader& shader, CoverKind kind = CoverKind::kNoltis) {
  const RuleSet rules = *RuleSet::Create(machine, nullptr, kind != CoverKind::kNaive);
  absl::StatusOr<Selection> selection = SelectShader(rules, shader, {.kind = kind, .allow_uncovered = true});
  EXPECT_TRUE(selection.ok()) << machine.id() << ": " << selection.status();
  return *std::move(selection);
}

// Permutes the components that the source reads.
void Swizzle(ir::Shader* shader, ir::NodeIndex node, size_t source, const std::vector<int>& order) {
  for (size_t c = 0; c < order.size(); ++c) {
    shader->values.nodes[node].sources[source].swizzle[c] = static_cast<uint8_t>(order[c]);
  }
}

std::string Program(const Selection& selection) { return PrintBlock(selection, selection.blocks[0]); }

// vec4(a.xy * b.xy, a.zw + b.zw) needs two instructions with write masks and no moves.
TEST(PackComponentsTest, HalvesOfARegisterNeedNoMerge) {
  TestShader s;
  const auto a = s.Opaque(32, "load_input", false, 4), b = s.Opaque(32, "load_input", false, 4);
  const auto product = s.Op("fmul", 32, {a, b}, 0, 2), sum = s.Op("fadd", 32, {a, b}, 0, 2);
  for (const size_t source : {0, 1}) Swizzle(&s.shader, sum, source, {2, 3});
  const auto joined = s.Op("vec4", 32, {product, product, sum, sum}, 0, 4);
  Swizzle(&s.shader, joined, 1, {1});
  Swizzle(&s.shader, joined, 3, {1});
  s.Use(joined);
  for (const Machine* machine : VectorMachines()) {
    const Selection selection = Select(*machine, s.shader);
    const std::string program = Program(selection);
    EXPECT_EQ(StatisticsOf(selection).instructions, 2u) << machine->id() << "\n" << program;
    EXPECT_TRUE(absl::StrContains(program, ".mask(xy)")) << program;
    EXPECT_TRUE(absl::StrContains(program, ".mask(zw)")) << program;
    EXPECT_EQ(selection.coalesced, 4u);
  }
}

// If a matrix is multiplied by a vector, each of the four dot products is computed directly in its component.
TEST(PackComponentsTest, FourSumsIntoOneRegister) {
  TestShader s;
  const auto v = s.Opaque(32, "load_input", false, 4);
  std::vector<ir::NodeIndex> sums;
  for (int i = 0; i < 4; ++i) sums.push_back(s.Op("fdot4", 32, {s.Opaque(32, "load_input", false, 4), v}));
  s.Use(s.Op("vec4", 32, sums, 0, 4));
  for (const Machine* machine : VectorMachines()) {
    const Selection selection = Select(*machine, s.shader);
    EXPECT_EQ(StatisticsOf(selection).instructions, 4u) << machine->id() << "\n" << Program(selection);
    for (const char* mask : {".mask(x)", ".mask(y)", ".mask(z)", ".mask(w)"}) {
      EXPECT_TRUE(absl::StrContains(Program(selection), mask)) << Program(selection);
    }
  }
}

// An op on all components becomes a single instruction if the machine supports the swizzle. Here, r300 needs two
// instructions (yz and x), and r200 needs one per component.
TEST(PackComponentsTest, SwizzlesFollowTheMachine) {
  TestShader s;
  const auto a = s.Opaque(32, "load_input", false, 4), b = s.Opaque(32, "load_input", false, 4);
  const auto product = s.Op("fmul", 32, {a, b}, 0, 3);
  Swizzle(&s.shader, product, 0, {1, 0, 2});  // yxz
  s.Use(product);
  for (const Machine* machine : VectorMachines()) {
    const uint64_t count = StatisticsOf(Select(*machine, s.shader)).instructions;
    const uint64_t least = machine->id() == "r300" || machine->id() == "r200" ? 2 : 1;
    EXPECT_GE(count, least) << machine->id();
    EXPECT_LE(count, least == 1 ? 1 : 3) << machine->id();
  }
}

// Identity reads always have the same canonical swizzle, so that rules about swizzles do not apply to them.
TEST(PackComponentsTest, PlainOrderIsPlain) {
  for (const Machine* machine : VectorMachines()) {
    const Selection selection = Select(*machine, RandomShader(3, 60, 2));
    for (const SelectedBlock& block : selection.blocks) {
      for (const Step& step : block.steps) {
        for (const Operand& source : step.code.sources) {
          const bool plain = std::equal(source.swizzle.begin(), source.swizzle.begin() + ir::kShaderComponents,
                                        ir::kIdentitySwizzle.begin());
          EXPECT_EQ(plain, source.swizzle == ir::kIdentitySwizzle) << machine->id() << " " << step.what;
        }
      }
    }
  }
}

// A value is moved if an outside use needs its components in a different order.
TEST(PackComponentsTest, OutputsKeepTheirOrder) {
  TestShader s;
  const auto a = s.Opaque(32, "load_input", false, 4);
  const auto turned = s.Op("mov", 32, {a}, 0, 4);
  Swizzle(&s.shader, turned, 0, {3, 2, 1, 0});
  s.Use(turned);
  for (const Machine* machine : VectorMachines()) {
    EXPECT_GE(StatisticsOf(Select(*machine, s.shader)).instructions, 1u) << machine->id();
  }
}

// Returns a random shader with vectors of two to four components and random swizzles.
ir::Shader RandomVectorShader(uint64_t seed, int ops, int blocks) {
  std::mt19937_64 random(seed);
  TestShader s(blocks);
  std::vector<ir::NodeIndex> values = {s.Opaque(32, "load_input", false, 4), s.Opaque(32, "load_input", false, 3),
                                       s.Opaque(32, "load_ubo", true, 4)};
  const auto pick = [&] { return values[values.size() - 1 - random() % std::min<size_t>(values.size(), 6)]; };
  const auto op = [&](const std::string& name, int bits, std::vector<ir::NodeIndex> sources, int components, int read) {
    const ir::NodeIndex made = s.Op(name, bits, sources, 0, components);
    for (size_t i = 0; i < sources.size(); ++i) {
      std::vector<int> order;
      for (int c = 0; c < read; ++c)
        order.push_back(static_cast<int>(random() % s.shader.values.at(sources[i]).components));
      Swizzle(&s.shader, made, i, order);
    }
    return made;
  };
  const char* kBinary[] = {"fadd", "fmul", "fmin", "fmax", "fsub", "fadd", "fmul"};
  const char* kUnary[] = {"fneg", "fabs", "fsat", "ffloor", "ffract", "frcp"};
  for (int i = 0; i < ops; ++i) {
    s.block = static_cast<uint32_t>(static_cast<int64_t>(i) * blocks / ops);
    const int n = 1 + static_cast<int>(random() % 4);
    switch (random() % 8) {
      case 0:
        values.push_back(op(kUnary[random() % 6], 32, {pick()}, n, n));
        break;
      case 1:
        values.push_back(op(random() % 2 ? "fdot4" : "fdot3", 32, {pick(), pick()}, 1, 4));
        break;
      case 2:
        values.push_back(op("vec4", 32, {pick(), pick(), pick(), pick()}, 4, 1));
        break;
      case 3: {
        const ir::NodeIndex test = op(random() % 2 ? "flt" : "fge", 1, {pick(), pick()}, n, n);
        const ir::NodeIndex select = op("bcsel", 32, {test, pick(), pick()}, n, n);
        values.push_back(select);
        break;
      }
      case 4:
        values.push_back(op("fadd", 32, {op("fmul", 32, {pick(), pick()}, n, n), pick()}, n, n));
        break;
      case 5:
        if (random() % 2)
          values.push_back(op("fmul", 32, {pick(), s.Constant(random() % 2 ? 0x3f800000 : 0x40490fdb, 32)}, n, n));
        break;
      default:
        values.push_back(op(kBinary[random() % 7], 32, {pick(), pick()}, n, n));
    }
    if (random() % 6 == 0) s.Use(values.back());
  }
  s.Use(values.back());
  return s.shader;
}

TEST(PackComponentsTest, RandomVectorShadersAgree) {
  uint64_t checks = 0, coalesced = 0;
  for (const Machine* machine : VectorMachines()) {
    for (const CoverKind kind : {CoverKind::kNoltis, CoverKind::kNaive}) {
      for (uint64_t seed = 1; seed <= 8; ++seed) {
        Selection selection = Select(*machine, RandomVectorShader(seed, 50, 3), kind);
        Schedule(&selection);
        absl::StatusOr<EmulationReport> report = Emulate(selection, {.runs = 4});
        ASSERT_TRUE(report.ok()) << report.status();
        EXPECT_EQ(report->differences, 0) << machine->id() << ", seed " << seed << ": " << report->examples[0] << "\n"
                                          << Program(selection);
        checks += report->checks, coalesced += selection.coalesced;
      }
    }
  }
  EXPECT_GT(checks, 5000);
  EXPECT_GT(coalesced, 100);
}

TEST(PackComponentsTest, AWrongSwizzleIsCaught) {
  const Machine& machine = **FindMachine("vec4");
  TestShader s;
  const auto a = s.Opaque(32, "load_input", false, 4), b = s.Opaque(32, "load_input", false, 4);
  s.Use(s.Op("fmul", 32, {a, b}, 0, 4));
  Selection selection = Select(machine, s.shader);
  EXPECT_EQ(Emulate(selection, {.runs = 4})->differences, 0);
  for (Step& step : selection.blocks[0].steps) {
    if (!step.opaque) step.code.sources[0].swizzle = {0, 2, 1, 3};
  }
  EXPECT_GT(Emulate(selection, {.runs = 4})->differences, 0);
}

}  // namespace
}  // namespace rewrought::machine::select
