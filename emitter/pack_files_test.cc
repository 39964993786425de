#include "emitter/pack_files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/json_writer.h"
#include "emitter/testing/sample_rules.h"
#include "ir/digest.h"
#include "proto/read_file.h"

namespace rewrought::emitter {
namespace {

namespace fs = std::filesystem;

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
  EXPECT_EQ(Names({"c"}),
            "tables.c tables.h covered.h select.h select.c piece.h piece.c legal.h legal.c pack.json manifest.json");
  EXPECT_EQ(Names({"machine", "nir"}), "nir.py machine.py pack.json manifest.json");
  EXPECT_EQ(Names({"json"}), "pack.json manifest.json");
  EXPECT_EQ(Names({"nir"}), "nir.py pack.json manifest.json");
  EXPECT_EQ(Names({"nir", "nri"}), "'nri' is not a format; use " + FormatNames(", "));
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
  const auto files = RenderPack({"nir", "machine", "c"}, &pack);
  ASSERT_TRUE(files.ok()) << files.status();
  const auto manifest = ReadManifestJson(files->back().second);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  ASSERT_EQ(manifest->message.files_size(), static_cast<int>(files->size()) - 1);
  for (int i = 0; i < manifest->message.files_size(); ++i) {
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
  EXPECT_EQ(*proto::ReadFile(folder + "/one", proto::kPackFileLimits), bytes);
  EXPECT_EQ(proto::ReadFile(folder + "/two", proto::kPackFileLimits).status().code(), absl::StatusCode::kNotFound);
  const absl::Status below_a_file = WriteFiles(folder + "/one", {{"two", ""}});
  EXPECT_EQ(below_a_file.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(below_a_file.message(), absl::StrCat("cannot write ", folder, "/one: Not a directory"));
}

std::string Read(const fs::path& path) {
  return proto::ReadFile(path.string(), proto::kPackFileLimits).value_or("(none)");
}

TEST(WriteFiles, ChangesNothingIfOneCannotBeWritten) {
  const fs::path folder = fs::path(testing::TempDir()) / "write_nothing";
  ASSERT_TRUE(WriteFiles(folder.string(), {{"a", "1"}, {"b", "1"}}).ok());
  const absl::Status status = WriteFiles(folder.string(), {{"a", "2"}, {"none/b", "2"}});
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(Read(folder / "a"), "1");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
}

TEST(ReplaceFolder, KeepsWhatIsNotOfThePackAndNeverWritesIntoTheOldFiles) {
  const fs::path root = fs::path(testing::TempDir()) / "replace_folder", pack = root / "pack";
  ASSERT_TRUE(ReplaceFolder(pack.string(), {{"a", "1"}, {"in/b", "1"}}).ok());
  ASSERT_TRUE(WriteFile((pack / "own" / "note").string(), "mine").ok());
  const std::ifstream reader(pack / "a");  // Keeps the old file open.
  fs::create_directory_symlink("pack", root / "link");
  ASSERT_TRUE(ReplaceFolder((root / "link").string(), {{"a", "22"}}).ok());
  EXPECT_EQ(Read(pack / "a"), "22");
  EXPECT_EQ(Read(pack / "in" / "b"), "1");
  EXPECT_EQ(Read(pack / "own" / "note"), "mine");
  std::ostringstream old;
  old << reader.rdbuf();
  EXPECT_EQ(old.str(), "1");
  EXPECT_TRUE(fs::is_symlink(root / "link"));
  EXPECT_EQ(std::distance(fs::directory_iterator(root), {}), 2) << "something was left";
}

// If the process is killed at any moment, the folder contains either the complete old pack or the complete new pack.
TEST(ReplaceFolder, KilledItLeavesAWholePack) {
  const fs::path root = fs::path(testing::TempDir()) / "killed_folder", pack = root / "pack";
  const auto files = [](const std::string& content) {
    std::vector<NamedFile> named;
    for (int i = 0; i < 20; ++i) named.emplace_back(absl::StrCat(i % 2 ? "in/" : "", i), content);
    return named;
  };
  ASSERT_TRUE(ReplaceFolder(pack.string(), files("old")).ok());
  std::set<std::string> seen;
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) {
        for (const char* content : {"new", "old"}) {
          if (!ReplaceFolder(pack.string(), files(content)).ok()) _exit(1);
        }
      }
    }
    usleep(2000 + 5003 * round);
    kill(child, SIGKILL);
    int state = 0;
    waitpid(child, &state, 0);
    ASSERT_TRUE(WIFSIGNALED(state));
    std::set<std::string> contents;
    for (const auto& [name, content] : files("")) contents.insert(Read(pack / name));
    EXPECT_EQ(contents.size(), 1u) << "round " << round << ": " << absl::StrJoin(contents, " and ");
    seen.insert(contents.begin(), contents.end());
  }
  EXPECT_EQ(seen, (std::set<std::string>{"new", "old"}));
  ASSERT_TRUE(ReplaceFolder(pack.string(), files("last")).ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(root), {}), 1) << "something was left";
}

TEST(WriteFile, WritesToWhatIsNoFile) {
  EXPECT_TRUE(WriteFile("/dev/null", "x").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(WriteFile("/dev/full", "x").ok());
}

}  // namespace
}  // namespace rewrought::emitter
