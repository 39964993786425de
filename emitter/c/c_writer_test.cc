#include "emitter/c/c_writer.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "emitter/c/rule_tables.h"
#include "emitter/c/table_text.h"
#include "emitter/testing/sample_rules.h"

namespace rewrought::emitter {
namespace {

Pack SamplePack() {
  auto pack = BuildPack(SampleRules(), SampleOptions());
  EXPECT_TRUE(pack.ok()) << pack.status();
  return *std::move(pack);
}

std::string IdOf(const Pack& pack, absl::string_view search) {
  for (const v1::PackEntry& entry : pack.message.entries()) {
    if (entry.rule().search() == search) return entry.rule().id();
  }
  return "none";
}

constexpr char kSelect[] = "('bcsel', ('ilt', 'a@32', 'b'), 'a', 'b')", kSum[] = "('ineg', ('iadd', 'a@32', 'b'))";

// Returns the error of CheckCFiles after `change` has been applied to the pack's tables.
template <typename Change>
std::string Doctored(const Pack& pack, Change change) {
  auto texts = WriteC(pack.message);
  if (!texts.ok()) return texts.status().ToString();
  CTables tables = *ReadTableSource((*texts)[0]);
  change(&tables);
  (*texts)[0] = PrintTableSource(tables);
  const absl::Status status = CheckCFiles(*texts, pack.message);
  return absl::StrCat(status.code() == absl::StatusCode::kDataLoss ? "" : "no data loss: ", status.message());
}

// Returns the row of the pack's rule with the search side `search`.
rw_rule& RuleOf(const Pack& pack, absl::string_view search, CTables* tables) {
  const std::string id = IdOf(pack, search);
  for (rw_rule& rule : tables->rules) {
    if (tables->names[rule.name] == id) return rule;
  }
  return tables->rules.front();
}

TEST(CWriter, TheSamePackGivesTheSameBytes) {
  const auto once = WriteC(SamplePack().message), twice = WriteC(SamplePack().message);
  ASSERT_TRUE(once.ok()) << once.status();
  EXPECT_EQ(*once, *twice);
}

TEST(CWriter, EveryFileSaysItsLicence) {
  const auto texts = WriteC(SamplePack().message);
  ASSERT_TRUE(texts.ok()) << texts.status();
  ASSERT_EQ(texts->size(), std::size(kCFiles));
  for (const std::string& text : *texts) {
    EXPECT_TRUE(absl::StartsWith(text, "/* SPDX-License-Identifier: MIT */\n")) << text.substr(0, 60);
  }
}

TEST(CWriter, ATextReadBackIsTheSameText) {
  const auto texts = WriteC(SamplePack().message);
  ASSERT_TRUE(texts.ok()) << texts.status();
  const auto read = ReadTableSource((*texts)[0]);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PrintTableSource(*read), (*texts)[0]);
}

TEST(CWriter, AnImmediateStandsOnce) {
  const auto texts = WriteC(SamplePack().message);
  std::vector<uint64_t> immediates = ReadTableSource((*texts)[0])->immediates;
  std::sort(immediates.begin(), immediates.end());
  EXPECT_EQ(std::adjacent_find(immediates.begin(), immediates.end()), immediates.end());
}

TEST(CCheck, AWrongRuleIsNamed) {
  const Pack pack = SamplePack();
  // The condition L becomes another condition.
  EXPECT_EQ(Doctored(pack, [&](CTables* t) { ++t->code[RuleOf(pack, kSelect, t).first_code].word; }),
            absl::StrCat(
                "tables.c: entry ", IdOf(pack, kSelect), ": row ",
                [&] {
                  CTables t = *BuildCTables(**SelectionOf(pack.message));
                  return RuleOf(pack, kSelect, &t).first_code;
                }(),
                " of table 'code' does not match the pack"));
  const std::string search = Doctored(pack, [&](CTables* t) { ++t->patterns[RuleOf(pack, kSum, t).first_pattern].op; });
  EXPECT_TRUE(absl::StartsWith(search, absl::StrCat("tables.c: entry ", IdOf(pack, kSum), ": row "))) << search;
  EXPECT_TRUE(absl::StrContains(search, "of table 'patterns'")) << search;
}

TEST(CCheck, ARuleThatIsMissingIsNamed) {
  const Pack pack = SamplePack();
  const std::string said = Doctored(
      pack, [&](CTables* t) { t->rules.erase(t->rules.begin() + (&RuleOf(pack, kSum, t) - t->rules.data())); });
  EXPECT_TRUE(absl::StrContains(said, IdOf(pack, kSum))) << said;
}

TEST(CCheck, AnIllegalModifierIsNamed) {
  const Pack pack = SamplePack();
  const std::string said = Doctored(pack, [&](CTables* t) {
    rw_operand& source = t->operands[t->code[RuleOf(pack, kSum, t).first_code].first_operand + 1u];
    source.shape = 200;
  });
  EXPECT_TRUE(absl::StartsWith(said, absl::StrCat("tables.c: entry ", IdOf(pack, kSum)))) << said;
  EXPECT_TRUE(absl::StrContains(said, "'operands'")) << said;
}

TEST(CCheck, ADoctoredCostIsSeen) {
  const Pack pack = SamplePack();
  EXPECT_EQ(Doctored(pack, [](CTables* t) { t->forms[3].cycles /= 2; }),
            "tables.c: row 3 of table 'forms' does not match the pack");
  EXPECT_EQ(Doctored(pack, [](CTables* t) { t->loads[0].cost += 1; }),
            "tables.c: row 0 of table 'loads' does not match the pack");
  EXPECT_EQ(Doctored(pack, [](CTables* t) { t->immediates[0] += 1; }),
            "tables.c: row 0 of table 'immediates' does not match the pack");
}

TEST(CCheck, ATruncatedTableIsAnErrorWithItsLine) {
  const Pack pack = SamplePack();
  const auto texts = WriteC(pack.message);
  ASSERT_TRUE(texts.ok()) << texts.status();
  const std::string& whole = (*texts)[0];
  for (size_t length = 0; length < whole.size(); length += 997) {
    std::vector<std::string> cut = *texts;
    cut[0].resize(length);
    const absl::Status status = CheckCFiles(cut, pack.message);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << length;
    EXPECT_TRUE(absl::StartsWith(status.message(), "tables.c: line ")) << status;
  }
  // The table has one row fewer than it declares.
  std::vector<std::string> short_of_one = *texts;
  const size_t row = whole.find("    {", whole.find("static const rw_rule rules["));
  short_of_one[0].erase(row, whole.find('\n', row) + 1 - row);
  EXPECT_TRUE(absl::StrContains(CheckCFiles(short_of_one, pack.message).message(), "table 'rules' has "));
}

TEST(CCheck, ANumberThatItsFieldDoesNotHoldIsAnError) {
  const auto texts = WriteC(SamplePack().message);
  std::string text = (*texts)[0];
  const size_t row = text.find("    {", text.find("static const rw_shape shapes[")) + 5;
  text.replace(row, text.find(',', row) - row, "256");
  EXPECT_TRUE(absl::StrContains(ReadTableSource(text).status().message(), "expected a number that fits its field"));
  EXPECT_EQ(ReadTableSource("").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ReadTableSource("static const char *const names[1] = {\n    \"x").status().message(),
            "line 2: expected a quoted string");
  EXPECT_FALSE(ReadTableSource(absl::StrCat((*texts)[0], "int more;\n")).ok());
}

TEST(CCheck, AnOpThatIsNotCoveredIsSeen) {
  const Pack pack = SamplePack();
  auto texts = WriteC(pack.message);
  ASSERT_TRUE(texts.ok()) << texts.status();
  (*texts)[2] = absl::StrReplaceAll((*texts)[2], {{"_covers_fadd_32 = 1", "_covers_fadd_33 = 1"}});
  EXPECT_EQ(CheckCFiles(*texts, pack.message).message(), "covered.h: does not match the machine's description");
}

TEST(CCheck, AnotherRuntimeIsSeen) {
  const Pack pack = SamplePack();
  auto texts = WriteC(pack.message);
  ASSERT_TRUE(texts.ok()) << texts.status();
  (*texts)[4] += "\n";
  EXPECT_EQ(CheckCFiles(*texts, pack.message).message(), "select.c: is not the runtime for these tables");
}

}  // namespace
}  // namespace rewrought::emitter
