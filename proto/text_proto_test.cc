#include "proto/text_proto.h"

#include <google/protobuf/struct.pb.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::proto {
namespace {

std::string Nested(int depth) {
  std::string text = "null_value: NULL_VALUE";
  for (int i = 0; i < depth; ++i) text = absl::StrCat("list_value { values { ", text, "}}");
  return text;
}

TEST(TextProtoTest, MessagesNestNoDeeperThanTheBound) {
  google::protobuf::Value value;
  EXPECT_TRUE(ParseTextProto(Nested(16), "f", &value).ok());
  EXPECT_EQ(ParseTextProto(Nested(17), "f", &value).message(),
            "f:1:364: more than 32 levels of nesting, the limit for a textproto; shorten the file");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "list_value<values<";
  EXPECT_TRUE(absl::StrContains(ParseTextProto(deep, "f", &value).message(), "more than 32 levels"));
}

TEST(TextProtoTest, SaysWhereFieldsStand) {
  google::protobuf::Value value;
  google::protobuf::TextFormat::ParseInfoTree places;
  ASSERT_TRUE(ParseTextProto("# {{{\n\nstring_value: '{{{'", "f", &value, &places).ok());
  const auto* const field = google::protobuf::Value::descriptor()->FindFieldByName("string_value");
  EXPECT_EQ(places.GetLocation(field, -1).line, 2);
  EXPECT_EQ(ParseTextProto("\n what: 1", "f", &value).message().substr(0, 6), "f:2:6:");
}

}  // namespace
}  // namespace rewrought::proto
