// Compares costs with values computed by hand from the descriptions.
#include "machine/cost.h"

#include "gtest/gtest.h"
#include "machine/legality.h"

namespace rewrought::machine {
namespace {

Cost CostOf(absl::string_view id, const std::string& text) {
  const Machine& machine = **FindMachine(id);
  absl::StatusOr<Program> program = ParseProgram(machine, text);
  EXPECT_TRUE(program.ok()) << program.status();
  EXPECT_TRUE(CheckLegal(machine, *program).ok()) << CheckLegal(machine, *program);
  return ProgramCost(machine, *program);
}

void Expect(const Cost& cost, int instructions, double issue, double latency, int bytes, int peak) {
  EXPECT_EQ(cost.instructions, instructions);
  EXPECT_EQ(cost.issue_cycles, issue);
  EXPECT_EQ(cost.latency, latency);
  EXPECT_EQ(cost.bytes, bytes);
  EXPECT_EQ(cost.peak_registers, peak);
}

TEST(CostTest, Intel) {
  Expect(CostOf("intel_gen9", "[ADD(r(F), a(F), b(F))]"), 1, 2, 8, 16, 2);
  // Latencies add up along a chain. The values a, b and c are live at the start, and then t and c.
  Expect(CostOf("intel_gen9", "[MUL(t(F), a(F), b(F)), ADD(r(F), t(F), c(F))]"), 2, 4, 16, 32, 3);
  // Independent instructions overlap. The flag takes 12 cycles, then SEL takes 8.
  Expect(CostOf("intel_gen9", "[CMP(null(F), a(F), b(F)).cmod(L), SEL(r(F), c(F), d(F)).predicate(NORMAL)]"), 2, 4, 20,
         32, 4);
  // A 64-bit value occupies two 32-bit units.
  Expect(CostOf("intel_gen9", "[ADD(r(DF), a(DF), b(DF))]"), 1, 4, 12, 16, 4);
  // MULH expands to two instructions.
  Expect(CostOf("intel_gen9", "[MULH(r(D), a(D), b(D))]"), 2, 6, 20, 32, 2);
  // Immediates and uniforms need no registers.
  Expect(CostOf("intel_gen9", "[ADD(r(F), u(F).uniform(), imm(2.0, F))]"), 1, 2, 8, 16, 1);
}

TEST(CostTest, Agx) {
  Expect(CostOf("agx_g13", "[fadd(r(F), a(F), b(F))]"), 1, 1, 2, 6, 4);
  Expect(CostOf("agx_g13", "[fadd(r(H), a(H), b(H))]"), 1, 1, 2, 6, 2);
  Expect(CostOf("agx_g13", "[imad(r(D), a(D), b(D), c(D))]"), 1, 4, 3, 8, 6);
  Expect(CostOf("agx_g13", "[rcp(t(F), b(F)), fmul(r(F), a(F), t(F))]"), 2, 7, 7, 12, 4);
  // A Boolean occupies a 16-bit register.
  Expect(CostOf("agx_g13", "[icmp(r(B), a(UW), b(UW)).cond(LT)]"), 1, 1, 2, 10, 2);
}

// A program that only copies a variable is free, whichever instruction copies it.
TEST(CostTest, ALoneCopyIsFree) {
  EXPECT_EQ(CostOf("agx_g13", "[bitop(r(UD), a(UD), imm(0, UD)).table(MOV_A)]"), Cost{});
  EXPECT_EQ(CostOf("agx_g13", "[bitop(r(UD), a(UD), imm(0, UD)).table(NOT_A)]").instructions, 1);
  EXPECT_EQ(CostOf("intel_gen9", "[MOV(r(UD), a(UD))]"), Cost{});
  EXPECT_EQ(CostOf("intel_gen9", "[MOV(r(F), a(F)).sat()]").instructions, 1);
}

// Readers take a single constant as an immediate or share it with the whole shader.
TEST(CostTest, ALoneConstantIsFree) {
  EXPECT_EQ(CostOf("agx_g13", "[mov_imm(r(UD), imm(5, UD))]"), Cost{});
  EXPECT_EQ(CostOf("intel_gen9", "[MOV(r(F), imm(0.5, F))]"), Cost{});
  EXPECT_EQ(CostOf("intel_gen9", "[MOV(t0(F), imm(0.5, F)), ADD(r(F), a(F), t0(F))]").instructions, 2);
}

TEST(CostTest, Ir3DelaysByWhatIsRead) {
  // Each result needs 1 cycle and 3 nops. mad reads its third source 2 cycles late; the special function unit needs
  // its source 3 cycles early.
  Expect(CostOf("ir3_a6xx", "[mul_f(t(F), a(F), b(F)), add_f(r(F), t(F), c(F))]"), 2, 2, 8, 16, 6);
  Expect(CostOf("ir3_a6xx", "[mul_f(t(F), a(F), b(F)), mad_f32(r(F), a(F), c(F), t(F))]"), 2, 2, 6, 16, 6);
  Expect(CostOf("ir3_a6xx", "[mul_f(t(F), a(F), b(F)), mad_f32(r(F), t(F), c(F), a(F))]"), 2, 2, 8, 16, 6);
  Expect(CostOf("ir3_a6xx", "[mul_f(t(F), a(F), b(F)), rcp(r(F), t(F))]"), 2, 5, 18, 16, 4);
}

TEST(CostTest, RdnaBytesByForm) {
  const auto bytes = [](const std::string& text) { return CostOf("rdna", text).bytes; };
  EXPECT_EQ(bytes("[v_add_f32(r(F), a(F), b(F))]"), 4);
  EXPECT_EQ(bytes("[v_add_f32(r(F), imm(1.0, F), b(F))]"), 4);
  EXPECT_EQ(bytes("[v_add_f32(r(F), imm(0.3, F), b(F))]"), 8);  // A literal.
  EXPECT_EQ(bytes("[v_add_f32(r(F), -a(F), b(F))]"), 8);        // VOP3 encoding.
  EXPECT_EQ(bytes("[v_add_f32(r(F), a(F), imm(1.0, F))]"),
            8);                                                               // VOP3: VOP2 needs a register there.
  EXPECT_EQ(bytes("[v_add_f32(r(F), imm(0.3, F), b(F)).clamp()]"), 12);       // VOP3 and a literal.
  EXPECT_EQ(bytes("[v_fma_f32(r(F), imm(0.3, F), b(F), imm(0.3, F))]"), 12);  // Both sources share the literal.
}

}  // namespace
}  // namespace rewrought::machine
