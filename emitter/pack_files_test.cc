#include "emitter/pack_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/json_writer.h"
#include "emitter/testing/sample_rules.h"
#include "ir/digest.h"

namespace rewrought::emitter {
namespace {

Pack SamplePack(v1::RuleClass rule_class = v1::RULE_CLASS_STRICT) {
  PackOptions options = SampleOptions();
  options.rule_class = rule_class;
  auto pack = BuildPack(SampleRules(), options);
  EXPECT_TRUE(pack.ok()) << pack.status();
  return *std::move(pack);
}

std::string Names(const std::vector<std::string>& formats, v1::RuleClass rule_class = v1::RULE_CLASS_STRICT) {
  Pack pack = SamplePack(rule_class);
  const auto files = RenderPack(formats, &pack);
  if (!files.ok()) return std::string(files.status().message());
  return absl::StrJoin(*files, " ", [](std::string* text, const NamedFile& file) { *text += file.first; });
}

TEST(RenderPack, WritesWhatIsAskedForAndThePackItself) {
  EXPECT_EQ(Names({}), "nir.py machine.py pack.json manifest.json");
  EXPECT_EQ(Names({"machine", "nir"}), "nir.py machine.py pack.json manifest.json");
  EXPECT_EQ(Names({"json"}), "pack.json manifest.json");
  EXPECT_EQ(Names({"nir"}), "nir.py pack.json manifest.json");
  EXPECT_EQ(Names({"nir", "nri"}), "no format is called 'nri'; there are nir, machine, json");
}

TEST(RenderPack, InexactRulesHaveNoPrograms) {
  EXPECT_EQ(Names({}, v1::RULE_CLASS_INEXACT), "nir.py pack.json manifest.json");
  EXPECT_EQ(Names({"machine"}, v1::RULE_CLASS_INEXACT), "pack.json manifest.json");
}

TEST(RenderPack, AnUnknownTargetIsAnError) {
  Pack pack = SamplePack();
  pack.target = "mesa-1.0";
  EXPECT_EQ(RenderPack({}, &pack).status().code(), absl::StatusCode::kNotFound);
}

TEST(RenderPack, TheManifestNamesEveryOtherFile) {
  Pack pack = SamplePack();
  const auto files = RenderPack({}, &pack);
  ASSERT_TRUE(files.ok()) << files.status();
  const auto manifest = ReadManifestJson(files->back().second);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  ASSERT_EQ(manifest->message.files_size(), 3);
  for (int i = 0; i < 3; ++i) {
    const v1::PackFile& file = manifest->message.files(i);
    EXPECT_EQ(file.name(), (*files)[i].first);
    EXPECT_EQ(file.bytes(), (*files)[i].second.size());
    EXPECT_EQ(file.digest(), ir::Sha256Hex(absl::string_view((*files)[i].second)));
  }
}

TEST(WriteFiles, MakesTheFolderAndKeepsTheBytes) {
  const std::string folder = absl::StrCat(::testing::TempDir(), "/write_files/inner");
  std::filesystem::remove_all(folder);
  const std::string bytes("a\0\n\xff", 4);
  ASSERT_TRUE(WriteFiles(folder, {{"one", bytes}}).ok());
  EXPECT_EQ(*ReadFile(folder + "/one"), bytes);
  EXPECT_EQ(ReadFile(folder + "/two").status().code(), absl::StatusCode::kNotFound);
  const absl::Status below_a_file = WriteFiles(folder + "/one", {{"two", ""}});
  EXPECT_EQ(below_a_file.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(below_a_file.message(), absl::StrCat("cannot write ", folder, "/one/two"));
}

}  // namespace
}  // namespace rewrought::emitter
