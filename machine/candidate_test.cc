#include "machine/candidate.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"
#include "machine/program.h"

namespace rewrought::machine {
namespace {

const Machine& Intel() { return **FindMachine("intel_gen9"); }

Candidate Nir(const std::string& search, const std::string& replace) {
  return {&Intel(), *ir::ParseTerm(search), std::nullopt, *ir::ParseTerm(replace)};
}

Candidate OfProgram(const std::string& search, const std::string& program) {
  return {&Intel(), *ir::ParseTerm(search), *ParseProgram(Intel(), program), {}};
}

TEST(Candidate, TextAndIdNameTheRuleAndItsMachine) {
  const Candidate nir = Nir("('fadd@32(nsz)', 'a@32', 'b@32')", "('fadd@32', 'b@32', 'a@32')");
  EXPECT_EQ(CandidateText(nir), "(('fadd@32(nsz)', 'a@32', 'b@32'), ('fadd@32', 'b@32', 'a@32'))");
  const Candidate program = OfProgram("('fadd@32', 'a@32', 'b@32')", "[ADD(r(F), a(F), b(F))]");
  EXPECT_EQ(CandidateText(program), "(('fadd@32', 'a@32', 'b@32'), [ADD(r(F), a(F), b(F))])");
  EXPECT_NE(CandidateId(nir), CandidateId(program));
  Candidate elsewhere = program;
  elsewhere.machine = *FindMachine("intel_gen11");
  EXPECT_NE(CandidateId(elsewhere), CandidateId(program));
}

TEST(ReplacementTerm, NirInheritsTheFlagsOfTheRoot) {
  const ir::Term built = *ReplacementTerm(
      Nir("('fadd@32(nsz)', ('fneg@32(nnan)', 'a@32'), 'b@32')", "('fsub@32', 'b@32', ('fabs@32', 'a@32'))"));
  for (const ir::Node& node : built.nodes) {
    EXPECT_EQ(node.flags, node.kind == ir::NodeKind::kOp ? ir::kNoSignedZero | ir::kRootNoNan | ir::kRootNoInf : 0);
  }
}

TEST(ReplacementTerm, OfAProgramIsItsMeaning) {
  const ir::Term term = *ReplacementTerm(OfProgram("('fadd@32', 'a@32', 'b@32')", "[ADD(r(F), a(F), b(F))]"));
  EXPECT_EQ(term.root_node().op->name, "intel_gen9.ADD.F.F.F");
}

TEST(RightSideCost, IsTheProgramsOrThatOfBaseSelection) {
  const Candidate program = OfProgram("('fadd@32', 'a@32', 'b@32')", "[ADD(r(F), a(F), b(F))]");
  EXPECT_EQ(*RightSideCost(program), ProgramCost(Intel(), *program.program));
  const Candidate nir = Nir("('fadd@32', 'a@32', 'b@32')", "('fadd@32', ('fneg@32', 'a@32'), 'b@32')");
  EXPECT_EQ(*RightSideCost(nir, BaseKind::kNaive), *BaseCost(Intel(), nir.replace, BaseKind::kNaive));
  EXPECT_LT(RightSideCost(nir)->instructions, RightSideCost(nir, BaseKind::kNaive)->instructions);
}

}  // namespace
}  // namespace rewrought::machine
