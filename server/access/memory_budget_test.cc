#include "server/access/memory_budget.h"

#include <gtest/gtest.h>

#include <deque>

namespace rewrought::rpc {
namespace {

TEST(MemoryBudget, OneAccountTakesAtMostHalf) {
  MemoryBudget budget(1000);
  MemoryBudget::Account account(&budget);
  EXPECT_FALSE(account.Take(501));
  EXPECT_TRUE(account.Take(500));
  EXPECT_FALSE(account.Take(1));
  account.Return(100);
  EXPECT_TRUE(account.Take(50));
  EXPECT_EQ(budget.used(), 450u);
}

TEST(MemoryBudget, GreedyAccountsLeaveRoomForANewOne) {
  MemoryBudget budget(100000);
  std::deque<MemoryBudget::Account> greedy;
  for (int i = 0; i < 99; ++i) {
    greedy.emplace_back(&budget);
  }
  for (bool taken = true; taken;) {
    taken = false;
    for (MemoryBudget::Account& one : greedy) taken |= one.Take(1);
  }
  EXPECT_LE(budget.used(), 99000u);
  MemoryBudget::Account account(&budget);
  EXPECT_TRUE(account.Take(500));
}

TEST(MemoryBudget, AnAccountReturnsItsBytes) {
  MemoryBudget budget(1000);
  {
    MemoryBudget::Account account(&budget);
    EXPECT_TRUE(account.Take(400));
    EXPECT_FALSE(account.Take(400));
    EXPECT_EQ(budget.used(), 400u);
  }
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace rewrought::rpc
