#include "enumerator/reals/real_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "enumerator/reals/e_graph.h"
#include "enumerator/reals/real_identities.h"
#include "ir/op_table.h"
#include "ir/text/canonical.h"
#include "ir/text/rule_text.h"

namespace rewrought::enumerator {
namespace {

ir::Term Term(const std::string& text) {
  absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
  EXPECT_TRUE(term.ok()) << text << ": " << term.status();
  return *std::move(term);
}

// The prices of a machine that has a fused multiply-add, free sign modifiers, and expensive functions, but no flrp.
double Price(const ir::OpRow& op, int) {
  if (op.name == "fneg" || op.name == "fabs") return 0.1;
  if (op.name == "fsat") return 0.3;
  if (op.name == "flrp" || op.name == "fdiv" || op.name == "fmod") return std::numeric_limits<double>::infinity();
  if (op.name == "frcp" || op.name == "frsq" || op.name == "fsqrt" || op.name == "fexp2" || op.name == "flog2")
    return 4;
  return op.name == "fpow" ? 12 : 1;
}

std::string Cheapest(const std::string& text, const std::map<std::string, double>& symbols = {}) {
  const std::vector<ir::Term> forms = FormsOverTheReals(Term(text), symbols, Price);
  return forms.empty() ? "none" : ir::PrintTerm(forms[0]);
}

// Expects that `form` is one of the forms of `text`, apart from the operand order of commutative ops.
void ExpectForm(const std::string& text, const std::string& form, const std::map<std::string, double>& symbols = {}) {
  const std::vector<ir::Term> forms = FormsOverTheReals(Term(text), symbols, Price);
  const ir::Term wanted = Term(form);
  EXPECT_TRUE(std::any_of(forms.begin(), forms.end(),
                          [&](const ir::Term& found) {
                            ir::Rule a{Term(text), found, "", 0}, b{Term(text), wanted, "", 0};
                            return ir::StructurallyEqual(a, b);
                          }))
      << text << " gives " << Cheapest(text, symbols);
}

TEST(FormsOverTheReals, Sums) {
  EXPECT_EQ(Cheapest("('fsub@32', ('fadd@32', 'a@32', 'b@32'), 'b')"), "'a@32'");
  ExpectForm("('fadd@32', ('fmul@32', 'a@32', 'b@32'), ('fmul@32', 'a', 'c@32'))",
             "('fmul@32', 'a@32', ('fadd@32', 'b@32', 'c@32'))");
  // A single fused instruction replaces two instructions: a(b + 1) = ab + a.
  ExpectForm("('fmul@32', 'a@32', ('fadd@32', 'b@32', 0x3f800000@32))",
             "('fadd@32', ('fmul@32', 'a@32', 'b@32'), 'a')");
  // The results of the last round with all identities are also simplified.
  EXPECT_EQ(Cheapest("('fsub@32', ('fsub@32', '#b@32', 'a@32'), 'b')", {{"b", 0.3}}), "('fneg@32', 'a@32')");
}

// Sums that the driver has already fused, such as those of dot products, do not become longer.
TEST(FormsOverTheReals, FusedSumsStayFused) {
  ExpectForm("('ffma@32', ('fmul@32', 'a@32', 'b@32'), 'c@32', ('fmul@32', ('fmul@32', 'd@32', 'b'), 'e@32'))",
             "('fmul@32', 'b@32', ('ffma@32', 'a@32', 'c@32', ('fmul@32', 'd@32', 'e@32')))");
  ExpectForm("('fadd@32', ('ffma@32', 'a@32', 'b@32', ('fmul@32', 'c@32', 'd@32')), 'e@32')",
             "('ffma@32', 'a@32', 'b@32', ('ffma@32', 'c@32', 'd@32', 'e@32'))");
}

TEST(FormsOverTheReals, SymbolsAreGatheredAndNearlyFree) {
  ExpectForm("('fmul@32', ('fmul@32', 'a@32', '#b@32'), '#c@32')", "('fmul@32', 'a@32', ('fmul@32', 'b@32', 'c@32'))",
             {{"b", 0.3}, {"c", 0.7}});
}

TEST(FormsOverTheReals, FunctionsAndQuotients) {
  EXPECT_EQ(Cheapest("('fmul@32', ('fsqrt@32', 'a@32'), ('fsqrt@32', 'a'))"), "'a@32'");
  ExpectForm("('fdiv@32', 'a@32', ('fsqrt@32', 'b@32'))", "('fmul@32', 'a@32', ('frsq@32', 'b@32'))");
  ExpectForm("('fpow@32', 'a@32', 0x40000000@32)", "('fmul@32', 'a@32', 'a')");
  ExpectForm("('fmul@32', ('fexp2@32', 'a@32'), ('fexp2@32', 'b@32'))", "('fexp2@32', ('fadd@32', 'a@32', 'b@32'))");
}

TEST(FormsOverTheReals, OtherSizesAndSelections) {
  ExpectForm("('fmul@16', ('b2f16@16', 'a@1'), 'b@16')", "('bcsel@16', 'a@1', 'b@16', 0x0000@16)");
  ExpectForm("('fsub@64', 'a@64', ('fsub@64', 'a', 'b@64'))", "'b@64'");
  EXPECT_EQ(Cheapest("('iadd@32', 'a@32', ('ineg@32', 'a'))"), "('iadd@32', 'a@32', ('ineg@32', 'a'))");
}

TEST(FormsOverTheReals, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  RealFormsOptions options;
  options.stop = stop.get_token();
  EXPECT_TRUE(FormsOverTheReals(Term("('fadd@32', 'a@32', 0x00000000@32)"), {}, Price, options).empty());
}

TEST(EGraph, EqualOpsOfEqualClassesAreOne) {
  EGraph graph;
  const ir::OpRow* const add = ir::FindOp("fadd");
  const ClassId a = graph.AddVariable({"a", 32, false, std::nullopt}),
                b = graph.AddVariable({"b", 32, false, std::nullopt}),
                c = graph.AddVariable({"c", 32, false, std::nullopt});
  const ClassId ac = graph.Add({add, 32, 2, {a, c}}), bc = graph.Add({add, 32, 2, {c, b}});
  EXPECT_NE(graph.Find(ac), graph.Find(bc));
  graph.Union(a, b);
  graph.Rebuild();
  EXPECT_EQ(graph.Find(ac), graph.Find(bc));
}

TEST(EGraph, FoldsWhatIsExactAndNothingElse) {
  EGraph graph;
  const ir::OpRow* const multiply = ir::FindOp("fmul");
  const ClassId half = graph.AddConstant(0x3f000000, 32), tenth = graph.AddConstant(0x3dcccccd, 32);
  const ClassId quarter = graph.Add({multiply, 32, 2, {half, half}}),
                hundredth = graph.Add({multiply, 32, 2, {tenth, tenth}});
  graph.Rebuild();
  EXPECT_EQ(graph.Literal(quarter), 0x3e800000u);
  EXPECT_FALSE(graph.Literal(hundredth).has_value());  // The product is not representable.
  EXPECT_TRUE(graph.IsConstant(hundredth));
}

TEST(EGraph, NoticesThatItContradictsItself) {
  EGraph graph;
  graph.Union(graph.AddConstant(0, 32), graph.AddConstant(0x3f800000, 32));
  graph.Rebuild();
  EXPECT_TRUE(graph.contradicts_itself());
}

TEST(RealIdentities, EachHasItsSizes) {
  for (const int bits : {16, 32, 64}) EXPECT_EQ(RealIdentities(bits).size(), RealIdentityTexts().size()) << bits;
}

}  // namespace
}  // namespace rewrought::enumerator
