// Tests the functions that handle constants in programs: binding them to immediates or loads, replacing them with
// variables, and converting programs with constants to NIR.
#include "machine/base/constants.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_selection.h"
#include "machine/base/nir_form.h"

namespace rewrought::machine {
namespace {

const Machine& Find(absl::string_view id) { return **FindMachine(id); }

Program Parsed(absl::string_view id, absl::string_view text) {
  absl::StatusOr<Program> program = ParseProgram(Find(id), text);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : Program{};
}

std::string Bound(absl::string_view id, absl::string_view text, uint64_t value) {
  const absl::StatusOr<Program> program = BindConstants(Find(id), Parsed(id, text), {{"b", value}});
  return program.ok() ? PrintProgram(Find(id), *program) : std::string(program.status().message());
}

std::string AsVariable(absl::string_view id, absl::string_view text, uint64_t bits) {
  const std::optional<Program> program = WithConstantAsVariable(Find(id), Parsed(id, text), bits, 32, "k");
  return program.has_value() ? PrintProgram(Find(id), *program) : "illegal";
}

TEST(ConstantsTest, BindToImmediatesWhereTheyFit) {
  EXPECT_EQ(Bound("intel_gen9", "[ADD(r(F), a(F), -b(F))]", 0x3f000000), "[ADD(r(F), a(F), imm(-0.5, F))]");
  EXPECT_EQ(Bound("intel_gen9", "[MAD(r(F), a(F), a(F), b(F))]", 0x3f000000),
            "[MOV(c0(UD), imm(0x3f000000, UD)), MAD(r(F), a(F), a(F), c0(F))]");
  // Float immediates of AGX have 8 bits.
  EXPECT_EQ(Bound("agx_g13", "[fadd(r(F), a(F), b(F))]", 0x3f000000), "[fadd(r(F), a(F), imm(0.5, F))]");
  EXPECT_EQ(Bound("agx_g13", "[fadd(r(F), a(F), b(F))]", 0x3dcccccd),
            "[mov_imm(c0(UD), imm(0x3dcccccd, UD)), fadd(r(F), a(F), c0(F))]");
}

TEST(ConstantsTest, BecomeVariables) {
  EXPECT_EQ(AsVariable("intel_gen9", "[ADD(r(F), a(F), imm(0.5, F))]", 0x3f000000), "[ADD(r(F), a(F), k(F))]");
  // The load is removed, and its readers read the variable.
  EXPECT_EQ(AsVariable("agx_g13", "[mov_imm(t(F), imm(0.1, F)), fadd(r(F), -t(F), a(F))]", 0x3dcccccd),
            "[fadd(r(F), -k(F), a(F))]");
  EXPECT_EQ(AsVariable("agx_g13", "[fadd(r(F), a(F), imm(0.5, F))]", 0x3f000000), "[fadd(r(F), a(F), k(F))]");
  // Other constants are kept. A load of the result cannot become a variable.
  EXPECT_EQ(AsVariable("intel_gen9", "[ADD(r(F), a(F), imm(0.5, F))]", 0x3f800000), "[ADD(r(F), a(F), imm(0.5, F))]");
  EXPECT_EQ(AsVariable("agx_g13", "[mov_imm(r(F), imm(0.1, F))]", 0x3dcccccd), "illegal");
}

TEST(ConstantsTest, AreReadAsNir) {
  const absl::StatusOr<ir::Term> constant =
      NirTermOf(Find("intel_gen9"), Parsed("intel_gen9", "[MOV(r(F), imm(0.0, F))]"));
  ASSERT_TRUE(constant.ok()) << constant.status();
  EXPECT_EQ(ir::PrintTerm(*constant), "0x00000000@32");
  const absl::StatusOr<ir::Term> negated =
      NirTermOf(Find("intel_gen9"), Parsed("intel_gen9", "[MUL(r(F), a(F), -b(F))]"));
  ASSERT_TRUE(negated.ok()) << negated.status();
  EXPECT_EQ(ir::PrintTerm(*negated), "('fmul@32', 'a@32', ('fneg@32', 'b@32'))");
}

// Base rules name only one of an instruction's integer types.
TEST(ConstantsTest, AreReadAsNirWhateverIntegersAreCalled) {
  const absl::StatusOr<ir::Term> sum =
      NirTermOf(Find("intel_gen9"), Parsed("intel_gen9", "[ADD(r(UD), a(UD), b(UD))]"));
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(ir::PrintTerm(*sum), "('iadd@32', 'a@32', 'b@32')");
  EXPECT_FALSE(NirTermOf(Find("intel_gen9"), Parsed("intel_gen9", "[ADD(r(UD), a(UD), b(UD)).sat()]")).ok());
  // A saturating rule does not describe a non-saturating instruction.
  EXPECT_FALSE(NirTermOf(Find("rdna"), Parsed("rdna", "[v_add_nc_i16(r(W), a(W), b(W))]")).ok());
}

// An instruction without an equivalent single op becomes as few ops as possible.
TEST(ConstantsTest, AreReadAsNirOfSeveralOps) {
  const auto read = [](const char* program) {
    const absl::StatusOr<ir::Term> term = NirTermOf(Find("rdna"), Parsed("rdna", program));
    return term.ok() ? ir::PrintTerm(*term) : term.status().ToString();
  };
  EXPECT_EQ(read("[v_add3_u32(r(UD), a(UD), b(UD), c(UD))]"), "('iadd@32', ('iadd@32', 'a@32', 'b@32'), 'c@32')");
  EXPECT_EQ(read("[v_add_co_ci_u32(r(UD), a(UD), imm(0, UD), c(P))]"), "('iadd@32', 'a@32', ('b2i32@32', 'c@1'))");
  EXPECT_EQ(read("[v_subrev_co_ci_u32(r(UD), imm(0, UD), b(UD), c(P))]"), "('isub@32', 'b@32', ('b2i32@32', 'c@1'))");
  EXPECT_EQ(read("[v_sub_nc_u32(r(UD), imm(0, UD), a(UD))]"), "('ineg@32', 'a@32')");
  EXPECT_EQ(read("[v_sub_nc_u32(r(UD), imm(1, UD), a(UD))]"), "('isub@32', 0x00000001@32, 'a@32')");
  EXPECT_TRUE(absl::StrContains(read("[v_add_co_ci_u32(r(UD), a(UD), imm(1, UD), c(P))]"), "no base rule selects"));
  // A select copies bits, whatever type the program states.
  EXPECT_EQ(read("[v_cndmask_b32(r(F), a(F), b(F), c(P))]"), "('bcsel@32', 'c@1', 'b@32', 'a@32')");
  EXPECT_EQ(read("[v_cndmask_b32(r(F), a(F), -b(F), c(P))]"), "('bcsel@32', 'c@1', ('fneg@32', 'b@32'), 'a@32')");
  EXPECT_TRUE(absl::StrContains(read("[v_min_i16(r(W), a(W), b(W))]"), "imin@16"));
  // The fused op rounds once, so it is converted to ffma and not to two ops.
  EXPECT_EQ(read("[v_fma_f32(r(F), a(F), b(F), c(F))]"), "('ffma@32', 'a@32', 'b@32', 'c@32')");
}

// Two instructions with immediates are better than a contraction that must load two constants.
TEST(ConstantsTest, ContractionThatLoadsTwoIsLeft) {
  const absl::StatusOr<ir::Term> term = ir::ParseTerm("('fadd@32', ('fmul@32', 'a@32', 0x40000000@32), 0xbf800000@32)");
  ASSERT_TRUE(term.ok()) << term.status();
  const absl::StatusOr<Program> program = BaseProgram(Find("intel_gen9"), *term, BaseKind::kTuned);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(PrintProgram(Find("intel_gen9"), *program),
            "[MUL(v0(F), a(F), imm(2.0, F)), ADD(r(F), v0(F), imm(-1.0, F))]");
}

}  // namespace
}  // namespace rewrought::machine
