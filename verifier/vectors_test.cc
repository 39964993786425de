#include "verifier/vectors.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "ir/text/rule_text.h"

namespace rewrought::verifier {
namespace {

VectorOutcome Outcome(const std::string& search, const std::string& replace, const VectorOptions& options = {},
                      const std::stop_token& cancel = {}) {
  const absl::StatusOr<ir::Term> s = ir::ParseTerm(search), t = ir::ParseTerm(replace);
  EXPECT_TRUE(s.ok() && t.ok()) << s.status() << t.status();
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create({*s, *t, ir::DenormMode::kAny});
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  absl::StatusOr<VectorOutcome> outcome = TryVectors(prepared->get(), options, cancel);
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return *std::move(outcome);
}

// The Cartesian product of two inputs' special values fills all lanes, but on these lanes, both sides round in the same
// way or flags excuse the difference.
constexpr char kFactored[] = "('fmul@32(nsz,nnan,ninf)', 'a@32', ('fadd@32(nsz,nnan,ninf)', 0x3f800000@32, 'b@32'))";
constexpr char kExpanded[] = "('fadd@32', ('fmul@32', 'a@32', 'b@32'), 'a')";

TEST(Vectors, OrdinaryValuesTellRoundingsApart) {
  const VectorOutcome outcome = Outcome(kFactored, kExpanded);
  EXPECT_TRUE(outcome.admitted);
  EXPECT_TRUE(outcome.witness.has_value());
}

TEST(Vectors, CanBeCancelled) {
  std::stop_source stop;
  const VectorOutcome all = Outcome(kFactored, kExpanded, {}, stop.get_token());
  EXPECT_TRUE(all.witness.has_value());
  stop.request_stop();
  const VectorOutcome none = Outcome(kFactored, kExpanded, {}, stop.get_token());
  EXPECT_FALSE(none.witness.has_value());
  EXPECT_TRUE(none.copies.empty());
}

TEST(Vectors, OrdinaryValuesAreLookedAtWhenSpecialOnesHaveSpentAllChecks) {
  VectorOptions options;
  options.max_checks = 1;
  EXPECT_TRUE(Outcome(kFactored, kExpanded, options).witness.has_value());
}

// The two sides differ only if a is the rounded product and the fused sum is the rounding error.
TEST(Vectors, BoundariesShowWhatAFusedComparisonLoses) {
  EXPECT_TRUE(Outcome("('flt@1(nsz,nnan,ninf)', 'a@32', ('fmul@32(nsz,nnan,ninf)', 'b@32', 'c@32'))",
                      "('flt@1', 0x00000000@32, ('ffma@32', 'b@32', 'c@32', ('fneg@32', 'a@32')))")
                  .witness.has_value());
  EXPECT_TRUE(Outcome("('flt@1(ninf)', ('fmul@32(ninf)', 'a@32', 'b@32'), ('fmul@32(ninf)', 'c@32', 'b'))",
                      "('flt@1', ('fmul@32', ('fadd@32', 'a@32', ('fneg@32', 'c@32')), 'b@32'), 0x00000000@32)")
                  .witness.has_value());
  EXPECT_FALSE(
      Outcome("('flt@1', 'a@32', ('fmul@32', 'b@32', 'c@32'))", "('flt@1', 'a@32', ('fmul@32', 'c@32', 'b@32'))")
          .witness.has_value());
}

TEST(Vectors, DoNotRefuteWhatHolds) {
  for (const auto& [search, replace] :
       {std::pair("('fneg@32', ('fneg@32', 'a@32'))", "'a@32'"),
        std::pair("('fadd@32', 'a@32', 'b@32')", "('fadd@32', 'b@32', 'a@32')"),
        std::pair("('iadd@32', ('ineg@32', 'a@32'), 'b@32')", "('isub@32', 'b@32', 'a@32')")}) {
    EXPECT_FALSE(Outcome(search, replace).witness.has_value()) << search;
  }
}

TEST(Vectors, OrdinaryValuesOfAllWidths) {
  for (const std::string bits : {"16", "32", "64"}) {
    EXPECT_TRUE(
        Outcome("('fadd@" + bits + "', ('fadd@" + bits + "', 'a@" + bits + "', 'b@" + bits + "'), 'c@" + bits + "')",
                "('fadd@" + bits + "', 'a@" + bits + "', ('fadd@" + bits + "', 'b@" + bits + "', 'c@" + bits + "'))")
            .witness.has_value())
        << bits;
  }
}

v1::Verdict ForAll(const std::string& search, const std::string& replace, const std::stop_token& stop = {},
                   int max_bits = 32) {
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared =
      PreparedCase::Create({*ir::ParseTerm(search), *ir::ParseTerm(replace), ir::DenormMode::kNone});
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  const CaseResult result = TryAllInputs(prepared->get(), max_bits, stop);
  EXPECT_EQ(result.witness.has_value(), result.verdict == v1::VERDICT_REFUTED);
  return result.verdict;
}

TEST(TryAllInputs, LooksAtEachOne) {
  // Half of a signed number, and variants that differ at a single one of the 2^16 inputs.
  const std::string half = "('imul@16', ('isign@16', 'a@16'), ('ushr@16', ('iabs@16', 'a'), 0x00000001@32))";
  const std::string sum = "('ishr@16', ('iadd@16', 'a@16', ('ushr@16', 'a', 0x0000000f@32)), 0x00000001@32)";
  EXPECT_EQ(ForAll(half, sum), v1::VERDICT_PROVED);
  EXPECT_EQ(ForAll(half, "('bcsel@16', ('ieq@1', 'a@16', 0xffff@16), 0x0001@16, " + sum + ")"), v1::VERDICT_REFUTED);
  EXPECT_EQ(ForAll(half, "('bcsel@16', ('ieq@1', 'a@16', 0x0000@16), 0x0001@16, " + sum + ")"), v1::VERDICT_REFUTED);
  EXPECT_EQ(ForAll("('iadd@8', 'a@8', 'b@8')", "('isub@8', 'a@8', ('ineg@8', 'b@8'))"), v1::VERDICT_PROVED);
  EXPECT_EQ(ForAll("('isub@8', 'a@8', 'b@8')", "('isub@8', 'b@8', 'a@8')"), v1::VERDICT_REFUTED);
}

// Only inputs that satisfy the preconditions count, and a rule without such an input is not proved.
TEST(TryAllInputs, OfThoseThatPreconditionsAdmit) {
  EXPECT_EQ(ForAll("('umod@8', 'a@8', '#b@8(is_pos_power_of_two)')", "('iand@8', 'a@8', ('iadd@8', 'b@8', 0xff@8))"),
            v1::VERDICT_PROVED);
  EXPECT_EQ(ForAll("('umod@8', 'a@8', '#b@8')", "('iand@8', 'a@8', ('iadd@8', 'b@8', 0xff@8))"), v1::VERDICT_REFUTED);
}

TEST(TryAllInputs, SaysNothingOfWhatIsTooMuch) {
  EXPECT_EQ(ForAll("('iadd@32', 'a@32', 'b@32')", "('iadd@32', 'b@32', 'a@32')"), v1::VERDICT_UNKNOWN);
  EXPECT_EQ(ForAll("('fadd@16', 'a@16', 0x0000@16)", "'a@16'"), v1::VERDICT_UNKNOWN);  // NaNs and zeros involve choices
  EXPECT_EQ(ForAll("('iadd@8', 'a@8', 'b@8')", "('iadd@8', 'b@8', 'a@8')", {}, 16), v1::VERDICT_PROVED);
  EXPECT_EQ(ForAll("('iadd@8', 'a@8', 'b@8')", "('iadd@8', 'b@8', 'a@8')", {}, 15), v1::VERDICT_UNKNOWN);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(ForAll("('iadd@32', 'a@32', 'a')", "('ishl@32', 'a@32', 0x00000001@32)", stopped.get_token()),
            v1::VERDICT_UNKNOWN);
}

}  // namespace
}  // namespace rewrought::verifier
