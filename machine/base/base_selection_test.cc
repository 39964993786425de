#include "machine/base/base_selection.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/op_table.h"
#include "machine/base/constants.h"
#include "machine/program_term.h"

namespace rewrought::machine {
namespace {

// Builds terms by hand; the last node is the root.
class TermBuilder {
 public:
  ir::NodeIndex Variable(const std::string& name, int bits) {
    ir::Node node;
    node.name = name;
    node.bits = static_cast<uint8_t>(bits);
    return Add(node);
  }
  ir::NodeIndex Constant(uint64_t pattern, int bits) {
    ir::Node node;
    node.kind = ir::NodeKind::kConstant;
    node.bits = static_cast<uint8_t>(bits);
    node.values[0] = pattern;
    return Add(node);
  }
  ir::NodeIndex Op(const std::string& name, int bits, const std::vector<ir::NodeIndex>& sources, uint8_t flags = 0) {
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = ir::FindOp(name);
    EXPECT_NE(node.op, nullptr) << name;
    node.bits = static_cast<uint8_t>(bits);
    node.flags = flags;
    for (const ir::NodeIndex source : sources) node.sources.push_back({source, ir::kIdentitySwizzle});
    return Add(node);
  }
  ir::Term term;

 private:
  ir::NodeIndex Add(const ir::Node& node) {
    term.nodes.push_back(node);
    term.root = static_cast<ir::NodeIndex>(term.nodes.size() - 1);
    return term.root;
  }
};

std::string Select(absl::string_view id, const TermBuilder& builder, BaseKind kind) {
  const Machine& machine = **FindMachine(id);
  absl::StatusOr<Program> program = BaseProgram(machine, builder.term, kind);
  if (!program.ok()) return std::string(program.status().message());
  EXPECT_TRUE(ProgramTerm(machine, *program).ok());
  return PrintProgram(machine, *program);
}

TEST(BaseSelectionTest, BuiltInRulesAreLegal) {
  for (const Machine* machine : AllMachines()) EXPECT_TRUE(CheckBaseRules(*machine).ok()) << CheckBaseRules(*machine);
}

// Returns fsat(a * b - 2.0).
TermBuilder Blend(uint8_t flags) {
  TermBuilder t;
  const auto a = t.Variable("a", 32), b = t.Variable("b", 32), two = t.Constant(0x40000000, 32);
  const auto product = t.Op("fmul", 32, {a, b}, flags);
  t.Op("fsat", 32, {t.Op("fadd", 32, {product, t.Op("fneg", 32, {two})})});
  return t;
}

TEST(BaseSelectionTest, OnePerOp) {
  EXPECT_EQ(Select("intel_gen9", Blend(0), BaseKind::kNaive),
            "[MUL(v0(F), a(F), b(F)), MOV(v1(F), imm(2.0, F)), MOV(v2(F), -v1(F)), ADD(v3(F), v0(F), v2(F)), "
            "MOV(r(F), v3(F)).sat()]");
  EXPECT_EQ(Select("agx_g13", Blend(0), BaseKind::kNaive),
            "[fmul(v0(F), a(F), b(F)), mov_imm(v1(F), imm(2.0, F)), fadd(v2(F), -v1(F), imm(-0.0, F)), "
            "fadd(v3(F), v0(F), v2(F)), fadd(r(F), v3(F), imm(-0.0, F)).sat()]");
}

TEST(BaseSelectionTest, ComparesTurnRoundForAnImmediate) {
  for (const auto& [op, program] : std::map<std::string, std::string>{
           {"flt", "[CMP(r(BD), a(F), imm(0.5, F)).cmod(G)]"}, {"fge", "[CMP(r(BD), a(F), imm(0.5, F)).cmod(LE)]"}}) {
    TermBuilder term;  // 0.5 < a, 0.5 >= a
    const ir::NodeIndex half = term.Constant(0x3f000000, 32), a = term.Variable("a", 32);
    term.Op(op, 1, {half, a});
    EXPECT_EQ(Select("intel_gen9", term, BaseKind::kTuned), program);
  }
  // SEL returns its second source if the first one is NaN, so no other condition is equivalent when the sources are
  // exchanged.
  const Machine& machine = **FindMachine("intel_gen9");
  int seen = 0;
  for (const Variant& variant : machine.variants()) {
    if (variant.mnemonic != "SEL" || variant.selector < 0 || machine.types()[variant.sources[0]].name != "F") continue;
    for (int choice = 0; choice < static_cast<int>(variant.rows.size()); ++choice, ++seen) {
      EXPECT_EQ(ExchangedChoice(machine, variant, choice), -1) << variant.rows[choice]->name;
    }
  }
  EXPECT_EQ(seen, 2);
}

TEST(BaseSelectionTest, TunedFoldsModifiersSaturationImmediatesAndContracts) {
  // MAD does not accept immediates on gen9, so the constant is loaded, and its negation becomes a source modifier.
  EXPECT_EQ(Select("intel_gen9", Blend(0), BaseKind::kTuned),
            "[MOV(v0(F), imm(2.0, F)), MAD(r(F), -v0(F), a(F), b(F)).sat()]");
  EXPECT_EQ(Select("agx_g13", Blend(0), BaseKind::kTuned), "[ffma(r(F), a(F), b(F), imm(-2.0, F)).sat()]");
  // Exact ops are not contracted.
  EXPECT_EQ(Select("intel_gen9", Blend(ir::kExact), BaseKind::kTuned),
            "[MUL(v0(F), a(F), b(F)), ADD(r(F), v0(F), imm(-2.0, F)).sat()]");
  EXPECT_EQ(Select("agx_g13", Blend(ir::kExact), BaseKind::kTuned),
            "[fmul(v0(F), a(F), b(F)), fadd(r(F), v0(F), imm(-2.0, F)).sat()]");
}

// If one of two products has a constant that can be an immediate, the other product is contracted, in either operand
// order.
TEST(BaseSelectionTest, ContractsTheProductWithoutAConstant) {
  for (const bool constant_first : {true, false}) {
    TermBuilder t;
    const auto a = t.Variable("a", 32), b = t.Variable("b", 32), c = t.Variable("c", 32);
    const auto scaled = t.Op("fmul", 32, {a, t.Constant(0x40490fdb, 32)});
    const auto product = t.Op("fmul", 32, {b, c});
    t.Op("fadd", 32, constant_first ? std::vector{scaled, product} : std::vector{product, scaled});
    EXPECT_EQ(Select("intel_gen9", t, BaseKind::kTuned),
              "[MUL(v0(F), a(F), imm(3.1415927, F)), MAD(r(F), v0(F), b(F), c(F))]");
  }
}

TEST(BaseSelectionTest, SharedValuesAreNotDuplicated) {
  TermBuilder t;
  const auto a = t.Variable("a", 32), b = t.Variable("b", 32);
  const auto product = t.Op("fmul", 32, {a, b});
  t.Op("fmul", 32, {t.Op("fadd", 32, {product, a}), t.Op("fabs", 32, {product})});
  EXPECT_EQ(Select("intel_gen9", t, BaseKind::kTuned),
            "[MUL(v0(F), a(F), b(F)), ADD(v1(F), v0(F), a(F)), MUL(r(F), v1(F), abs(v0(F)))]");
}

TEST(BaseSelectionTest, ModifiersCancelAndSwallow) {
  TermBuilder t;
  const auto a = t.Variable("a", 32), b = t.Variable("b", 32);
  const auto twice = t.Op("fneg", 32, {t.Op("fneg", 32, {a})});
  t.Op("fadd", 32, {twice, t.Op("fabs", 32, {t.Op("fneg", 32, {b})})});
  EXPECT_EQ(Select("intel_gen9", t, BaseKind::kTuned), "[ADD(r(F), a(F), abs(b(F)))]");
  EXPECT_EQ(Select("agx_g13", t, BaseKind::kTuned), "[fadd(r(F), a(F), abs(b(F)))]");
}

// Intel computes a ceiling by rounding down the negated value; readers of the result apply the final negation.
TEST(BaseSelectionTest, PartsOfAnOpFoldIntoReaders) {
  TermBuilder t;
  t.Op("f2i32", 32, {t.Op("fceil", 32, {t.Op("fneg", 32, {t.Variable("a", 32)})})});
  EXPECT_EQ(Select("intel_gen9", t, BaseKind::kTuned), "[RNDD(v0(F), a(F)), MOV(r(D), -v0(F))]");
  EXPECT_EQ(Select("intel_gen9", t, BaseKind::kNaive),
            "[MOV(v0(F), -a(F)), RNDD(v1(F), -v0(F)), MOV(v2(F), -v1(F)), MOV(r(D), v2(F))]");
}

TEST(BaseSelectionTest, ConstantsGoWhereTheyFit) {
  TermBuilder first;  // 0.1 - a: Intel exchanges the operands, and AGX loads the constant.
  const auto tenth = first.Constant(0x3dcccccd, 32);
  first.Op("fadd", 32, {tenth, first.Op("fneg", 32, {first.Variable("a", 32)})});
  EXPECT_EQ(Select("intel_gen9", first, BaseKind::kTuned), "[ADD(r(F), -a(F), imm(0.1, F))]");
  EXPECT_EQ(Select("agx_g13", first, BaseKind::kTuned), "[mov_imm(v0(F), imm(0.1, F)), fadd(r(F), v0(F), -a(F))]");
  TermBuilder wide;  // Only MOV has 64-bit immediates.
  wide.Op("fadd", 64, {wide.Variable("a", 64), wide.Constant(0x3ff0000000000000, 64)});
  EXPECT_EQ(Select("intel_gen9", wide, BaseKind::kTuned), "[MOV(v0(DF), imm(1.0, DF)), ADD(r(DF), a(DF), v0(DF))]");
}

TEST(BaseSelectionTest, CompareAndSelect) {
  TermBuilder t;
  const auto a = t.Variable("a", 32), b = t.Variable("b", 32), c = t.Variable("c", 32), d = t.Variable("d", 32);
  t.Op("bcsel", 32, {t.Op("flt", 1, {a, t.Op("fneg", 32, {b})}), c, d});
  EXPECT_EQ(Select("intel_gen9", t, BaseKind::kNaive),
            "[MOV(v0(F), -b(F)), CMP(v1(BD), a(F), v0(F)).cmod(L), MOV(null(BD), v1(BD)).cmod(NZ), "
            "SEL(r(UD), c(UD), d(UD)).predicate(NORMAL)]");
  EXPECT_EQ(Select("intel_gen9", t, BaseKind::kTuned),
            "[CMP(null(F), a(F), -b(F)).cmod(L), SEL(r(UD), c(UD), d(UD)).predicate(NORMAL)]");
  EXPECT_EQ(Select("agx_g13", t, BaseKind::kTuned), "[fcmpsel(r(UD), a(F), -b(F), c(UD), d(UD)).cond(LT)]");
}

TEST(BaseSelectionTest, SizesFoldOnAgx) {
  TermBuilder t;  // f2f16(f2f32(a) * b)
  const auto a = t.Variable("a", 16), b = t.Variable("b", 32);
  t.Op("f2f16", 16, {t.Op("fmul", 32, {t.Op("f2f32", 32, {a}), b})});
  EXPECT_EQ(Select("agx_g13", t, BaseKind::kTuned), "[fmul(r(H), a(H), b(F))]");
}

TEST(BaseSelectionTest, CostsOfTheTwoBaselines) {
  const Machine& intel = **FindMachine("intel_gen9");
  const TermBuilder t = Blend(0);
  absl::StatusOr<Cost> plain = BaseCost(intel, t.term, BaseKind::kNaive),
                       strong = BaseCost(intel, t.term, BaseKind::kTuned);
  ASSERT_TRUE(plain.ok() && strong.ok());
  EXPECT_EQ(plain->instructions, 5);
  EXPECT_EQ(plain->issue_cycles, 10);
  EXPECT_EQ(strong->instructions, 2);
  EXPECT_EQ(strong->latency, 16);  // MOV and MAD take 8 cycles each.
}

TEST(BaseSelectionTest, RootThatIsNoOp) {
  TermBuilder variable, constant;
  variable.Variable("a", 32);
  constant.Constant(7, 32);
  EXPECT_EQ(Select("intel_gen9", variable, BaseKind::kTuned), "[MOV(r(UD), a(UD))]");
  EXPECT_EQ(Select("intel_gen9", constant, BaseKind::kTuned), "[MOV(r(UD), imm(7, UD))]");
}

TEST(BaseSelectionTest, SaysWhatItDoesNotCover) {
  TermBuilder t;
  t.Op("fadd", 64, {t.Variable("a", 64), t.Variable("b", 64)});
  EXPECT_EQ(Select("agx_g13", t, BaseKind::kTuned), "agx_g13 has no base rule for fadd of 64 bits");
  TermBuilder named;
  named.Op("fneg", 32, {named.Variable("r", 32)});
  EXPECT_TRUE(absl::StrContains(Select("agx_g13", named, BaseKind::kTuned), "cannot be named r"));
}

}  // namespace
}  // namespace rewrought::machine
