#include "corpus/harvest_files.h"

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

namespace fs = std::filesystem;

TEST(HarvestFilesTest, ListsAFolderWithoutWhatIsHidden) {
  const fs::path folder = fs::path(testing::TempDir()) / "shaders.git";
  for (const char* name :
       {"b.frag", "a/c.spv", "node_modules/@some/pack/index.js", ".npm/b.frag", "a/.cache/d.spv", "a/.e.spv"}) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << "x";
  }
  std::vector<HarvestFile> files;
  ASSERT_TRUE(ListFiles({folder.string(), "", false}, &files).ok());
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "a/c.spv");
  EXPECT_EQ(files[0].source, "shaders");
  EXPECT_EQ(files[1].name, "b.frag");
  EXPECT_EQ(files[2].source, "@some/pack");
  // What is named is read, hidden or not.
  files.clear();
  ASSERT_TRUE(ListFiles({(folder / ".npm").string(), "mine", true}, &files).ok());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].source, "mine");
  EXPECT_TRUE(files[0].held_out);
}

TEST(HarvestFilesTest, AMissingPathIsNotFound) {
  std::vector<HarvestFile> files;
  EXPECT_TRUE(absl::IsNotFound(ListFiles({"/nothing/here", "", false}, &files)));
}

}  // namespace
}  // namespace rewrought::corpus
