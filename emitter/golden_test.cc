// Compares the sample pack's nir.py, machine.py and rules.td with the files in testdata/, which
// `bazel run //emitter:golden_test -- --update` writes anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "emitter/pack_files.h"
#include "emitter/testing/sample_rules.h"
#include "ir/semantics.h"

namespace rewrought::emitter {
namespace {

bool update = false;

TEST(Golden, FilesAreAsReviewed) {
  auto pack = BuildPack(SampleRules(), SampleOptions());
  ASSERT_TRUE(pack.ok()) << pack.status();
  const auto files = RenderPack({"nir", "machine", "tablegen"}, &*pack);
  ASSERT_TRUE(files.ok()) << files.status();
  int compared = 0;
  for (const auto& [name, whole] : *files) {
    if (name.ends_with(".json")) continue;  // they hold digests of other folders' data
    ++compared;
    // Any op's row changes it.
    const std::string bytes = absl::StrReplaceAll(whole, {{ir::SemanticsDigest(), "SEMANTICS"}});
    if (update) {
      const char* const root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
      ASSERT_NE(root, nullptr) << "--update is for `bazel run`";
      ASSERT_TRUE(WriteFiles(absl::StrCat(root, "/emitter/testdata"), {{absl::StrCat(name, ".golden"), bytes}}).ok());
      continue;
    }
    const auto golden = ReadFile(absl::StrCat("emitter/testdata/", name, ".golden"));
    ASSERT_TRUE(golden.ok()) << golden.status();
    EXPECT_EQ(bytes, *golden);
  }
  EXPECT_EQ(compared, 3);
}

}  // namespace
}  // namespace rewrought::emitter

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  rewrought::emitter::update = argc == 2 && std::strcmp(argv[1], "--update") == 0;
  return RUN_ALL_TESTS();
}
