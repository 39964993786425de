#include "verifier/message/verdict_message.h"

#include <gtest/gtest.h>

#include "verifier/message/verdict_json.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

using ir::DenormMode;

TEST(Modes, AreReadBackFromMessages) {
  EXPECT_EQ(ModeProto(DenormMode::kNone), v1::DENORM_MODE_NONE);
  EXPECT_EQ(ModeProto(DenormMode::kAny), v1::DENORM_MODE_ANY);
  EXPECT_EQ(ModeProto(DenormMode::kPreserve), v1::DENORM_MODE_PRESERVE);
  EXPECT_EQ(ModeProto(DenormMode::kFlush), v1::DENORM_MODE_FLUSH);
  for (const DenormMode mode : {DenormMode::kNone, DenormMode::kAny, DenormMode::kPreserve, DenormMode::kFlush}) {
    EXPECT_EQ(ModeOf(ModeProto(mode)), mode);
  }
  EXPECT_FALSE(ModeOf(v1::DENORM_MODE_UNSPECIFIED).has_value());
  EXPECT_FALSE(ModeOf(static_cast<v1::DenormMode>(17)).has_value());
}

TEST(RecipeOf, ReadsWhatAProofRestsOn) {
  v1::Certificate proto;
  proto.set_kind(v1::TIER_CASE_SPLIT);
  proto.set_query("not looked at");
  proto.add_parts()->add_values("a=0x1f");
  v1::Certificate* part = proto.mutable_parts(0)->mutable_certificate();
  part->set_kind(v1::TIER_NATIVE);
  part->add_copies("otherwise=0 guided");
  proto.add_parts()->add_values("b=0x0");  // vacuous
  const absl::StatusOr<Certificate> way = RecipeOf(proto);
  ASSERT_TRUE(way.ok()) << way.status();
  EXPECT_EQ(way->kind, v1::TIER_CASE_SPLIT);
  EXPECT_EQ(way->query, "");
  ASSERT_EQ(way->parts.size(), 2u);
  EXPECT_EQ(way->parts[0].values, (std::vector<std::pair<std::string, uint64_t>>{{"a", 31}}));
  EXPECT_EQ(way->parts[0].certificate.kind, v1::TIER_NATIVE);
  EXPECT_EQ(way->parts[0].certificate.copies, std::vector<std::string>{"otherwise=0 guided"});
  EXPECT_EQ(way->parts[1].certificate.kind, v1::TIER_UNSPECIFIED);
  part->add_parts();
  EXPECT_FALSE(RecipeOf(proto).ok());
  part->clear_parts();
  for (const char* bad : {"", "a", "a=1", "a=0x", "a=0xg", "a=0x11111111111111111"}) {
    proto.mutable_parts(0)->set_values(0, bad);
    EXPECT_FALSE(RecipeOf(proto).ok()) << bad;
  }
}

TEST(ParseModes, GivesEachOnceInTheOrderOfCases) {
  EXPECT_EQ(*ParseModes("flush,any,flush"), (std::vector<DenormMode>{DenormMode::kAny, DenormMode::kFlush}));
  EXPECT_EQ(*ParseModes("preserve"), std::vector<DenormMode>{DenormMode::kPreserve});
  for (const char* bad : {"", "any,", "none", "Any", "any flush"}) {
    EXPECT_EQ(ParseModes(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_EQ(ParseModes("any,some").status().message(), "'some' is not a denormal mode; use any, preserve or flush");
}

TEST(CaseKey, NamesSizesInOrderAndTheMode) {
  const RuleCase rule = CaseOf("(('bcsel', 'c@1', 'b@16', 'a@16'), 'b')", 0, DenormMode::kNone);
  EXPECT_EQ(CaseKey(rule.search, DenormMode::kFlush), "a:16 b:16 c:1 root:16 flush");
}

TEST(RuleProto, SaysWhatWasFoundAndJsonSaysTheSame) {
  const std::vector<ir::RuleEntry> entries = ir::ParseRules("(('iadd', 'a@8', 1), 'a')\n(('nonsense', 'a'), 'a')");
  ASSERT_EQ(entries.size(), 2u);
  const Prover prover({}, {});
  const v1::RuleVerdict refuted = RuleProto(CheckEntry(entries[0], prover, {}, nullptr), "", {.explain = true});
  EXPECT_EQ(refuted.verdict(), v1::VERDICT_REFUTED);
  ASSERT_EQ(refuted.cases_size(), 1);
  EXPECT_EQ(refuted.cases(0).tier(), v1::TIER_EXHAUSTIVE);
  EXPECT_GT(refuted.cases(0).explain_size(), 0);
  const nlohmann::ordered_json json = ToJson(refuted);
  EXPECT_EQ(json["verdict"], "refuted");
  EXPECT_EQ(json["cases"][0]["tier"], "exhaustive");
  EXPECT_EQ(json["cases"][0]["mode"], "none");
  EXPECT_EQ(json["cases"][0]["witness"]["vars"]["a"], refuted.cases(0).witness().vars().at("a"));
  const nlohmann::ordered_json wrong = ToJson(RuleProto(CheckEntry(entries[1], prover, {}, nullptr), "", {}));
  EXPECT_EQ(wrong["verdict"], "error");
  EXPECT_GT(wrong["error"]["column"], 0);
  EXPECT_TRUE(wrong["cases"].empty());
}

TEST(AllowedToJson, WhatIsFreeIsAWord) {
  EXPECT_EQ(AllowedToJson({"nan"}), "nan");
  EXPECT_EQ(AllowedToJson({"0x01", "nan"}), nlohmann::ordered_json::parse(R"(["0x01", "nan"])"));
  EXPECT_EQ(AllowedToJson({"0x01,0x02"}), nlohmann::ordered_json::parse(R"([["0x01", "0x02"]])"));
}

}  // namespace
}  // namespace rewrought::verifier
