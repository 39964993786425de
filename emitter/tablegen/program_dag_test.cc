#include "emitter/tablegen/program_dag.h"

#include <gtest/gtest.h>

namespace rewrought::emitter {
namespace {

// Returns the program after conversion to a DAG and back, or the error.
std::string Again(const char* machine_id, const std::string& text, const std::string& type = "f32") {
  const machine::Machine& machine = **machine::FindMachine(machine_id);
  const auto program = machine::ParseProgram(machine, text);
  if (!program.ok()) return program.status().ToString();
  Definitions definitions;
  const auto dag = ProgramDag(machine, *program, type, 1, &definitions);
  if (!dag.ok()) return std::string(dag.status().message());
  const auto read = ProgramOfDag(machine, *dag);
  return read.ok() ? machine::PrintProgram(machine, *read) : std::string(read.status().message());
}

std::string Read(const char* machine_id, absl::string_view text) {
  const auto dag = TakeDag(&text);
  if (!dag.ok()) return dag.status().ToString();
  const auto program = ProgramOfDag(**machine::FindMachine(machine_id), *dag);
  return program.ok() ? "ok" : std::string(program.status().message());
}

TEST(ProgramDag, ReadsBack) {
  EXPECT_EQ(Again("intel_gen9", "[ADD(r(F), -abs(a(F)), imm(1.5, F)).sat()]"),
            "[ADD(r(F), -abs(a(F)), imm(1.5, F)).sat()]");
  EXPECT_EQ(Again("intel_gen9", "[CMP(null(F), a(F), b(F)).cmod(L, p), SEL(r(F), a(F), c(F)).predicate(INVERT, p)]"),
            "[CMP(null(F), a(F), b(F)).cmod(L, t0), SEL(r(F), a(F), c(F)).predicate(INVERT, t0)]");
  EXPECT_EQ(Again("vec4", "[MUL(r(F).mask(xy), a(F), b(F)), ADD(r(F).mask(zw), a(F), b(F).swizzle(xxyy))]", "v4f32"),
            "[MUL(r(F).mask(xy), a(F), b(F)), ADD(r(F).mask(zw), a(F), b(F).swizzle(xxy))]");
}

TEST(ProgramDag, SharedValuesAreWrittenOnceAgain) {
  EXPECT_EQ(Again("intel_gen9", "[MUL(t(F), a(F), b(F)), ADD(r(F), t(F), -t(F))]"),
            "[MUL(t0(F), a(F), b(F)), ADD(r(F), t0(F), -t0(F))]");
}

TEST(ProgramDag, OtherDagsAreRefused) {
  EXPECT_EQ(Read("vec4", "$a"), "its result is not an instruction");
  EXPECT_EQ(Read("vec4", "(f32 (MOV_F_F $a))"), "an operand is missing");
  EXPECT_EQ(Read("vec4", "(f32 (MOV_F_F $a, modifier_none))"), "an operand has no swizzle");
  EXPECT_EQ(Read("vec4", "(f32 (MOV_F_F $a, modifier_what, swizzle_xyzw, modifier_none, mask_whole))"),
            "vec4 has no modifier what");
  EXPECT_EQ(Read("vec4", "(f32 (MOV_F_F $a, what, swizzle_xyzw, modifier_none, mask_whole))"),
            "'what' is not a modifier");
  EXPECT_EQ(Read("vec4", "(f32 (MOV_F_F $a, modifier_none, swizzle_xyzw, modifier_none, mask_whole, $b))"),
            "MOV_F_F has too many operands");
  EXPECT_NE(Read("vec4", "(f32 (MOV_F_F $a, modifier_none, swizzle_xyzw, modifier_none, mask_q))").find("mask"),
            std::string::npos);
  EXPECT_EQ(Read("vec4", "(f32 (MOV_F_F $a, modifier_none, swizzle_xyzw, modifier_none, mask_whole))"), "ok");
}

}  // namespace
}  // namespace rewrought::emitter
