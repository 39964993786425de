// Checks that verdict files are deterministic, that any merge of two files can be read, and that damaged or
// contradictory files are refused with file, line, and remedy.
#include "audit/record/tree_verdicts.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::audit {
namespace {

constexpr char kId[] = "0123456789ab", kOtherId[] = "cdef01234567";
constexpr char kKey[] = "AAAAAAAAAAAAAAAA", kOtherKey[] = "BBBBBBBBBBBBBBB_";
constexpr char kQuery[] = "CCCCCCCCCCCCCC-9", kOtherQuery[] = "DDDDDDDDDDDDDDDD";

std::string File(absl::string_view lines) { return absl::StrCat(kTreeVerdictsHeader, "\n", lines); }

void ExpectRefused(const std::string& text, const std::string& place, const std::string& what) {
  const absl::StatusOr<TreeVerdicts> parsed = TreeVerdicts::Parse(text, "verdicts.txt");
  ASSERT_FALSE(parsed.ok()) << text;
  const std::string message(parsed.status().message());
  EXPECT_TRUE(absl::StartsWith(message, "verdicts.txt:" + place + ":1: ")) << message;
  EXPECT_TRUE(absl::StrContains(message, what)) << message;
  EXPECT_TRUE(absl::StrContains(message, "rewrought audit --record")) << message;
}

TEST(TreeVerdicts, TextIsSortedAndDoesNotDependOnTheOrder) {
  TreeVerdicts forward, backward;
  const TreeVerdict first{kId, v1::VERDICT_PROVED, kKey, {kQuery, kOtherQuery}};
  const TreeVerdict second{kOtherId, v1::VERDICT_REFUTED, kOtherKey, {}};
  forward.Add(first);
  forward.Add(second);
  forward.Add(first);
  backward.Add(second);
  backward.Add(first);
  EXPECT_EQ(forward.Text(), File("0123456789ab proved AAAAAAAAAAAAAAAA CCCCCCCCCCCCCC-9 DDDDDDDDDDDDDDDD\n"
                                 "cdef01234567 refuted BBBBBBBBBBBBBBB_\n"));
  EXPECT_EQ(backward.Text(), forward.Text());
  const absl::StatusOr<TreeVerdicts> parsed = TreeVerdicts::Parse(forward.Text(), "f");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->Text(), forward.Text());
  EXPECT_EQ(parsed->unsorted_line(), 0);
  EXPECT_EQ(parsed->ClassOf(kKey), v1::VERDICT_PROVED);
  EXPECT_EQ(parsed->ClassOf(kOtherKey), v1::VERDICT_REFUTED);
  EXPECT_EQ(parsed->ClassOf(kQuery), v1::VERDICT_UNSPECIFIED) << "a query is not a key";
  EXPECT_TRUE(parsed->HasQuery(kOtherQuery));
  EXPECT_FALSE(parsed->HasQuery(kKey)) << "a key is not a query";
  EXPECT_TRUE(parsed->ListsAsRefuted(kOtherId));
  EXPECT_FALSE(parsed->ListsAsRefuted(kId));
}

TEST(TreeVerdicts, ReadsTheUnionOfTwoFiles) {
  const std::string line = absl::StrCat(kId, " proved ", kKey, " ", kQuery, "\n");
  const std::string other = absl::StrCat(kOtherId, " unknown ", kOtherKey, "\n");
  const std::string decided = absl::StrCat(kOtherId, " inexact ", kOtherKey, "\n");
  const auto parsed =
      TreeVerdicts::Parse(File(absl::StrCat(other, line, kTreeVerdictsHeader, "\n", line, decided)), "f");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->unsorted_line(), 3);
  EXPECT_EQ(parsed->ClassOf(kOtherKey), v1::VERDICT_INEXACT) << "a decided verdict replaces an unknown one";
  EXPECT_EQ(TreeVerdicts::Parse(File(decided + other), "f")->ClassOf(kOtherKey), v1::VERDICT_INEXACT);
  EXPECT_EQ(parsed->Text(), File(absl::StrCat(line, decided, other)));
}

TEST(TreeVerdicts, RefusesDamagedFiles) {
  const std::string good = absl::StrCat(kId, " proved ", kKey, " ", kQuery, "\n");
  ExpectRefused("", "1", "expected 'rewrought-verdicts 1'");
  ExpectRefused(good, "1", "expected 'rewrought-verdicts 1'");
  ExpectRefused("rewrought-verdicts 2\n", "1", "this version reads only");
  ExpectRefused("rewrought-verdicts 1", "1", "truncated");
  ExpectRefused(File(good + good.substr(0, good.size() - 1)), "3", "truncated");
  ExpectRefused(File(good + good.substr(0, 30) + "\n"), "3", "the key must have 16");
  ExpectRefused(File(good.substr(0, good.size() - 2) + "\n"), "2", "the digest of a query must have 16");
  ExpectRefused(File("\n"), "2", "the id of a rule");
  ExpectRefused(File("<<<<<<< HEAD\n" + good), "2", "the id of a rule");
  ExpectRefused(File("0123456789AB proved AAAAAAAAAAAAAAAA\n"), "2", "12 lowercase hex digits");
  ExpectRefused(File("0123456789ab proved\n"), "2", "expected RULE_ID CLASS KEY");
  ExpectRefused(File("0123456789ab good AAAAAAAAAAAAAAAA\n"), "2", "expected a class: proved, inexact");
  ExpectRefused(File("0123456789ab proved AAAAAAAAAAAAAAA+\n"), "2", "the key must have");
  ExpectRefused(File("0123456789ab  proved AAAAAAAAAAAAAAAA\n"), "2", "expected a class");
  ExpectRefused(File("0123456789ab proved AAAAAAAAAAAAAAAA \n"), "2", "the digest of a query");
}

TEST(TreeVerdicts, RefusesContradictions) {
  ExpectRefused(File("0123456789ab proved AAAAAAAAAAAAAAAA\n0123456789ab refuted AAAAAAAAAAAAAAAA\n"), "3",
                "the key has the class refuted here, but proved on line 2");
}

TEST(TreeVerdicts, AShortKeyHas96BitsOfTheKey) {
  // The key is hex, and its first 12 bytes are all ones.
  EXPECT_EQ(ShortKey(std::string(24, 'f') + std::string(40, '0')), "________________");
  EXPECT_EQ(ShortKey(std::string(64, '0')), "AAAAAAAAAAAAAAAA");
}

}  // namespace
}  // namespace rewrought::audit
