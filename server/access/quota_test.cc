#include "server/access/quota.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace rewrought::rpc {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1700000000);

int Taken(Quota* quota, const std::string& client, absl::Time now, int tries) {
  int taken = 0;
  for (int i = 0; i < tries; ++i) taken += quota->Take(client, now).ok() ? 1 : 0;
  return taken;
}

TEST(Quota, LimitsEachClientByItself) {
  Quota quota(10);
  EXPECT_EQ(Taken(&quota, "a", kStart, 100), 20);
  EXPECT_EQ(Taken(&quota, "b", kStart, 5), 5);
  EXPECT_EQ(quota.Take("a", kStart).code(), absl::StatusCode::kResourceExhausted);
}

TEST(Quota, FillsUpWithTimeAndNoFurtherThanItsBurst) {
  Quota quota(10);
  Taken(&quota, "a", kStart, 100);
  EXPECT_EQ(Taken(&quota, "a", kStart + absl::Milliseconds(550), 100), 5);
  EXPECT_EQ(Taken(&quota, "a", kStart + absl::Hours(1), 100), 20);
  EXPECT_EQ(Taken(&quota, "a", kStart, 100), 0);  // the clock may be set back
}

TEST(Quota, WithoutALimitTakesAll) {
  Quota quota(0);
  EXPECT_EQ(Taken(&quota, "a", kStart, 1000), 1000);
}

TEST(Quota, RemembersABoundedNumberOfClients) {
  Quota quota(1);
  Taken(&quota, "busy", kStart, 2);
  for (int i = 0; i < 9999; ++i) EXPECT_TRUE(quota.Take(absl::StrCat(i), kStart).ok());
  // By the time of the next call, all buckets are full again, including the bucket of "busy", so dropping them loses
  // nothing.
  EXPECT_TRUE(quota.Take("new", kStart + absl::Minutes(1)).ok());
  EXPECT_EQ(Taken(&quota, "busy", kStart + absl::Minutes(1), 10), 2);
}

}  // namespace
}  // namespace rewrought::rpc
