#include "machine/sample_constants.h"

#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/facts/fact_predicates.h"
#include "ir/fold.h"
#include "ir/match/relation.h"
#include "ir/text/rule_text.h"
#include "machine/program.h"

namespace rewrought::machine {
namespace {

TEST(SampleSymbols, DifferAndMeetTheirPreconditions) {
  const std::map<std::string, uint64_t> floats = SampleSymbols(
      *ir::ParseTerm("('fadd@32', ('fmul@32', 'x@32', '#a@32(is_lt_zero)'), ('fmul@32', '#b@32', 'y@32'))"));
  ASSERT_EQ(floats.size(), 2u);
  EXPECT_TRUE(ir::ConstantHas("is_lt_zero", floats.at("a"), 32, ir::BaseType::kFloat));
  EXPECT_NE(floats.at("a"), floats.at("b"));
  const std::map<std::string, uint64_t> integers =
      SampleSymbols(*ir::ParseTerm("('imul@32', 'x@32', '#a@32(is_pos_power_of_two)')"));
  EXPECT_TRUE(ir::ConstantHas("is_pos_power_of_two", integers.at("a"), 32, ir::BaseType::kInt));
}

TEST(SampleSymbols, MeetTheRelation) {
  for (const char* relation :
       {"('ult@1', 'a', 'b')", "('ult@1', 'b', 'a')", "('uge@1', ('iadd@32', 'a', 'b'), 0x20@32)",
        "('ult@1', ('iadd@32', 'a', 'b'), 0x20@32)"}) {
    const ir::Term search = *ir::ParseSearch(absl::StrCat(
        "('where', ('ushr@32', ('ushr@32', 'x@32', '#a@32(is_ult_32)'), '#b@32(is_ult_32)'), ", relation, ")"));
    ir::Term at = WithConstants(ir::RelationOf(search), SampleSymbols(search));
    at = ir::FoldConstants(std::move(at));
    EXPECT_EQ(at.root_node().kind, ir::NodeKind::kConstant) << relation;
    EXPECT_EQ(at.root_node().values[0], 1u) << relation;
    EXPECT_FALSE(ir::HasRelation(
        WithSampleConstants({*FindMachine("intel_gen9"), search, std::nullopt, *ir::ParseTerm("'x@32'")}).search));
  }
}

TEST(WithConstants, BindsBothSidesAndFoldsTheReplacement) {
  const Machine& intel = **FindMachine("intel_gen9");
  const Candidate nir{&intel, *ir::ParseTerm("('iadd@32', 'x@32', '#b@32')"), std::nullopt,
                      *ir::ParseTerm("('isub@32', 'x@32', ('ineg@32', 'b@32'))")};
  const Candidate bound = *WithConstants(nir, {{"b", 5}});
  EXPECT_EQ(CandidateText(bound), "(('iadd@32', 'x@32', 0x00000005@32), ('isub@32', 'x@32', 0xfffffffb@32))");
  const Candidate program{&intel, nir.search, *ParseProgram(intel, "[ADD(r(D), x(D), b(D))]"), {}};
  EXPECT_EQ(PrintProgram(intel, *WithConstants(program, {{"b", 5}})->program), "[ADD(r(D), x(D), imm(5, D))]");
}

TEST(WithSampleConstants, LeavesNoSymbol) {
  const Candidate rule{*FindMachine("intel_gen9"), *ir::ParseTerm("('fmul@32', 'x@32', '#b@32')"), std::nullopt,
                       *ir::ParseTerm("('fmul@32', 'b@32', 'x@32')")};
  const Candidate sample = WithSampleConstants(rule);
  for (const ir::Term* side : {&sample.search, &sample.replace}) {
    for (const ir::Node& node : side->nodes) EXPECT_NE(node.name, "b");
  }
}

}  // namespace
}  // namespace rewrought::machine
