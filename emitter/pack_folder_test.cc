#include "emitter/pack_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "emitter/pack_files.h"
#include "emitter/testing/sample_rules.h"
#include "proto/read_file.h"

namespace rewrought::emitter {
namespace {

class PackFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        absl::StrCat(::testing::TempDir(), "/folder_", ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(directory_);
    auto pack = BuildPack(SampleRules(), SampleOptions());
    ASSERT_TRUE(pack.ok()) << pack.status();
    const auto files = RenderPack({}, &*pack);
    ASSERT_TRUE(files.ok()) << files.status();
    files_ = *files;
    ASSERT_TRUE(WriteFiles(directory_, files_).ok());
  }

  std::string directory_;
  std::vector<NamedFile> files_;
};

TEST_F(PackFolderTest, ALoadedPackRendersToTheSameBytes) {
  for (const std::string& path : {directory_, absl::StrCat(directory_, "/pack.json")}) {
    auto pack = LoadPack(path, "");
    ASSERT_TRUE(pack.ok()) << pack.status();
    const auto again = RenderPack({}, &*pack);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, files_);
  }
}

TEST_F(PackFolderTest, APackJsonAloneTakesTheNewestTargetOrTheOneThatIsNamed) {
  std::filesystem::remove(directory_ + "/manifest.json");
  auto pack = LoadPack(directory_, "");
  ASSERT_TRUE(pack.ok()) << pack.status();
  EXPECT_EQ(pack->target, "mesa-25.0");
  const auto again = RenderPack({"nir", "machine"}, &*pack);
  ASSERT_TRUE(again.ok()) << again.status();
  for (const NamedFile& file : *again) {
    if (file.first == kManifestFile) continue;  // Only the old manifest contains the blocked rules.
    EXPECT_EQ(std::count(files_.begin(), files_.end(), file), 1) << file.first;
  }
  EXPECT_EQ(LoadPack(directory_, "mesa-1.0").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PackFolderTest, AnotherTargetThanTheManifestsIsRefused) {
  EXPECT_EQ(LoadPack(directory_, "mesa-22.3").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PackFolderTest, ADoctoredEntryIsRefused) {
  const std::string text = *proto::ReadFile(directory_ + "/pack.json", proto::kPackFileLimits);
  const std::string doctored = absl::StrReplaceAll(text, {{"('ior', 'a', 'b')", "('ixor', 'a', 'b')"}});
  ASSERT_NE(text, doctored);
  ASSERT_TRUE(WriteFiles(directory_, {{"pack.json", doctored}}).ok());
  EXPECT_EQ(LoadPack(directory_, "").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(LoadPack(directory_ + "/nothing", "").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(PackFolderTest, UnreadableManifestsAreErrors) {
  EXPECT_EQ(ReadPackFolder(directory_ + "/none").status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(WriteFiles(directory_, {{"manifest.json", "{"}}).ok());
  EXPECT_EQ(ReadPackFolder(directory_).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rewrought::emitter
