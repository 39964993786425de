#include "server/messages/status.h"

#include <gtest/gtest.h>

#include <string>

#include "server/messages/error_details.pb.h"

namespace rewrought::rpc {
namespace {

TEST(Status, KeepsCodeAndMessage) {
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  const grpc::Status status = ToGrpc(absl::NotFoundError("no rule"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no rule");
  EXPECT_EQ(status.error_details(), "");
}

TEST(Status, NamesTheField) {
  const grpc::Status status = ToGrpc(FieldError("config.machines[1]", "is named twice"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "config.machines[1]: is named twice");
  ErrorStatus details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), 3);
  FieldViolations violations;
  ASSERT_TRUE(violations.ParseFromString(details.details(0).value()));
  EXPECT_EQ(violations.field_violations(0).field(), "config.machines[1]");
  EXPECT_EQ(violations.field_violations(0).description(), "is named twice");
}

TEST(Status, ComesBackAsItWent) {
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
  const absl::Status gone = absl::ResourceExhaustedError("full");
  EXPECT_EQ(FromGrpc(ToGrpc(gone)), gone);
}

}  // namespace
}  // namespace rewrought::rpc
