#include "server/http/connect_text.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "server/messages/error_details.pb.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

TEST(ConnectText, ErrorsHaveTheirHttpStatus) {
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::NOT_FOUND), 404);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::UNAUTHENTICATED), 401);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::RESOURCE_EXHAUSTED), 429);
  EXPECT_EQ(HttpStatusOf(static_cast<grpc::StatusCode>(77)), 500);
}

TEST(ConnectText, ErrorsAsJson) {
  EXPECT_EQ(ErrorJson({grpc::StatusCode::NOT_FOUND, "no \"rule\"\xff"}),
            "{\"code\":\"not_found\",\"message\":\"no \\\"rule\\\"\xef\xbf\xbd\"}");
  const std::string field = ErrorJson(ToGrpc(FieldError("rule", "is empty")));
  EXPECT_TRUE(absl::StrContains(field, "\"type\":\"google.rpc.BadRequest\"")) << field;
  EXPECT_FALSE(absl::StrContains(field, "=")) << field;  // base64 without padding
}

TEST(ConnectText, MessagesInBothEncodings) {
  FieldViolations message;
  message.add_field_violations()->set_field("a");
  for (const Encoding encoding : {Encoding::kJson, Encoding::kProto}) {
    std::string text;
    ASSERT_TRUE(Encode(encoding, message, &text).ok());
    FieldViolations read;
    ASSERT_TRUE(Decode(encoding, text, &read).ok()) << text;
    EXPECT_EQ(read.SerializeAsString(), message.SerializeAsString());
  }
  EXPECT_TRUE(Decode(Encoding::kJson, "", &message).ok());
  EXPECT_EQ(message.field_violations_size(), 0);
  EXPECT_EQ(Decode(Encoding::kJson, "{\"none\":1}", &message).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Decode(Encoding::kProto, "\xff", &message).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(ConnectText, Frames) {
  EXPECT_EQ(Frame(kEndOfStream, "abc"), std::string("\2\0\0\0\3abc", 8));
  const std::string text(300, 'x');
  EXPECT_EQ(*ReadFrame(Frame(0, text)), text);
  EXPECT_EQ(*ReadFrame(Frame(0, "")), "");
  EXPECT_FALSE(ReadFrame("").ok());
  EXPECT_FALSE(ReadFrame(Frame(0, "abc") + "d").ok());
  EXPECT_FALSE(ReadFrame(Frame(0, "abc").substr(0, 7)).ok());
  EXPECT_EQ(ReadFrame(Frame(1, "abc")).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(ConnectText, Timeouts) {
  EXPECT_EQ(*ReadTimeout(""), absl::InfiniteDuration());
  EXPECT_EQ(*ReadTimeout("1500"), absl::Milliseconds(1500));
  for (const char* wrong : {"-1", "1.5", "1s", " 1", "12345678901"}) EXPECT_FALSE(ReadTimeout(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace rewrought::rpc
