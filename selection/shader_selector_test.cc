#include "selection/shader_selector.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "emitter/pack_files.h"
#include "emitter/testing/sample_rules.h"
#include "ir/text/rule_text.h"
#include "machine/select/testing/shaders.h"
#include "rules/rule_passes.h"

namespace rewrought::selection {
namespace {

using emitter::SampleProgram, emitter::SampleRule;

const machine::Machine& kIntel = **machine::FindMachine("intel_gen9");

// Writes a pack with `rules` to a folder of the current test and returns the folder.
std::string Written(std::vector<emitter::ProvedRule> rules,
                    const emitter::PackOptions& options = emitter::SampleOptions()) {
  const std::string folder =
      absl::StrCat(::testing::TempDir(), "/selector_", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::remove_all(folder);
  auto pack = emitter::BuildPack(std::move(rules), options);
  EXPECT_TRUE(pack.ok()) << pack.status();
  EXPECT_TRUE(pack->blocked.empty()) << pack->blocked[0].reason;
  const auto files = emitter::RenderPack({}, &*pack);
  EXPECT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(emitter::WriteFiles(folder, *files).ok());
  return folder;
}

// Returns a shader that computes (a | b) & a and -(a + b), which the rules below match.
ir::Shader BothPatterns() {
  machine::select::TestShader s;
  const ir::NodeIndex a = s.Opaque(32), b = s.Opaque(32);
  s.Use(s.Op("iand", 32, {s.Op("ior", 32, {a, b}), a}));
  s.Use(s.Op("ineg", 32, {s.Op("iadd", 32, {a, b})}));
  return s.shader;
}

const emitter::ProvedRule kRule = SampleRule("('iand', ('ior', 'a', 'b'), 'a')", "'a'");
const emitter::ProvedRule kProgram =
    SampleProgram("intel_gen9", "('ineg', ('iadd', 'a@32', 'b'))", "[ADD(r(D), -a(D), -b(D))]");

SelectedShader Selected(const std::vector<std::string>& packs, const SelectOptions& options = {}) {
  const auto selector = ShaderSelector::Create(kIntel, packs, options);
  EXPECT_TRUE(selector.ok()) << selector.status();
  auto selected = (*selector)->Select(BothPatterns());
  EXPECT_TRUE(selected.ok()) << selected.status();
  return *std::move(selected);
}

TEST(ShaderSelector, WithoutPacksOnlyBaseRules) {
  const SelectedShader plain = Selected({});
  EXPECT_EQ(plain.name, "test");
  EXPECT_EQ(plain.rewritten, 0u);
  EXPECT_EQ(plain.pack_tiles, 0u);
  EXPECT_GE(plain.statistics.instructions, 4u);
  EXPECT_FALSE(plain.emulation.has_value());
}

TEST(ShaderSelector, RulesRewriteAndProgramsAreTiles) {
  const std::string folder = Written({kRule, kProgram});
  const auto selector = ShaderSelector::Create(kIntel, {folder}, {});
  ASSERT_TRUE(selector.ok()) << selector.status();
  EXPECT_EQ((*selector)->nir_rules().size(), 1u);
  EXPECT_EQ((*selector)->programs(), 1u);
  const SelectedShader selected = Selected({folder});
  EXPECT_EQ(selected.rewritten, 1u);
  EXPECT_EQ(selected.pack_tiles, 1u);
  EXPECT_LT(selected.statistics.instructions, Selected({}).statistics.instructions);
}

TEST(ShaderSelector, InexactRulesThatLookAtOtherUsersLeaveVertexShadersAsTheyAre) {
  machine::select::TestShader s;
  const ir::NodeIndex a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32);
  s.Use(s.Op("fadd", 32, {s.Op("fmul", 32, {a, b}), s.Op("fmul", 32, {a, c})}));
  emitter::ProvedRule rule = emitter::SampleInexact("('~fadd', ('fmul', 'a@32', 'b'), ('fmul', 'a', 'c'))",
                                                    "('fmul', 'a', ('fadd', 'b', 'c'))");
  const auto rewritten = [&](const std::string& stage) {
    emitter::PackOptions options = emitter::SampleOptions();
    options.rule_class = v1::RULE_CLASS_INEXACT;
    const auto selector = ShaderSelector::Create(kIntel, {Written({rule}, options)}, {});
    EXPECT_TRUE(selector.ok()) << selector.status();
    s.shader.stage = stage;
    const auto selected = (*selector)->Select(s.shader);
    EXPECT_TRUE(selected.ok()) << selected.status();
    return selected->rewritten;
  };
  EXPECT_EQ(rewritten("fragment"), 1u);
  EXPECT_EQ(rewritten("vertex"), 0u);
  rule.entry.set_all_stages(true);
  EXPECT_EQ(rewritten("vertex"), 1u);
}

// Returns a shader with one product in block `first` and one in block `second`. Block 0 dominates blocks 1 and 2. Both
// products contain the factors b and c, grouped and ordered differently.
ir::Shader SharedFactors(uint32_t first, uint32_t second) {
  machine::select::TestShader s(3);
  for (const uint32_t block : {1, 2}) s.shader.blocks[block].dominator = 0;
  const ir::NodeIndex a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32), d = s.Opaque(32);
  s.block = first;
  s.Use(s.Op("fmul", 32, {s.Op("fmul", 32, {a, b}), c}));
  s.block = second;
  s.Use(s.Op("fmul", 32, {s.Op("fmul", 32, {d, c}), b}));
  s.shader.stage = "fragment";
  return s.shader;
}

TEST(ShaderSelector, FactorsThatSeveralProductsShareAreMultipliedOnce) {
  emitter::PackOptions options = emitter::SampleOptions();
  options.rule_class = v1::RULE_CLASS_INEXACT;
  const std::string folder =
      Written({emitter::SampleInexact("('~fmul', ('fmul', 'a@32', 'b(is_shared_with_outer)'), 'c')",
                                      "('fmul', 'a', ('fmul', 'b', 'c'))")},
              options);
  const auto selector = ShaderSelector::Create(kIntel, {folder}, {});
  ASSERT_TRUE(selector.ok()) << selector.status();
  // Neither branch can use a value from the other.
  for (const auto& [first, second, saved] : {std::tuple{0, 0, 1}, {0, 1, 1}, {1, 2, 0}}) {
    const auto changes = (*selector)->SelectEach(SharedFactors(first, second));
    ASSERT_TRUE(changes.ok()) << changes.status();
    ASSERT_EQ(changes->size(), 1u);
    EXPECT_EQ(changes->front().applied, 2u);
    EXPECT_EQ(changes->front().instructions, -saved) << first << " " << second;
  }
  // A single product shares no factors.
  machine::select::TestShader one;
  const ir::NodeIndex e = one.Opaque(32), f = one.Opaque(32), g = one.Opaque(32);
  one.Use(one.Op("fmul", 32, {one.Op("fmul", 32, {e, f}), g}));
  one.shader.stage = "fragment";
  EXPECT_TRUE((*selector)->SelectEach(one.shader)->empty());
}

TEST(ShaderSelector, RewritesOfTheBaselineDoNotCount) {
  const std::string folder = Written({kRule});
  const auto changes = [&](const std::vector<ir::Rule>& tree) {
    const corpus::Baseline baseline(rules::CompilePasses({tree}));
    const auto selector = ShaderSelector::Create(kIntel, {folder}, {.baseline = &baseline});
    EXPECT_TRUE(selector.ok()) << selector.status();
    const auto found = (*selector)->SelectEach(BothPatterns());
    EXPECT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->size(), 1u);
    return found->front().instructions;
  };
  EXPECT_EQ(changes({}), -2);
  EXPECT_EQ(changes({*ir::ParseRule("(('iand', ('ior', 'a', 'b'), 'a'), 'a')")}), 0);
}

// ir3 computes an integer product with three instructions, and the tree's rules remove the instructions for each zero
// half of a constant (Mesa 25.0.7 nir_opt_algebraic.py, umul_low and imadsh_mix16).
TEST(ShaderSelector, TheBaselineMatchesLoweredOps) {
  const corpus::Baseline tree(
      rules::CompilePasses({{*ir::ParseRule("(('umul_low', '#a(is_lower_half_zero)', 'b'), 0)"),
                             *ir::ParseRule("(('imadsh_mix16', '#a@32(is_lower_half_zero)', 'b@32', 'c@32'), 'c')"),
                             *ir::ParseRule("(('imadsh_mix16', 'a@32', '#b@32(is_upper_half_zero)', 'c@32'), 'c')")}}));
  const auto instructions = [](uint64_t factor, const corpus::Baseline* baseline) {
    machine::select::TestShader s;
    s.Use(s.Op("imul", 32, {s.Opaque(32), s.Constant(factor, 32)}));
    const auto selector =
        ShaderSelector::Create(**machine::FindMachine("ir3_a6xx"), {}, {.schedule = false, .baseline = baseline});
    EXPECT_TRUE(selector.ok()) << selector.status();
    const auto selected = (*selector)->Select(s.shader);
    EXPECT_TRUE(selected.ok()) << selected.status();
    return selected->statistics.instructions;
  };
  const auto whole = instructions(0x30005, &tree);
  EXPECT_EQ(instructions(0x30000, nullptr), whole);
  EXPECT_EQ(instructions(0x30000, &tree), whole - 2);
  // One of three instructions is removed, and one constant needs no register.
  EXPECT_EQ(instructions(0x5, &tree), whole - 2);
}

TEST(ShaderSelector, AProductThatASumReadsStaysOne) {
  emitter::PackOptions options = emitter::SampleOptions();
  options.rule_class = v1::RULE_CLASS_INEXACT;
  const std::string folder =
      Written({emitter::SampleInexact("('~fmul', ('fadd', 1.0, 'a@32'), 'b@32')", "('fadd', ('fmul', 'a', 'b'), 'b')")},
              options);
  const auto selector = ShaderSelector::Create(kIntel, {folder}, {});
  ASSERT_TRUE(selector.ok()) << selector.status();
  // Returns the number of rewrites in a shader that computes (1 + a) b and reads it with each of `readers`; "" is a
  // store.
  const auto rewritten = [&](const std::vector<std::string>& readers) {
    machine::select::TestShader s;
    const ir::NodeIndex a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32);
    const ir::NodeIndex product = s.Op("fmul", 32, {s.Op("fadd", 32, {s.Constant(0x3f800000, 32), a}), b});
    for (const std::string& reader : readers) {
      if (reader.empty()) s.Use(product);
      if (reader == "fneg") s.Use(s.Op("fadd", 32, {s.Op("fneg", 32, {product}), c}));
      if (!reader.empty() && reader != "fneg") s.Use(s.Op(reader, 32, {product, c}));
    }
    s.shader.stage = "fragment";
    const auto selected = (*selector)->Select(s.shader);
    EXPECT_TRUE(selected.ok()) << selected.status();
    return selected->rewritten;
  };
  EXPECT_EQ(rewritten({""}), 1u);
  EXPECT_EQ(rewritten({"fmax"}), 1u);
  EXPECT_EQ(rewritten({"fadd", "fmax"}), 1u);
  EXPECT_EQ(rewritten({"fadd"}), 0u);
  EXPECT_EQ(rewritten({"fadd", "fneg"}), 0u);
}

TEST(ShaderSelector, EachRuleAloneAgainstNone) {
  // One rule matches and saves two instructions, and the other rule does not match.
  const std::string folder = Written({kRule, SampleRule("('ixor', 'a', 'a')", "0")});
  const auto selector = ShaderSelector::Create(kIntel, {folder}, {});
  ASSERT_TRUE(selector.ok()) << selector.status();
  ASSERT_EQ((*selector)->nir_rules().size(), 2u);
  const auto changes = (*selector)->SelectEach(BothPatterns());
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->size(), 1u);
  const RuleChange& change = changes->front();
  EXPECT_EQ((*selector)->nir_rules()[change.rule].text, "(('iand', ('ior', 'a', 'b'), 'a'), 'a')");
  EXPECT_EQ(change.applied, 1u);
  EXPECT_EQ(change.instructions, -2);
  EXPECT_EQ(change.issue_cycles, -4);
  EXPECT_TRUE((*ShaderSelector::Create(kIntel, {}, {}))->SelectEach(BothPatterns())->empty());
}

TEST(ShaderSelector, OfARuleWithBothTheProgramIsTaken) {
  const std::string folder =
      Written({SampleProgram("intel_gen9", "('iand', ('ior', 'a@32', 'b'), 'a')", "[MOV(r(UD), a(UD))]"),
               SampleRule("('iand', ('ior', 'a@32', 'b'), 'a')", "'a'")});
  const auto selector = ShaderSelector::Create(kIntel, {folder}, {});
  ASSERT_TRUE(selector.ok()) << selector.status();
  EXPECT_TRUE((*selector)->nir_rules().empty());
  EXPECT_EQ((*selector)->programs(), 1u);
}

TEST(ShaderSelector, NirRulesAloneAreThoseThatMesaTakes) {
  const emitter::ProvedRule program =
      SampleProgram("intel_gen9", "('iand', ('ior', 'a@32', 'b'), 'a')", "[MOV(r(UD), a(UD))]");
  const std::string folder = Written({program, kRule, kProgram});
  const auto selector = ShaderSelector::Create(kIntel, {folder}, {.nir_rules_alone = true});
  ASSERT_TRUE(selector.ok()) << selector.status();
  EXPECT_EQ((*selector)->nir_rules().size(), 1u);
  EXPECT_EQ((*selector)->programs(), 0u);
  EXPECT_TRUE(ShaderSelector::Create(**machine::FindMachine("agx_g13"), {folder}, {.nir_rules_alone = true}).ok());
}

TEST(ShaderSelector, ConstantsThatNoOperandHoldsMayBeFree) {
  const machine::Machine& valhall = **machine::FindMachine("valhall");
  machine::select::TestShader s;
  const ir::NodeIndex a = s.Opaque(32), b = s.Opaque(32, "load_uniform", true);
  // Valhall's table of immediates contains 0 but not 3 for integer maxima.
  s.Use(s.Op("imax", 32, {a, s.Constant(3, 32)}));
  s.Use(s.Op("imax", 32, {s.Op("iadd", 32, {a, b}), s.Constant(0, 32)}));
  const auto instructions = [&](bool constants_free) {
    const auto selector = ShaderSelector::Create(valhall, {}, {.constants_free = constants_free});
    const auto selected = (*selector)->Select(s.shader);
    EXPECT_TRUE(selected.ok()) << selected.status();
    return selected->statistics.instructions;
  };
  EXPECT_EQ(instructions(false), 4u);
  EXPECT_EQ(instructions(true), 3u);
}

TEST(ShaderSelector, EmulatesWhatItSelected) {
  const SelectedShader base = Selected({}, {.emulate_runs = 4});
  ASSERT_TRUE(base.emulation.has_value());
  EXPECT_GT(base.emulation->checks, 0u);
  EXPECT_EQ(base.emulation->differences, 0u);
  const SelectedShader selected = Selected({Written({kRule, kProgram})}, {.emulate_runs = 4});
  ASSERT_TRUE(selected.emulation.has_value());
  EXPECT_GT(selected.emulation->checks + selected.emulation->other_modes, 0u);
  EXPECT_EQ(selected.emulation->differences, 0u);
}

TEST(ShaderSelector, PacksOfOtherMachinesAndMissingOnesAreRefused) {
  const std::string folder = Written({kProgram});
  const auto other = ShaderSelector::Create(**machine::FindMachine("agx_g13"), {folder}, {});
  EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(other.status().message(),
            absl::StrCat(folder,
                         ": the pack is for intel_gen9, not for agx_g13; use --machine intel_gen9 or another "
                         "pack"));
  EXPECT_EQ(ShaderSelector::Create(kIntel, {folder + "/nowhere"}, {}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rewrought::selection
