#include "server/database_watch.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/match.h"

namespace rewrought::rpc {
namespace {

TEST(DatabaseWatch, NoticesThatTheFileIsDeletedOrReplaced) {
  const std::string path = testing::TempDir() + "/watched.db", other = path + ".other";
  std::ofstream(path) << "one";
  const DatabaseWatch watch(path);
  EXPECT_TRUE(watch.Check().ok());
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_TRUE(watch.Check().ok());
  ASSERT_EQ(std::rename(path.c_str(), other.c_str()), 0);
  EXPECT_EQ(watch.Check().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(absl::StrContains(watch.Check().message(), "was deleted")) << watch.Check();
  std::ofstream(path) << "two";
  EXPECT_EQ(watch.Check().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(absl::StrContains(watch.Check().message(), "was replaced")) << watch.Check();
  ASSERT_EQ(std::rename(other.c_str(), path.c_str()), 0);  // the opened file has its name again
  EXPECT_TRUE(watch.Check().ok());
}

}  // namespace
}  // namespace rewrought::rpc
