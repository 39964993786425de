#include "server/http/grpc_gateway.h"

#include <gtest/gtest.h>

#include <string>

namespace rewrought::rpc {
namespace {

TEST(GrpcGateway, TimeoutsHaveUnits) {
  EXPECT_EQ(*ReadGrpcTimeout(""), absl::InfiniteDuration());
  EXPECT_EQ(*ReadGrpcTimeout("2H"), absl::Hours(2));
  EXPECT_EQ(*ReadGrpcTimeout("3M"), absl::Minutes(3));
  EXPECT_EQ(*ReadGrpcTimeout("4S"), absl::Seconds(4));
  EXPECT_EQ(*ReadGrpcTimeout("100m"), absl::Milliseconds(100));
  EXPECT_EQ(*ReadGrpcTimeout("5u"), absl::Microseconds(5));
  EXPECT_EQ(*ReadGrpcTimeout("99999999n"), absl::Nanoseconds(99999999));
  for (const std::string wrong : {"1", "S", "-1S", "+1S", "1.5S", "123456789n", "1s", "1 S"}) {
    EXPECT_EQ(ReadGrpcTimeout(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(GrpcGateway, TrailersEncodeTheStatus) {
  EXPECT_EQ(GrpcTrailers(grpc::Status::OK), (HttpHeaders{{"grpc-status", "0"}}));
  EXPECT_EQ(
      GrpcTrailers({grpc::StatusCode::NOT_FOUND, "100% caf\xc3\xa9\n", std::string("\0\xff", 2)}),
      (HttpHeaders{{"grpc-status", "5"}, {"grpc-message", "100%25 caf%c3%a9%0a"}, {"grpc-status-details-bin", "AP8"}}));
}

}  // namespace
}  // namespace rewrought::rpc
