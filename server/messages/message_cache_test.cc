#include "server/messages/message_cache.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "proto/rewrought/v1/rule.pb.h"

namespace rewrought::rpc {
namespace {

v1::RewriteRule Rule(const std::string& search) {
  v1::RewriteRule rule;
  rule.set_search(search);
  return rule;
}

ir::Digest Key(int number) { return ir::Digest::Of(absl::StrCat(number)); }

TEST(MessageCache, GivesBackWhatWasKeptFirst) {
  MessageCache cache(1 << 16);
  v1::RewriteRule rule;
  EXPECT_FALSE(cache.Find(Key(1), &rule));
  cache.Keep(Key(1), Rule("one"));
  cache.Keep(Key(1), Rule("another"));
  cache.Keep(Key(2), Rule("two"));
  ASSERT_TRUE(cache.Find(Key(1), &rule));
  EXPECT_EQ(rule.search(), "one");
  ASSERT_TRUE(cache.Find(Key(2), &rule));
  EXPECT_EQ(rule.search(), "two");
}

TEST(MessageCache, HoldsNoMoreThanItMayAndNothingLarge) {
  MessageCache cache(100'000);
  cache.Keep(Key(0), Rule(std::string(7000, 'a')));
  v1::RewriteRule rule;
  EXPECT_FALSE(cache.Find(Key(0), &rule));
  for (int i = 1; i <= 1000; ++i) cache.Keep(Key(i), Rule(std::string(1000, 'a')));
  int held = 0;
  for (int i = 1; i <= 1000; ++i) held += cache.Find(Key(i), &rule) ? 1 : 0;
  EXPECT_GT(held, 70);
  EXPECT_LE(held, 100);
  EXPECT_TRUE(cache.Find(Key(1000), &rule));
  EXPECT_FALSE(cache.Find(Key(900), &rule));
}

}  // namespace
}  // namespace rewrought::rpc
