#include "server/jobs/folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace rewrought::rpc {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string folder = testing::TempDir() + "/folder_XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    root_ = folder;
  }
  ~FolderTest() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text = "x") {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  static std::string NamesOf(const absl::StatusOr<std::vector<FolderEntry>>& entries) {
    std::string names;
    for (const FolderEntry& entry : *entries) names += entry.name + " ";
    return names;
  }

  fs::path root_;
};

TEST_F(FolderTest, FilesAreRegularAndVisible) {
  Write("b.json", "1234");
  Write("a.json");
  Write(".hidden");
  Write("below/c.json");
  fs::create_symlink("/etc/passwd", root_ / "link.json");
  const auto files = FilesIn(root_);
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(NamesOf(files), "a.json b.json ");
  EXPECT_EQ((*files)[1].bytes, 4u);
  EXPECT_EQ((*files)[1].path, (root_ / "b.json").string());
  EXPECT_EQ(FilesIn(root_ / "none").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(FolderTest, FoldersAreFoundByTheirMarker) {
  Write("one/manifest.json");
  Write("two/inner/manifest.json");
  Write("two/other/file");
  Write("deep/er/still/manifest.json");
  Write(".hidden/manifest.json");
  fs::create_directories(root_ / "folder/manifest.json");
  fs::create_directory_symlink(root_ / "one", root_ / "link");
  const auto folders = FoldersWith(root_, "manifest.json");
  ASSERT_TRUE(folders.ok());
  EXPECT_EQ(NamesOf(folders), "one two/inner ");
}

}  // namespace
}  // namespace rewrought::rpc
