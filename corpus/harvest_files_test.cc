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
  // A path that is named explicitly is read even if it is hidden.
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

// Each file belongs to exactly one shard, regardless of the file's content. The shard of a name must never change,
// because databases of older and newer runs are merged.
TEST(HarvestFilesTest, ShardsShareTheFilesOut) {
  const fs::path folder = fs::path(testing::TempDir()) / "sharded";
  fs::create_directories(folder);
  for (int i = 0; i < 60; ++i) std::ofstream(folder / (std::to_string(i) + ".frag")) << "text " << i;
  std::vector<HarvestFile> files;
  ASSERT_TRUE(ListFiles({folder.string(), "", false}, &files).ok());
  std::vector<int> seen(files.size());
  for (uint32_t k = 0; k < 3; ++k) {
    size_t units = 0;
    ForEachUnit(files, 1 << 20, HarvestShard{k, 3}, [&](const HarvestUnit& unit) {
      ++seen[unit.file];
      ++units;
      return true;
    });
    EXPECT_GT(units, 10u);
  }
  EXPECT_EQ(seen, std::vector<int>(files.size(), 1));
  EXPECT_TRUE((HarvestShard{1, 4}.Has("a.frag")));  // the SHA-256 digest of the name determines the shard
  EXPECT_TRUE((HarvestShard{0, 1}.Has("a.frag")));
}

}  // namespace
}  // namespace rewrought::corpus
