#include "server/access/address.h"

#include <gtest/gtest.h>

#include <string>

namespace rewrought::rpc {
namespace {

TEST(Address, ReadsHostAndPort) {
  EXPECT_EQ(ParseAddress("127.0.0.1:50051")->port, 50051);
  EXPECT_EQ(ParseAddress("[::1]:0")->host, "::1");
  EXPECT_EQ(AddressText(*ParseAddress("[::1]:12")), "[::1]:12");
  EXPECT_EQ(AddressText(*ParseAddress("localhost:12")), "localhost:12");
  for (const char* wrong : {"", "127.0.0.1", ":50051", "::1:50051", "host:", "host:-1", "host:65536", "host:1x"}) {
    EXPECT_EQ(ParseAddress(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(Address, NoMachineListensOnAnothersAddress) {
  HostAndPort other = {"192.0.2.1", 0};  // from TEST-NET-1 (RFC 5737), which no machine uses
  EXPECT_EQ(Listen(&other).status().code(), absl::StatusCode::kNotFound);
}

TEST(Address, KnowsLoopback) {
  for (const char* own : {"127.0.0.1", "127.255.0.3", "::1", "localhost"}) EXPECT_TRUE(IsLoopback({own, 1})) << own;
  for (const char* reachable : {"0.0.0.0", "::", "128.0.0.1", "10.0.0.1", "example.org"}) {
    EXPECT_FALSE(IsLoopback({reachable, 1})) << reachable;
  }
}

}  // namespace
}  // namespace rewrought::rpc
