#include "pipeline/pack_build.h"

#include <fstream>

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"
#include "machine/program.h"

namespace rewrought::pipeline {
namespace {

machine::Candidate CandidateOf(const std::string& search, const std::string& program) {
  machine::Candidate candidate;
  candidate.machine = *machine::FindMachine("agx_g13");
  candidate.search = *ir::ParseTerm(search);
  const auto parsed = machine::ParseProgram(*candidate.machine, program);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  candidate.program = *parsed;
  return candidate;
}

using Places = std::vector<uint32_t>;

TEST(SingleUsePlaces, AnInnerValueThatCostsWhatTheRuleSaves) {
  // Two instructions become one. If the inner product has other users, it must still be computed, so nothing is saved.
  EXPECT_EQ(
      SingleUsePlaces(CandidateOf("('fmul@32', ('fmul@32', 'a@32', 1.0@32), 'b@32')", "[fmul(r(F), a(F), b(F))]")),
      (Places{1}));
  // In prefix order, the inner value is value 2, because 'b' precedes it.
  EXPECT_EQ(
      SingleUsePlaces(CandidateOf("('fmul@32', 'b@32', ('fmul@32', 'a@32', 1.0@32))", "[fmul(r(F), a(F), b(F))]")),
      (Places{2}));
}

TEST(SingleUsePlaces, NothingWhereTheRulePaysAnyway) {
  // Three products become one. If one of the inner products must still be computed, the rule still saves an
  // instruction.
  const Places places = SingleUsePlaces(
      CandidateOf("('fmul@32', ('fmul@32', ('fmul@32', 'a@32', 1.0@32), 1.0@32), 'b@32')", "[fmul(r(F), a(F), b(F))]"));
  EXPECT_EQ(places.size(), 1u);  // at most one of the two inner products may have other users
  // A rule that saves nothing has no such value.
  EXPECT_EQ(SingleUsePlaces(CandidateOf("('fmul@32', 'a@32', 'b@32')", "[fmul(r(F), a(F), b(F))]")), Places());
}

std::string Written(const std::string& text) {
  const std::string path = ::testing::TempDir() + "/waivers.textproto";
  std::ofstream(path) << text;
  return path;
}

TEST(ReadWaivers, ReadsIdsAndDeviations) {
  const std::string id(64, 'a');
  const auto waivers = ReadWaivers(
      Written("waivers { subject: \"" + id +
              "\" reason: \"slower on silicon\" }\nwaivers { subject: \"agx_g13:fmin\" reason: \"x\" by: \"y\" }"));
  ASSERT_TRUE(waivers.ok()) << waivers.status();
  ASSERT_EQ(waivers->size(), 2u);
  EXPECT_EQ((*waivers)[0].subject(), id);
  EXPECT_EQ((*waivers)[1].by(), "y");
}

TEST(ReadWaivers, NamesWhatIsWrong) {
  EXPECT_EQ(ReadWaivers("/nonexistent/waivers").status().code(), absl::StatusCode::kNotFound);
  for (const char* wrong : {"waivers {", "waivers { subject: \"abc\" reason: \"x\" }",
                            "waivers { subject: \"agx_g13:fmin\" }", "machine: \"agx_g13\"", "nonsense: 1"}) {
    EXPECT_EQ(ReadWaivers(Written(wrong)).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
}

}  // namespace
}  // namespace rewrought::pipeline
