// Tests the parser, printer and legality checks on legal and illegal programs of each machine.
#include "machine/program.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "machine/legality.h"

namespace rewrought::machine {
namespace {

const Machine& Get(absl::string_view id) { return **FindMachine(id); }

absl::Status Check(const Machine& machine, const std::string& text) {
  absl::StatusOr<Program> program = ParseProgram(machine, text);
  return program.ok() ? CheckLegal(machine, *program) : program.status();
}

void ExpectLegal(const Machine& machine, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    absl::StatusOr<Program> program = ParseProgram(machine, text);
    ASSERT_TRUE(program.ok()) << text << ": " << program.status();
    EXPECT_TRUE(CheckLegal(machine, *program).ok()) << text << ": " << CheckLegal(machine, *program);
    // The texts below are canonical, so printing must reproduce them exactly.
    EXPECT_EQ(PrintProgram(machine, *program), text);
    absl::StatusOr<Program> again = ParseProgram(machine, PrintProgram(machine, *program));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(*again == *program) << text;
  }
}

struct Illegal {
  std::string text, message;  // `message` is a substring of the error.
};

void ExpectIllegal(const Machine& machine, const std::vector<Illegal>& programs) {
  for (const Illegal& program : programs) {
    const absl::Status status = Check(machine, program.text);
    EXPECT_FALSE(status.ok()) << program.text;
    EXPECT_TRUE(absl::StrContains(status.message(), program.message)) << program.text << ": " << status.message();
  }
}

TEST(ProgramTest, IntelLegal) {
  ExpectLegal(Get("intel_gen9"), {
                                     "[ADD(r(F), a(F), -b(F)).sat()]",
                                     "[ADD(r(F), -abs(a(F)), imm(0.1, F))]",
                                     "[MOV(r(DF), imm(0.0, DF))]",
                                     "[MOV(r(UQ), imm(0x123456789abcdef0, UQ))]",
                                     "[MAD(r(F), c(F), -a(F), abs(b(F))).sat()]",
                                     "[AND(r(UD), ~a(UD), ~b(UD))]",
                                     "[CMP(null(F), a(F), b(F)).cmod(L), SEL(r(F), a(F), b(F)).predicate(NORMAL)]",
                                     "[CMP(null(F), a(F), b(F)).cmod(L, r)]",
                                     "[CMP(r(D), a(UD), imm(7, UD)).cmod(GE)]",
                                     "[SEL(r(D), -a(D), imm(-3, D)).cmod(L)]",
                                     "[CSEL(r(F), a(F), b(F), -c(F)).cmod(NZ)]",
                                     "[ADD(r(D), a(D), -b(D)).sat()]",
                                     "[MUL(r(D), a(D), b(W))]",
                                     "[MATH(r(F), -a(F)).function(RSQ).sat()]",
                                     "[ADD(t(F), a(F), b(F)).cmod(G, f1), MOV(r(F), t(F)), "
                                     "MOV(r(F), imm(1.0, F)).predicate(INVERT, f1)]",
                                     "[MOV(r(UD).subscript(0), a(UD)), MOV(r(UD).subscript(1), b(UD))]",
                                     "[MOV(r(F), a(UB).subscript(3))]",
                                     "[MOV(r(F), -p(BD))]",
                                     "[ADD(r(F), u(F).uniform(), a(F))]",
                                     "[SHL(r(D), a(D), imm(3, UD))]",
                                 });
}

TEST(ProgramTest, IntelIllegal) {
  ExpectIllegal(
      Get("intel_gen9"),
      {
          {"[ADD(r(F), imm(1.0, F), a(F))]", "1:2: rule 'immediate place': source 0 cannot be an immediate"},
          {"[MAD(r(F), a(F), b(F), imm(1.0, F))]", "rule 'immediate place'"},
          {"[ADD(r(DF), a(DF), imm(1.0, DF))]", "rule 'immediate_64': only MOV takes a 64-bit immediate"},
          {"[MOV(r(B), imm(1, B))]", "rule 'immediate_8'"},
          {"[ADD(r(F), a(F), -imm(1.0, F))]", "rule 'immediate_modifier'"},
          {"[AND(r(UD), -a(UD), b(UD))]", "rule 'source modifiers': source 0 does not accept modifier '-'"},
          {"[AND(r(UD), abs(a(UD)), b(UD))]", "rule 'source modifiers': no modifier 'abs' for type UD"},
          {"[BFE(r(D), -a(D), b(D), c(D))]", "rule 'source modifiers'"},
          {"[ADD(r(F), abs(-a(F)), b(F))]", "rule 'order of modifiers'"},
          {"[BFI2(r(UD), a(UD), b(UD), c(UD)).sat()]", "has no .sat()"},
          {"[AND(r(UD), a(UD), b(UD)).sat()]", "has no .sat()"},
          {"[CSEL(r(F), a(F), b(F), c(F)).cmod(NZ).predicate(NORMAL)]", "rule 'predicate'"},
          {"[CSEL(r(D), a(D), b(D), c(D)).cmod(NZ)]", "rule 'operand types': intel_gen9 has no CSEL of D D D D"},
          {"[CMP(r(F), a(F), b(F))]", "rule 'mandatory field': CMP needs .cmod"},
          {"[SEL(r(F), a(F), b(F))]", "rule 'mandatory field': SEL needs ."},
          {"[SEL(r(F), a(F), b(F)).cmod(G)]", "rule 'minmax_f'"},
          {"[CMP(null(F), a(F), b(F)).cmod(L,)]", "expected an argument"},
          {"[CMP(null(F), a(F), b(F)).cmod(L, r), SEL(r(F), a(F), b(F)).predicate(NORMAL, )]", "expected an argument"},
          {"[AND(r(UD), a(UD), b(UD)).cmod(L)]", "rule 'result_z'"},
          {"[ADD(r(UD), -a(UD), b(UD)).cmod(Z)]", "rule 'negated_unsigned_flag'"},
          {"[ADD(r(UD), -a(UD), b(UD)).sat()]", "rule 'negated_unsigned_saturate'"},
          {"[SEL(r(UD), a(UD), b(UD)).predicate(NORMAL)]", "rule 'flags': flag f0 is read before it is written"},
          {"[MOV(r(B), a(Q))]", "rule 'operand types'"},
          {"[ADD(r(F), a(F), b(D))]", "rule 'operand types'"},
          {"[ADD(r(F), a(F), t(F)), MOV(t(F), r(F))]", "rule 'definition': t is a variable"},
          {"[ADD(r(F), a(F), a(F)), ADD(r(F), r(F), a(F))]", "rule 'definition': r is written twice"},
          {"[ADD(r(F), a(F), b(F)).predicate(NORMAL, p)]",
           "a predicated write keeps the old value of r, which has none"},
          {"[MOV(r(UD).subscript(0), a(UD))]", "rule 'result': parts of r are never written"},
          {"[ADD(t(F), a(F), b(F))]", "rule 'result': the program does not define r"},
          {"[MOV(t(UD), a(UD)), MOV(r(UW), t(UW))]", "rule 'size': t has 32 bits, but is read as 16"},
          {"[MAD(r(F), a(F).subscript(1), b(F), c(F))]", "rule 'regions'"},
          {"[ADD(null(F), a(F), b(F)), MOV(r(F), a(F))]", "rule 'null destination'"},
      });
}

TEST(ProgramTest, AgxLegal) {
  ExpectLegal(Get("agx_g13"), {
                                  "[fadd(r(F), a(F), -b(F)).sat()]",
                                  "[fadd(r(F), -abs(a(F)), imm(-0.0, F))]",
                                  "[ffma(r(F), a(F), imm(0.5, F), imm(31.0, F))]",
                                  "[fadd(r(H), a(F), b(F)).sat()]",
                                  "[fmul(r(F), a(H), -b(H))]",
                                  "[fcmpsel(r(F), a(F), b(F), a(F), b(F)).cond(LTN)]",
                                  "[fcmpsel(r(UD), abs(a(F)), imm(1.0, F), imm(255, UD), b(UD)).cond(GE)]",
                                  "[icmpsel(r(UD), p(B), imm(0, UD), a(UD), b(UD)).cond(EQ)]",
                                  "[icmp(r(B), a(D), b(W)).cond(LT)]",
                                  "[bitop(r(UD), a(UD), imm(255, UD)).table(ANDN_B)]",
                                  "[bitop(r(B), a(B), imm(1, B)).table(XOR)]",
                                  "[iadd(r(D), a(D), b(W)).shift(4)]",
                                  "[isub(r(UD), a(UD), b(UD)).sat()]",
                                  "[imad(r(D), a(D), b(D), c(D)).shift(2)]",
                                  "[bfi(r(UD), imm(0, UD), a(UD), b(UD)).mask(0)]",
                                  "[bfeil(r(UD), imm(0, UD), a(UD), imm(8, UD)).mask(8)]",
                                  "[extr(r(UD), a(UD), b(UD), imm(7, UD)).mask(0)]",
                                  "[convert(r(D), a(F)).round(RTZ)]",
                                  "[mov_imm(t(F), imm(0.1, F)), fmul(r(F), a(F), t(F))]",
                                  "[imad(t(UQ), a(UD), b(UD), imm(0, UQ)), "
                                  "bitop(r(UD), t(UD).subscript(1), imm(0, UD)).table(MOV_A)]",
                              });
}

TEST(ProgramTest, AgxIllegal) {
  ExpectIllegal(
      Get("agx_g13"),
      {
          {"[fadd(r(F), a(F), imm(0.1, F))]", "rule 'immediate size': 0x3dcccccd does not fit the MINIFLOAT8 field"},
          {"[fadd(r(F), a(F), imm(32.0, F))]", "rule 'immediate size'"},
          {"[fadd(r(F), a(F), -imm(1.0, F))]", "rule 'immediate_modifier'"},
          {"[iadd(r(D), a(D), imm(256, D))]", "rule 'immediate size'"},
          {"[iadd(r(D), a(D), -b(D))]", "rule 'source modifiers'"},
          {"[iadd(r(D), a(D), b(D)).shift(5)]", "rule 'shift'"},
          {"[iadd(r(D), a(D), b(D)).shift(2).sat()]", "has no .sat()"},
          {"[iadd(r(D), a(UW), b(D)).sat()]", "rule 'saturate_extension'"},
          {"[fcmpsel(r(F), a(F), b(F), -c(F), d(F)).cond(LT)]",
           "rule 'source modifiers': source 2 does not accept modifier '-'"},
          {"[fcmpsel(r(F), a(F), b(F), c(F), d(F)).cond(LT).sat()]", "rule 'destination modifiers'"},
          {"[fcmpsel(r(F), a(F), b(F), c(F), d(F))]", "rule 'mandatory field'"},
          {"[fcmpsel(r(F), a(F), b(F), c(F), d(F)).cond(NE)]", "rule 'fcond'"},
          {"[fcmpsel(r(F), a(F), b(F), imm(1.0, F), d(F)).cond(LT)]", "rule 'immediate size'"},
          {"[bitop(r(UD), a(UD), b(UD)).table(MOV_B)]", "rule 'undefined_table'"},
          {"[bitop(r(B), a(B), b(B)).table(NOR)]", "rule 'table_b'"},
          {"[bitop(r(UD), ~a(UD), b(UD)).table(AND)]", "rule 'source modifiers'"},
          {"[mov_imm(r(F), a(F))]", "rule 'immediate place': source 0 must be an immediate"},
          {"[bfi(r(UD), a(UD), b(UD), c(UD)).mask(32)]", "rule 'mask'"},
          {"[fadd(r(H), a(H), b(H)), fadd(r(H), a(H), a(H))]", "r is written twice"},
          {"[imad(r(D), a(D), b(D), c(D)).sat()]", "has no .sat()"},
          {"[ffma(r(H), a(H), b(H), c(D))]", "rule 'operand types'"},
      });
}

TEST(ProgramTest, MalformedTextNamesLineAndColumn) {
  const Machine& machine = Get("intel_gen9");
  ExpectIllegal(machine,
                {
                    {"", "1:1: expected '[' at the start of the program"},
                    {"[ADD(r(F), a(F), b(F)", "1:22: "},
                    {"[ADD(r(F), a(F), b(G))]", "1:20: intel_gen9 has no type 'G'"},
                    {"[MOV(t(F), a(F)),\n FOO(r(F), a(F))]", "2:2: intel_gen9 has no instruction FOO"},
                    {"[MOV(r(F), a(F)).foo()]", "1:2: rule 'fields': MOV of these types does not have this method"},
                    {"[MOV(r(F), imm(x, F))]", "1:12: 'x' is not a number"},
                    {"[MOV(r(UW), imm(65536, UW))]", "1:13: '65536' does not fit 16 bits"},
                    {"[MOV(r(F), a(F))] b", "1:19: unexpected text after the program"},
                    {"[MOV(-r(F), a(F))]", "a destination must be a plain register"},
                    {"[MOV(r(F), null(F))]", "a source cannot be null"},
                });
}

TEST(ProgramTest, AcceptsDeclarationsAndOtherSpellings) {
  const Machine& machine = Get("intel_gen9");
  absl::StatusOr<Program> program =
      ParseProgram(machine, "[ TempReg('t', DF),\n MOV(t(DF), imm(0, DF)), ADD(r(DF), a(DF), t(DF)), ]");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(PrintProgram(machine, *program), "[MOV(t(DF), imm(0.0, DF)), ADD(r(DF), a(DF), t(DF))]");
  EXPECT_EQ(program->instructions[1].line, 2);
}

TEST(ProgramTest, ImmediatesKeepTheirBits) {
  const Machine& machine = Get("intel_gen9");
  for (const char* literal :
       {"0x7fc00000", "0xffffffff", "-0.0", "1e-45", "3.4028235e+38", "0x7f800000", "0.333333343"}) {
    const std::string text = absl::StrCat("[MOV(r(F), imm(", literal, ", F))]");
    absl::StatusOr<Program> program = ParseProgram(machine, text);
    ASSERT_TRUE(program.ok()) << program.status();
    absl::StatusOr<Program> again = ParseProgram(machine, PrintProgram(machine, *program));
    ASSERT_TRUE(again.ok()) << PrintProgram(machine, *program);
    EXPECT_EQ(again->instructions[0].sources[0].bits, program->instructions[0].sources[0].bits) << literal;
  }
}

TEST(ProgramTest, Intel125) {
  const Machine& intel = Get("intel_gen125");
  ExpectLegal(intel, {"[ADD3(r(D), imm(8, D), a(D), -b(D))]", "[CSEL(r(D), a(D), b(D), c(D)).cmod(L)]",
                      "[MOV(t(UW), a(UW).subscript(1)), MOV(r(F), t(HF))]", "[BFE(r(UD), imm(8, UD), a(UD), b(UD))]"});
  ExpectIllegal(intel, {{"[ADD3(r(D), a(D), imm(8, D), b(D))]", "rule 'immediate place'"},
                        {"[ADD3(r(D), imm(0x12345, D), a(D), b(D))]", "rule 'immediate size'"},
                        {"[ADD3(r(D), imm(1, D), a(D), imm(2, D))]", "rule 'one_immediate'"},
                        {"[MUL(r(D), a(D), -b(W))]", "rule 'source modifiers'"},
                        {"[MUL(r(D), a(D), b(D))]", "rule 'operand types'"},
                        {"[MOV(r(F), a(HF).subscript(1))]", "rule 'float_region'"},
                        {"[MOV(r(F), a(UB).uniform())]", "rule 'scalar_unsigned_byte_to_float'"},
                        {"[DP4A(r(D), a(D), -b(D), c(D))]", "rule 'source modifiers'"}});
}

TEST(ProgramTest, Ir3LimitsConstantsAndImmediates) {
  const Machine& ir3 = Get("ir3_a6xx");
  ExpectLegal(ir3, {"[add_f(r(F), a(F).uniform(), imm(0.5, F))]", "[add_f(r(F), a(F), imm(0.3, F))]",
                    "[mad_f32(r(F), imm(0.3, F), a(F), b(F).uniform())]", "[add_f(r(H), a(F), b(F)).sat()]",
                    "[shrm(r(UD), imm(8, UD), a(UD), imm(4095, UD))]"});
  ExpectIllegal(ir3, {{"[add_f(r(F), a(F).uniform(), b(F).uniform())]", "rule 'one_constant'"},
                      {"[add_f(r(F), a(F).uniform(), imm(0.3, F))]", "rule 'one_constant'"},
                      {"[add_u(r(UD), imm(1, UD), imm(2, UD))]", "rule 'one_immediate'"},
                      {"[mad_f32(r(F), a(F), b(F).uniform(), c(F))]", "rule 'uniform'"},
                      {"[mad_f32(r(F), a(F), imm(1.0, F), c(F))]", "rule 'immediate place'"},
                      {"[mad_f32(r(F), abs(a(F)), b(F), c(F))]", "rule 'source modifiers'"},
                      {"[add_u(r(UD), -a(UD), b(UD))]", "rule 'source modifiers'"},
                      {"[rcp(r(F), a(F).uniform())]", "rule 'uniform'"},
                      {"[rcp(r(F), a(F)).sat()]", "rule 'destination modifiers'"},
                      {"[shrm(r(UD), imm(8, UD), a(UD), imm(4096, UD))]", "rule 'immediate size'"},
                      {"[add_s(r(W), a(D), b(D)).sat()]", "rule 'saturated_narrow_signed'"}});
}

TEST(ProgramTest, ValhallTableClampsAndWords) {
  const Machine& valhall = Get("valhall");
  ExpectLegal(valhall,
              {"[FMA(r(F), a(F), -abs(b(H).subscript(1)), imm(-0.0, F)).clamp_m1_1()]",
               "[IADD(r(UD), a(UB).subscript(3), imm(255, UD))]", "[FMA(r(F), a(F).uniform(), b(F).uniform(), c(F))]",
               "[FMA(r(F), a(F).uniform(), a(F).uniform(), b(F).uniform())]",
               "[LSHIFT_AND(r(UD), a(UD), b(UB).subscript(2), ~c(UD)).not_result()]"});
  ExpectIllegal(valhall,
                {{"[FADD(r(F), a(F), imm(0.3, F))]", "rule 'immediate size'"},
                 {"[FMA(r(F), a(F).uniform(), b(F).uniform(), c(F).uniform())]", "rule 'fau_words'"},
                 {"[FMA(r(F), a(F).uniform(), b(F).uniform(), imm(1.0, F))]", "rule 'fau_words'"},
                 {"[FADD(r(F), a(F), b(F)).clamp_0_inf().clamp_m1_1()]", "rule 'one_clamp_clamp_0_inf_clamp_m1_1'"},
                 {"[CSEL(r(UD), -a(F), b(F), c(UD), d(UD)).cond(LT)]", "rule 'source modifiers'"},
                 {"[LSHIFT_AND(r(UD), ~a(UD), b(UD), c(UD))]", "rule 'source modifiers'"}});
}

TEST(ProgramTest, RdnaLiteralsAndConstantBus) {
  const Machine& rdna = Get("rdna");
  ExpectLegal(rdna, {"[v_fma_f32(r(F), imm(0.3, F), a(F), imm(0.3, F))]",
                     "[v_fma_f32(r(F), imm(0.3, F), -a(F), imm(1.0, F)).clamp()]",
                     "[v_add3_u32(r(UD), a(UD).uniform(), b(UD).uniform(), c(UD))]",
                     "[v_add_nc_u32(r(UD), a(UD), imm(64, UD)).sat()]", "[v_min_i32(r(D), a(D), imm(-16, D))]"});
  ExpectIllegal(rdna,
                {{"[v_fma_f32(r(F), imm(0.3, F), a(F), imm(0.7, F))]", "rule 'one_literal'"},
                 {"[v_add3_u32(r(UD), a(UD).uniform(), b(UD).uniform(), imm(65, UD))]", "rule 'constant_bus'"},
                 {"[v_add3_u32(r(UD), a(UD).uniform(), b(UD).uniform(), c(UD).uniform())]", "rule 'constant_bus'"},
                 {"[v_add_nc_u32(r(UD), -a(UD), b(UD))]", "rule 'source modifiers'"},
                 {"[v_med3_i32(r(D), a(D), b(D), c(D)).clamp()]", "rule 'fields'"}});
}

// On r300 and r500, presubtracted sources support only the identity swizzle and broadcasts; other sources support more
// swizzles.
TEST(ProgramTest, R300OrderOfPresubtractedSources) {
  for (const char* id : {"r300", "r500"}) {
    ExpectLegal(Get(id), {"[MUL(r(F), inverse(a(F)), b(F))]", "[MUL(r(F).mask(x), inverse(a(F)), b(F).swizzle(z))]",
                          "[ADD(r(F).mask(x), -inverse(a(F).swizzle(y)), b(F).swizzle(w))]"});
    ExpectIllegal(Get(id), {{"[MUL(r(F), inverse(a(F).swizzle(yzxw)), b(F))]", "presubtract_order_inverse"},
                            {"[MUL(r(F), bias(a(F).swizzle(zxyw)), b(F))]", "presubtract_order_bias"}});
  }
}

}  // namespace
}  // namespace rewrought::machine
