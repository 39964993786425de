#include "server/rpc/access/instance_lock.h"

#include <gtest/gtest.h>

#include <string>

namespace rewrought::rpc {
namespace {

TEST(InstanceLock, IsOnesUntilItGoes) {
  const std::string db = testing::TempDir() + "/locked.db";
  {
    const auto first = InstanceLock::Take(db);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ(InstanceLock::Take(db).status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_TRUE(InstanceLock::Take(db + "2").ok());
  }
  EXPECT_TRUE(InstanceLock::Take(db).ok());
}

TEST(InstanceLock, NeedsAFolder) {
  EXPECT_EQ(InstanceLock::Take(testing::TempDir() + "/none/x.db").status().code(), absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace rewrought::rpc
