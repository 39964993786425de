#include "machine/select/cover.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/evaluate.h"
#include "ir/scalar.h"
#include "machine/select/lower.h"
#include "machine/select/selection.h"
#include "machine/select/statistics.h"
#include "machine/select/testing/shaders.h"

namespace rewrought::machine::select {
namespace {

struct Outcome {
  Selection selection;
  Statistics statistics;
};

Outcome SelectOn(const std::string& machine, const ir::Shader& shader, CoverOptions options) {
  const absl::StatusOr<const Machine*> found = FindMachine(machine);
  EXPECT_TRUE(found.ok());
  const absl::StatusOr<RuleSet> rules = RuleSet::Create(**found, nullptr, options.kind != CoverKind::kNaive);
  EXPECT_TRUE(rules.ok()) << rules.status();
  absl::StatusOr<Selection> selection = SelectShader(*rules, shader, options);
  EXPECT_TRUE(selection.ok()) << selection.status();
  if (!selection.ok()) return {};
  Outcome outcome{*std::move(selection), {}};
  outcome.statistics = StatisticsOf(outcome.selection);
  return outcome;
}

Statistics CostsOf(const std::string& machine, const ir::Shader& shader, CoverKind kind) {
  // Machines with several components per register have no integers.
  const bool floats_only = (*FindMachine(machine))->components() > 1;
  return SelectOn(machine, shader, {.kind = kind, .allow_uncovered = floats_only}).statistics;
}

// Two sums share a product; copying the product into both allows two fused multiply-adds.
TEST(CoverTest, NoltisCopiesWhatTreeCoveringSplits) {
  TestShader s;
  const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32), d = s.Opaque(32);
  const auto product = s.Op("fmul", 32, {a, b});
  s.Use(s.Op("fadd", 32, {product, c}));
  s.Use(s.Op("fadd", 32, {product, d}));
  EXPECT_EQ(CostsOf("agx_g13", s.shader, CoverKind::kNoltis).instructions, 2);
  EXPECT_EQ(CostsOf("agx_g13", s.shader, CoverKind::kTree).instructions, 3);
  EXPECT_EQ(CostsOf("agx_g13", s.shader, CoverKind::kNaive).instructions, 3);
}

// Two sums share an integer product. The multiplication takes 4 cycles, so the second pass computes it only once.
TEST(CoverTest, NoltisSplitsWhereCopiesCostMore) {
  TestShader s;
  const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32), d = s.Opaque(32);
  const auto product = s.Op("imul", 32, {a, b});
  s.Use(s.Op("iadd", 32, {product, c}));
  s.Use(s.Op("iadd", 32, {product, d}));
  const Outcome outcome = SelectOn("agx_g13", s.shader, {});
  EXPECT_EQ(outcome.selection.cover.fixed, 1);
  EXPECT_EQ(outcome.statistics.instructions, 3);
  EXPECT_EQ(outcome.statistics.issue_cycles, 6);  // An imad takes 4 cycles and each iadd 1; two imads would take 8.
}

// A product with a single reader is fused into the sum.
TEST(CoverTest, SingleUseIsFused) {
  TestShader s;
  const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32);
  s.Use(s.Op("iadd", 32, {s.Op("imul", 32, {a, b}), c}));
  EXPECT_EQ(CostsOf("agx_g13", s.shader, CoverKind::kNoltis).issue_cycles, 4);
}

TEST(CoverTest, ExactIsNotContracted) {
  TestShader s;
  const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32);
  s.Use(s.Op("fadd", 32, {s.Op("fmul", 32, {a, b}, ir::kExact), c}));
  for (const Machine* machine : AllMachines()) {
    EXPECT_EQ(CostsOf(machine->id(), s.shader, CoverKind::kNoltis).instructions, 2) << machine->id();
  }
}

TEST(CoverTest, ModifiersImmediatesAndSaturationFold) {
  TestShader s;
  const auto a = s.Opaque(32), b = s.Opaque(32);
  const auto sum = s.Op("fadd", 32, {s.Op("fneg", 32, {a}), s.Op("fabs", 32, {b})});
  s.Use(s.Op("fsat", 32, {sum}));
  s.Use(s.Op("fmul", 32, {a, s.Constant(0x40000000, 32)}));
  const Outcome folded = SelectOn("agx_g13", s.shader, {});
  EXPECT_EQ(folded.statistics.instructions, 2);
  EXPECT_TRUE(absl::StrContains(PrintBlock(folded.selection, folded.selection.blocks[0]), "-v0(F), abs(v1(F))).sat()"));
  // The instructions are fneg, fabs, fadd, fsat, a load of 2.0, and fmul.
  EXPECT_EQ(CostsOf("agx_g13", s.shader, CoverKind::kNaive).instructions, 6);
}

// Patterns do not cross block boundaries, but modifiers do, because they only change where a value is read.
TEST(CoverTest, BlocksKeepTheirWork) {
  TestShader s(2);
  s.shader.blocks[1].loop_depth = 1;
  const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32);
  const auto product = s.Op("fmul", 32, {a, b});
  const auto negated = s.Op("fneg", 32, {c});
  s.block = 1;
  s.Use(s.Op("fadd", 32, {product, negated}));
  const Outcome outcome = SelectOn("agx_g13", s.shader, {});
  EXPECT_EQ(outcome.statistics.instructions, 2);
  const std::string loop = PrintBlock(outcome.selection, outcome.selection.blocks[1]);
  EXPECT_TRUE(absl::StrContains(loop, "fadd(")) << loop;
  EXPECT_TRUE(absl::StrContains(loop, "-v2(F)")) << loop;
}

TEST(CoverTest, AnOpWithoutARuleIsNamed) {
  TestShader s;
  const auto a = s.Opaque(64);
  s.Use(s.Op("fsin", 64, {a}));
  const RuleSet rules = *RuleSet::Create(**FindMachine("agx_g13"), nullptr, true);
  const absl::StatusOr<Selection> refused = SelectShader(rules, s.shader, {});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(refused.status().message(), "agx_g13 has no rule for fsin of 64 bits");
  const Outcome counted = SelectOn("agx_g13", s.shader, {.allow_uncovered = true});
  EXPECT_EQ(counted.statistics.uncovered.at("fsin of 64 bits"), 1);
  EXPECT_EQ(counted.statistics.opaque, 3);
}

TEST(CoverTest, FusionHeuristics) {
  TestShader s;
  const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32), d = s.Opaque(32), u = s.Opaque(32, "load_ubo", true);
  const auto one = s.Constant(1, 32);                          // An immediate on this machine.
  s.Use(s.Op("bcsel", 32, {s.Op("flt", 1, {a, b}), c, d}));    // The Boolean has one user.
  s.Use(s.Op("bcsel", 32, {s.Op("flt", 1, {a, u}), c, d}));    // A compared value is uniform.
  s.Use(s.Op("bcsel", 32, {s.Op("flt", 1, {b, a}), c, one}));  // A selected value is constant.
  const auto instructions = [&](Fusion fusion) {
    return SelectOn("agx_g13", s.shader, {.fusion = fusion}).statistics.instructions;
  };
  EXPECT_EQ(instructions(Fusion::kAlways), 3);
  EXPECT_EQ(instructions(Fusion::kNever), 6);
  EXPECT_EQ(instructions(Fusion::kBooleanUsedOnce), 3);
  EXPECT_EQ(instructions(Fusion::kUniformCompared), 5);
  EXPECT_EQ(instructions(Fusion::kConstantSelected), 5);
}

// In total over all machines and random shaders, NOLTIS costs at most as much as tree covering, which costs less than
// naive covering. Even with deeply nested sharing, no sum of costs overflows.
TEST(CoverTest, RandomShadersAndDeepSharing) {
  double noltis = 0, tree = 0, single = 0;
  for (const Machine* machine : AllMachines()) {
    for (int seed = 1; seed <= 12; ++seed) {
      const ir::Shader shader = RandomShader(static_cast<uint64_t>(seed), 60, 3);
      noltis += CostsOf(machine->id(), shader, CoverKind::kNoltis).issue_cycles;
      tree += CostsOf(machine->id(), shader, CoverKind::kTree).issue_cycles;
      single += CostsOf(machine->id(), shader, CoverKind::kNaive).issue_cycles;
    }
  }
  EXPECT_LE(noltis, tree);
  EXPECT_LT(tree, single);
  TestShader s;
  auto x = s.Opaque(32);
  for (int i = 0; i < 3000; ++i) x = s.Op("fmul", 32, {x, x});
  s.Use(s.Op("fadd", 32, {x, s.Opaque(32)}));
  EXPECT_EQ(CostsOf("agx_g13", s.shader, CoverKind::kNoltis).instructions, 3000);
}

// Long chains of foldable modifiers take linear time.
TEST(CoverTest, LongChainsOfModifiers) {
  for (const char* op : {"fneg", "fabs", "fsat"}) {
    TestShader s;
    auto x = s.Opaque(32);
    for (int i = 0; i < 20000; ++i) x = s.Op(op, 32, {x});
    s.Use(x);
    const Statistics statistics = CostsOf("agx_g13", s.shader, CoverKind::kNoltis);
    EXPECT_GT(statistics.instructions, 1000) << op;
    EXPECT_LE(statistics.instructions, 20000) << op;
  }
}

TEST(ScalarShaderTest, VectorsAreTakenApart) {
  TestShader s;
  const auto a = s.Opaque(32, "load_input", false, 3), b = s.Opaque(32, "load_input", false, 3);
  s.Use(s.Op("fdot3", 32, {a, b}));
  const auto sum = s.Op("fadd", 32, {a, b}, 0, 3);
  s.Use(sum);
  const ScalarShader scalar = *Scalarize(s.shader);
  int muls = 0, adds = 0;
  for (const ir::Node& node : scalar.shader.values.nodes) {
    EXPECT_EQ(node.components, 1);
    muls += node.kind == ir::NodeKind::kOp && node.op->name == "fmul";
    adds += node.kind == ir::NodeKind::kOp && node.op->name == "fadd";
  }
  EXPECT_EQ(muls, 3);
  EXPECT_EQ(adds, 5);
}

TEST(ScalarShaderTest, EqualComponentsAreOneValueAndOthersAreRouted) {
  TestShader s;
  const auto a = s.Opaque(32, "load_input", false, 2);
  const auto both = s.Op("fmul", 32, {a, a}, 0, 2);
  s.shader.values.nodes[both].sources[0].swizzle = {1, 0, 2, 3};  // y*x and x*y share a product.
  s.Use(both);
  const ScalarShader scalar = *Scalarize(s.shader);
  EXPECT_EQ(scalar.shader.values.nodes.size(), 3);
  EXPECT_EQ(scalar.outside_uses[2], 1);
}

// An op without a rule is lowered only where a driver would lower it.
TEST(LowerTest, MissingOpsAreLowered) {
  TestShader s(2);
  const auto a = s.Opaque(32, "load_input", false, 2), b = s.Opaque(32, "load_input", false, 2), t = s.Opaque(32);
  s.block = 1;
  s.Use(s.Op("flrp", 32, {a, b, t}, 0, 2));
  s.Use(s.Op("fpow", 32, {t, t}));
  s.Use(s.Op("fsign", 32, {t}));
  s.Use(s.Op("fmod", 32, {t, t}));
  const auto p = s.Op("flt", 1, {t, t}), q = s.Op("fge", 1, {t, t});
  s.Use(s.Op("ieq", 1, {p, q}));
  for (const Machine* machine : AllMachines()) {
    const RuleSet rules = *RuleSet::Create(*machine, nullptr, true);
    if (rules.RulesFor("frcp").empty()) continue;  // r200 cannot divide at all.
    ScalarShader scalar = *Scalarize(s.shader);
    const uint64_t lowered = LowerMissing(rules, &scalar);
    if (machine->id() == "agx_g13") {
      EXPECT_EQ(lowered, 6);  // flrp is lowered twice.
    }
    absl::StatusOr<Cover> cover = CoverShader(rules, scalar, {});
    ASSERT_TRUE(cover.ok()) << cover.status();
    for (const Tile& tile : cover->tiles) EXPECT_EQ(scalar.shader.info[tile.root].block, 1);
    const absl::StatusOr<Selection> selection = Emit(rules, scalar, *std::move(cover));
    EXPECT_TRUE(selection.ok()) << selection.status();
  }
}

// A quotient in a sum becomes a reciprocal and a multiply-add, as in drivers after lower_fdiv, unless it is exact.
TEST(LowerTest, ProductsOfQuotientsAreContracted) {
  for (const bool exact : {false, true}) {
    TestShader s;
    const auto a = s.Opaque(32), b = s.Opaque(32), c = s.Opaque(32);
    s.Use(s.Op("fadd", 32, {s.Op("fdiv", 32, {a, b}, exact ? ir::kExact : 0), c}));
    const RuleSet rules = *RuleSet::Create(**FindMachine("agx_g13"), nullptr, true);
    ScalarShader scalar = *Scalarize(s.shader);
    EXPECT_EQ(LowerMissing(rules, &scalar), 1);
    EXPECT_EQ(CoverShader(rules, scalar, {})->tiles.size(), exact ? 3u : 2u);
  }
}

// Intel's expansion of fceil folds its negation into the reader. With naive rules, fceil remains a single op, for which
// two instructions are selected.
TEST(LowerTest, ExpansionsFoldIntoReaders) {
  for (const bool tuned : {true, false}) {
    TestShader s;
    s.Use(s.Op("f2i32", 32, {s.Op("fceil", 32, {s.Opaque(32)})}));
    const RuleSet rules = *RuleSet::Create(**FindMachine("intel_gen7"), nullptr, tuned);
    ScalarShader scalar = *Scalarize(s.shader);
    EXPECT_EQ(LowerMissing(rules, &scalar), tuned ? 1u : 0u);
    const absl::StatusOr<Cover> cover = CoverShader(rules, scalar, {});
    size_t instructions = 0;
    for (const Tile& tile : cover->tiles) instructions += tile.code.size();
    EXPECT_EQ(instructions, tuned ? 2u : 3u);
  }
}

uint32_t IntegerResult(const std::string& op, uint32_t a, uint32_t b) {
  const auto x = static_cast<int64_t>(static_cast<int32_t>(a)), y = static_cast<int64_t>(static_cast<int32_t>(b));
  if (op == "udiv") return a / b;
  if (op == "umod") return a % b;
  if (op == "idiv") return static_cast<uint32_t>(x / y);
  if (op == "irem") return static_cast<uint32_t>(x % y);
  if (op == "imod") return static_cast<uint32_t>((x % y + y) % y);
  return static_cast<uint32_t>((uint64_t{a} * b) >> 32);
}

// Evaluates the operand of the shader's only use on two inputs.
class Computed {
 public:
  explicit Computed(ScalarShader* scalar) {
    ir::Term& term = scalar->shader.values;
    term.root = scalar->shader.uses[0].reads[0].node;
    lowered_ = *ir::LowerWithChoices(&dag_, term, ir::DenormMode::kAny, 0);
  }
  uint64_t operator()(uint64_t a, uint64_t b) {
    const uint64_t inputs[] = {a, b};
    evaluator_.Start(inputs, [](uint32_t) { return 0; });
    return evaluator_.Evaluate(lowered_.lowered.root[0]);
  }

 private:
  ir::Dag dag_;
  ir::ChoiceTerm lowered_;
  ir::Evaluator evaluator_{&dag_};
};

// valhall lacks integer division and high products. Their lowerings, by a reciprocal and by 16-bit products, are
// bit-exact.
TEST(LowerTest, DivisionsOfIntegersAreExact) {
  const std::vector<uint32_t> edges = {1,          2,          3,          5,          7,          0xffff,
                                       0x10000,    0x10001,    0xffffff,   0x1000001,  0x7fffffff, 0x80000000,
                                       0x80000001, 0xfffffe00, 0xffffff80, 0xfffffffe, 0xffffffff};
  const RuleSet rules = *RuleSet::Create(**FindMachine("valhall"), nullptr, true);
  for (const std::string op : {"udiv", "umod", "idiv", "irem", "imod", "umul_high"}) {
    TestShader s;
    s.Use(s.Op(op, 32, {s.Opaque(32), s.Opaque(32)}));
    ScalarShader scalar = *Scalarize(s.shader);
    EXPECT_GT(LowerMissing(rules, &scalar), 0u) << op;
    EXPECT_TRUE(CoverShader(rules, scalar, {}).ok()) << op;
    EXPECT_LT(scalar.shader.values.nodes.size(), 100u) << op;
    Computed computed(&scalar);
    std::mt19937_64 random(1);
    for (size_t i = 0; i < 20000; ++i) {
      uint32_t a = i < edges.size() * edges.size() ? edges[i / edges.size()] : uint32_t(random() >> random() % 32);
      uint32_t b = i < edges.size() * edges.size() ? edges[i % edges.size()] : uint32_t(random() >> random() % 32);
      b = std::max(b, 1u);
      ASSERT_EQ(computed(a, b), IntegerResult(op, a, b)) << op << " of " << a << " and " << b;
    }
  }
}

// Machines without integers use floats with the same values instead.
TEST(LowerTest, IntegersBecomeFloats) {
  const auto of_float = [](int64_t value) { return ir::FloatToBits(static_cast<double>(value), 32); };
  for (const std::string id : {"i915", "r300", "r500", "nv40", "vec4"}) {
    const RuleSet rules = *RuleSet::Create(**FindMachine(id), nullptr, true);
    TestShader s;
    const auto a = s.Opaque(32), b = s.Opaque(32), three = s.Constant(3, 32), minus = s.Constant(0xfffffffb, 32);
    // The shader computes (3 - a) / b * -5 if a + 3 < b, and |min(-a, b)| otherwise, as a float.
    const auto quotient = s.Op("imul", 32, {s.Op("idiv", 32, {s.Op("isub", 32, {three, a}), b}), minus});
    const auto least = s.Op("iabs", 32, {s.Op("imin", 32, {s.Op("ineg", 32, {a}), b})});
    const auto less = s.Op("ilt", 1, {s.Op("iadd", 32, {a, three}), b});
    s.Use(s.Op("i2f32", 32, {s.Op("bcsel", 32, {less, quotient, least})}));
    ScalarShader scalar = *Scalarize(s.shader);
    EXPECT_GE(LowerMissing(rules, &scalar), 9u) << id;
    EXPECT_TRUE(CoverShader(rules, scalar, {}).ok()) << id;
    Computed computed(&scalar);
    for (int64_t x = -12; x <= 12; ++x) {
      for (int64_t y = -12; y <= 12; ++y) {
        if (y == 0) continue;
        const int64_t expected = x + 3 < y ? (3 - x) / y * -5 : std::abs(std::min(-x, y));
        const uint64_t got = computed(of_float(x), of_float(y));
        ASSERT_TRUE(got == of_float(expected) || (expected == 0 && got == 0x80000000)) << id << " " << x << " " << y;
      }
    }
  }
}

// A shader that uses bits of integers, sizes other than 32 bits, or constants of unknown type is not changed.
TEST(LowerTest, ShadersThatNeedIntegersAreUnchanged) {
  const RuleSet rules = *RuleSet::Create(**FindMachine("r300"), nullptr, true);
  for (const int kind : {0, 1, 2, 3}) {
    TestShader s;
    const auto a = s.Opaque(32), b = s.Opaque(32), t = s.Opaque(1);
    ir::NodeIndex other = a;
    if (kind == 0) other = s.Op("iand", 32, {a, b});
    if (kind == 1) other = s.Op("bcsel", 32, {t, s.Constant(3, 32), a});
    if (kind == 2) other = s.Op("u2u32", 32, {s.Op("u2u16", 16, {a})});
    if (kind == 3) other = s.Op("imul", 32, {s.Constant(3, 32), s.Constant(4, 32)});
    s.Use(s.Op("iadd", 32, {other, b}));
    ScalarShader scalar = *Scalarize(s.shader);
    EXPECT_EQ(LowerMissing(rules, &scalar), 0u) << kind;
    EXPECT_FALSE(CoverShader(rules, scalar, {}).ok()) << kind;
  }
}

TEST(ScalarShaderTest, HostileShadersAreRefused) {
  const auto broken = [](const std::function<void(TestShader*)>& damage) {
    TestShader s;
    const auto a = s.Opaque(32);
    s.Use(s.Op("fadd", 32, {a, a}));
    damage(&s);
    return Scalarize(s.shader).status().code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_FALSE(broken([](TestShader*) {}));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.values.nodes[1].sources[0].node = 1; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.values.nodes[1].sources[0].node = 4000000000u; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.values.nodes[1].sources.pop_back(); }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.values.nodes[0].bits = 0; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.values.nodes[0].components = 9; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.info[1].block = 7; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.info.pop_back(); }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.values.nodes[1].op = nullptr; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.uses[0].reads[0].node = 2; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.uses[0].reads[0].component = 1; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.uses[0].before = 3; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.uses[0].block = 1; }));
  EXPECT_TRUE(broken([](TestShader* s) { s->shader.uses[0].gives = {1}; }));
}

}  // namespace
}  // namespace rewrought::machine::select
