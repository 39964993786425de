#include "store/verified_store.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

std::string NewFolder() {
  static int count = 0;
  return ::testing::TempDir() + "/state" + std::to_string(getpid()) + "_" + std::to_string(++count);
}

TEST(VerifiedStore, HoldsWhatWasPutUnderThisSecretOnly) {
  auto store = OpenStore(NewPath());
  const std::string ours(32, 'a'), theirs(32, 'b');
  VerifiedStore verified(store.get(), ours);
  EXPECT_FALSE(*verified.Has("claim"));
  ASSERT_OK(verified.Put("claim"));
  ASSERT_OK(verified.Put("claim"));
  EXPECT_TRUE(*verified.Has("claim"));
  EXPECT_FALSE(*verified.Has("clain"));
  EXPECT_FALSE(*verified.Has(""));
  EXPECT_FALSE(*VerifiedStore(store.get(), theirs).Has("claim"));
  EXPECT_TRUE(*VerifiedStore(store.get(), ours).Has("claim"));
}

TEST(Secret, IsMadeOnceForItsOwnerAlone) {
  const std::string folder = NewFolder() + "/deep/er";
  std::vector<std::string> seen(4);
  std::vector<std::thread> threads;
  for (std::string& one : seen) threads.emplace_back([&] { one = SecretIn(folder).value_or(""); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen[0].size(), 32u);
  for (const std::string& one : seen) EXPECT_EQ(one, seen[0]);
  EXPECT_NE(seen[0], *SecretIn(NewFolder()));
  struct stat status = {};
  ASSERT_EQ(stat((folder + "/secret").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // no temporary file is left
}

TEST(Secret, SecretReadableByOthersIsRejected) {
  const std::string folder = NewFolder();
  ASSERT_OK(SecretIn(folder).status());
  ASSERT_EQ(chmod((folder + "/secret").c_str(), 0644), 0);
  const absl::Status open = SecretIn(folder).status();
  EXPECT_EQ(open.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(open.message().find("remove it"), absl::string_view::npos) << open;
  ASSERT_EQ(chmod((folder + "/secret").c_str(), 0600), 0);
  std::ofstream(folder + "/secret", std::ios::app) << "more";
  EXPECT_EQ(SecretIn(folder).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(SecretIn("/proc/nowhere").status().code(), absl::StatusCode::kUnavailable);
}

TEST(Secret, LiesInTheStateFolder) {
  const char* const home = getenv("HOME");
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", "/h", 1);
  EXPECT_EQ(StateFolder(), "/h/.local/state/rewrought");
  setenv("XDG_STATE_HOME", "/x", 1);
  EXPECT_EQ(StateFolder(), "/x/rewrought");
  setenv("REWROUGHT_STATE_DIR", "/r", 1);
  EXPECT_EQ(StateFolder(), "/r");
  unsetenv("REWROUGHT_STATE_DIR");
  unsetenv("XDG_STATE_HOME");
  home == nullptr ? unsetenv("HOME") : setenv("HOME", home, 1);
}

}  // namespace
}  // namespace rewrought::store
