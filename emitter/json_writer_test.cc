#include "emitter/json_writer.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "emitter/testing/sample_rules.h"

namespace rewrought::emitter {
namespace {

Pack SamplePack() {
  auto pack = BuildPack(SampleRules(), SampleOptions());
  EXPECT_TRUE(pack.ok()) << pack.status();
  pack->blocked.push_back({"12", "(a, b)", "a \"reason\"\n"});
  return *std::move(pack);
}

std::string Error(const std::string& from, const std::string& to) {
  const std::string text = WriteManifestJson(SamplePack());
  const std::string changed = absl::StrReplaceAll(text, {{from, to}});
  EXPECT_NE(changed, text) << from;
  return std::string(ReadManifestJson(changed).status().message());
}

TEST(PackJson, ReadsBackAsTheSamePack) {
  const Pack pack = SamplePack();
  const auto read = ReadPackJson(WritePackJson(pack.message));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(WritePackJson(*read), WritePackJson(pack.message));
  EXPECT_EQ(PackDigest(*read), PackDigest(pack.message));
}

TEST(PackJson, LeavesOutTheFilesThatNameIt) {
  Pack pack = SamplePack();
  const std::string text = WritePackJson(pack.message);
  pack.message.mutable_manifest()->add_files()->set_name("pack.json");
  EXPECT_EQ(WritePackJson(pack.message), text);
}

TEST(PackJson, KeysOfMapsAreSorted) {
  v1::Pack one, other;
  for (const char* name : {"root", "b", "a"}) (*one.add_entries()->add_proofs()->mutable_sizes())[name] = 32;
  auto& sizes = *one.mutable_entries(0)->mutable_proofs(0)->mutable_sizes();
  for (const char* name : {"z", "c", "m", "b", "y"}) sizes[name] = 8;
  const std::string text = WritePackJson(one);
  EXPECT_LT(text.find("\"b\""), text.find("\"c\""));
  EXPECT_LT(text.find("\"c\""), text.find("\"m\""));
  EXPECT_LT(text.find("\"m\""), text.find("\"y\""));
  EXPECT_LT(text.find("\"y\""), text.find("\"z\""));
}

TEST(PackJson, SaysItsLicenceAndReadsPacksWithoutIt) {
  const std::string text = WritePackJson(SamplePack().message);
  EXPECT_EQ(text.find("{\n \"license\": \"MIT\",\n"), 0u) << text.substr(0, 80);
  const auto older = ReadPackJson(absl::StrReplaceAll(text, {{" \"license\": \"MIT\",\n", ""}}));
  ASSERT_TRUE(older.ok()) << older.status();
  EXPECT_EQ(WritePackJson(*older), text);
}

TEST(PackJson, OtherTextIsRefused) {
  EXPECT_EQ(ReadPackJson("{").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadPackJson("{\"no_such_field\": 1}").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ManifestJson, ReadsBackWithWhatTheMessageLacks) {
  Pack pack = SamplePack();
  pack.set_aside = 7;
  const auto read = ReadManifestJson(WriteManifestJson(pack));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->target, "mesa-25.0");
  EXPECT_EQ(read->rule_class, v1::RULE_CLASS_STRICT);
  EXPECT_EQ(read->set_aside, 7u);
  EXPECT_EQ(read->peers, pack.peers);
  ASSERT_EQ(read->blocked.size(), pack.blocked.size());
  EXPECT_EQ(read->blocked.back().reason, "a \"reason\"\n");
  EXPECT_EQ(read->message.SerializeAsString(), pack.message.manifest().SerializeAsString());
}

TEST(ManifestJson, SaysWhatIsWrong) {
  EXPECT_EQ(ReadManifestJson("[]").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Error("mesa-25.0", "mesa-1.0"), "'mesa-1.0' is not a target; use mesa-22.3, mesa-25.0, mesa-26.2");
  EXPECT_EQ(Error("RULE_CLASS_STRICT", "LOOSE"), "'LOOSE' is not a rule class");
  EXPECT_EQ(Error("\"other_class\": 1", "\"other_class\": -1"), "counts.other_class is not a count");
}

}  // namespace
}  // namespace rewrought::emitter
