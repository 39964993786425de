#include "store/sqlite/bus_error.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "absl/time/time.h"
#include "store/sqlite/database.h"

namespace rewrought::store::sqlite {
namespace {

// Truncates the -shm file of an open database and then writes to the database.
[[noreturn]] void WriteAfterTruncation(const std::string& path) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  auto database = Database::Open(path, OpenMode::kCreate, absl::Seconds(1));
  if (!database.ok() || !(*database)->Script("PRAGMA journal_mode = WAL; CREATE TABLE t (x)").ok()) _exit(3);
  if (truncate((path + "-shm").c_str(), 0) != 0) _exit(4);
  (void)(*database)->Script("INSERT INTO t VALUES (1)");
  _exit(5);
}

TEST(BusErrorTest, ATruncatedIndexEndsTheProcessWithAMessage) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const std::string path = testing::TempDir() + "/bus_error.db";
  for (const char* suffix : {"", "-wal", "-shm"}) unlink((path + suffix).c_str());
  EXPECT_EXIT(WriteAfterTruncation(path), testing::ExitedWithCode(kBusErrorStatus),
              "another process truncated .* committed data is kept");
  // A short -shm file is replaced when the database is opened.
  ASSERT_EQ(truncate((path + "-shm").c_str(), 100), 0);
  auto database = Database::Open(path, OpenMode::kReadWrite, absl::Seconds(1));
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ((*database)->QueryInt("SELECT count(*) FROM t").value_or(-1), 0);
}

}  // namespace
}  // namespace rewrought::store::sqlite
