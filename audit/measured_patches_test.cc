#include "audit/measured_patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emitter/files/scratch_folder.h"
#include "emitter/pack_files.h"

namespace rewrought::audit {
namespace {

TEST(PatchId, IsThatOfTheRig) {
  // An id of tools/driver_rig/patch_series_test.py.
  EXPECT_EQ(PatchId("--- a/f\n+++ b/f\n@@ -1 +1 @@\n a,\n-b\n+c\n"), "ef14398c46e638f1");
}

TEST(PatchId, DependsOnThePlaceButNotOnComments) {
  const std::string id = PatchId("@@ -1 +1 @@\n a,\n+b,\n");
  EXPECT_EQ(PatchId("@@ -7 +8 @@\n a,\n # comment\n \n+b,\n+# comment\n+\n"), id);
  EXPECT_NE(PatchId("@@ -1 +1 @@\n c,\n+b,\n"), id);
  EXPECT_NE(PatchId("@@ -1 +1 @@\n a,\n@@ -3 +3 @@\n+b,\n"), id);
  EXPECT_NE(PatchId("@@ -1 +1 @@\n a,\n-b,\n"), id);
}

TEST(ReadMeasuredPatches, ReadsTheDriversOfEachPatch) {
  const emitter::ScratchFolder folder(testing::TempDir(), "measured-");
  const auto read = [&](const std::string& text) {
    EXPECT_TRUE(emitter::WriteFile(folder.path() + "/series.json", text).ok());
    return ReadMeasuredPatches(folder.path());
  };
  const auto patches = read(R"({"patches": [{"id": "x", "drivers": [
      {"driver": "a", "verdict": "gain", "reason": "", "text": ["one", "two"]},
      {"driver": "b", "verdict": "loss", "reason": "time", "text": ["three"]}]}]})");
  ASSERT_TRUE(patches.ok()) << patches.status();
  const MeasuredPatch& patch = patches->at("x");
  EXPECT_THAT(patch.gains, testing::ElementsAre("a"));
  EXPECT_THAT(patch.losses, testing::ElementsAre(testing::Pair("b", "time")));
  EXPECT_EQ(patch.text, "one\ntwo\n\nthree");
  for (const char* text : {"", "[]", "{}", R"({"patches": [{"id": 3, "drivers": []}]})",
                           R"({"patches": [{"id": "x", "drivers": [{"driver": "a"}]}]})"}) {
    EXPECT_EQ(read(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(ReadMeasuredPatches(folder.path() + "/none").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rewrought::audit
