#include "verifier/mesa/coincidence.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/prover.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

std::vector<CoincidingCase> CasesOf(const std::string& rule, ir::DenormMode mode = ir::DenormMode::kAny) {
  RuleCase rule_case = CaseOf(rule, 32, mode);
  rule_case.other_users = false;  // so that nsz of inner nodes permits choices
  ReadAsMesa(&rule_case);
  absl::StatusOr<std::vector<CoincidingCase>> cases = CoincidingCases(rule_case);
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.value_or(std::vector<CoincidingCase>{});
}

std::vector<std::string> SearchesOf(const std::string& rule, ir::DenormMode mode = ir::DenormMode::kAny) {
  std::vector<std::string> searches;
  for (const CoincidingCase& one : CasesOf(rule, mode)) searches.push_back(ir::PrintTerm(one.rule_case.search));
  return searches;
}

TEST(CoincidingCases, IntegersMakeNoChoices) {
  EXPECT_TRUE(CasesOf("(('iadd', ('imul', a, b), ('imul', c, d)), a)").empty());
}

TEST(CoincidingCases, VariablesAreUnified) {
  const std::vector<CoincidingCase> cases = CasesOf("(('fsub', ('fabs', a), ('fabs', b)), ('fabs', b))");
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(ir::PrintTerm(cases[0].rule_case.search), "('fsub@32', ('fabs@32', 'a@32'), ('fabs@32', 'a'))");
  EXPECT_EQ(ir::PrintTerm(cases[0].rule_case.replace), "('fabs@32', 'a@32')");
  EXPECT_EQ(cases[0].description, "('fabs@32', 'a@32') and ('fabs@32', 'b@32') match the same instruction");
}

TEST(CoincidingCases, CommutativeOperandsAreTriedInBothOrders) {
  EXPECT_EQ(SearchesOf("(('fsub', ('fmul', a, b), ('fmul', c, d)), c)").size(), 2u);
  EXPECT_EQ(SearchesOf("(('fmul', ('fsub', a, b), ('fsub', c, d)), c)").size(), 1u);
}

// The integer additions make no choice, but the float ops above them match the same instruction only if operands are
// swapped.
TEST(CoincidingCases, OperandsBelowAreTriedInBothOrders) {
  const std::string product = "('fmul', ('u2f32', ('iadd', a, b)), c)";
  const std::string other = "('fmul', ('u2f32', ('iadd', b, a)), c)";
  EXPECT_GE(CasesOf("(('fsub', " + product + ", " + other + "), 0.0)").size(), 2u);
  const std::string sum = "('fmul', ('fadd', a, b), c)", swapped = "('fmul', ('fadd', b, a), c)";
  EXPECT_FALSE(CasesOf("(('ieq', " + sum + ", " + swapped + "), False)", ir::DenormMode::kPreserve).empty());
}

// A node with one use cannot both be read by its parent and be the value of a variable that another instruction reads.
TEST(CoincidingCases, SingleUseExcludesASecondUse) {
  const auto count = [&](const std::string& marks) {
    const std::string op = "('fmul(" + marks + ")', a, ";
    return CasesOf("(('bcsel', e, " + op + "b), " + op + "c)), a)").size();
  };
  EXPECT_GT(count("nsz"), count("nsz,is_used_once"));
  // An instruction that reads the value as both operands counts as two uses.
  EXPECT_FALSE(CasesOf("(('fadd', ('fmul(nsz)', a, b), c), c)").empty());
  EXPECT_TRUE(CasesOf("(('fadd', ('fmul(nsz,is_used_once)', a, b), c), c)").empty());
}

// The users of the two values have the same op, so they may match the same instruction, which uses the value once.
TEST(CoincidingCases, SingleUseAllowsOneUserThatMatchesTwice) {
  const std::string one = "('fneg', ('fmul(nsz,is_used_once)', a, b))", other = "('fneg', c)";
  EXPECT_FALSE(CasesOf("(('ieq', " + one + ", " + other + "), False)").empty());
}

TEST(CoincidingCases, FlagsOfOneNodeSuffice) {
  const std::string plain = "('bcsel', a, b, c)", flagged = "('bcsel(nsz)', d, e, f)";
  for (const std::string& rule :
       {"(('ieq', " + plain + ", " + flagged + "), False)", "(('ieq', " + flagged + ", " + plain + "), False)"}) {
    int merged = 0;
    for (const CoincidingCase& one : CasesOf(rule, ir::DenormMode::kPreserve))
      merged += one.description.ends_with("match the same instruction");
    EXPECT_EQ(merged, 1) << rule;
  }
}

TEST(CoincidingCases, FlagsOfBothNodesHold) {
  const std::vector<CoincidingCase> cases = CasesOf("(('fmul', ('fsub(nsz)', a, b), ('fsub', a, b)), a)");
  ASSERT_EQ(cases.size(), 1u);
  int differences = 0;
  for (const ir::Node& node : cases[0].rule_case.search.nodes) {
    if (node.kind != ir::NodeKind::kOp || node.op->name != "fsub") continue;
    ++differences;
    EXPECT_EQ(node.flags & ir::kPermissions, ir::kNoSignedZero);
  }
  EXPECT_EQ(differences, 1);
}

TEST(CoincidingCases, ConstantsTakeTheVariablesThatAdmitThem) {
  EXPECT_EQ(SearchesOf("(('fmul', ('fsub', a, 2.0), ('fsub', b, '#c')), a)").size(), 1u);
  EXPECT_TRUE(SearchesOf("(('fmul', ('fsub', a, 2.0), ('fsub', a, '#c(is_zero_to_one)')), a)").empty());
}

// If the sums match the same instruction, so do the products. A case in which only the sums are merged would allow more
// results.
TEST(CoincidingCases, NodesWithTheSameOperandsAreMerged) {
  const std::vector<CoincidingCase> cases =
      CasesOf("(('fmul', ('frcp', ('fsub', a, 1.0)), ('frcp', ('fsub', b, 1.0))), a)");
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].rule_case.search.nodes.size(), 5u);
}

TEST(CoincidingCases, AVariableThatIsAZeroHasOneSign) {
  const std::vector<CoincidingCase> cases = CasesOf("(('fsub', ('fabs', a), ('fabs', 0.0)), a)");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(ir::PrintTerm(cases[0].rule_case.replace), "0x00000000@32");
  EXPECT_EQ(ir::PrintTerm(cases[1].rule_case.replace), "0x80000000@32");
  EXPECT_EQ(SearchesOf("(('fsub', ('fabs', '#a(is_negative_zero)'), ('fabs', 0.0)), a)").size(), 1u);
}

TEST(CoincidingCases, AnIntegerZeroIsThePositiveZero) {
  const std::vector<CoincidingCase> cases = CasesOf("(('fsub', ('fabs', 0), ('fabs', 0.0)), 0.0)");
  ASSERT_EQ(cases.size(), 1u);
  for (const ir::Node& node : cases[0].rule_case.search.nodes) EXPECT_TRUE(node.predicates.empty());
  EXPECT_TRUE(CasesOf("(('fsub', ('fabs', 1), ('fabs', 0.0)), 0.0)").empty());
}

// Both halves of a pack belong to one instruction, so halves of different packs are not merged.
TEST(CoincidingCases, PacksAreMergedWhole) {
  const auto of = [](const std::string& first, const std::string& second) {
    return "(('ixor', ('pack_half_2x16_split', " + first + "), ('iadd', ('pack_half_2x16_split', " + second +
           "), 1)), 0)";
  };
  EXPECT_TRUE(CasesOf(of("a, 1.0", "a, 2.0"), ir::DenormMode::kPreserve).empty());
  EXPECT_EQ(CasesOf(of("a, 1.0", "b, 1.0"), ir::DenormMode::kPreserve).size(), 1u);
}

// Mesa's matcher does not distinguish these components, so the case is not decided.
TEST(CoincidingCases, ComponentsOfVectorsAreAnError) {
  for (const char* rule : {"(('ieq', ('fabs@32', 'a.x'), ('fabs', 'a.y')), False)",
                           "(('ieq', ('fabs@32', 'a.y'), ('fabs', 'b')), False)"}) {
    EXPECT_EQ(CoincidingCases(CaseOf(rule, 0, ir::DenormMode::kAny)).status().code(), absl::StatusCode::kUnimplemented)
        << rule;
  }
}

// The products match the same instruction if c is the sum of a and b. The replacement then reads the same sum.
TEST(CoincidingCases, AVariableMayBeTheResultOfAnOp) {
  const std::vector<CoincidingCase> cases =
      CasesOf("(('fsub', ('fmul', c, 2.0), ('fmul', ('iadd', a, b), 2.0)), ('imul', c, c))", ir::DenormMode::kAny);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(ir::PrintTerm(cases[0].rule_case.replace),
            "('imul@32', ('iadd@32', 'a@32', 'b@32'), ('iadd@32', 'a', 'b'))");
  EXPECT_EQ(cases[0].rule_case.replace.nodes.size(), 4u);
}

TEST(CoincidingCases, AVariableObservesTheZerosOfAnOp) {
  const std::vector<CoincidingCase> cases = CasesOf("(('iand', ('fmul(nsz)', a, 0.0), c), c)");
  ASSERT_EQ(cases.size(), 2u);  // one for each sign of the literal
  EXPECT_EQ(cases[0].description, "c is the result of ('fmul@32(nsz)', 'a@32', 0.0@32)");
  EXPECT_TRUE(CasesOf("(('iand', ('fmul', a, 0.0), c), c)").empty());
  EXPECT_TRUE(CasesOf("(('iand', ('fmul(nsz)', a, 0.0), a), a)").empty());
  EXPECT_TRUE(CasesOf("(('iand', ('fmul(nsz)', a, 0.0), '#c'), c)").empty());
}

TEST(CoincidingCases, ANodeIsNotItsOwnOperand) { EXPECT_TRUE(CasesOf("(('fadd', ('fadd', a, b), c), a)").empty()); }

TEST(CoincidingCases, ArithmeticReadersDoNotSeeNanPatterns) {
  EXPECT_TRUE(CasesOf("(('fsub', ('fmul', a, b), ('fmul', c, d)), a)", ir::DenormMode::kPreserve).empty());
  EXPECT_FALSE(CasesOf("(('ieq', ('fmul', a, b), ('fmul', c, d)), True)", ir::DenormMode::kPreserve).empty());
}

TEST(CoincidingCases, TooManyAreAnError) {
  const std::string sum =
      "('fadd', ('fadd', ('fmul', a, b), ('fmul', c, d)), ('fadd', ('fmul', e, f), ('fmul', g, h)))";
  const std::string all = "('fadd', ('fadd', ('fadd', b, c), ('fadd', d, e)), ('fadd', ('fadd', f, g), h))";
  EXPECT_EQ(CoincidingCases(CaseOf("(" + sum + ", " + all + ")", 32, ir::DenormMode::kAny)).status().code(),
            absl::StatusCode::kResourceExhausted);
}

// Two separate products choose their zeros independently. Here, the products match the same instruction because the
// sums do, even if a and b differ.
TEST(Prover, SwappedOperandsBelowAreOneInstruction) {
  const std::string zero = "('fmul(nsz)', ('u2f32', ('iadd', a, b)), 0.0)";
  const std::string swapped = "('fmul(nsz)', ('u2f32', ('iadd', b, a)), 0.0)";
  const std::string rule = "(('iand', ('ieq', " + zero + ", " + swapped + "), ('ine', a, b)), False)";
  const CaseResult result = Prover({SharedPool(), nullptr}, {}).Prove(CaseOf(rule, 16, ir::DenormMode::kPreserve));
  EXPECT_EQ(result.verdict, v1::VERDICT_REFUTED) << result.reason;
}

// The nodes may choose different zeros only if they are two instructions.
TEST(Prover, OneInstructionMakesOneChoice) {
  const std::string search = "('ieq', ('fadd(nsz)', a, b), ('fadd(nsz)', b, a))";
  const CaseResult refuted = Prover({}, {}).Prove(CaseOf("(" + search + ", False)", 16, ir::DenormMode::kPreserve));
  EXPECT_EQ(refuted.verdict, v1::VERDICT_REFUTED);
}

}  // namespace
}  // namespace rewrought::verifier
