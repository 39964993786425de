#include "machine/sample_constants.h"

#include <map>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "ir/facts/fact_predicates.h"
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

TEST(WithConstants, BindsBothSidesAndFoldsTheReplacement) {
  const Machine& intel = **FindMachine("intel_gen9");
  const Candidate nir{&intel, *ir::ParseTerm("('iadd@32', 'x@32', '#b@32')"), std::nullopt,
                      *ir::ParseTerm("('isub@32', 'x@32', ('ineg@32', 'b@32'))")};
  const Candidate bound = *WithConstants(nir, {{"b", 5}});
  EXPECT_EQ(CandidateText(bound), "(('iadd@32', 'x@32', 0x00000005@32), ('isub@32', 'x@32', 0xfffffffb@32))");
  const Candidate program{&intel, nir.search, *ParseProgram(intel, "[ADD(r(D), x(D), b(D))]"), {}};
  EXPECT_EQ(PrintProgram(intel, *WithConstants(program, {{"b", 5}})->program), "[ADD(r(D), x(D), imm(5, D))]");
}

TEST(AtSomeConstants, LeavesNoSymbol) {
  const Candidate rule{*FindMachine("intel_gen9"), *ir::ParseTerm("('fmul@32', 'x@32', '#b@32')"), std::nullopt,
                       *ir::ParseTerm("('fmul@32', 'b@32', 'x@32')")};
  const Candidate sample = AtSomeConstants(rule);
  for (const ir::Term* side : {&sample.search, &sample.replace}) {
    for (const ir::Node& node : side->nodes) EXPECT_NE(node.name, "b");
  }
}

}  // namespace
}  // namespace rewrought::machine
