// Small pieces that turn text into values and back: statuses, page tokens, addresses, UTF-8, hex.
#include <gtest/gtest.h>

#include <string>

#include "server/rpc/access/address.h"
#include "server/rpc/messages/error_details.pb.h"
#include "server/rpc/messages/paging.h"
#include "server/rpc/messages/status.h"
#include "server/rpc/messages/utf8.h"

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

TEST(Page, SizesAreBounded) {
  EXPECT_EQ(PageSize(0), 50);
  EXPECT_EQ(PageSize(7), 7);
  EXPECT_EQ(PageSize(4000000000u), 1000);
}

TEST(Page, TokensBelongToTheirList) {
  const std::string token = MakePageToken("ListRules fadd", "place 7");
  EXPECT_EQ(*ReadPageToken("ListRules fadd", token), "place 7");
  EXPECT_EQ(*ReadPageToken("ListRules fadd", ""), "");
  EXPECT_EQ(ReadPageToken("ListRules fmul", token).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(ReadPageToken("ListRules fadd", "x").ok());
}

TEST(Address, ReadsHostAndPort) {
  EXPECT_EQ(ParseAddress("127.0.0.1:50051")->port, 50051);
  EXPECT_EQ(ParseAddress("[::1]:0")->host, "::1");
  EXPECT_EQ(AddressText(*ParseAddress("[::1]:12")), "[::1]:12");
  EXPECT_EQ(AddressText(*ParseAddress("localhost:12")), "localhost:12");
  for (const char* wrong : {"", "127.0.0.1", ":50051", "::1:50051", "host:", "host:-1", "host:65536", "host:1x"}) {
    EXPECT_EQ(ParseAddress(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(Address, ProbesWithoutKeepingThePort) {
  EXPECT_TRUE(ProbeAddress({"127.0.0.1", 0}).ok());
  // From TEST-NET-1 (RFC 5737), which no machine has.
  EXPECT_EQ(ProbeAddress({"192.0.2.1", 0}).code(), absl::StatusCode::kNotFound);
}

TEST(Utf8, KeepsWhatIsValid) {
  for (const std::string text : {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x99\x82", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(ToUtf8(text), text);
  }
}

TEST(Utf8, ReplacesWhatIsNot) {
  EXPECT_EQ(ToUtf8("caf\xe9.frag"), "caf\xef\xbf\xbd.frag");
  EXPECT_EQ(ToUtf8("\xc3"), "\xef\xbf\xbd");
  EXPECT_EQ(ToUtf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");                  // longer than needed
  EXPECT_EQ(ToUtf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  EXPECT_EQ(ToUtf8("\xf4\x90\x80\x80").size(), 12u);                          // beyond U+10FFFF
}

}  // namespace
}  // namespace rewrought::rpc
