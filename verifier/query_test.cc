#include "verifier/query.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

std::unique_ptr<PreparedCase> Prepare(absl::string_view rule, ir::DenormMode mode = ir::DenormMode::kNone) {
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(CaseOf(rule, 0, mode));
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  return *std::move(prepared);
}

size_t Assertions(const Query& query) {
  return std::vector<std::string>(absl::StrSplit(query.text, "(assert ")).size() - 1;
}

constexpr char kRule[] = "(('isub', 'a@8', 'b@8'), ('iadd', 'a', ('ineg', 'b')))";

TEST(Query, EachCopyIsOneMoreWayToBeMissed) {
  const std::unique_ptr<PreparedCase> prepared = Prepare(kRule);
  const absl::StatusOr<CopyRoots> copy = prepared->SearchCopy({}, {});
  ASSERT_TRUE(copy.ok());
  const size_t none = Assertions(StateQuery(*prepared, {}, ir::FloatEncoding::kNative));
  EXPECT_EQ(Assertions(StateQuery(*prepared, {*copy}, ir::FloatEncoding::kNative)), none + 1);
  EXPECT_EQ(Assertions(StateQuery(*prepared, {*copy, *copy}, ir::FloatEncoding::kNative)), none + 2);
}

TEST(Query, WantsTheInputs) {
  const std::unique_ptr<PreparedCase> prepared = Prepare(kRule);
  const absl::StatusOr<CopyRoots> copy = prepared->SearchCopy({}, {});
  EXPECT_EQ(StateQuery(*prepared, {*copy}, ir::FloatEncoding::kNative).wanted, (std::vector<std::string>{"i0", "i1"}));
}

TEST(Query, MembershipFixesInputsAndResult) {
  const std::unique_ptr<PreparedCase> prepared = Prepare(kRule);
  const Query query = StateMembership(*prepared, {7, 5}, {2});
  EXPECT_TRUE(absl::StrContains(query.text, "(= i0 #x07)")) << query.text;
  EXPECT_TRUE(absl::StrContains(query.text, "(= i1 #x05)")) << query.text;
  EXPECT_TRUE(absl::StrContains(query.text, "#x02)")) << query.text;
}

TEST(Query, PointsAreReadFromModels) {
  const std::unique_ptr<PreparedCase> prepared = Prepare(kRule);
  SolverAnswer answer;
  answer.model = {{"i0", "fe"}};
  const std::optional<Point> point = ReadPoint(*prepared, answer);
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(point->inputs, (std::vector<uint64_t>{0xfe, 0}));  // values missing from the model are 0
  for (const char* bad : {"100", "zz", "", "0123456789abcdef0"}) {
    answer.model = {{"i0", bad}};
    EXPECT_FALSE(ReadPoint(*prepared, answer).has_value()) << bad;
  }
}

TEST(Query, ShiftsAreProductsBesideProductsOfUnknowns) {
  const auto holds_product = [](absl::string_view rule, ir::FloatEncoding encoding) {
    const std::unique_ptr<PreparedCase> prepared = Prepare(rule);
    return absl::StrContains(StateQuery(*prepared, {*prepared->SearchCopy({}, {})}, encoding).text,
                             "(bvshl #x00000001 ");
  };
  const char* const beside = "(('imul', 'a@32', ('ishl', 'b@32', 'c@32')), ('imul', 'b', ('ishl', 'a', 'c')))";
  EXPECT_TRUE(holds_product(beside, ir::FloatEncoding::kUninterpreted));
  EXPECT_FALSE(holds_product(beside, ir::FloatEncoding::kNative));  // the native encoding keeps the shift
  const char* const alone = "(('imul', 3, ('ishl', 'b@32', 'c@32')), ('ishl', ('imul', 'b', 3), 'c'))";
  EXPECT_FALSE(holds_product(alone, ir::FloatEncoding::kUninterpreted));
}

TEST(Query, OnlyRoundingNeedsFloatTheory) {
  const auto needs = [](absl::string_view rule) {
    return NeedsFloatTheory(Prepare(rule, ir::DenormMode::kPreserve)->dag());
  };
  EXPECT_TRUE(needs("(('fadd', 'a@32', 'b@32'), ('fadd', 'b', 'a'))"));
  EXPECT_TRUE(needs("(('i2f32', 'a@32'), ('i2f32', 'a'))"));
  EXPECT_FALSE(needs("(('fneg', ('fneg', 'a@32')), 'a')"));
  EXPECT_FALSE(needs(kRule));
}

}  // namespace
}  // namespace rewrought::verifier
