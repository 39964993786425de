#include "corpus/harvest_files.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <thread>

#include "absl/strings/match.h"
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

std::vector<HarvestUnit> UnitsOf(const HarvestInput& input, std::vector<HarvestFile>* files) {
  files->clear();
  EXPECT_TRUE(ListFiles(input, files).ok());
  std::vector<HarvestUnit> units;
  ForEachUnit(*files, 1 << 20, {}, [&](HarvestUnit unit) {
    units.push_back(std::move(unit));
    return true;
  });
  return units;
}

TEST(HarvestFilesTest, ShadersContainTheFilesThatTheyInclude) {
  const fs::path folder = fs::path(testing::TempDir()) / "including", more = fs::path(testing::TempDir()) / "more";
  fs::create_directories(folder / "a");
  fs::create_directories(more);
  std::ofstream(folder / "lib.glsl") << "float square(float x) { return x * x; }";
  std::ofstream(folder / "a/x.frag") << "#version 450\n#include \"../lib.glsl\"\n#include <extra.glsl>\nvoid main() {}";
  std::ofstream(more / "extra.glsl") << "float extra;";
  std::vector<HarvestFile> files;
  HarvestInput input{folder.string(), "", false};
  std::string bytes = UnitsOf(input, &files)[0].bytes;
  EXPECT_TRUE(absl::StrContains(bytes, "float square")) << bytes;
  EXPECT_TRUE(absl::StrContains(bytes, "#error cannot find \"extra.glsl\"")) << bytes;
  input.include_folders = {more.string()};
  bytes = UnitsOf(input, &files)[0].bytes;
  EXPECT_TRUE(absl::StrContains(bytes, "float extra")) << bytes;
  // A single file may include only files in its own folder.
  input = {(folder / "a/x.frag").string(), "", false};
  EXPECT_TRUE(absl::StrContains(UnitsOf(input, &files)[0].bytes, "#error cannot find \"../lib.glsl\""));
}

TEST(HarvestFilesTest, NamesWhatCannotBeOpened) {
  const fs::path folder = fs::path(testing::TempDir()) / "lost";
  fs::create_directories(folder);
  std::error_code ignored;
  fs::create_symlink(folder / "nowhere", folder / "link.frag", ignored);
  std::ofstream(folder / "z.frag") << "x";
  std::vector<HarvestFile> files;
  const std::vector<HarvestUnit> units = UnitsOf({folder.string(), "", false}, &files);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(files[0].name, "link.frag");
  EXPECT_EQ(units[0].skipped, "cannot be read: No such file or directory");
  EXPECT_EQ(units[1].skipped, "");
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
    ForEachUnit(files, 1 << 20, HarvestShard{k, 3}, {}, [&](const HarvestUnit& unit) {
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

TEST(HarvestFilesTest, AFileWithoutAnEndIsTooLarge) {
  std::vector<std::string> skipped;
  for (const HarvestShard& shard : {HarvestShard{0, 1}, HarvestShard{0, 2}, HarvestShard{1, 2}}) {
    EXPECT_TRUE(ForEachUnit({{"/dev/zero", "zero", "", false}}, 1 << 20, shard, {}, [&](const HarvestUnit& unit) {
      skipped.push_back(unit.skipped);
      return true;
    }));
  }
  EXPECT_EQ(skipped, std::vector<std::string>(2, "too large: more than 1048576 bytes"));
}

TEST(HarvestFilesTest, APipeIsReadUntilAStopRequest) {
  const std::string pipe = testing::TempDir() + "harvested_pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::vector<HarvestFile> files;
  ASSERT_TRUE(ListFiles({pipe, "", false}, &files).ok());
  std::thread writer([&] { std::ofstream(pipe) << "void main() {}"; });
  std::string bytes;
  EXPECT_TRUE(ForEachUnit(files, 1 << 20, {}, [&](const HarvestUnit& unit) {
    bytes = unit.bytes;
    return true;
  }));
  writer.join();
  EXPECT_EQ(bytes, "void main() {}");
  std::stop_source stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  EXPECT_FALSE(ForEachUnit(files, 1 << 20, stop.get_token(), [](const HarvestUnit&) { return true; }));
  stopper.join();
}

}  // namespace
}  // namespace rewrought::corpus
